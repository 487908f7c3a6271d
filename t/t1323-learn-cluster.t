#!/bin/sh
# Four nodes, a rank on each that imports a package of its own: by mpiexec and by srun, with steps and where ranks
# stage by themselves. Judged by the shared disk's own counters, node by node.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
. "$here/learn.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster
need_ptrace
command -v mpiexec.openmpi >/dev/null || skip_all 'openmpi-bin is not installed'
m=$tmp/shared
learn_tree shared
PYTHONPATH=$m/site-packages
export LOADCAST_STORE=$tmp/store
cluster up 4 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" --keep "$build" >/dev/null || exit 1
on_head() { (cd / && timeout 200 "$src/tools/cluster" --name "$name" "$@"); }
mpi() { on_head run -- "$build/loadcast" run --wait 60s "$@" -- mpiexec.openmpi -x PYTHONPATH -x PYTHONDONTWRITEBYTECODE -wdir /tmp -npernode 1 "$python" "$m/app/app.py"; }
slurm() { on_head slurm -- salloc -Q -N4 "$build/loadcast" run --wait 60s "$@" -- srun -N4 -D /tmp "$python" "$m/app/app.py"; }
record() {
    rm -rf "$LOADCAST_STORE"
    on_head node n1 -- "$build/loadcast" record -- "$python" "$m/app/app.py" 0 >record.out 2>&1 || { cat record.out; return 1; }
}
nodes_ask() { cluster stats 2>/dev/null | awk '$1 ~ /^n[0-9]+$/ { n += $2 } END { print n + 0 }'; }
all_said() { [ "$(sed -n 's|.*/pkg\([0-3]\)/.* table of .*|\1|p' out | sort | tr -d '\n')" = 0123 ] || { cat out err; return 1; }; }
# settles HOW...: the first job asks, one of the next three does not; each is learnt from by one process
settles() {
    cluster stats --reset >/dev/null 2>&1
    for job in 2 3 4; do
        cluster stats --reset >/dev/null 2>&1
        writers_begin
        code 0 "$@"
        all_said
        cleaned
        nodes_ask >asked.$job
        [ "$(cat asked.$job)" -gt 0 ] || break
        wait_until learnt_more
        wait_until nothing_learns
        wrote=$(writers)
        [ "$wrote" = 1 ] || { echo "job $job: the image was written $wrote times"; return 1; }
    done
    wrote=$(writers)
    [ "$wrote" -le 1 ] || { echo "the last job: the image was written $wrote times"; return 1; }
    [ "$(cat asked.2)" -gt 0 ] || { echo "the first job asked nothing: no control"; return 1; }
    [ "$(cat asked.$job)" = 0 ] || { cat asked.*; cluster stats; return 1; }
    loadcast info --verify "$LOADCAST_STORE"/*.lcast
}
before=0
learnt_more() { now=$(learnt) && [ "$now" -gt "$before" ] && before=$now; }

t 'mpiexec: the ranks stage' '
    record
    settles mpi --via ranks
    says "the first rank on each node stages" err
'
t 'mpiexec: staged by a step' '
    record && before=0
    settles mpi --via mpi
'
t 'srun in an allocation' '
    need_package slurmctld
    record && before=0
    settles slurm
    loadcast images show app.py >out
    says "job slurm-" out
'
finish
