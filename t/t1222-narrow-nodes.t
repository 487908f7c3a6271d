#!/bin/sh
# A job on four nodes whose ranks stage by themselves, judged by the shared disk's own counters, with Loadcast
# installed on that disk and LD_LIBRARY_PATH leading there: what a node asks is what a plain start of the launcher
# asks there, and the image.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
. "$here/run_job.sh"
. "$here/learn.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster
need_ptrace
command -v mpiexec.openmpi >/dev/null || skip_all 'openmpi-bin is not installed'
$python -c 'import mpi4py, numpy' 2>/dev/null || skip_all 'python3-mpi4py or numpy is not installed'
job_tree
export LOADCAST_STORE=$tmp/store
mkdir -m 700 "$m/store"
cluster up 4 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" >/dev/null || exit 1
image=$m/img/app.lcast
python3=$m/py/bin/python3
record_on n1 "$image" "$python3" "$m/app.py" || exit 1
# look_ups NODE: since the counters were set to zero
look_ups() { cluster stats 2>/dev/null | awk -v node="$1" '$1 == node { n = 0; for (i = 1; i < NF; i++) if (toupper($i) == "LOOKUP") n = $(i + 1) + 0; print n }'; }
is_clean() {
    for n in n1 n2 n3 n4; do cluster node $n -- find /dev/shm /tmp -maxdepth 2 \( -name "loadcast-[0-9]*" -o -name ".loadcast-*" \); done | nothing >/dev/null
}
clean_all() { for n in n1 n2 n3 n4; do cluster node $n -- loadcast clean --all >/dev/null; done; }
# The job's environment before the launcher, too: module files set it for all.
job() { (cd / && timeout 100 "$src/tools/cluster" --name "$name" run -- env $environment "$@"); }
slurm_job() { (cd / && timeout 100 "$src/tools/cluster" --name "$name" slurm -- env $environment "$@"); }
mpi="mpiexec.openmpi -x PYTHONHOME -x PYTHONPATH -x LD_LIBRARY_PATH -wdir /tmp"

t 'a plain start of the launcher, as a control' '
    from_cold
    code 0 job $mpi -npernode 2 /bin/true
    for n in head n1 n2 n3 n4; do look_ups $n >true.$n; done
    [ "$(cat true.n4)" -gt 0 ]
'
# asked_little WHAT: each node no more than the control and ten. (With names that are never cached, one of the check's questions
# is several look-ups of the head: t/bench/moosefs.bench counts those.)
asked_little() {
    for n in n1 n2 n3 n4; do
        [ "$(look_ups $n)" -le $(($(cat $1.$n) + 10)) ] || { echo "$n: $(look_ups $n), control $(cat $1.$n)"; cluster stats; return 1; }
    done
}
t 'Open MPI: one start, the ranks stage, each node asks ten times more than a plain start at most' '
    from_cold
    code 0 job "$lc" run --wait 60s --image "$image" -- $mpi -npernode 2 "$python3" "$m/app.py"
    says "ranks 8 sum 84 hosts 4 $m/py" out
    says "the first rank on each node stages" err
    asked_little true
    wait_until is_clean
'
t 'a second job asks no more, and starts no launcher to find out which it is' '
    from_cold
    code 0 job "$lc" run -q --wait 60s --image "$image" -- $mpi -npernode 2 "$python3" "$m/app.py"
    asked_little true
    wait_until is_clean
'
t 'a node where another user has taken the name is served under another; one without room runs plainly' '
    cluster node n3 -- setpriv --reuid 4242 --regid 4242 --clear-groups mkdir /dev/shm/loadcast-0
    free=$(cluster node n2 -- df --output=avail -BM /dev/shm | tr -dc 0-9)
    cluster node n2 -- fallocate -l $((free - 24))M /dev/shm/fill
    code=0
    job "$lc" run --wait 60s --image "$image" -- $mpi -npernode 1 sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\"" >out 2>err || code=$?
    cluster node n2 -- rm -f /dev/shm/fill
    cluster node n3 -- rmdir /dev/shm/loadcast-0
    [ $code = 0 ] || { cat out err; exit 1; }
    says "n3 /dev/shm/loadcast-0." out
    says "n2 plain" out
    [ "$(grep -c "^n[14] /dev/shm/loadcast-0/" out)" = 2 ] || { cat out err; exit 1; }
    [ "$(grep -c "n2 runs without it: not enough room" err)" = 1 ] || { cat err; exit 1; }
    wait_until is_clean
'
t 'MPICH: the same' '
    need_package mpiexec.mpich
    code 0 job "$lc" run --wait 60s --image "$image" -- mpiexec.mpich -n 8 -ppn 2 -wdir /tmp "$python3" -c "import numpy, os; print(os.environ[\"LOADCAST_NODE\"], numpy.__file__)"
    [ "$(grep -o "/dev/shm/loadcast-0/[0-9a-f]*" out | wc -l)" = 8 ] || { cat out err; exit 1; }
    wait_until is_clean
'
t 'srun in an allocation: the same, and it stays for the next run of the job' '
    need_package munged slurmctld slurmd srun sbcast
    slurm_job true
    from_cold
    code 0 slurm_job salloc -Q -N4 srun -D /tmp -n8 /bin/true
    for n in head n1 n2 n3 n4; do look_ups $n >srun.$n; done
    from_cold
    code 0 slurm_job salloc -Q -N4 "$lc" run --wait 60s --image "$image" -- srun -D /tmp -n8 "$python3" "$m/app.py" load
    all_ranks 8 4 out
    asked_little srun
    clean_all
