# A thin front for Meson: every target is one command a person could type.
# CROSS=aarch64-linux-gnu builds for that machine: tools/build.
CROSS ?=
BUILD ?= build$(CROSS:%=-%)
export CROSS
PREFIX ?= $(HOME)/.local

.PHONY: all demo check check-long bench coverage dist install format clean

all:
	@tools/build $(BUILD)

demo:
	@tools/deps demo
	@tools/build $(BUILD)
	@tools/demo $(BUILD)

check:
	@tools/deps check
	@tools/check

check-long:
	@tools/deps long
	@tools/check --long

bench:
	@tools/deps check
	@tools/build $(BUILD)
	@tools/bench $(BUILD)

# TESTS="t0100-trace util/buf": only these.
coverage:
	@tools/deps coverage
	@tools/coverage $(TESTS)

dist:
	@tools/deps dist
	@tools/dist

install:
	@tools/build $(BUILD) --prefix "$(PREFIX)"
	@meson install -C $(BUILD) --quiet --no-rebuild
	@echo "installed below $(PREFIX): bin/loadcast"

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf $(BUILD) build-san build-coverage
