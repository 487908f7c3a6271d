#!/bin/sh
# 16 nodes × 8 ranks, by OpenMPI and by Slurm with PMIx.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
need_cluster
$python -c 'import mpi4py' 2>/dev/null || skip_all 'python3-mpi4py is not installed'
fs=none
[ ! -x "$build/stormfs" ] || [ ! -c /dev/fuse ] || fs=stormfs
mkdir shared
cat >shared/mpi.py <<'EOS'
from mpi4py import MPI
import socket
world = MPI.COMM_WORLD
hosts = world.allgather(socket.gethostname())
if world.rank == 0:
    print("ranks", world.size, "hosts", len(set(hosts)), "each", {hosts.count(h) for h in hosts})
EOS

t "16 nodes come up ($fs)" '
    code 0 cluster up 16 --fs $fs --shared "$tmp/shared"
    [ "$(cluster status | grep -c "^n[0-9]* .* up ")" = 16 ]
'
for round in 1 2 3; do
    t "OpenMPI, 128 ranks, round $round" '
        need_package mpiexec.openmpi
        code 0 timeout 120 "$src/tools/cluster" --name $name run -- mpiexec.openmpi -n 128 $python "$tmp/shared/mpi.py"
        says "ranks 128 hosts 16 each {8}" out
    '
    t "srun with PMIx, 128 ranks, round $round" '
        need_package munged slurmctld slurmd srun
        code 0 timeout 120 "$src/tools/cluster" --name $name slurm -- srun -N16 -n128 $python "$tmp/shared/mpi.py"
        says "ranks 128 hosts 16 each {8}" out
    '
done
t 'nothing is left' '
    down_leaves_nothing
'
finish
