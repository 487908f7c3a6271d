#!/bin/sh
# Jobs of Slurm that end while their ranks stage: cancelled, killed at once, or with one rank killed. The disk is so
# slow that staging is under way when it happens.
#
# LOADCAST_TIME_LIMIT=1: only the job that reaches its time limit instead. Slurm counts that in minutes, so its ranks stage
# for two.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster
for program in munged slurmctld slurmd srun; do
    command -v $program >/dev/null || [ -x /usr/sbin/$program ] || skip_all "$program is not installed"
done
m=$tmp/shared
mkdir -p "$m/app"
# A program, and what takes eight seconds (two minutes) to come to two nodes at 1 MB/s for both together.
cp "$PROGRAMS/show" "$m/app/show"
limit='' bytes=4000000 patience=60
[ -z "${LOADCAST_TIME_LIMIT-}" ] || { limit='-t 1' bytes=60000000 patience=300; }
head -c $bytes /dev/urandom >"$m/app/data"
"$PROGRAMS/mkimage" "$m/app.lcast" "$m/app" || exit 1
cluster up 2 --rw --shared "$m" --profile none --fs-options '--bandwidth 1' --keep "$tmp" >/dev/null || exit 1
cluster slurm -- true
# Through the mount files have other numbers, so the image is written anew; here, once.
[ -n "$limit" ] || cluster run -- loadcast check "$m/app.lcast" >check.out 2>&1 || :

limited="timeout $((patience * 2 + 80))"
slurm() { (cd / && ${starter:-$limited} "$src/tools/cluster" --name "$name" slurm -- "$@"); }
job() { slurm ${allocation:-} loadcast run --via ranks --wait 60s --image "$m/app.lcast" -- srun $limit -J t1223 -N2 -n4 -D /tmp --kill-on-bad-exit=0 "$m/app/show"; }
on_nodes() { for n in n1 n2; do cluster node $n -- "$@" || return; done; }
# start_job: in the background, until both nodes are being staged; $job_pid
start_job() {
    cluster cold
    job >out 2>err <"${keys:-/dev/null}" &
    job_pid=$!
    wait_within $patience on_nodes sh -c 'ls -d /dev/shm/loadcast-0/.*.stage.* 2>/dev/null' >/dev/null || { cat err; return 1; }
}
staged() { on_nodes find /dev/shm /tmp -maxdepth 2 \( -name "loadcast-[0-9]*" -o -name ".loadcast-*" \); }
nothing_staged() { [ -z "$(staged)" ]; }
ranks() { on_nodes ls -A /dev/shm | sed -n "s/^\.loadcast-kit\.0\.\([0-9]*\)\..*/\1/p"; }
all_ranks_there() { [ "$(ranks | wc -l)" = 4 ]; }
no_job() { [ -z "$(slurm squeue -h -n t1223)" ]; }

# ends_cleanly WHY: the job that start_job started ends by itself now, and nothing that its ranks had staged is left
ends_cleanly() {
    status=0
    wait $job_pid || status=$?
    [ $status != 0 ] || { cat out err; return 1; }
    says "$1" err
    wait_until no_job
    wait_until nothing_staged || { staged; cat err; return 1; }
}

if [ -n "$limit" ]; then
    t 'time limit while ranks stage: the same as scancel' '
        start_job
        ends_cleanly "TIME LIMIT"
    '
    finish
    exit
fi
t 'scancel while ranks stage: the job ends, and what they had staged goes with it' '
    start_job
    slurm scancel -n t1223
    ends_cleanly CANCELLED
'
# The job on a terminal, which sends Ctrl-C to all of it. What the terminal shows goes to 'out'.
cat >terminal.py <<'EOS'
import os, pty, signal, sys
for number in signal.SIGINT, signal.SIGPIPE:
    signal.signal(number, signal.SIG_DFL)
status = pty.spawn(sys.argv[1:])
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
EOS
# srun asks for a second one within a second, and once more if that came too late.
is_over_or_asks() { has_ended $job_pid || [ "$(grep -c "one more within 1 sec" out)" -gt "$typed" ]; }
type_ctrl_c_twice() {
    typed=-1
    until has_ended $job_pid; do
        printf '\003' >&9
        typed=$((typed + 1))
        wait_within $patience is_over_or_asks || return
    done
}
# interrupted_job: that start_job starts, with Ctrl-C typed twice while ranks stage; ends when the prompt returns
interrupted_job() {
    keys=$tmp/keys
    rm -f "$keys" && mkfifo "$keys"
    exec 9<>"$keys"
    starter="$python $tmp/terminal.py"
    start_job && type_ctrl_c_twice || return
    starter='' keys=''
    exec 9<&-
    status=0
    wait $job_pid || status=$?
    [ $status != 0 ] || { cat out err; return 1; }
    wait_until no_job
}
# The directory of the user stays where a later run of the job may want it.
only_user_directory() { [ "$(staged | sort -u)" = /dev/shm/loadcast-0 ] && on_nodes find /dev/shm/loadcast-0 -mindepth 1 | nothing >/dev/null; }
t 'Ctrl-C twice in an allocation: the prompt returns, and what ranks had staged is removed' '
    allocation="salloc -Q -N2"
    interrupted_job
    wait_until only_user_directory || { on_nodes find /dev/shm; cat out; exit 1; }
    on_nodes loadcast clean --all >/dev/null
'
# By the second one Slurm kills the ranks at once, and nobody knows the nodes any more.
t 'Ctrl-C twice outside of one: the prompt returns, and the next job removes what was left' '
    interrupted_job
    code 0 job
    [ "$(grep -c "^exe=/dev/shm/loadcast-0/" out)" = 4 ] || { cat out err; exit 1; }
    wait_until nothing_staged || { staged; exit 1; }
'
t 'killed without a warning: the next job on these nodes removes what was left' '
    start_job
    # All ranks: each has come with a package of its own, named by its process.
    wait_until all_ranks_there
    kill -KILL $(ranks)
    wait $job_pid || :
    wait_until no_job
    [ -n "$(staged)" ]
    code 0 job
    [ "$(grep -c "^exe=/dev/shm/loadcast-0/" out)" = 4 ] || { cat out err; exit 1; }
    wait_until nothing_staged || { staged; exit 1; }
'
t 'a rank that is killed while it stages: another one of its node does' '
    start_job
    stager=$(cluster node n1 -- sh -c "ls -d /dev/shm/loadcast-0/.*.stage.*" | sed "s/.*\.stage\.//")
    kill -KILL "$stager"
    wait $job_pid || :
    [ "$(grep -c "^exe=/dev/shm/loadcast-0/" out)" = 3 ] || { cat out err; exit 1; }
    wait_until nothing_staged || { staged; exit 1; }
'
finish
