#!/bin/sh
# What a job still asked of a shared disk is in the image of the next one, and what is learnt is told and can be taken
# back. Judged by the disk's own counters.
. "$(dirname "$0")/lib.sh"
need_ptrace
. "$here/stormfs.sh"
. "$here/learn.sh"
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LOADCAST_LEARN LOADCAST_CONF SLURM_JOB_ID PBS_JOBID COBALT_JOBID
learn_tree

t 'the second job learns, the third asks nothing' '
    learn_begin
    quiet_job 0
    app 1 >plain.1
    learn 1
    same plain.1 out
    has_learnt
    code 0 loadcast info --verify "$(image)"
    quiet_job 1
    same plain.1 out
    quiet_job 0
    same plain.0 out
'
t 'a job that asks nothing new leaves the image as it is' '
    cp "$(image)" before
    learn 1
    cmp before "$(image)"
'
misses_left() { loadcast images --json | "$python" -c "import json, sys; print([one[\"misses\"] for one in json.load(sys.stdin)])"; }
t 'images tells how often the last job asked, counted or not' '
    learn_begin
    [ "$(misses_left)" = "[None]" ]
    learn 1
    misses_left | grep -x "\[[1-9][0-9]*\]"
    learn 1
    [ "$(misses_left)" = "[0]" ] || { misses_left; loadcast status; exit 1; }
'
t 'show tells when, from which job, how much and what' '
    code 0 loadcast images show app.py
    grep -Eq "^learnt +20..-..-..T..:..:..Z, job [^ ]+: [0-9]+ entries$" out
    COBALT_JOBID=4711.pm learn 2
    code 0 loadcast images show app.py
    says "job cobalt-4711.pm" out
    grep -Eq "^ +$tmp/m1/site-packages/pkg2" out
    grep -Eq "^ +and [0-9]+ more, all of them by --json$" out
    code 0 loadcast images show --json app.py
    "$python" -c "
import json
jobs = [[p.split(\"site-packages/\")[-1] for p in job[\"paths\"]] for job in json.load(open(\"out\"))[\"learnt\"]]
assert [[n for n in range(4) if \"pkg%d/sub.py\" % n in paths] for paths in jobs] == [[1], [2]], jobs"
'
t 'forget takes out what was learnt since a time, and no more' '
    code 2 loadcast images forget
    code 2 loadcast images forget --since yesterday
    says "2h" err
    code 0 loadcast images forget --since 2100-01-01
    says "nothing was learnt since" out
    cp "$(image)" before
    code 0 loadcast images forget --since 1h app.py
    says "entries taken out" out
    code 0 loadcast info --verify "$(image)"
    [ "$(learnt)" = 0 ]
    loadcast info --files "$(image)" >files
    says pkg0/sub files
    lacks pkg1/sub files
    quiet_job 0
    learn 1
    has_learnt
    quiet_job 1
'
# is_later WHEN: the clock has moved on to a later second, $now
is_later() { now=$(date -u +%Y-%m-%dT%H:%M:%SZ) && [ "$now" != "$1" ]; }
t 'forget with a time between two jobs: what the first one learnt stays, and the rest does not come back' '
    code 0 loadcast images forget --since 1h app.py
    [ "$(learnt)" = 0 ]
    COBALT_JOBID=first.pm learn 1
    entries=$(learnt)
    [ "$entries" -gt 0 ]
    loadcast info --files "$(image)" >files.1
    says pkg1/sub files.1
    loadcast images show app.py >show.1
    when=$(sed -n "s/^learnt *\([^,]*\), job cobalt-first.pm: .*/\1/p" show.1)
    [ "$when" ]
    wait_until is_later "$when"
    COBALT_JOBID=second.pm learn 2
    has_learnt "$entries"
    code 0 loadcast images show app.py
    says "job cobalt-first.pm" out
    says "job cobalt-second.pm" out
    loadcast info --files "$(image)" >files
    says pkg2/sub files
    code 0 loadcast images forget --since "$now" app.py
    says "entries taken out" out
    code 0 loadcast info --verify "$(image)"
    code 0 loadcast images show app.py
    says "job cobalt-first.pm" out
    lacks "job cobalt-second.pm" out
    [ "$(learnt)" = "$entries" ]
    loadcast info --files "$(image)" >files
    same files.1 files
    # It is still in node memory for the second job, with a log of what it lacked.
    quiet_job 1
    [ "$(learnt)" = "$entries" ] || { loadcast images show app.py; exit 1; }
    loadcast info --files "$(image)" >files
    same files.1 files
'
t 'not with --no-learn, LOADCAST_LEARN=0 or the site against it' '
    cp "$(image)" before
    code 0 loadcast run --no-learn -- "$python" "$tmp/m1/app/app.py" 3
    cmp before "$(image)"
    LOADCAST_LEARN=0 learn 3
    cmp before "$(image)"
    echo "learn = no" >conf
    LOADCAST_CONF=$tmp/conf learn 3
    cmp before "$(image)"
    echo "learn = perhaps" >conf
    LOADCAST_CONF=$tmp/conf code 0 loadcast run --no-learn -- true
    says "neither yes nor no" err
'
t 'an image that is named is not changed' '
    cp "$(image)" named.lcast
    cp named.lcast before
    code 0 loadcast run --image named.lcast -- "$python" "$tmp/m1/app/app.py" 3
    wait_until nothing_learns
    cmp before named.lcast
    cmp before "$(image)"
'
finish
