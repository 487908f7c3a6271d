#!/bin/sh
#SBATCH --nodes=64 --ntasks-per-node=128 --time=30:00
# slurm-job.sh - a Python program on 8,192 ranks; Loadcast is one word in front of the srun line.
# Run with Slurm 22.05 on tools/cluster.
set -eu
app=$SLURM_SUBMIT_DIR

# The first job records, in a pilot with one task; later jobs find the image in your store.
loadcast run --record --for 60s --stats -- srun python3 "$app/app.py"

# A second step of the same job: nothing is checked or staged again.
loadcast srun python3 "$app/app.py" --second

# Where the site's epilog does not do it (examples/slurm-epilog.sh):
srun --ntasks-per-node=1 --ntasks="$SLURM_JOB_NUM_NODES" loadcast clean --quiet
