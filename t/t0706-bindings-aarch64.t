#!/bin/sh
# Bindings on aarch64: recorder and replayer compile for it, need nobody, and the recorder runs. What is replayed there is tested
# by tools/arm64.
. "$(dirname "$0")/lib.sh"
src=$(dirname "$here")/src
cross=aarch64-linux-gnu
command -v $cross-gcc >/dev/null || skip_all "no $cross-gcc"
if [ "$(uname -m)" = aarch64 ]; then
    run() { env "$@"; }
else
    command -v qemu-aarch64 >/dev/null || skip_all 'no qemu-aarch64'
    run() { # NAME=VALUE... COMMAND
        set -- "$@" ''
        while [ "${1#*=}" != "$1" ]; do
            set -- "$@" -E "$1"
            shift
        done
        command=$1
        shift 2
        qemu-aarch64 -L /usr/$cross "$@" "$command"
    }
fi
echo '#include <stdio.h>
int main(void) { return puts("as ever") < 0; }' >ok.c
$cross-gcc ok.c -o ok && run ./ok >/dev/null || skip_all 'qemu-aarch64 cannot run programs here'
flags="-std=gnu17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I $src -ffreestanding -fno-stack-protector
    -fno-tree-loop-distribute-patterns -fvisibility=hidden -fno-strict-aliasing -mno-outline-atomics -fno-builtin -fPIC -mbranch-protection=bti"

t 'the recorder and the replayer compile and need nobody' '
    for file in "$src"/client/bindings/*.c "$src"/client/audit/*.c "$src"/node/*.c "$src"/image/bindings.c \
        "$src"/image/bindings_seal.c "$src"/image/look.c "$src"/image/look_open.c "$src"/image/walk.c; do
        case $file in *_test.c | */node/entry_point.c) continue ;; esac
        $cross-gcc $flags -c "$file" -o "$(basename "$(dirname "$file")")-$(basename "$file" .c).o"
    done
    shared="bindings-dlopen_calls.o bindings-relocation_table.o node-*.o image-*.o"
    $cross-gcc -shared -nostdlib -Wl,--no-undefined bindings-capture*.o $shared -o recorder.so
    $cross-nm -D --undefined-only recorder.so | nothing
    $cross-gcc -shared -nostdlib -Wl,--no-undefined $(ls audit-*.o bindings-*.o | grep -v -e record -e capture) \
        node-*.o image-*.o -o audit.so
    $cross-nm -D --undefined-only audit.so | nothing
'
t 'they have landing places for indirect branches' '
    for object in recorder.so audit.so; do $cross-readelf -n $object | grep -q "AArch64 feature:.*BTI"; done
'
t 'the recorder writes what ld.so bound, and the program runs as ever' '
    mkdir log
    # The recorder reads its variables from /proc: those of the emulator itself.
    (export LOADCAST_BINDINGS_LOG="$tmp/log"; run LD_AUDIT="$tmp/recorder.so" ./ok) >out
    echo "as ever" | same - out
    [ "$(ls log | wc -l)" = 1 ]
    grep -q libc.so.6 log/*
    # Records of bindings_log.h: an object (1), its values (5), the end of the start (4).
    "$python" -c "
import glob, struct
data, types = open(glob.glob(\"log/*\")[0], \"rb\").read(), set()
while data:
    kind, length = struct.unpack_from(\"<II\", data)
    types.add(kind)
    data = data[8 + length:]
assert {1, 4, 5} <= types, types"
'
finish
