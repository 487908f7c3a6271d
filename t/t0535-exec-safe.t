#!/bin/sh
# What must not happen to a program or to its user: answers of another world, privileges, other people's
# objects out of order, complaints of ld.so.
. "$(dirname "$0")/lib.sh"
need_compiler
mkimage=$PROGRAMS/mkimage
unset LOADCAST LOADCAST_NODE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
mkdir -m 700 node
mkdir -p app/lib app/bin other
export LOADCAST_DIR=$tmp/node
cp "$PROGRAMS/show" app/bin/show
cp /bin/cat /bin/sh app/bin/
echo recorded >app/lib/file
echo other >other/file
"$mkimage" app.lcast app || exit 1
loadcast exec -q app.lcast -- true
node=$(echo "$tmp"/node/loadcast-*/[0-9a-f]*)
launch=$node/bin/launch
export LOADCAST_NODE="$node"
opened() { loadcast status --json "$@" | "$python" -c 'import json, sys; print(json.load(sys.stdin)[0]["counts"]["open"])'; }
# own_mounts CODE: in a mount namespace of its own
own_mounts() { PATH=$PATH:/usr/sbin:/sbin unshare -rm sh -e -c "$1"; }
can_unshare() { unshare -rm true 2>/dev/null || skip "no mount namespaces for this user"; }

t 'another mount namespace with the same mounts: served' '
    can_unshare
    before=$(opened)
    own_mounts "$launch $tmp/app/bin/cat $tmp/app/lib/file" >out
    says recorded out
    test "$(opened)" -gt "$before"
'
t 'something else mounted over what was recorded: it is seen' '
    can_unshare
    own_mounts "mount --bind other app/lib; $launch $tmp/app/bin/cat $tmp/app/lib/file" >out
    says other out
    own_mounts "mount -t tmpfs none app; $launch /bin/ls $tmp/app" | nothing
    # also by a program that started before, and by its children
    own_mounts "$launch $tmp/app/bin/sh -c \"$tmp/app/bin/cat $tmp/app/lib/file; mount --bind other app/lib; $tmp/app/bin/cat $tmp/app/lib/file\"" >out
    printf "recorded\nother\n" | same - out
'
t 'behind chroot the same paths are other files' '
    can_unshare
    mkdir -p root$tmp/app/lib root/bin root/dev && echo inside >root$tmp/app/lib/file
    for lib in /lib /lib64 /usr; do mkdir -p root$lib; done
    own_mounts "for d in /lib /lib64 /usr /bin; do mount --rbind \$d root\$d; done
        $launch chroot $tmp/root cat $tmp/app/lib/file" >out 2>err
    says inside out
    test ! -s err || { cat err; exit 1; }
'
t 'a set-group-ID child sees no trace of us, and is not served' '
    cp app/bin/show sgid && chmod 2755 sgid
    "$mkimage" s.lcast sgid
    test "$(id -u)" != 0 || chgrp 1 sgid && chmod 2755 sgid
    "$launch" sh -c "./sgid" >out 2>err
    test ! -s err
    LD_PRELOAD= ./sgid >plain
    grep ^exe out >a; grep ^exe plain >b; same a b
'
# Two auditors and two preloads of the user'\''s own, which tell when they come.
for n in 1 2; do
    cat >user$n.c <<P
#include <unistd.h>
__attribute__((constructor)) static void come(void) { if (write(2, "preload $n\n", 10)) return; }
unsigned la_version(unsigned v);
unsigned la_version(unsigned v) { return write(2, "audit $n\n", 8) ? v : v; }
P
    $cc -shared -fPIC user$n.c -o preload$n.so
    $cc -shared -fPIC user$n.c -o audit$n.so
done
t 'the user'\''s own LD_PRELOAD and LD_AUDIT work as without us, in order, also in children' '
    for order in "1 2" "2 1"; do
        set -- $order
        export LD_PRELOAD="$tmp/preload$1.so $tmp/preload$2.so" LD_AUDIT="$tmp/audit$1.so:$tmp/audit$2.so"
        app/bin/sh -c "$tmp/app/bin/show >/dev/null" 2>plain
        "$launch" app/bin/sh -c "$tmp/app/bin/show >/dev/null" 2>served
        unset LD_PRELOAD LD_AUDIT
        same plain served
        test -s served
    done
'
t 'a preload of the user'\''s that stands in front of open and stat still does' '
    cat >front.c <<P
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return next(strcmp(path, "$tmp/app/lib/magic") == 0 ? "$tmp/app/lib/file" : path, flags, 0600);
}
P
    $cc -shared -fPIC front.c -o front.so -ldl
    LD_PRELOAD=$tmp/front.so app/bin/cat "$tmp/app/lib/magic" >plain
    # Not the node of the tests before, which mounted and so switched it off.
    mkdir -m 700 fresh
    LD_PRELOAD=$tmp/front.so loadcast exec -q --dir "$tmp/fresh" app.lcast -- app/bin/cat "$tmp/app/lib/magic" >served 2>&1 || :
    same plain served
    [ "$(opened --dir "$tmp/fresh")" = 1 ]
