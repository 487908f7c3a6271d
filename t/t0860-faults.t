#!/bin/sh
# Whatever breaks while programs start, they end with the right answer: see faults/rounds.py
# and faults/torn.py.
. "$(dirname "$0")/lib.sh"
rounds=${LOADCAST_FAULT_ROUNDS:-200} torn=${LOADCAST_TORN_ROUNDS:-30}
unset LOADCAST LOADCAST_NODE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
# Mounts of a test's own need a namespace of its own; without one, memory is never full.
if unshare -rm true 2>/dev/null; then own='unshare -rm'; else own=; fi
at_exit 'umount "$tmp/torn"' # by root without one

t "$rounds rounds: no wrong answer, no hang, nothing left" '
    $own "$python" "$here/faults/rounds.py" --loadcast "$build/loadcast" --starts "$PROGRAMS/starts" \
        --work "$tmp/work" --rounds "$rounds" --first "${LOADCAST_FAULT_SEED:-1}"
'
t "$torn rounds: an image of 6,000 files is cut, rewritten and replaced while it is read" '
    $own "$python" -B "$here/faults/torn.py" --loadcast "$build/loadcast" --starts "$PROGRAMS/starts" \
        --work "$tmp/torn" --rounds "$torn" --first "${LOADCAST_FAULT_SEED:-1}"
'
finish
