#!/bin/sh
# A workload beside the one the original Pynamic makes by the same line: sections, debug information,
# what is needed, the work of the fractal. Figures of the original: version 1.3.3, gcc 12, bytes per
# function over all libraries of "10 1250 -e -u 4 1250 -n 150".
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"

line="10 1250 -e -u 4 1250 -n 150 --modes mpi4py"
cat >sections.py <<'EOF'
import json, re, subprocess, sys
original = {"module": {".text": 196.3, ".rodata": 13.5, "debug": 1036.9, "file": 2108.8},
            "utility": {".text": 160.9, ".rodata": 6.0, "debug": 655.5, "file": 1312.8}}
limit = {".text": 0.05, ".rodata": 0.25, "debug": 0.1, "file": 0.05}
where, wrong = sys.argv[1], 0
libraries = json.load(open(where + "/manifest.json"))["libraries"]
for kind in original:
    total, functions = dict.fromkeys(limit, 0), 0
    for lib in (l for l in libraries if l["kind"] == kind):
        path = "%s/%s.so" % (where, lib["name"])
        functions += lib["functions"]
        total["file"] += len(open(path, "rb").read())
        headers = subprocess.run(["readelf", "-W", "-S", path], capture_output=True, text=True).stdout
        for name, size in re.findall(r"\] (\.\S+) +\S+ +\w+ \w+ (\w+)", headers):
            name = "debug" if name.startswith(".debug_") else name
            if name in total:
                total[name] += int(size, 16)
    for name in sys.argv[2:]:
        share = total[name] / functions / original[kind][name] - 1
        print("%s %s: %.1f bytes per function, %+.1f %%" % (kind, name, total[name] / functions, 100 * share))
        wrong += abs(share) > limit[name]
sys.exit(wrong)
EOF
t 'code, constants, debug information and files are as large as the original'\''s' '
    [ "$(uname -m)" = x86_64 ] || skip "the figures are those of x86-64"
    loadcast gen $line --out w
    $python sections.py w .text .rodata debug file
'
t 'so are code and constants that the compiler makes' '
    [ "$(uname -m)" = x86_64 ] || skip "the figures are those of x86-64"
    cc --version | grep -qi "^gcc\|^cc " || skip "the figures are those of gcc"
    sed -i "s/\".text\": 0.05/\".text\": 0.08/" sections.py
    loadcast gen 4 1250 -e -u 2 1250 -n 150 --modes mpi4py --emit=c --out c
    $python sections.py c .text .rodata debug
'
debug_in() { readelf -W -S "$1" | grep -c "\.debug_info"; }
t 'debug information is the default, and left out when asked, or where a size is asked for' '
    gen() { code 0 loadcast gen 4 20 -u 1 20 --modes mpi4py --force --out d "$@"; }
    gen && [ "$(debug_in d/libmodule0.so)" = 1 ]
    says "of debug information" out
    gen --no-debug-info && [ "$(debug_in d/libmodule0.so)" = 0 ]
    lacks "debug" out
    gen --total-size 200k && [ "$(debug_in d/libmodule0.so)" = 0 ]
    gen --total-size 200k --debug-info && [ "$(debug_in d/libmodule0.so)" = 1 ]
    code 0 loadcast gen --preset small --modes mpi4py --force --out d
    [ "$(debug_in d/libmodule0.so)" = 1 ]
    mkdir front && cd front
    code 0 "$build/config_pynamic.py" 4 20 -u 1 20 --modes=mpi4py
    [ "$(debug_in libmodule0.so)" = 1 ]
    code 0 "$build/config_pynamic.py" 4 20 -u 1 20 --modes=mpi4py --no-debug-info --force
    [ "$(debug_in libmodule0.so)" = 0 ]
    code 2 loadcast gen 4 20 --debug-info --no-debug-info --out x
    says "contradict" "$tmp/err"
'
t 'every library needs libc, and names the versions of its symbols' '
    for f in d/libmodule0.so d/libutility0.so d/libmodulebegin.so; do
        readelf -W -d $f >dynamic && says "[libc.so.6]" dynamic
        readelf -W --dyn-syms $f | grep -q "__cxa_finalize@GLIBC_2"
    done
    loadcast gen 2 5 -u 1 5 --modes mpi4py --emit=c --out e
    for f in e/libmodule0.so e/libutility0.so; do
        readelf -W --dyn-syms $f | grep -q "__cxa_finalize@GLIBC_2"
    done
'
t 'the fractal takes as many turns as the original'\''s, three million, and more' '
    cat >turns.py <<EOF
import re
text = open("d/pynamic_driver.py").read()
space = {}
exec(re.search(r"^PICTURE = .*?(?=^def say)", text, re.M | re.S).group(0), space)
exec(re.search(r"^def step\(.*?(?=^def fractal)", text, re.M | re.S).group(0), space)
step, calls = space["step"], [0]
def counted(x, y):
    calls[0] += 1
    return step(x, y)
space["step"] = counted
bytes_made = sum(len(space["julia_row"](row)) for row in range(0, 400, 8))
print(calls[0] * 8, bytes_made * 8)
assert calls[0] * 8 > 3150147 and bytes_made * 8 == 3 * 400 * 400
EOF
    $python turns.py
'
finish
