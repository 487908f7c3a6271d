#!/bin/sh
# Ranks that import different packages: one job learns from all of them. Judged by the disk's own counters.
. "$(dirname "$0")/lib.sh"
need_ptrace
. "$here/stormfs.sh"
. "$here/learn.sh"
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LOADCAST_LEARN LOADCAST_CONF SLURM_JOB_ID PBS_JOBID COBALT_JOBID
command -v mpiexec.openmpi >/dev/null || skip_all 'openmpi-bin is not installed'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mpiexec.openmpi -n 1 true 2>err || skip_all "mpiexec does not run here: $(cat err)"
learn_tree
job() { mpiexec.openmpi -n 4 "$python" "$tmp/m1/app/app.py"; }
learning_job() {
    code 0 loadcast mpiexec.openmpi -n 4 "$python" "$tmp/m1/app/app.py"
    wait_until nothing_learns
}
# asks_nothing: each rank, as the launcher starts it
asks_nothing() {
    stormfs ctl "$tmp/m1" reset
    for rank in 0 1 2 3; do
        LOADCAST_NODE=$node OMPI_COMM_WORLD_RANK=$rank "$node/bin/launch" "$python" "$tmp/m1/app/app.py"
    done >ranks
    asked=$(count requests)
    loadcast status >status.out 2>&1
    [ "$asked" = 0 ] || { echo "$asked requests instead of 0"; cat stats.json status.out; return 1; }
}

t 'four ranks, four packages: nothing is asked by the fourth job' '
    learn_begin
    job | sort >plain
    for i in 2 3; do
        learning_job
        sort out | same plain -
    done
    staged_job learning_job
    asks_nothing
    staged_job_end
    sort served | same plain -
    sort ranks | same plain -
    code 0 loadcast info --verify "$(image)"
'
t 'and on a frozen disk' '
    staged_job learning_job
    stormfs ctl "$tmp/m1" freeze
    for rank in 0 1 2 3; do
        LOADCAST_NODE=$node OMPI_COMM_WORLD_RANK=$rank timeout 60 "$node/bin/launch" "$python" "$tmp/m1/app/app.py" || echo hangs
    done >ranks
    stormfs ctl "$tmp/m1" thaw
    staged_job_end
    sort ranks | same plain -
'
finish
