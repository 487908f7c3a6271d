#!/bin/sh
# Two images of the attacker are overlays that name each other: who uses one gets a reason, at once.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
mkdir attacker/tree victim/node && chmod 700 victim/node && chown $victim_uid victim/node
for name in one two; do
    echo recorded >attacker/tree/file && chown -R $attacker_uid:$attacker_uid attacker/tree
    attacker loadcast record -o attacker/$name.lcast --add "$tmp/attacker/tree" 2>err || { cat err; exit 1; }
    attacker sh -c "echo changed $name >attacker/tree/file"
    attacker loadcast check --overlay attacker/over-$name.lcast attacker/$name.lcast >out 2>&1 || { cat out; exit 1; }
done
attacker mv attacker/over-one.lcast attacker/two.lcast && attacker mv attacker/over-two.lcast attacker/one.lcast
chmod 644 attacker/*.lcast
# Processor time, not time on the clock: a busy machine changes nothing.
limited() { victim sh -c 'ulimit -t 10; exec "$@"' sh "$build/loadcast" "$@"; }
t 'each command refuses it' '
    for image in attacker/one.lcast attacker/two.lcast; do
        for line in "info $image" "info --verify $image" "unpack $image victim/into" "check $image" "stage --dir $tmp/victim/node $image"; do
            rc=0
            limited $line >out 2>err || rc=$?
            [ $rc = 1 ] || [ $rc = 3 ] || { echo "$line: status $rc"; cat err; exit 1; }
            says "is an overlay itself" err
        done
        ls -A victim/node | nothing
        [ ! -e victim/into ]
    done
'
t 'a program runs, by exec and by run' '
    code 0 limited exec --dir "$tmp/victim/node" attacker/one.lcast -- cat attacker/tree/file
    says "changed two" out
    says "is an overlay itself" err
    code 0 limited run --dir "$tmp/victim/node" --image attacker/two.lcast -- cat attacker/tree/file
    says "changed two" out
    says "is an overlay itself" err
'
finish
