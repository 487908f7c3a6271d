#!/bin/sh
# Where images are staged: local, exec, large enough, and nobody else's.
. "$(dirname "$0")/lib.sh"
mkimage=$PROGRAMS/mkimage
unset LOADCAST LOADCAST_NODE LOADCAST_DIR LD_AUDIT LD_PRELOAD TMPDIR
mkdir app
cp "$PROGRAMS/show" app/show
"$mkimage" app.lcast app || exit 1
me=$(id -u)

# mounted CODE: run CODE where mounts are our own and /dev/shm, /tmp/.. are fresh; skips if impossible.
mounted() {
    flags=-m
    test "$me" = 0 || flags=-rm
    unshare $flags true 2>/dev/null || skip "no mount namespaces here"
    { cat "$tmp/lib"; echo "mount -t tmpfs -o mode=1777 tmpfs /dev/shm && mkdir -m 700 /dev/shm/own && set -e"; echo "$1"; } >"$tmp/inner"
    unshare $flags sh "$tmp/inner"
}
# What a test inside needs of lib.sh.
cat >"$tmp/lib" <<E
tmp=$tmp mkimage=$mkimage me=$me build=$build
PATH=$PATH
$(sed -n '/^code()/,/^}/p; /^says()/p; /^lacks()/p; /^no_leak_check()/p' "$here/lib.sh")
E

t 'without a word it is /dev/shm' '
    mounted "
        code 0 loadcast exec app.lcast -- app/show
        says exe=/dev/shm/loadcast-\$(id -u)/ out
    "
'
t 'LOADCAST_DIR comes first, then /dev/shm, TMPDIR, /tmp' '
    mounted "
        LOADCAST_DIR=/dev/shm/own code 0 loadcast exec app.lcast -- app/show
        says exe=/dev/shm/own/loadcast- out
        mkdir other && chmod 700 other
        mount -t tmpfs -o size=64k,mode=1777 tmpfs /dev/shm
        TMPDIR=$tmp/other code 0 loadcast exec app.lcast -- app/show
        says exe=$tmp/other/loadcast- out
        rm -rf other
    "
'
t 'what is staged somewhere already is used there' '
    mounted "
        LOADCAST_DIR=/dev/shm/own code 0 loadcast exec app.lcast -- app/show
        mkdir -m 700 /dev/shm/two
        code 0 loadcast exec --dir /dev/shm/two app.lcast -- app/show
        TMPDIR=/dev/shm/two code 0 loadcast exec app.lcast -- app/show
        says exe=/dev/shm/two/loadcast- out
        lacks staged err
    "
'
t 'noexec: the next place that is not; none: data only, and the program is the original' '
    mounted "
        mount -t tmpfs -o noexec,mode=1777 tmpfs /dev/shm
        mkdir other && chmod 700 other && mount -t tmpfs -o mode=700 tmpfs other
        TMPDIR=$tmp/other code 0 loadcast exec app.lcast -- app/show
        says exe=$tmp/other/loadcast- out
        umount other && rmdir other
        code 3 loadcast exec --dir /dev/shm app.lcast -- app/show --exit 3
        says mounted\ noexec err
        says exe=$tmp/app/show out
        says LD_AUDIT=\(unset\) out
        test ! -f $build/preload.so || says LD_PRELOAD=$build/preload.so out
        grep -q LOADCAST_NODE=/dev/shm/loadcast- out
        code 0 loadcast status --dir /dev/shm
        says data\ only out
    "
'
t 'too small: says what is needed and what is there, and runs plainly' '
    mounted "
        mount -t tmpfs -o size=64k,mode=1777 tmpfs /dev/shm
        code 3 loadcast exec --dir /dev/shm app.lcast -- app/show --exit 3
        grep -qE \"not enough room in ./dev/shm.: needs [0-9.]+ [kM]B, has [0-9.]+ kB .free.\" err
        says exe=$tmp/app/show out
        ls -A /dev/shm/loadcast-\$(id -u) | grep -v lock >left || :
        test ! -s left
        mount -t tmpfs -o size=64m,nr_inodes=12,mode=1777 tmpfs /dev/shm
        mkdir many && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo \$i >many/\$i; done
        $mkimage many.lcast many
        code 0 loadcast exec --dir /dev/shm many.lcast -- app/show
        says \"not enough inodes\" err
        says exe=$tmp/app/show out
        rm -rf many
    "
'
t 'memory that runs out while staging leaves nothing behind' '
    mounted "
        mount -t tmpfs -o size=16m,mode=1777 tmpfs /dev/shm
        mkdir fat && head -c 1000000 /dev/urandom >fat/a
        $mkimage fat.lcast fat
        # Somebody takes the room between the question and the answer: ENOSPC from the kernel.
        command -v strace >/dev/null || exit 0
        # It is the second write of whichever thread stages; the message and the program (a process of its own)
        # are the first of theirs.
        for error in \"ENOSPC No space left\" \"EDQUOT Disk quota exceeded\"; do
            no_leak_check strace -f -qq -o /dev/null -e trace=write -e inject=write:error=\${error%% *}:when=2 \
                loadcast exec --no-check --dir /dev/shm fat.lcast -- sh -c \"app/show; exit\" >out 2>err || exit 1
            says \"\${error#* }\" err
            says exe=$tmp/app/show out
            ls -A /dev/shm/loadcast-\$(id -u) | grep -v lock >left || :
            test ! -s left
        done
        rm -rf fat
    "
