#!/bin/sh
# The launcher each rank runs: which program, with which arguments and environment.
. "$(dirname "$0")/lib.sh"
mkimage=$PROGRAMS/mkimage
LOADCAST_DIR=$tmp/node
export LOADCAST_DIR
unset LOADCAST LOADCAST_NODE LD_AUDIT LD_PRELOAD
mkdir node app app/bin app/late
cp "$PROGRAMS/show" app/bin/show
ln -s show app/bin/link
printf "#!$tmp/app/bin/show  one two \nexit\n" >app/bin/script
printf "#! $tmp/app/bin/script\n" >app/bin/nested
printf "#!$tmp/app/bin/show" >app/bin/short
printf "#!$tmp/app/bin/none\n" >app/bin/orphan
printf "#!%0300d\n" 0 >app/bin/long
printf "#!$tmp/app/bin/loop\n" >app/bin/loop
printf "echo by-nobody\n" >app/bin/bare
chmod +x app/bin/*
echo text >app/bin/data
"$mkimage" app.lcast app --absent "$tmp/gone" || exit 1
loadcast exec -q app.lcast -- true || exit 1
node=$(echo node/loadcast-*/[0-9a-f]*)
node=$tmp/$node
launch=$node/bin/launch
LOADCAST_NODE=$node
export LOADCAST_NODE
staged="exe=$node/files$tmp/app/bin/show"

t 'a name is found along PATH, a name with a slash where it says' '
    PATH=/nowhere:$tmp/gone:$tmp/app/late:$tmp/app/bin:$PATH code 0 "$launch" show a
    says "argv[0]=show" out
    says "$staged" out
    code 0 "$launch" ./app/bin/../bin/show
    says "argv[0]=./app/bin/../bin/show" out
    says "$staged" out
    code 0 "$launch" "$tmp/app/bin/link"
    says "argv[0]=$tmp/app/bin/link" out
    says "$staged" out
    cd app/bin && PATH=:/nowhere code 0 "$launch" show
    says "$staged" $tmp/out
'
t 'what is not recorded is found on the file system' '
    mkdir new && cp "$PROGRAMS/show" new/fresh
    PATH=$tmp/new:$PATH code 0 "$launch" fresh
    says "exe=$tmp/new/fresh" out
    says "LOADCAST_NODE=$node" out
'
t 'scripts: the interpreter from memory, the option as one word, the script by its own path' '
    PATH=$tmp/app/bin:$PATH code 0 "$launch" script x y
    printf "argv[0]=$tmp/app/bin/show\nargv[1]=one two\nargv[2]=$tmp/app/bin/script\nargv[3]=x\nargv[4]=y\n" >want
    grep ^argv out >got
    same want got
    says "$staged" out
    for s in script nested short link; do
        code 0 "$launch" app/bin/$s x
        grep ^argv out >got
        code 0 app/bin/$s x
        grep ^argv out >want
        same want got
    done
'
t 'what the kernel refuses is refused with the same status' '
    for s in orphan loop data none; do
        want=0; env "app/bin/$s" >out 2>err || want=$?
        test $want -gt 125
        code $want "$launch" app/bin/$s
    done
'
t 'what has no format goes to the shell, as execvp does it' '
    code 0 "$launch" app/bin/bare
    says "by-nobody" out
    PATH=$tmp/app/bin:$PATH code 0 "$launch" bare
    says "by-nobody" out
    env app/bin/long >want 2>&1 || :
    "$launch" app/bin/long >got 2>&1 || :
    same want got
'
t 'the user'\''s LD_PRELOAD stays before ours and LD_AUDIT behind, in order, never twice' '
    test -f "$build/preload.so" || skip "no client in this build"
    LD_PRELOAD="libm.so.6 libdl.so.2:libpthread.so.0" code 0 "$launch" app/bin/show
    says "LD_PRELOAD=libm.so.6 libdl.so.2:libpthread.so.0:$node/bin/preload.so" out
    LD_PRELOAD="libm.so.6:$node/bin/preload.so" code 0 "$launch" app/bin/show
    says "LD_PRELOAD=libm.so.6:$node/bin/preload.so" out
    LD_PRELOAD= code 0 "$launch" app/bin/show
    grep -qx "LD_PRELOAD=$node/bin/preload.so" out
    code 0 "$launch" "$launch" app/bin/show
    grep -qx "LD_PRELOAD=$node/bin/preload.so" out
    code 0 loadcast exec -q app.lcast -- loadcast exec -q app.lcast -- app/bin/show
    grep -qx "LD_PRELOAD=$node/bin/preload.so" out
    test -f "$build/audit.so" || exit 0
    grep -qx "LD_AUDIT=$node/bin/audit.so" out
    LD_AUDIT=/none/a.so:/none/b.so code 0 "$launch" app/bin/show
    says "LD_AUDIT=$node/bin/audit.so:/none/a.so:/none/b.so" out
'
t 'an image inside another: only the inner one'\''s objects' '
    test -f "$build/preload.so" || skip "no client in this build"
    "$mkimage" inner.lcast app/bin
    code 0 loadcast exec -q app.lcast -- loadcast exec -q inner.lcast -- "$tmp/app/bin/show"
    test "$(grep -c "^LD_PRELOAD=.*:" out)" = 0
    says "LD_PRELOAD=$tmp/node/loadcast-" out
    lacks "LOADCAST_NODE=$node" out
