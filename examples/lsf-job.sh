#!/bin/sh
#BSUB -nnodes 64 -W 0:30 -J app
# lsf-job.sh - with LSF and jsrun. Written from their manuals; not run here.
set -eu
loadcast run --record --for 60s --image app.lcast --stats -- \
    jsrun --nrs 64 --rs_per_host 1 --tasks_per_rs 40 --cpu_per_rs 40 python3 app.py
