#!/bin/sh
# Jobs of a Slurm that keeps each step in a cgroup (proctrack/cgroup, as centres have it) and kills what is in there when
# the step ends: the process that removes what ranks have staged is in it, too.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
for program in munged slurmctld slurmd srun; do
    command -v $program >/dev/null || [ -x /usr/sbin/$program ] || skip_all "$program is not installed"
done
need_cluster
m=$tmp/shared
mkdir -p "$m/app"
cp "$PROGRAMS/show" "$m/app/show"
# A rank that is killed, or goes on until 'go' is there.
printf '#!/bin/sh\n. %s\nwait_until test -e %s/go\n' "$here/wait.sh" "$m" >"$m/app/wait.sh"
chmod +x "$m/app/wait.sh"
"$PROGRAMS/mkimage" "$m/app.lcast" "$m/app" || exit 1
status=0
cluster up 2 --fs none --shared "$m" --keep "$tmp" --proctrack cgroup >up.out 2>&1 || status=$?
[ $status != 4 ] || skip_all "$(sed 's/^cluster: //' up.out)"
[ $status = 0 ] || { cat up.out; exit 1; }
cluster slurm -- true

slurm() { (cd / && timeout 200 "$src/tools/cluster" --name "$name" slurm -- "$@"); }
job() { slurm loadcast run --via ranks --wait 60s --image "$m/app.lcast" -- srun -J t1224 -N2 -n4 -D /tmp --kill-on-bad-exit=0 "$@"; }
on_nodes() { for n in n1 n2; do cluster node $n -- "$@" || return; done; }
staged() { on_nodes find /dev/shm /tmp -maxdepth 2 \( -path "*/loadcast-[0-9]*/*" -o -name ".loadcast-*" \); }
nothing_staged() { [ -z "$(staged)" ]; }
no_job() { [ -z "$(slurm squeue -h -n t1224)" ]; }
# step_groups: the processes of the steps that run, node by node
freezer=$(awk '$3 == "cgroup" && $4 ~ /(^|,)freezer(,|$)/ { print $2; exit }' /proc/mounts)/loadcast-cluster-$name
in_steps() { find "$freezer" -path "*/step_*/cgroup.procs" -exec cat {} +; }
no_step() { [ -z "$(in_steps)" ]; }
janitors() { for pid in $(in_steps); do if grep -qsx loadcast-clean "/proc/$pid/comm"; then echo "$pid"; fi; done; }
two_janitors() { [ "$(janitors | wc -l)" = 2 ]; }
# start_job: four ranks that wait, on two nodes with a janitor each; $job_pid
start_job() {
    rm -f "$m/go"
    job "$m/app/wait.sh" >out 2>err &
    job_pid=$!
    wait_until two_janitors || { cat out err; in_steps | xargs ps -o pid,comm -p; return 1; }
}

all_served() { [ "$(grep -c "^exe=/dev/shm/loadcast-0/" out)" = 4 ] || { cat out err; return 1; }; }
# end_job: all processes of the step at once, janitors too
end_job() {
    slurm scancel --signal=KILL -n t1224
    wait $job_pid || :
    wait_until no_step
    wait_until no_job
}

t 'the process that removes what was staged is in the cgroup of the step, and does not keep the job from ending' '
    start_job
    touch "$m/go"
    wait $job_pid || { cat out err; exit 1; }
    wait_until no_step
    wait_until no_job
'
t 'a next job finds nothing, or what that one left, and is served' '
    code 0 job "$m/app/show"
    all_served
    wait_until no_step
'
t 'all of a step killed: the next thing that is staged on the node removes what was left' '
    start_job
    end_job
    [ -n "$(staged)" ]
    mkdir -p other && echo other >other/file
    "$PROGRAMS/mkimage" "$m/other.lcast" other
    for n in n1 n2; do
        code 0 cluster node $n -- loadcast exec -q "$m/other.lcast" -- true
        left=$(cluster node $n -- sh -c "ls -d /dev/shm/loadcast-0/[0-9a-f]*" | wc -l)
        [ "$left" = 1 ] || { staged; exit 1; }
        cluster node $n -- loadcast clean -q --all
    done
    nothing_staged || { staged; exit 1; }
'
t 'all of a step killed: the next job of the same program is served' '
    start_job
    end_job
    [ -n "$(staged)" ]
    code 0 job "$m/app/show"
    all_served
    wait_until no_step
    for n in n1 n2; do cluster node $n -- loadcast clean -q --all; done
'
# A line without an image is watched; the end of the step kills the watcher as well, perhaps before it has packed. Then the
# next job goes on with what was seen.
mkdir "$m/many"
for i in $(seq 40); do echo "line $i" >"$m/many/$i"; done
cat >"$m/app/many.sh" <<E
#!/bin/sh
for f in $m/many/*; do read -r line <"\$f"; done
sleep 0.6 # less than the quiet second after which an image is written early
echo "\$line"
E
chmod +x "$m/app/many.sh"
find "$m/many" "$m/app/many.sh" -exec touch -d 2020-01-01 {} +
mkdir -m 700 "$m/store"
watched_job() { slurm env LOADCAST_STORE="$m/store" LOADCAST_WATCH=1 loadcast run --manage "$m" -- srun -J t1224 -N2 -n2 -D /tmp "$@"; }
t 'a line without an image is watched, and has one soon, also if it ends as soon as it has loaded' '
    code 0 watched_job "$m/app/many.sh"
    [ "$(grep -c "^line " out)" = 2 ] || { cat out err; exit 1; }
    says "one rank is watched" err
    wait_until no_step
    [ -n "$(find "$m/store" -name "*.part" -o -name "*.lcast" -type f)" ] || { ls -R "$m/store"; exit 1; }
    code 0 watched_job "$m/app/many.sh"
    wait_until no_step
    code 0 watched_job "$m/app/many.sh"
    [ "$(grep -c "^line " out)" = 2 ] || { cat out err; exit 1; }
    lacks watched err || { ls -R "$m/store"; exit 1; }
    wait_until no_step
    for n in n1 n2; do cluster node $n -- loadcast clean -q --all; done
'
# From here on Slurm runs the epilog that centres are given, on each node when a job ends.
printf '#!/bin/sh\nLOADCAST_PROGRAM=%s exec sh %s/examples/slurm-epilog.sh\n' "$build/loadcast" "$src" >"$m/epilog"
chmod +x "$m/epilog"
echo "Epilog=$m/epilog" >>"/run/loadcast-cluster/$name/slurm/slurm.conf"
slurm scontrol reconfigure
t 'with an epilog nothing stays when all of a step was killed' '
    start_job
    end_job
    wait_until nothing_staged || { staged; exit 1; }
'
t 'nor when a job is cancelled' '
    start_job
    slurm scancel -n t1224
    wait $job_pid || :
    wait_until nothing_staged || { staged; exit 1; }
'
t 'nor when it ends by itself' '
    code 0 job "$m/app/show"
    all_served
    wait_until nothing_staged || { staged; exit 1; }
'
t 'down leaves nothing of it' '
    down_leaves_nothing
    [ ! -e "$freezer" ]
'
finish
