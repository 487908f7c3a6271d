#!/bin/sh
# The promise on aarch64: a C program and Python ask nothing of the shared file system, judged by its own counters and by
# freezing it, with bindings replayed. On another machine it is emulated, in the root that tools/arm64 has made.
. "$(dirname "$0")/lib.sh"
if [ "$(uname -m)" != aarch64 ]; then
    [ -e "$src/build-systems/arm64.made" ] || skip_all 'no system for aarch64 here; to make it: tools/arm64 --root'
    [ "$(id -u)" = 0 ] || skip_all 'tools/arm64 needs root'
    command -v qemu-aarch64-static >/dev/null || skip_all 'no qemu-aarch64-static; to install it: tools/deps arm64'
    unshare --user --map-root-user --mount mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>err ||
        skip_all "no emulation by binfmt_misc in a namespace: $(head -1 err)"
    built=$src/build-aarch64-linux-gnu
    "$src/tools/arm64" "$(basename "$0" .t)" >"$tmp/arm64.log" 2>&1 || :
    [ -s "$built/tests/$(basename "$0")" ] || { echo 'not ok 1 - tools/arm64 runs it'; sed 's/^/# /' "$tmp/arm64.log"; echo 1..1; exit 1; }
    cat "$built/tests/$(basename "$0")"
    exit
fi
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
need_compiler
"$here/python_tree" "$tmp/tree" || skip_all 'no Python to copy'
cat >library.c <<'E'
#include <math.h>
double answer(double x) { return floor(x) * 6; }
E
cat >program.c <<'E'
#include <stdio.h>
double answer(double);
int main(void) { return printf("%g\n", answer(7.5)) < 0; }
E
"$cc" -shared -fPIC library.c -lm -o tree/lib/libanswer.so
"$cc" program.c -Ltree/lib -lanswer -o tree/bin/program
zero_disk "$tmp/tree"

t 'a C program' '
    zero "$m/bin/program"
    says 42 served
'
t 'python -c "import json"' '
    zero "$m/bin/python3" -c "import json; print(json.dumps([1]))"
'
t 'symbols looked up again are those that were bound' '
    code 0 job "$build/loadcast" record -o "$tmp/bound.lcast" -- "$m/bin/python3" -c "import json"
    code 0 job "$build/loadcast" exec --verify-bindings "$tmp/bound.lcast" -- "$m/bin/python3" -c "import json"
    grep "bindings looked up again: 0 different" err
    grep "bindings   [1-9].* 0 groups refused" err
'
finish
