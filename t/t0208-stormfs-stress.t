#!/bin/sh
# Many processes, several mounts and the disk behind them, all at the same few names.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
mkdir src/d1 src/d2
mounts="$tmp/m1 $tmp/m2"
# The kernel gives files back some time after they were closed.
has_at_most() { [ "$(ls /proc/$pid/fd | wc -l)" -le "$1" ]; }

for caches in '--cache-s 0' '--cache-s 30 --negative-cache-s 5 --service-us 20 --servers 2'; do
    t "nothing breaks or leaks with $caches" '
        storm --rw $caches
        pid=$(stat_of "s[\"pid\"]")
        before=$(ls /proc/$pid/fd | wc -l)
        code 0 timeout 240 $python "$here/stormfs_stress.py" 3 m1 m2 src
        alive "$pid" || { echo "stormfs has died"; false; }
        rm -rf src/f* src/d1/* src/d2/*
        for m in m1 m2; do find $m >/dev/null; done
        wait_until has_at_most $((before + 40)) || { ls -l /proc/$pid/fd; false; }
        code 0 stormfs ctl m1 stop
        unmounted "$tmp/m1"
    '
done
finish
