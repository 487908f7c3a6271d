#!/bin/sh
# stormfs comes and goes: readiness, signals, the parent's end, a crash.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
echo hello >src/file

pid_of() { stat_of "s['pid']"; }

t 'when stormfs returns, it is mounted and answers' '
    storm
    is "$(cat m1/file)" hello
    is_mounted "$tmp/m1"
'
t 'stop unmounts, ends the process and removes the socket' '
    pid=$(pid_of)
    code 0 stormfs ctl m1 stop
    unmounted "$tmp/m1"
    wait_until has_ended "$pid"
    is "$(ls ctl)" ""
    [ ! -e m1/file ]
'
t 'several mounts are clients of one server' '
    mounts="$tmp/m1 $tmp/m2"
    storm
    cat m1/file m2/file >/dev/null
    is "$(stat_of "len(s[\"mounts\"])")" 2
    is "$(stat_of "[m[\"operations\"][\"OPEN\"][\"ok\"] for m in s[\"mounts\"]]")" "[1, 1]"
    is "$(count OPEN)" 2
    code 0 stormfs ctl m2 stop
    unmounted "$tmp/m1"
    unmounted "$tmp/m2"
'
for signal in TERM INT HUP QUIT; do
    t "SIG$signal unmounts" '
        storm
        pid=$(pid_of)
        kill -$signal "$pid"
        wait_until has_ended "$pid"
        unmounted "$tmp/m1"
        is "$(ls ctl)" ""
    '
done
t 'a file that is in use does not keep the mount' '
    storm
    pid=$(pid_of)
    exec 3<m1/file
    kill "$pid"
    wait_until has_ended "$pid"
    unmounted "$tmp/m1"
'
t 'in the foreground it says when it is ready' '
    mkfifo said
    stormfs --foreground src m1 >said &
    pid=$!
    read -r line <said
    is "$line" mounted
    is "$(cat m1/file)" hello
    kill "$pid"
    wait "$pid"
    unmounted "$tmp/m1"
'
t 'it ends in good order while clients ask' '
    for i in 1 2 3 4 5; do
        rm -f said
        mkfifo said
        stormfs --foreground --server "$tmp/srv" --service-us 50 --cache-s 0 src m1 >said &
        pid=$!
        read -r line <said
        for c in 1 2 3 4 5 6 7 8; do
            while cat m1/file >/dev/null 2>&1; do :; done &
        done
        wait_until eval "[ \$(count requests) -gt 100 ]"
        kill "$pid"
        wait "$pid"
        wait
    done
    unmounted "$tmp/m1"
    test ! -e srv
'
t 'in the foreground it ends with its parent' '
    sh -c ". $here/wait.sh; stormfs -f \"$tmp/src\" \"$tmp/m1\" >ready & wait_until grep -q mounted ready"
    wait_until unmounted "$tmp/m1"
'
t 'it ends with the process it is told to watch' '
    sleep 100 &
    watched=$!
    storm --until-pid "$watched"
    is_mounted "$tmp/m1"
    kill "$watched"
    wait_until unmounted "$tmp/m1"
'
t 'it ends when it is unmounted from outside' '
    storm
    pid=$(pid_of)
    umount "$tmp/m1" 2>/dev/null || fusermount3 -u "$tmp/m1"
    wait_until has_ended "$pid"
    is "$(ls ctl)" ""
'
t 'the mount of a crashed instance is cleared by the next start' '
    storm
    pid=$(pid_of)
    kill -KILL "$pid"
    wait_until has_ended "$pid"
    is_mounted "$tmp/m1"
    if cat m1/file; then false; fi
    code 1 stormfs ctl m1 stats
    says "does not answer; it crashed" err
    storm
    is "$(cat m1/file)" hello
    is "$(grep -c " $tmp/m1 " /proc/mounts)" 1
    stop_stormfs
    unmounted "$tmp/m1"
'
holds_socket() { ls -l "/proc/$1/fd" 2>/dev/null | grep -q socket; }
t 'an instance that is killed before it answers is said to have crashed' '
    storm
    pid=$(pid_of)
    kill -STOP "$pid"
    stormfs ctl m1 stats >asked.out 2>asked.err &
    asking=$!
    wait_until holds_socket "$asking"
    kill -KILL "$pid"
    status=0
    wait "$asking" || status=$?
    is "$status" 1
    says "does not answer; it crashed" asked.err
    wait_until has_ended "$pid"
    storm
    stop_stormfs
    unmounted "$tmp/m1"
'
t 'two instances can serve two mounts' '
    storm
    stormfs src m2
    cat m2/file >/dev/null
    is "$(count OPEN)" 0
    stormfs ctl m2 stop
    is "$(cat m1/file)" hello
    stop_stormfs
'
t 'odd paths can be source and mount point' '
    odd="$tmp/m odd, \"name\"
line"
    mkdir "$odd" "src odd, x"
    echo odd >"src odd, x/f"
    stormfs "src odd, x" "$odd"
    is "$(cat "$odd/f")" odd
    code 0 stormfs ctl "$odd" stats
    code 0 stormfs ctl "$odd/" stop
    [ ! -e "$odd/f" ]
'
t 'a symbolic link to the mount point finds the same instance' '
    ln -s m1 link
    stormfs src link
    is_mounted "$tmp/m1"
    code 0 stormfs ctl link stats
    (cd m1 && code 0 stormfs ctl . stats)
    stop_stormfs
'
t 'it keeps nothing open that it inherited' '
    exec 9>lock
    flock -n 9
    storm 3>&9
    exec 9>&-
    flock -n lock true
    stop_stormfs
'
t 'a relative control directory and server file are found again at the end' '
    mkdir -m 700 rel
    STORMFS_DIR=rel stormfs --server ./srv src m1
    code 0 env STORMFS_DIR=rel stormfs ctl m1 stats
    code 0 env STORMFS_DIR=rel stormfs ctl m1 stop
    is "$(ls rel)" ""
    test ! -e srv
'
t 'no process or mount is left' '
    if grep "$tmp" /proc/mounts; then false; fi
    is "$(ls ctl)" ""
'
finish