'
t 'the memory cgroup'\''s limit counts too' '
    test "$me" = 0 || skip "needs root to make a cgroup"
    if [ -f /sys/fs/cgroup/cgroup.controllers ] && grep -qw memory /sys/fs/cgroup/cgroup.subtree_control; then
        group=/sys/fs/cgroup/loadcast-test.$$ limit=memory.max
    elif [ -d /sys/fs/cgroup/memory ]; then
        group=/sys/fs/cgroup/memory/loadcast-test.$$ limit=memory.limit_in_bytes
    else
        skip "no memory cgroup here"
    fi
    mkdir "$group" "$group/inner" 2>/dev/null || skip "cannot make a cgroup"
    trap "rmdir $group/inner $group" EXIT
    echo 60000000 >"$group/$limit"
    mkdir -p fat && head -c 40000000 /dev/zero >fat/zero
    "$mkimage" fat.lcast fat
    code 3 sh -c "echo \$\$ >$group/inner/cgroup.procs; exec loadcast exec --dir /dev/shm fat.lcast -- app/show --exit 3"
    grep -qE "half of what is left of the cgroup.s limit of (60.0|59.9) MB" err
    rm -rf fat
    rmdir "/dev/shm/loadcast-$me" 2>/dev/null || :
'
t 'a server'\''s file system is not node memory' '
    "$python" -c "import sys" && test -d /proc || exit 1
    code 0 loadcast exec --dir /proc app.lcast -- app/show
    says "is not local memory or disk" err
    code 125 loadcast exec --strict --dir /proc app.lcast -- app/show
    code 125 loadcast exec --strict --dir "$tmp/nowhere" app.lcast -- app/show
    says "No such file" err
    code 125 loadcast exec --strict --dir "$tmp/app.lcast" app.lcast -- app/show
'
# Attacks. In a place that is safe ours gets another name; else each must end with the plain program and one
# line. Nothing of the attacker'\''s is used. More of them, by a second user: t/attack.
elsewhere() {
    code 3 loadcast exec --dir "$1" app.lcast -- app/show --exit 3
    says "exe=$tmp/$1/loadcast-$me." out
    code 0 loadcast clean --all --dir "$1"
}
refused() {
    code 3 loadcast exec --dir "$1" app.lcast -- app/show --exit 3
    says "$2" err
    says "exe=$tmp/app/show" out
    says "LOADCAST_NODE=(unset)" out
    test "$(wc -l <err)" = 1
}
t 'a link in place of our directory is not followed' '
    mkdir -m 1777 a && mkdir -m 700 trap
    ln -s "$tmp/trap" a/loadcast-$me
    elsewhere a
    ls -A trap | nothing
'
t 'nor a file, nor a directory that others may write to or read' '
    mkdir -m 1777 b && : >b/loadcast-$me
    elsewhere b
    rm b/loadcast-$me && mkdir b/loadcast-$me
    for mode in 777 770 755 710 701; do
        chmod $mode b/loadcast-$me
        elsewhere b
    done
    ls -A b/loadcast-$me | nothing
'
t 'nor a directory of another user' '
    test "$me" = 0 || skip "needs root to make one"
    mkdir -m 1777 c && mkdir -m 700 c/loadcast-0 && chown 65534 c/loadcast-0
    elsewhere c
    mkdir -m 755 d && chown 65534 d
    refused d "belongs to another user (65534)"
'
t 'nor a place whose names others may change' '
    mkdir e && chmod 777 e
    refused e "others may rename what is in"
    mkdir -m 700 e/deep
    refused e/deep "others may rename what is in"
    chmod 1777 e
    code 0 loadcast exec --dir e/deep app.lcast -- app/show
    says "exe=$tmp/e/deep/loadcast-$me" out
'
t 'nor a node directory, lock or part that is a link or foreign' '
    mkdir -m 700 f
    code 0 loadcast exec --dir f app.lcast -- app/show
    node=$(sed -n "s/^LOADCAST_NODE=//p" out) id=$(basename "$(sed -n "s/^LOADCAST_NODE=//p" out)")
    mv "$node" saved && ln -s "$tmp/saved" "$node"
    refused f "something that was put there"
    rm "$node" && mv saved "$node"
    chmod 755 "$node"
    refused f "is open to others"
    chmod 700 "$node"
    loadcast clean -q --dir f
    mkdir -m 700 f/loadcast-$me
    ln -s "$tmp/victim" "f/loadcast-$me/.$id.lock"
    code 3 loadcast exec --dir f app.lcast -- app/show --exit 3
    says "exe=$tmp/app/show" out
    test ! -e victim
'
t 'a planted directory does not keep us from the place' '
    mounted "
        ln -s $tmp /dev/shm/loadcast-\$(id -u)
        mkdir other && chmod 700 other
        TMPDIR=$tmp/other code 0 loadcast exec app.lcast -- app/show
        says exe=/dev/shm/loadcast-\$(id -u). out
        rm -rf other
    "
'
t 'a process with privileges of its own does not listen to LOADCAST_NODE' '
    test "$me" = 0 || skip "needs root"
    command -v setpriv >/dev/null || skip "no setpriv"
    code 0 loadcast exec --dir e/deep app.lcast -- app/show
    node=$(sed -n "s/^LOADCAST_NODE=//p" out)
    cp "$build/launch" launch && chown 65534 launch && chmod 4755 launch && chmod 755 "$tmp"
    LOADCAST_NODE=$node code 0 ./launch app/show
    says "LOADCAST_NODE=(unset)" out
    chmod 700 "$tmp"
'
finish
