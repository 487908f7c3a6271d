#!/bin/sh
#SBATCH --nodes=64 --ntasks-per-node=128 --time=30:00
# slurm-steps.sh - the same as slurm-job.sh step by step, as 'loadcast run --dry-run' prints it.
# Run with Slurm 22.05 on tools/cluster.
set -eu
app=$SLURM_SUBMIT_DIR

loadcast check "$app/app.lcast"
node=$(loadcast stage --via mpi "$app/app.lcast")
srun --export="ALL,LOADCAST_NODE=$node,LD_AUDIT=$node/bin/audit.so,LD_PRELOAD=$node/bin/preload.so" \
    python3 "$app/app.py"
# Or, where the environment does not travel or the program itself lies on the shared disk:
srun "$node/bin/launch" python3 "$app/app.py"
loadcast stage --clean "$app/app.lcast"
