#!/bin/bash
#SBATCH --job-name=loadcast-bench
#SBATCH --nodes=32
#SBATCH --ntasks-per-node=128
#SBATCH --time=04:00:00
#SBATCH --exclusive
# Every width of the suite up to this allocation, from its first node; srun is chosen by itself.
# A job that runs out of time leaves rows that say 'started', and no value.
# sbatch bench-slurm.sh [SUITE.yaml [DATABASE]]
suite=${1:-bench-large.yaml}
export LOADCAST_DB="${2:-$HOME/loadcast-results.db}"
loadcast bench "$suite"
status=$?
# On a network file system each run is a file of its own: bring them into the database, one at a time.
[ ! -d "$LOADCAST_DB.spool" ] || loadcast results --db "$LOADCAST_DB" merge
exit $status
