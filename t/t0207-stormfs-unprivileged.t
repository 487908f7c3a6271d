#!/bin/sh
# stormfs for everyone: through fusermount3, as a user without rights.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
command -v fusermount3 >/dev/null || skip_all 'no fusermount3'
[ -e /etc/mtab ] || skip_all 'no /etc/mtab, which fusermount3 needs to unmount'

# Root becomes nobody, in a mount namespace with a FUSE device that nobody may open: everything
# below then happens there.
if [ "$(id -u)" = 0 ]; then
    [ -z "${STORMFS_TEST_AS_NOBODY:-}" ] || skip_all 'cannot give up root'
    mkdir -m 777 node bin
    chmod 755 "$tmp"
    cp "$build/stormfs" "$(command -v fs-write-check)" "$(command -v fs-read-check)" bin/
    cp "$here/lib.sh" "$here/wait.sh" "$here/stormfs.sh" "$here/${0##*/}" bin/
    chmod 755 bin/*
    export STORMFS_TEST_AS_NOBODY=1 LOADCAST_BUILD="$tmp/bin" PROGRAMS="$tmp/bin" TMPDIR="$tmp/node"
    unshare -m sh -c 'mknod node/fuse c 10 229 && chmod 666 node/fuse && mount --bind node/fuse /dev/fuse &&
        exec setpriv --reuid 65534 --regid 65534 --clear-groups bin/'"${0##*/}" || skip_all 'cannot make a namespace'
    exit 0
fi
echo hello >src/file

t 'a user mounts, reads, asks and stops' '
    storm --cache-s 5
    is "$(cat m1/file)" hello
    is "$(count OPEN)" 1
    code 0 stormfs ctl m1 stop
    unmounted "$tmp/m1"
    is "$(ls ctl)" ""
'
t 'several mounts' '
    mounts="$tmp/m1 $tmp/m2"
    storm
    is "$(cat m1/file m2/file | wc -l)" 2
    stop_stormfs
    unmounted "$tmp/m2"
'
t 'a signal unmounts' '
    storm
    pid=$(stat_of "s[\"pid\"]")
    kill "$pid"
    wait_until has_ended "$pid"
    unmounted "$tmp/m1"
'
t 'a frozen mount is stopped' '
    storm
    stormfs ctl m1 freeze
    cat m1/file 2>/dev/null &
    wait_until asking $!
    code 0 timeout 60 stormfs ctl m1 stop
    wait
    unmounted "$tmp/m1"
'
t 'the mount of a crashed instance is cleared' '
    storm
    pid=$(stat_of "s[\"pid\"]")
    kill -KILL "$pid"
    wait_until has_ended "$pid"
    storm
    is "$(cat m1/file)" hello
    stop_stormfs
'
t 'permissions are those of the source' '
    echo secret >src/closed
    chmod 000 src/closed
    mkdir src/locked && chmod 000 src/locked
    storm
    if cat m1/closed 2>/dev/null || ls m1/locked 2>/dev/null; then false; fi
    is "$(stat -c %a m1/closed)" 0
    chmod 700 src/locked
    stop_stormfs
'
t 'writing: every check that needs no root' '
    storm --rw
    mkdir m1/w
    for name in $(fs-write-check --list); do
        rc=0
        fs-write-check m1/w "$name" || rc=$?
        [ "$rc" = 0 ] || [ "$rc" = 77 ] || { echo "$name"; exit 1; }
    done
    stop_stormfs
'
t 'an unreadable source is refused' '
    code 1 stormfs src/closed m1
    mkdir shut && chmod 000 shut
    code 1 stormfs shut m1
    says "Permission denied" err
    is "$(wc -l <err)" 1
    chmod 700 shut
'
t 'a named server is private to its user' '
    storm --server name --service-us 10
    is "$(stat -c %a "$STORMFS_DIR"/server-name)" 600
    stop_stormfs
'
t 'nothing is left' '
    if grep "$tmp" /proc/mounts; then false; fi
    is "$(ls ctl)" ""
'
finish
