#!/bin/sh
# Every launcher reaches all nodes: OpenMPI, MPICH's hydra, srun with PMIx, sbatch, sbcast.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
need_cluster

cat >mpi.py <<'EOS'
from mpi4py import MPI
import socket
world = MPI.COMM_WORLD
total = world.allreduce(world.rank)
hosts = world.gather(socket.gethostname())
if world.rank == 0:
    counts = sorted((h, hosts.count(h)) for h in set(hosts))
    print("ranks", world.size, "sum", total, *("%s:%d" % c for c in counts))
EOS
need_mpi4py() { need_package mpiexec.openmpi && $python -c 'import mpi4py' || skip 'python3-mpi4py is not installed'; }
need_slurm() { need_package munged slurmctld slurmd srun; }
# each FILE N: N lines from each of the four nodes
each() { [ "$(sort "$1" | uniq -c | tr -s ' \n' ' ')" = " $2 n1 $2 n2 $2 n3 $2 n4 " ] || { cat "$1"; return 1; }; }

cluster up 4 --fs none --keep "$tmp" >/dev/null

t 'OpenMPI: mpiexec -n 32, eight ranks on each of four nodes' '
    need_mpi4py
    code 0 timeout 60 "$src/tools/cluster" --name $name run -- mpiexec.openmpi -n 32 $python "$tmp/mpi.py"
    says "ranks 32 sum 496 n1:8 n2:8 n3:8 n4:8" out
'
t 'OpenMPI: the job'\''s status comes back' '
    need_package mpiexec.openmpi
    code 3 cluster run -- mpiexec.openmpi -n 4 sh -c "exit 3"
'
t 'MPICH: hydra starts processes on four nodes' '
    need_package mpiexec.mpich
    code 0 cluster run -- mpiexec.mpich -n 32 hostname
    each out 8
'
t 'Slurm starts on first use, with a key and socket of its own' '
    need_slurm
    code 0 cluster slurm -- srun -N4 -n16 hostname
    each out 4
    cluster status | grep -q "slurm: yes"
    grep -q "AuthInfo=socket=/run/loadcast-cluster/$name/" /run/loadcast-cluster/$name/slurm/slurm.conf
    [ "$(stat -c %a /run/loadcast-cluster/$name/slurm/munge/key)" = 600 ]
'
t 'srun starts OpenMPI programs without an option: PMIx' '
    need_slurm
    need_pmix
    need_mpi4py
    code 0 timeout 60 "$src/tools/cluster" --name $name slurm -- srun -N4 -n16 $python "$tmp/mpi.py"
    says "ranks 16 sum 120 n1:4 n2:4 n3:4 n4:4" out
'
t 'a plain srun is one task; the status comes back' '
    need_slurm
    code 0 cluster slurm -- srun hostname
    [ "$(cat out)" = n1 ]
    code 5 cluster slurm -- srun -n1 sh -c "exit 5"
'
t 'sbatch, with sbcast and srun inside' '
    need_slurm
    cat >job <<-END
	#!/bin/sh
	#SBATCH --nodes=4 --ntasks=4 --output=$tmp/job.out
	sbcast "$tmp/mpi.py" /tmp/cast.py
	srun -N4 -n4 sh -c "cmp /tmp/cast.py $tmp/mpi.py && hostname"
	echo finished
	END
    code 0 cluster slurm -- sbatch "$tmp/job"
    wait_until grep -qsx finished job.out
    grep -v finished job.out >hosts
    each hosts 1
    [ ! -e /tmp/cast.py ]
'
t 'a killed node misses no later job once healed' '
    need_slurm
    cluster fault n3 kill
    code 0 timeout 60 "$src/tools/cluster" --name $name slurm -- srun -w n1,n2,n4 -N3 hostname
    cluster fault n3 heal
    code 0 timeout 60 "$src/tools/cluster" --name $name slurm -- srun -N4 hostname
    each out 1
'
t 'down ends the daemons too' '
    down_leaves_nothing
'
finish
