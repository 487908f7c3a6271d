#!/bin/sh
# What stormfs refuses: one clear line, status 1 or 2, nothing mounted, no process left.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
echo hello >src/file

# refuses STATUS TEXT ARGS...: in one line, and without a trace. A wrong option is refused before
# anything is begun, so looking through all processes of the machine is left out there: it takes long.
running=0
refuses() {
    status=$1 text=$2 sockets=$(ls ctl)
    shift 2
    code "$status" stormfs "$@"
    says "$text" err
    is "$(wc -l <err)" 1
    is "$(wc -c <out)" 0
    unmounted "$tmp/m1"
    is "$(ls ctl)" "$sockets"
    [ "$status" = 2 ] || is "$(count_processes)" "$running"
}
# Processes of ours: others on this machine may run a stormfs too.
count_processes() {
    for p in $(pgrep -x stormfs); do
        grep -lqz "^STORMFS_DIR=$tmp/" "/proc/$p/environ" 2>/dev/null && echo "$p"
    done | wc -l
}
has_none() { [ "$(count_processes)" = 0 ]; }
# as_nobody CMD...: with a FUSE device of mode $1 in a namespace of its own.
as_nobody() {
    mode=$1
    shift
    chmod 755 "$tmp"
    mkdir -p -m 777 own
    cp "$build/stormfs" own/
    rm -f own/fuse
    unshare -m sh -c "mknod own/fuse c 10 229 && chmod $mode own/fuse && mount --bind own/fuse /dev/fuse &&
        $before exec setpriv --reuid 65534 --regid 65534 --clear-groups env STORMFS_DIR=$tmp/own/ctl $*"
}
before=

t 'the source is missing' 'refuses 1 "cannot read the source" "$tmp/absent" "$tmp/m1"'
t 'the source is a file' 'refuses 1 "cannot read the source" "$tmp/src/file" "$tmp/m1"'
t 'the mount point is missing' 'refuses 1 "No such file or directory" "$tmp/src" "$tmp/absent"'
t 'the mount point is a file' '
    touch plain
    refuses 1 "Not a directory" "$tmp/src" plain
'
t 'the mount point is not empty' '
    mkdir full
    touch full/file
    refuses 1 "is not empty" "$tmp/src" full
'
t 'the mount point is inside the source' '
    mkdir src/below
    refuses 1 "is inside the source" "$tmp/src" src/below
    ln -s src/below way-in
    refuses 1 "is inside the source" "$tmp/src" way-in
    refuses 1 "is inside the source" "$tmp/src" "$tmp/src"
    rmdir src/below
'
t 'the mount point is given twice' 'refuses 1 "given twice" src m1 ./m1/'
t 'the second mount point is bad: the first is not mounted either' '
    refuses 1 "No such file" src m1 absent
'
t 'the mount point is busy' '
    stormfs src m2
    running=1
    refuses 1 "is busy" src m1 m2
    is "$(cat m2/file)" hello
    stormfs ctl m2 freeze
    refuses 1 "is busy" src m2
    stormfs ctl m2 stop
    running=0
    wait_until has_none
    refuses 1 "is busy" src /proc
'
for option in --service-us --latency-us --bandwidth --halved-at --cache-s --attr-cache-s --dir-cache-s --negative-cache-s; do
    t "$option: no number, negative, absurd" '
        refuses 2 "$option" $option ten src m1
        refuses 2 "$option" $option 10x src m1
        refuses 2 "$option" $option "" src m1
        refuses 2 "$option" $option -1 src m1
        refuses 2 "$option" $option 1e300 src m1
        refuses 2 "$option" $option nan src m1
        refuses 2 "$option" $option inf src m1
    '
done
for option in --servers --scale --threads; do
    t "$option: no number, none, absurd" '
        refuses 2 "$option" $option x src m1
        refuses 2 "$option" $option 0 src m1
        refuses 2 "$option" $option -1 src m1
        refuses 2 "$option" $option 1.5 src m1
        refuses 2 "$option" $option 99999999999999999999 src m1
    '
done
t 'too many mount points' '
    refuses 2 "are too many" src $(seq 65)
