#!/bin/sh
# Ten clusters in a row, each used, leave no process, mount, namespace, cgroup or file behind.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
need_cluster
fs=none
[ ! -x "$build/stormfs" ] || [ ! -c /dev/fuse ] || fs=stormfs
mkdir shared
echo here >shared/file

for cycle in 1 2 3 4 5 6 7 8 9 10; do
    t "cycle $cycle of up, run and down ($fs) leaves nothing" '
        need_package mpiexec.openmpi
        code 0 cluster up 4 --fs $fs --shared "$tmp/shared"
        code 0 timeout 60 "$src/tools/cluster" --name $name run -- mpiexec.openmpi -n 8 cat "$tmp/shared/file"
        [ "$(grep -cx here out)" = 8 ]
        down_leaves_nothing
    '
done
t 'a cycle with Slurm leaves nothing either' '
    need_package munged slurmctld slurmd srun
    code 0 cluster up 4 --fs $fs --shared "$tmp/shared"
    code 0 cluster slurm -- srun -N4 cat "$tmp/shared/file"
    cluster slurm -- srun -N4 sleep 1000 &
    wait_until sh -c "$src/tools/cluster --name $name slurm -- squeue -h -t R | grep -q sleep"
    down_leaves_nothing
'
finish
