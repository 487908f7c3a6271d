#!/bin/sh
#flux: -N 64 --tasks-per-node=128 -t 30m
# flux-job.sh - submit with 'flux batch flux-job.sh'. Written from Flux's manual; not run here.
set -eu
loadcast run --record --for 60s --image app.lcast --stats -- \
    flux run -N 64 --tasks-per-node=128 python3 app.py
