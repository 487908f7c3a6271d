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
mkdir -p "$m/site-packages/pkg0"
printf 'from . import sub\ntable = "table of extra\\n"\n' >"$m/site-packages/pkg0/extra.py"
learn_tree shared
PYTHONPATH=$m/site-packages
mkdir -m 700 "$tmp/store" "$m/store"
export LOADCAST_STORE=$tmp/store
cluster up 4 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" --keep "$build" >/dev/null || exit 1
on_head() { (cd / && timeout 200 "$src/tools/cluster" --name "$name" "$@"); }
arguments= # of the program
mpi() { on_head run -- "$build/loadcast" run --wait 60s "$@" -- mpiexec.openmpi -x PYTHONPATH -x PYTHONDONTWRITEBYTECODE -wdir /tmp -npernode 1 "$python" "$m/app/app.py" $arguments; }
slurm() { on_head slurm -- salloc -Q -N4 "$build/loadcast" run --wait 60s "$@" -- srun -N4 -D /tmp "$python" "$m/app/app.py" $arguments; }
# slurm_two ARGUMENTS ARGUMENTS: one job, two lines
slurm_two() {
    for words in "$1" "$2"; do echo "'$build/loadcast' run --wait 60s -- srun -N4 -D /tmp '$python' '$m/app/app.py' $words || exit"; done >two.sh
    on_head slurm -- salloc -Q -N4 sh "$tmp/two.sh"
}
record() {
    rm -rf "${LOADCAST_STORE:?}"/*
    on_head node n1 -- "$build/loadcast" record -- "$python" "$m/app/app.py" 0 >record.out 2>&1 || { cat record.out; return 1; }
}
uncounted= # kinds of requests
nodes_ask() { cluster stats 2>/dev/null | awk -v no="$uncounted" '$1 ~ /^n[0-9]+$/ { n += $2; for (i = 1; i < NF; i++) if (index(" " no " ", " " $i " ")) n -= $(i + 1) } END { print n + 0 }'; }
clean_nodes() { for n in n1 n2 n3 n4; do cluster node $n -- "$build/loadcast" clean -q --all >/dev/null; done; }
said=0123 # by the ranks
all_said() { [ "$(sed -n 's|.*/pkg\([0-3]\)/.* table of .*|\1|p' out | sort | tr -d '\n')" = "$said" ] || { cat out err; return 1; }; }
# What nodes ask for the image itself, where the store is on their disk: no more than to copy it. How often they read, and ask before that
# whether the file has changed, depends on its length and on time.
image_asks=0
measure_image() { :; }
measure_image_on_the_disk() {
    uncounted="READ GETATTR RELEASE"
    clean_nodes
    cluster cold
    cluster stats --reset >/dev/null 2>&1
    for n in n1 n2 n3 n4; do cluster node $n -- cat "$(image)" >/dev/null; done
    image_asks=$(nodes_ask)
    [ "$image_asks" -gt 0 ]
    cluster cold
}
# settles HOW...: the first job asks, one of the next three does not; each is learnt from by one process
settles() {
    before=$(learnt)
    for job in 2 3 4; do
        measure_image
        cluster stats --reset >/dev/null 2>&1
        writers_begin
        code 0 "$@"
        all_said
        cleaned
        echo $(($(nodes_ask) - image_asks)) >asked.$job
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
learnt_more() { now=$(learnt) && [ "$now" -gt "$before" ] && before=$now; }
# settled HOW...: one more job, since one that learns does not know yet that there is nothing more
settled() {
    code 0 "$@"
    all_said
    wait_until nothing_learns
}

t 'mpiexec: the ranks stage' '
    record
    settles mpi --via ranks
    says "the first rank on each node stages" err
'
t 'and when that line has nothing to learn any more, another one has' '
    settled mpi --via ranks
    arguments=0.extra said=0000
    settles mpi --via ranks
'
t 'mpiexec: staged by a step' '
    record
    settles mpi --via mpi
'
t 'srun in an allocation' '
    need_package slurmctld
    record
    settles slurm
    loadcast images show app.py >out
    says "job slurm-" out
'
# A job learns from its second line, whose arguments are others; the next one asks nothing.
second_line_learns() {
    settled slurm
    before=$(learnt)
    code 0 slurm_two "" 0.extra
    says "$1" err
    wait_until learnt_more
    wait_until nothing_learns
    measure_image
    arguments=0.extra said=0000
    cluster stats --reset >/dev/null 2>&1
    code 0 slurm
    all_said
    [ "$(nodes_ask)" = "$image_asks" ] || { cluster stats; return 1; }
}
t 'and from the second line of a job' '
    need_package slurmctld
    second_line_learns "staged on 4 nodes"
'
t 'srun in an allocation, with the store on a disk that all nodes see' '
    need_package slurmctld
    LOADCAST_STORE=$m/store
    measure_image() { measure_image_on_the_disk; }
    record
    settles slurm
    says "the first rank on each node stages" err
    second_line_learns "the first rank on each node stages"
'
finish