'
t 'an unknown profile' 'refuses 2 "none of none, local, nfs, lustre" --profile gpfs src m1'
t 'a typing error in an option' 'refuses 2 "did you mean '\''--service-us'\''?" --service-su 3 src m1'
t 'no mount point, nothing at all' '
    refuses 2 "need a SOURCE" src
    refuses 2 "need a SOURCE"
'
t 'a process to watch that does not exist' 'refuses 1 "cannot watch process" --until-pid 4194303 src m1'
t 'a server of that name with other values' '
    stormfs --server "$tmp/srv" --service-us 10 src m2
    running=1
    refuses 1 "already runs with other values: --servers 1 --service-us 10" --server "$tmp/srv" --service-us 20 src m1
    stormfs ctl m2 stop
'
t 'a server file that is not ours to trust' '
    echo >srv2
    chmod 666 srv2
    refuses 1 "is not a private file of this user" --server "$tmp/srv2" src m1
'
t 'ctl: no such mount, no such command, nothing' '
    code 1 stormfs ctl m1 stats
    says "no stormfs is mounted on" err
    code 2 stormfs ctl m1 frezee
    says "did you mean '\''freeze'\''?" err
    code 2 stormfs ctl m1
    code 2 stormfs ctl m1 freeze --json
    code 1 stormfs ctl absent/m1 stats
'
t 'a control directory that others can write to is not used' '
    chmod 777 ctl
    refuses 1 "can be written by other users" src m1
    chmod 700 ctl
'
t 'a control directory of another user is not used' '
    [ "$(id -u)" = 0 ] || skip "needs root to make one"
    mkdir other
    chown 65534 other
    code 1 env STORMFS_DIR="$tmp/other" stormfs src m1
    says "belongs to another user (65534)" err
    unmounted "$tmp/m1"
    code 1 env STORMFS_DIR="$tmp/other" stormfs ctl m1 stats
    says "belongs to another user" err
'
t 'a control socket of another user is not used' '
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    stormfs src m2
    code 1 as_nobody 666 own/stormfs ctl "$tmp/m2" stop
    says "belongs to another user (0)" err
    is_mounted "$tmp/m2"
    stormfs ctl m2 stop
'
# The machine without a FUSE device, without fusermount3: in a namespace of our own.
t 'no /dev/fuse' '
    unshare -m true 2>/dev/null || skip "needs root"
    mkdir devices
    code 1 unshare -m sh -c "mount --bind devices /dev && stormfs src m1"
    says "cannot open /dev/fuse: No such file or directory" err
    is "$(wc -l <err)" 1
'
t 'a /dev/fuse that this user may not open' '
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    code 1 as_nobody 600 own/stormfs src m1
    says "cannot open /dev/fuse: Permission denied" err
    is "$(wc -l <err)" 1
'
t 'no fusermount3' '
    [ "$(id -u)" = 0 ] || skip "needs root to hide it"
    touch none && chmod 644 none
    before="mount --bind none $(command -v fusermount3) &&"
    code 1 as_nobody 666 own/stormfs src m1
    says "fusermount3 is not installed" err
    is "$(wc -l <err)" 1
'
t 'a mount point that this user may not mount on' '
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    code 1 as_nobody 666 own/stormfs src m1
    says "cannot mount on" err
    is "$(wc -l <err)" 1
    unmounted "$tmp/m1"
'
t 'the second of two mounts fails: the first is taken back' '
    [ -e /etc/mtab ] || skip "no /etc/mtab, which fusermount3 needs to unmount"
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    before="mkdir -m 777 own/ok;"
    code 1 as_nobody 666 sh -c "\"own/stormfs src own/ok m1; rc=\\\$?; grep own/ok /proc/mounts; exit \\\$rc\""
    says "cannot mount on" err
    is "$(cat out)" ""
    is "$(ls own/ctl)" ""
    is "$(count_processes)" 0
'
t 'a source that this user may not read' '
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    mkdir closed && chmod 700 closed
    code 1 as_nobody 666 own/stormfs closed m1
    says "cannot read the source" err
    is "$(wc -l <err)" 1
'
t 'nothing is left: no mount, no socket, no process' '
    if grep "$tmp" /proc/mounts; then false; fi
    is "$(ls ctl)" ""
'
finish
