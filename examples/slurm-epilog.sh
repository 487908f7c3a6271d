#!/bin/sh
# slurm-epilog.sh - take a user's Loadcast images out of a node's memory when his job ends
#
# In slurm.conf: Epilog=/etc/slurm/epilog.d/* ; install this file there. It must never fail, or Slurm
# drains the node. With SLURM_JOB_ID in the environment 'loadcast clean' removes what this job staged
# and nobody else uses; what other jobs of the same user still want stays. The empty directory
# loadcast-UID stays too: while it is there nobody else can take its name.
#
# An epilog does not have the job's variables: where the module file sets LOADCAST_DIR, set it here too, and
# list all that your users are told to set. /dev/shm and /tmp are looked into in any case.
dirs=${LOADCAST_DIR:-}
program=${LOADCAST_PROGRAM:-/opt/loadcast/0.2.0/bin/loadcast}
[ -n "${SLURM_JOB_USER:-}" ] || exit 0
if [ ! -x "$program" ]; then
    echo "slurm-epilog.sh: no '$program', so nothing is cleaned; set LOADCAST_PROGRAM" >&2
    exit 0
fi
clean() {
    if [ "$(id -u)" = 0 ] && [ "$SLURM_JOB_USER" != root ]; then
        runuser -u "$SLURM_JOB_USER" -- "$program" clean --quiet "$@" || :
    else
        "$program" clean --quiet "$@" || :
    fi
}
unset LOADCAST_DIR
clean
for dir in $dirs; do clean --dir "$dir"; done
exit 0
