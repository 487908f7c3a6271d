#!/bin/sh
# With --rw the mount is written to as POSIX says. Each check runs on the disk first: what does
# not hold there is no finding.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
mkdir local
storm --rw --cache-s 5 || skip_all 'cannot mount'
mkdir -p m1/cached

# check NAME DIR: 77 from the program is a skip.
check() {
    rc=0
    fs-write-check "$2" "$1" 2>said || rc=$?
    [ "$rc" != 77 ] || skip "not on this machine or as this user"
    [ "$rc" = 0 ] || { cat said; return 1; }
}
for name in $(fs-write-check --list); do
    t "the disk: $name" 'check $name local'
    t "the mount: $name" 'check $name m1/cached'
done
t 'without caches every check holds as well' '
    storm --rw --cache-s 0
    mkdir m1/uncached
    for name in $(fs-write-check --list); do
        rc=0
        fs-write-check m1/uncached "$name" || rc=$?
        [ "$rc" = 0 ] || [ "$rc" = 77 ] || { echo "$name"; exit 1; }
    done
'
t 'long caches do not hide what this mount changes' '
    storm --rw --cache-s 60 --negative-cache-s 60
    [ ! -e m1/later ]
    echo now >m1/later
    is "$(cat m1/later)" now
    mv m1/later m1/moved
    [ ! -e m1/later ]
    echo longer content >m1/moved
    is "$(cat m1/moved)" "longer content"
    rm m1/moved
    [ ! -e m1/moved ]
'
mounts="$tmp/m1 $tmp/m2"
t 'what one node writes another one reads' '
    storm --rw --cache-s 0
    echo from one >m1/f
    is "$(cat m2/f)" "from one"
    echo from two >>m2/f
    is "$(tail -n1 m1/f)" "from two"
    rm m1/f
    [ ! -e m2/f ]
'
t 'appends of several nodes do not overwrite each other' '
    : >m1/log
    for m in m1 m2; do
        (for i in $(seq 100); do echo "$m $i" >>$m/log; done) &
    done
    wait
    is "$(sort -u src/log | wc -l)" 200
'
t 'flock holds between nodes' '
    flock m1/log -c "flock -n m2/log true && exit 1; exit 0"
    flock -n m2/log true
'
t 'fcntl locks hold between nodes' '
    $python -c "
import fcntl, os
a = os.open(\"m1/log\", os.O_RDWR)
b = os.open(\"m2/log\", os.O_RDWR)
fcntl.lockf(a, fcntl.LOCK_EX)
try: fcntl.lockf(b, fcntl.LOCK_EX | fcntl.LOCK_NB); raise SystemExit(1)
except BlockingIOError: pass
fcntl.lockf(a, fcntl.LOCK_UN)
fcntl.lockf(b, fcntl.LOCK_EX | fcntl.LOCK_NB)"
'
t 'a waiting lock does not hold up other requests' '
    flock m1/log -c "touch held; . $here/wait.sh; wait_until test -e go" &
    wait_until test -e held
    flock m2/log touch got &
    wait_until asking $!
    timeout 60 cat m2/log m1/log >/dev/null
    test ! -e got
    touch go
    wait
    test -e got
'
t 'bytes written are counted' '
    stormfs ctl m1 reset
    head -c 100000 /dev/zero >m1/bytes
    is "$(stat_of "s[\"total\"][\"bytes_written\"]")" 100000
    is "$(count CREATE)" 1
'
t 'a tree is copied, packed and unpacked faithfully' '
    mkdir -p m1/tree/a/b
    for i in $(seq 50); do echo $i >m1/tree/a/$i; ln -s $i m1/tree/a/l$i; done
    ln m1/tree/a/1 m1/tree/a/b/1
    chmod 640 m1/tree/a/2
    cp -a m1/tree local/
    diff -r --no-dereference m1/tree local/tree
    mkdir m2/copy
    tar -C m1 -cf - tree | tar -C m2/copy -xf -
    diff -r --no-dereference m1/tree src/copy/tree
    is "$(stat -c %h src/copy/tree/a/1)" 2
    is "$(stat -c %a src/copy/tree/a/2)" 640
    rm -r m1/copy m1/tree
    [ ! -e src/copy ]
'
t 'no descriptor or inode is left over' '
    storm --rw
    for i in $(seq 300); do echo $i >m1/t$i; mv m1/t$i m1/u$i; rm m1/u$i; done
    wait_until descriptors_below 40
    wait_until eval "[ \$(stat_of \"s[\\\"inodes\\\"]\") -lt 20 ]"
'
stop_stormfs
finish