'
# Mounting by calls that C libraries before 2.36 and older kernels lack.
cat >newer.c <<P
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
extern int open_tree(int, const char *, unsigned) __attribute__((weak));
extern int move_mount(int, const char *, int, const char *, unsigned) __attribute__((weak));
static void tell(const char *path)
{
    char text[99] = "";
    int fd = open(path, O_RDONLY);
    printf("%s", read(fd, text, 98) > 0 ? text : "nothing\\n");
    close(fd);
}
int main(int argc, char **argv)
{
    tell(argv[3]);
    int tree = open_tree ? open_tree(AT_FDCWD, argv[1], 1) : -1;
    if (tree < 0 || move_mount(tree, "", AT_FDCWD, argv[2], 4))
        return 77;
    tell(argv[3]);
    return argc != 4;
}
P
$cc newer.c -o newer
t 'what is mounted by the newer calls is seen at once, by who mounted it' '
    can_unshare
    mkdir -m 700 fresh2
    loadcast exec -q --dir "$tmp/fresh2" app.lcast -- true
    fresh=$(echo "$tmp"/fresh2/loadcast-*/[0-9a-f]*)
    own_mounts "LOADCAST_NODE=$fresh $fresh/bin/launch ./newer $tmp/other $tmp/app/lib $tmp/app/lib/file" >out || skip "no such calls here"
    printf "recorded\nother\n" | same - out
'
t 'a 32-bit child: no complaint of ld.so' '
    test -e /lib/ld-linux.so.2 || skip "no 32-bit ld.so"
    cat >small.c <<P
void _start(void);
void _start(void) { __asm__ volatile("int \$0x80" : : "a"(1), "b"(7)); }
P
    $cc -m32 -nostdlib -fno-stack-protector -fPIE -pie small.c -o small -Wl,-dynamic-linker,/lib/ld-linux.so.2 -Wl,-z,noexecstack \
        -Wl,--export-dynamic 2>log || skip "no 32-bit compiler: $(tail -1 log)"
    readelf -lW small | grep -q "INTERP" || skip "the linker made it static"
    ran=0; ./small || ran=$?; [ $ran = 7 ] || skip "no 32-bit programs run here"
    for start in "./small" "exec ./small"; do
        want=0; sh -c "$start" >plain 2>&1 || want=$?
        got=0; "$launch" sh -c "$start" >served 2>&1 || got=$?
        test $want = 7 && test $got = 7
        same plain served
    done
'
t 'a static child is its original, which may look for its own files' '
    cp "$build/launch" app/bin/static
    "$mkimage" static.lcast app
    loadcast exec -q static.lcast -- "$tmp/app/bin/sh" -c "exec $tmp/app/bin/static $tmp/app/bin/show" >out
    says "argv[0]=$tmp/app/bin/show" out
    strace -f -o trace -e trace=execve loadcast exec -q static.lcast -- "$tmp/app/bin/sh" -c "exec $tmp/app/bin/static /bin/true" || skip "no strace"
    grep -q "execve(\"$tmp/app/bin/static\"" trace
    lacks "files$tmp/app/bin/static" trace
'
t 'a pipe that somebody tries to execute is refused, not waited for' '
    mkfifo pipe && chmod 755 pipe
    for start in ./pipe "exec ./pipe"; do
        want=0; sh -c "$start" >plain 2>&1 || want=$?
        got=0; timeout 60 "$launch" sh -c "$start" >served 2>&1 || got=$?
        test $got = $want
        same plain served
    done
    got=0; timeout 60 "$launch" ./pipe >served 2>&1 || got=$?
    test $got = 126
'
t 'LOADCAST=0 for a child alone' '
    "$launch" sh -c "LOADCAST=0 $tmp/app/bin/cat $tmp/app/lib/file" >out
    says recorded out
'
t 'a shell of system and popen after node memory is gone: no complaint of ld.so' '
    cat >gone.c <<C
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char line[9000];
    const char *node = getenv("LOADCAST_NODE");
    snprintf(line, sizeof(line), "chmod -R u+w %s; rm -rf %s", node, node);
    if (system(line))
        return 1;
    if (system("echo by system; exit 3") != 3 << 8)
        return 2;
    FILE *f = popen("cat", "w");
    fputs("by popen", f);
    return pclose(f);
}
C
    "$cc" -o gone gone.c
    echo two >app/lib/two
    "$mkimage" two.lcast app
    env -u LOADCAST_NODE loadcast exec -q two.lcast -- ./gone >out 2>err
    says "by system" out
    says "by popen" out
    nothing <err
'
t 'nobody'\''s link or directory is followed: as LOADCAST_NODE, on the way there, or in it' '
    test "$(id -u)" = 0 || skip "needs another user to be attacked by"
    mkdir -m 1777 shared
    cp -a "$node" shared/planted && chown -R 65534 shared/planted
    for bad in "$tmp/shared/planted" "$tmp/shared/link" "$tmp/shared/none" "relative" ""; do
        ln -sfn "$node" shared/link
        cp "$launch" launch-copy
        LOADCAST_NODE=$bad ./launch-copy app/bin/show >out
        says "exe=$tmp/app/bin/show" out
        says "LD_PRELOAD=(unset)" out
        # the objects themselves do not believe it either
        LOADCAST_NODE=$bad LD_PRELOAD=$node/bin/preload.so LD_AUDIT=$node/bin/audit.so app/bin/cat "$tmp/app/lib/file" >out 2>err
        says recorded out
        test ! -s err
    done
    before=$(opened)
    LOADCAST_NODE=$tmp/shared/planted LD_PRELOAD=$node/bin/preload.so app/bin/cat "$tmp/app/lib/file" >out
    test "$(opened)" = "$before"
'
loadcast clean -q --all --dir "$LOADCAST_DIR" >/dev/null 2>&1
finish
