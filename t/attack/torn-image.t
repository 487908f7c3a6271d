#!/bin/sh
# The attacker owns an image that others run (a project's), and cuts, rewrites and replaces it while the victim
# reads it. Two outcomes are right: what was recorded, or a reason, and exec's program runs. t0860 does so many times.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
rounds=8
# In memory, where it can be had: disks are slow at files that are cut and written again and again.
room=$(mktemp -d /dev/shm/loadcast-torn.XXXXXX 2>/dev/null || mktemp -d)
at_exit "rm -rf $room"
chmod 1777 "$room"
(cd "$room" && exec "$python" -) <<'P' || exit 1
import os
for d in range(60):
    os.makedirs("tree/%d" % d)
    for i in range(100):
        open("tree/%d/%d" % (d, i), "w").write("right %d %d\n" % (d, i))
P
[ "$(find "$room/tree" -type f | wc -l)" = 6000 ] || exit 1
"$PROGRAMS/mkimage" good.lcast "$room/tree" && chmod 644 good.lcast || exit 1
image=$room/app.lcast node=$room/node
attacker cp good.lcast "$image" && attacker chmod 644 "$image" && victim mkdir -m 700 "$node" || exit 1

cat >tear.py <<'P'
import os, random, sys, time
good, image, stop = open(sys.argv[1], "rb").read(), sys.argv[2], sys.argv[3]
while not os.path.exists(stop):
    time.sleep(random.random() / 20)
    what = random.randrange(4)
    if what == 0:
        os.truncate(image, random.choice([0, random.randrange(len(good))]))
    elif what == 1:
        at = random.randrange(len(good))
        with open(image, "r+b") as f:
            f.seek(at)
            f.write(os.urandom(min(4096, len(good) - at)))
    elif what == 2:
        with open(image, "wb") as f:
            f.write(good)
    else:
        with open(image + ".new", "wb") as f:
            f.write(good)
        os.rename(image + ".new", image)
P
# ends CMD...: by itself, and with a reason if not well
ends() {
    rc=0
    victim "$build/loadcast" "$@" >out 2>err || rc=$?
    case $rc in 0) ;; 1 | 3) says "loadcast $1: " err ;; *) echo "$*: status $rc"; cat err; return 1 ;; esac
}
t "$rounds rounds with an image of 6,000 files" '
    (exec setpriv --reuid $attacker_uid --regid $attacker_uid --clear-groups "$python" tear.py good.lcast "$image" attacker/stop) &
    for i in $(seq $rounds); do
        rc=0
        victim "$build/loadcast" exec --dir "$node" "$image" -- cat "$room/tree/0/0" "$room/tree/59/99" >out 2>err || rc=$?
        [ $rc = 0 ] || { echo "status $rc"; cat err; exit 1; }
        printf "right 0 0\nright 59 99\n" | same - out
        ends stage --dir "$node" "$image"
        ends info --verify "$image"
        ends check -n "$image"
        ends unpack "$image" "$room/into"
        if [ $rc = 0 ]; then diff -r "$room/tree" "$room/into$room/tree"; else [ ! -e "$room/into" ]; fi
        rm -rf "$room/into" "$node"/*
    done
    attacker touch attacker/stop
    wait
'
touch attacker/stop
finish
