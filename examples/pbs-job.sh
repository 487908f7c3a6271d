#!/bin/sh
#PBS -l select=64:ncpus=128:mpiprocs=128 -l walltime=00:30:00
# pbs-job.sh - with PBS and HPE's PALS mpiexec (ALCF, NCAR and others). Written from their manuals; not run
# here. With Open MPI or MPICH under PBS the same line works, by their mpiexec.
set -eu
cd "$PBS_O_WORKDIR"
ranks=$(wc -l <"$PBS_NODEFILE")

loadcast run --record --for 60s --image app.lcast --stats -- \
    mpiexec -n "$ranks" --ppn 128 python3 app.py

# There is no stage-mpi for Cray MPICH unless the site built one (doc/for-centres.md): without it each
# node reads the image once (--via fs).
