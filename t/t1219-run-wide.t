#!/bin/sh
# 16 nodes × 8 ranks: the disk sees the same number of operations from 1, 4 and 16 nodes. GPAW's energy
# is the same, and it also holds on MooseFS, which nobody here wrote.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
patience=900 # of the machine, which may be shared
. "$here/run_job.sh"
[ -x "$build/stormfs" ] && [ -c /dev/fuse ] || skip_all 'no stormfs here'
[ -x "$build/stage-mpi.openmpi" ] || skip_all 'built without mpicc.openmpi'
need_cluster
need_ptrace
$python -c 'import mpi4py, numpy' 2>/dev/null || skip_all 'python3-mpi4py or numpy is not installed'
job_tree gpaw ase
mkdir -p "$m/setups" && cp /usr/share/gpaw-setups/H.* "$m/setups/" 2>/dev/null
cat >"$m/energy.py" <<'EOS'
from ase import Atoms
from gpaw import GPAW, mpi
h2 = Atoms('H2', [(0, 0, 0), (0, 0, 0.74)], cell=(5, 5, 5))
h2.center()
h2.calc = GPAW(mode='fd', h=0.3, txt=None)
energy = h2.get_potential_energy()
if mpi.rank == 0:
    print("%d ranks, energy %.6f eV" % (mpi.size, energy))
EOS
environment="$environment GPAW_SETUP_PATH=$m/setups OMP_NUM_THREADS=1"
python3=$m/py/bin/python3
image=$m/img/app.lcast
hosts() { seq -f n%g:8 1 "$1" | paste -sd,; }
cluster up 16 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --memory 400M --keep "$tmp" >/dev/null || exit 1
# Two ranks, as a job has several: one alone imports less, and a module of a new name is asked for beside the script.
pilot_launcher="mpiexec.openmpi --oversubscribe -n 2"
record_on n1 "$image" "$python3" "$m/app.py" || exit 1

for nodes in 1 4 16; do
    t "OpenMPI, mpi, $nodes nodes x 8: operations of the whole job" '
        from_cold
        code 0 openmpi --via mpi --image "$image" -- -H $(hosts $nodes) -npernode 8 "$python3" "$m/app.py"
        says "ranks $((8 * nodes)) " out
        all_operations >mpi.$nodes
        cluster stats 2>/dev/null | awk "\$1 ~ /^n/ && \$1 != \"n1\" && \$2 != 0 { print; bad = 1 } END { exit bad }"
        [ "$(cat mpi.$nodes)" = "$(cat mpi.1)" ] || { head mpi.*; exit 1; }
    '
    t "Slurm, sbcast, $nodes nodes x 8: operations of the whole job" '
        need_package munged slurmctld slurmd srun sbcast
        from_cold
        code 0 slurm_run $nodes --via sbcast --image "$image" -- -n$((8 * nodes)) "$python3" "$m/app.py" load
        all_ranks $((8 * nodes)) $nodes out
        all_operations >sbcast.$nodes
        cluster stats 2>/dev/null | awk "\$1 ~ /^n/ && \$2 != 0 { print; bad = 1 } END { exit bad }"
        [ "$(cat sbcast.$nodes)" = "$(cat sbcast.1)" ] || { head sbcast.*; exit 1; }
    '
done
t 'fs: one open per node more' '
    for n in $(seq -f n%g 1 16); do cluster node $n -- loadcast clean --all >/dev/null; done
    from_cold
    code 0 openmpi --via fs --image "$image" -- -npernode 8 "$python3" "$m/app.py"
    says "ranks 128 " out
    for n in $(seq -f n%g 2 16); do [ "$(opens $n)" = 1 ] || { cluster stats; exit 1; }; done
'
t 'GPAW on four nodes: the energy is the same, three of four nodes ask nothing' '
    [ -d "$m/py/lib/python3/dist-packages/gpaw" ] || skip "no GPAW"
    code 0 plain_openmpi -H n1,n2,n3,n4 -npernode 1 "$python3" "$m/energy.py"
    cp out plain
    says "4 ranks, energy" plain
    record_on n1 "$m/img/gpaw.lcast" "$python3" "$m/energy.py"
    from_cold
    code 0 openmpi --via mpi --image "$m/img/gpaw.lcast" -- -H n1,n2,n3,n4 -npernode 1 "$python3" "$m/energy.py"
    same plain out
    cluster stats 2>/dev/null | awk "\$1 ~ /^n/ && \$1 != \"n1\" && \$2 != 0 { print; bad = 1 } END { exit bad }"
'
t 'down' '
    code 0 cluster down
'
t 'MooseFS: four nodes, three of which ask nothing' '
    need_package mfsmaster mfschunkserver mfsmount
    rm -f "$image"
    code 0 cluster up 4 --fs moosefs --shared "$m" --keep "$tmp"
    record_on n1 "$image" "$python3" "$m/app.py"
    code 0 openmpi --via mpi --keep --image "$image" -- -npernode 4 "$python3" "$m/app.py"
    cluster stats --reset >/dev/null 2>&1
    code 0 openmpi --via mpi --image "$image" -- -npernode 4 "$python3" "$m/app.py"
    says "ranks 16 sum 680 hosts 4 $m/py" out
    cluster stats >stats 2>/dev/null
    # Reading the counters costs some operations itself.
    awk "\$1 ~ /^n[234]/ && \$2 > 12 { print; bad = 1 } END { exit bad }" stats || { cat stats; exit 1; }
'
finish