'
t 'set-user-ID and set-group-ID programs: the original, and nothing in its environment' '
    cp app/bin/show suid && chmod 4755 suid
    cp app/bin/show sgid && chmod 2755 sgid
    "$mkimage" s.lcast suid sgid
    for f in suid sgid; do
        code 0 loadcast exec s.lcast -- ./$f
        says "exe=$tmp/$f" out
        says "LD_PRELOAD=(unset)" out
        says "LOADCAST_NODE=(unset)" out
        says "is set-user-ID, set-group-ID or has capabilities: not covered" err
        code 0 "$launch" ./$f
        says "LD_PRELOAD=(unset)" out
        test ! -s err
    done
'
t 'programs with file capabilities likewise' '
    cp app/bin/show capable
    setcap cap_net_bind_service+ep capable 2>/dev/null || skip "cannot set file capabilities"
    code 0 "$launch" ./capable
    says "LD_PRELOAD=(unset)" out
'
t 'a static program: the original; what it starts is covered' '
    cp "$build/launch" app/static
    "$mkimage" static.lcast app
    code 0 loadcast exec static.lcast -- app/static app/bin/show
    says "is statically linked" err
    says "files$tmp/app/bin/show" out
    says "argv[0]=app/bin/show" out
'
t 'a program of another C library: nothing in its environment' '
    "$python" - <<E
d = bytearray(open("app/bin/show", "rb").read())
i = d.find(b"/ld-linux"); assert i > 0
i = d.rfind(b"/lib", 0, i)
n = d.find(b"\0", i) - i
open("ld", "w").write(d[i:i + n].decode())
d[i:i + n] = b"ld-musl-here".ljust(n, b"\0")
open("foreign", "wb").write(d)
E
    chmod +x foreign
    cp "$(cat ld)" ld-musl-here
    code 0 ./foreign
    code 0 "$launch" ./foreign
    says "LD_PRELOAD=(unset)" out
    says "LD_AUDIT=(unset)" out
    test ! -s err
    LOADCAST_TELL=1 code 0 "$launch" ./foreign
    says "not a 64-bit program of glibc" err
'
t 'one launch per rank: by its own path, without LOADCAST_NODE' '
    unset LOADCAST_NODE
    code 0 "$launch" app/bin/show
    says "LOADCAST_NODE=$node" out
    says "$staged" out
'
t 'what was written since is asked of the file system' '
    cp -a "$node" copy
    "$python" - copy <<E
import struct, sys
f = open(sys.argv[1] + "/live", "r+b")
f.seek(20); f.write(struct.pack("<I", 1))        # any_written
d = f.seek(0) or f.read()
written = struct.unpack("<Q", d[32:40])[0]         # the offset of the bits
f.seek(written); f.write(b"\xff" * 4)
E
    LOADCAST_NODE=$tmp/copy code 0 "$launch" app/bin/show
    says "exe=$tmp/app/bin/show" out
    says "LOADCAST_NODE=$tmp/copy" out
    rm -r copy
'
t 'anything wrong with the node directory: the plain program' '
    plain() {
        code 9 "$1" app/bin/show --exit 9
        says "exe=$tmp/app/bin/show" out
        says "LOADCAST_NODE=(unset)" out
        says "LD_PRELOAD=(unset)" out
        test ! -s err
    }
    cp -a "$node" copy
    for damage in "rm copy/index" "rm copy/state" "rm copy/live" "chmod 777 copy" "truncate -s 40 copy/index" \
        "truncate -s 8 copy/state" "truncate -s 100 copy/live" "printf X | dd of=copy/state conv=notrunc" \
        "chmod 666 copy/state" "rm copy/bin/preload.so copy/bin/audit.so" "rm -r copy"; do
        rm -rf copy && cp -a "$node" copy && chmod -R u+w copy
        eval "$damage" 2>/dev/null
        LOADCAST_NODE=$tmp/copy plain "$launch"
    done
    for LOADCAST_NODE in "" relative /nowhere "$tmp" "$(printf "%0600d" 0)"; do plain "$build/launch"; done
    LOADCAST_NODE=$node LOADCAST=0 plain "$launch"
'
t 'a staged program that vanished: the original' '
    rm -rf copy && cp -a "$node" copy && rm "copy/files$tmp/app/bin/show"
    LOADCAST_NODE=$tmp/copy code 0 "$launch" app/bin/show
    says "exe=$tmp/app/bin/show" out
'
t 'no arguments: 125 and what it is' '
    code 125 "$launch"
    says "usage" err
'
t 'it is static and needs no library' '
    readelf -lW "$build/launch" | grep -E "INTERP|DYNAMIC" | nothing
    readelf -lW "$build/launch" | grep -E "GNU_STACK.* RW "
'
t 'it asks the file system of the program for nothing' '
    command -v strace >/dev/null || skip "no strace"
    strace -qq -e trace=%file -o log "$launch" "$tmp/app/bin/show" >/dev/null || skip "strace cannot trace here"
    # The calls before the program itself is there: after the second execve it is the program'\''s own.
    awk "/execve/ && ++n == 2 { exit } { print }" log >before
    test "$(wc -l <before)" -gt 3
    sed 1d before | grep "$tmp/app" | grep -v "$node/files" | nothing
'
t 'older kernels: without the number of a mount, and without the auxiliary vector by prctl' '
    strace -qq -o /dev/null -e trace=getpid -e inject=getpid:error=EINVAL true 2>/dev/null || skip "strace cannot inject here"
    for call in statx:error=ENOSYS prctl:error=EINVAL; do
        no_leak_check strace -f -qq -o log -e trace=%file,statx,prctl -e inject=$call "$launch" "$tmp/app/bin/show" >out
        says "$staged" out
        says "LOADCAST_NODE=$node" out
        grep -q "(INJECTED)" log
        case $call in statx*) grep -q /proc/self/ns/mnt log ;; *) grep -q /proc/self/auxv log ;; esac
    done
'
loadcast clean -q --all --dir "$tmp/node"
finish
