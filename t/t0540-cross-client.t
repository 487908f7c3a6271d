#!/bin/sh
# aarch64 where no system for it is at hand: the client is compiled by the cross compiler and lives, emulated, in a C program with
# that compiler's C library. An image for aarch64 is made there only: what is served is tested by t0538, in a whole system.
. "$(dirname "$0")/lib.sh"
cross=aarch64-linux-gnu
libc=/usr/$cross/lib
[ "$(uname -m)" != aarch64 ] || skip_all 'this is that machine'
command -v $cross-gcc >/dev/null || skip_all "no $cross-gcc"
[ -e $libc/ld-linux-aarch64.so.1 ] || skip_all "no C library for $cross"
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip_all 'no qemu-aarch64'

# emulated CMD...: where programs for aarch64 run: in namespaces that have an emulator for them (binfmt_misc, Linux 6.7)
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
emulated() {
    unshare --user --map-root-user --mount sh -c 'kinds=/proc/sys/fs/binfmt_misc
        mount -t binfmt_misc binfmt_misc $kinds && printf %s "$0" >$kinds/register && exec "$@"' \
        ":aarch64:M::$magic:$qemu:FP" "$@"
}
echo 'int main(void) { return 0; }' >nothing.c
$cross-gcc -static nothing.c -o nothing
emulated ./nothing 2>err || skip_all "no emulation by binfmt_misc in a namespace: $(head -1 err)"

# The client's objects as its meson.build files make them.
code=$src/src
flags="-std=gnu17 -D_GNU_SOURCE -O1 -I $code -ffreestanding -fno-builtin -fno-stack-protector -fno-tree-loop-distribute-patterns
    -fvisibility=hidden -fno-strict-aliasing -mno-outline-atomics -mbranch-protection=bti -fPIC"
compile() { # DIR...: to ROOM-NAME.o
    for dir; do
        for file in "$code/$dir"/*.c; do
            case $file in *_test.c | */layouts_ours.c) continue ;; esac
            # shellcheck disable=SC2086 # words
            $cross-gcc $flags -c "$file" -o "$(basename "$dir")-$(basename "$file" .c).o" || return 1
        done
    done
}
link() { # OUTPUT OPTION OBJECT...
    out=$1 option=$2
    shift 2
    $cross-gcc -nostdlib "$option" -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,relro -Wl,--build-id -Wl,--hash-style=gnu "$@" libfree.a -o "own/$out"
}
make_client() {
    mkdir own
    compile node client/preload client/python client/audit client/bindings client/launch &&
        for name in bindings bindings_seal look look_open walk; do
            # shellcheck disable=SC2086 # words
            $cross-gcc $flags -c "$code/image/$name.c" -o "image-$name.o" || return 1
        done
    mv node-entry_point.o entry.o
    $cross-ar rc libfree.a node-*.o image-*.o &&
        link preload.so -shared -Wl,--version-script="$code/client/preload/preload.map" preload-*.o python-*.o &&
        link launch -static launch-*.o entry.o &&
        rm audit-record.o audit-record_loader.o bindings-capture*.o &&
        link audit.so -shared -Wl,--version-script="$code/client/audit/audit.map" audit-*.o bindings-*.o
}
make_client >log 2>&1 || { echo 'not ok 1 - the client compiles for aarch64'; sed 's/^/# /' log; echo 1..1; exit 1; }
cat >library.c <<'C'
#include <math.h>
double answer(double x) { return floor(x) * 6; }
C
cat >program.c <<'C'
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
double answer(double);
int main(int argc, char **argv)
{
    struct stat st;
    glob_t found;
    printf("%g, %d, %s\n", answer(7.5), stat("library.c", &st), dlopen("./libanswer.so", RTLD_NOW) ? "open" : dlerror());
    printf("%d %s\n", glob("lib*.c", 0, NULL, &found), found.gl_pathv[0]);
    fflush(stdout);
    if (argc == 1 && fork() == 0)
        return execl(argv[0], argv[0], "child", NULL);
    return wait(NULL) == 99;
}
C
$cross-gcc -shared -fPIC library.c -lm -o libanswer.so -Wl,-rpath,$libc
$cross-gcc program.c -o program ./libanswer.so -Wl,-rpath,"$tmp:$libc" -Wl,--dynamic-linker=$libc/ld-linux-aarch64.so.1
emulated ./program >plain
[ "$(wc -l <plain)" = 4 ] || { echo 'not ok 1 - the program alone'; echo 1..1; exit 1; }

t 'they need no library, and indirect branches find landing places' '
    for object in audit.so preload.so launch; do
        $cross-readelf -dW own/$object | grep -e NEEDED -e TEXTREL | nothing
        $cross-readelf -nW own/$object | grep -q "AArch64 feature:.*BTI"
    done
    $cross-readelf --dyn-syms -W own/preload.so | awk "\$7 == \"UND\" && \$8 != \"\" && \$5 != \"WEAK\"" | nothing
'
t 'they load with pages of 64 KiB' '
    for object in audit.so preload.so launch; do
        $cross-readelf -lW own/$object | awk "\$1 == \"LOAD\" { print \$NF }" >alignments
        [ -s alignments ]
        while read -r alignment; do [ $((alignment)) -ge 65536 ]; done <alignments
    done
'
t 'a program and its child run the same with them loaded and nothing to serve' '
    code 0 emulated env LD_AUDIT="$tmp/own/audit.so" LD_PRELOAD="$tmp/own/preload.so" ./program
    same plain out
    # The emulator itself, if it is not static, cannot load them.
    grep -v "^ERROR: ld.so: object.*ignored" err | nothing
'
t 'the launcher starts it' '
    code 0 emulated own/launch ./program
    same plain out
    [ ! -s err ]
'
t 'a node directory for another machine serves nothing, and the program runs' '
    "$PROGRAMS/mkimage" other.lcast library.c
    code 0 loadcast exec other.lcast -- true
    node=$(ls -d "$LOADCAST_DIR"/loadcast-*/*/)
    LOADCAST_NODE=${node%/} code 0 emulated own/launch ./program
    same plain out
    [ ! -s err ]
    code 0 loadcast status --dir "$LOADCAST_DIR" --json
    "$python" -c "
import json
assert json.load(open(\"out\"))[0][\"counts\"][\"processes\"] == 1"
'
finish
