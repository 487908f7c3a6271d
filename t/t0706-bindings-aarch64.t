#!/bin/sh
# Bindings on a processor they were not tested on: everything compiles, and refuses with its reason.
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
    -fno-tree-loop-distribute-patterns -fvisibility=hidden -fno-strict-aliasing -mno-outline-atomics -fno-builtin -fPIC"

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
t 'there the recorder leaves the program alone and records nothing' '
    mkdir log
    run LD_AUDIT="$tmp/recorder.so" LOADCAST_BINDINGS_LOG="$tmp/log" ./ok >out
    echo "as ever" | same - out
    ls log | nothing
'
t 'there the replayer refuses, and says why' '
    sources=$(ls "$src"/client/bindings/*.c | grep -v -e capture -e _test.c)
    $cross-gcc -std=gnu17 -D_GNU_SOURCE -O1 -ffunction-sections -Wl,--gc-sections -mno-outline-atomics -static \
        -I "$src" "$here/programs/replay-refuses.c" $sources "$src"/node/search_key.c "$src"/node/elf_object.c "$src"/node/symbol.c "$src"/node/bind_mode.c "$src"/image/bindings.c \
        "$src"/image/bindings_seal.c -o refuses
    run ./refuses >out
    grep -x "bindings are replayed on x86-64 only: not yet tested on this processor" out
'
finish