'
t 'srun outside an allocation: it goes with the job, or with the next staging on that node' '
    need_package munged slurmctld slurmd srun sbcast
    from_cold
    code 0 slurm_job "$lc" run --wait 60s --image "$image" -- srun -N4 -D /tmp -n8 "$python3" "$m/app.py" load
    all_ranks 8 4 out
    asked_little srun
    clean_all
    wait_until is_clean
'
# Launchers that note each of their starts.
mkdir bin
for launcher in mpiexec.openmpi srun; do
    printf '#!/bin/sh\necho start >>%s/starts\nexec %s "$@"\n' "$tmp" "$(command -v $launcher)" >bin/$launcher
    chmod +x bin/$launcher
done
# steps_are_slow: as if earlier jobs had measured it, so that ranks stage whatever this machine does meanwhile
steps_are_slow() { for kind in 0 1 2 3 4 5 6 7 8 9; do echo 100 >"$LOADCAST_STORE/fact.step-s-$kind"; done; }
# settles CMD...: jobs until one has left the image as it was, eight at most
settles() {
    for job in 1 2 3 4 5 6 7 8; do
        before=$(cat "$LOADCAST_STORE"/*.lcast | cksum)
        code 0 "$@"
        wait_until nothing_learns
        [ "$(cat "$LOADCAST_STORE"/*.lcast | cksum)" != "$before" ] || return 0
    done
    echo "eight jobs, and each has learnt something"
    return 1
}
starts_once() {
    rm -f starts
    from_cold
    code 0 "$@"
    [ "$(wc -l <starts)" = 1 ] || { cat starts err; return 1; }
}
t 'one word, the image in the store: once nothing more is learnt, the launcher starts once, and nodes ask no more' '
    export LOADCAST_STORE=$m/store PATH=$tmp/bin:$PATH
    cluster node n1 -- env $environment "$lc" record -- "$python3" "$m/app.py" >record.out 2>&1 || { cat record.out; exit 1; }
    steps_are_slow
    one_word() { job "$lc" $mpi -npernode 2 "$python3" "$m/app.py"; }
    settles one_word
    wait_until is_clean
    starts_once one_word
    says "ranks 8 sum 84 hosts 4 $m/py" out
    says "the first rank on each node stages" err
    asked_little true
    wait_until is_clean
'
t 'one word before srun: the same' '
    need_package munged slurmctld slurmd srun sbcast
    export LOADCAST_STORE=$m/store PATH=$tmp/bin:$PATH
    one_word() { slurm_job salloc -Q -N4 "$lc" srun -D /tmp -n8 "$python3" "$m/app.py" load; }
    steps_are_slow
    settles one_word
    clean_all
    starts_once one_word
    all_ranks 8 4 out
    asked_little srun
    clean_all
'
# Each machine of the cluster has a /tmp of its own: a store in that of the head is one that nodes do not see.
unseen_store_begin() {
    job env LOADCAST_STORE=/tmp/store "$lc" images import "$image" -- "$python3" "$m/app.py" >import.out 2>&1 || { cat import.out; return 1; }
}
unseen_store_end() { cluster node head -- sh -c "! mountpoint -q /tmp/home || umount /tmp/home; rm -rf /tmp/home /tmp/store"; }
one_sentence() { [ "$(grep -ci -e "cannot open" -e "without it" err)" = 1 ] && says "cannot open image" err && says "without it" err; }
t 'a store that only the head sees: plainly, with one sentence' '
    one_word() { code 0 job env LOADCAST_STORE=$1 "$lc" $mpi -npernode 1 "$python3" "$m/app.py" && says "ranks 4 sum 10 hosts 4 $m/py" out; }
    clean_all
    unseen_store_begin
    one_word /tmp/store && one_sentence || { cat err; unseen_store_end; exit 1; }
    # A home on a network file system that nodes have not mounted.
    cluster node head -- sh -c "mkdir /tmp/home && cp -a /tmp/store $m/home && mount --bind $m/home /tmp/home"
    one_word /tmp/home && one_sentence || { cat err; unseen_store_end; exit 1; }
    says "the first rank on each node stages" err
    unseen_store_end
    wait_until is_clean
'
t 'a store that only the head sees, in a job of Slurm: sent by the head' '
    need_package munged slurmctld slurmd srun sbcast
    unseen_store_begin
    slurm_job salloc -Q -N4 env LOADCAST_STORE=/tmp/store "$lc" srun -D /tmp -n8 "$python3" "$m/app.py" load >out 2>err || { cat err; unseen_store_end; exit 1; }
    unseen_store_end
    all_ranks 8 4 out
    says "staged on 4 nodes by sbcast" err
    lacks "cannot open" err
    clean_all
'
# Nobody but the nodes can tell how fast a disk is that several of them read at once.
t 'how long the ranks took is kept: on a disk that is slow for all nodes together, the next job uses a step' '
    cluster down
    cluster up 4 --rw --shared "$m" --profile none --fs-options "--bandwidth 30" --keep "$tmp" >/dev/null
    rm -f "$tmp"/store/fact.*
    code 0 job "$lc" run --dry-run --wait 60s --image "$image" -- $mpi -npernode 1 "$python3" "$m/app.py"
    says "the first rank on each node stages: that costs less" err
    code 0 job "$lc" run --stats --wait 60s --image "$image" -- $mpi -npernode 1 "$python3" "$m/app.py"
    says "the first rank on each node stages" err
    awk "{ exit !(\$1 > 5e6 && \$1 < 100e6) }" "$tmp"/store/fact.disk-bytes-s-* || { cat "$tmp"/store/fact.*; exit 1; }
    code 0 job "$lc" run --dry-run --wait 60s --image "$image" -- $mpi -npernode 1 "$python3" "$m/app.py"
    says "a step of its own stages: that costs less" out
    wait_until is_clean
'
finish
