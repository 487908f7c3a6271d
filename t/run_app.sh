# run_app.sh - a small program for tests of run on one machine. Source it after lib.sh.
#
#   run_app <<EOS           sw/app.sh, which prints sw/data; before that it heeds the lines of a case
#                           that are given (by echo: several cats with one file as output, as ranks have it,
#                           overwrite each other by copy_file_range); recorded as app.lcast, node memory is node/
#   left                    what lies in there, but for the empty directory of the user
#   clean_now               nothing
#   gone                    waits until nothing is: 'run' returns before the node is cleaned
#   hold_staging_lock       descriptor 8 is the lock of app.lcast's node directory, which is not there
need_ptrace
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LOADCAST_DIR SLURM_JOB_ID PBS_JOBID PBS_NODEFILE LSB_JOBID FLUX_JOB_ID \
    COBALT_JOBID JOB_ID
mkdir -p sw node
export LOADCAST_DIR=$tmp/node
run_app() {
    { printf '#!/bin/sh\ncase ${1:-} in\n' && cat && printf 'esac\necho "$(cat "$(dirname "$0")/data")"\n'; } >sw/app.sh
    echo content >sw/data
    chmod +x sw/app.sh
    find sw -exec touch -d 2020-01-01 {} +
    loadcast record -o app.lcast --manage sw -- sw/app.sh >/dev/null 2>&1 || skip_all 'cannot record here'
}
left() { find node -mindepth 1 | grep -v "^node/loadcast-[0-9]*$" || :; }
clean_now() { [ -z "$(left)" ]; }
gone() { wait_until clean_now || { left; return 1; }; }
hold_staging_lock() {
    code 0 loadcast run -q --keep --image app.lcast -- true
    dir=$(find node -mindepth 2 -maxdepth 2 -type d)
    lock=${dir%/*}/.${dir##*/}.lock
    : >>"$lock"
    exec 8<>"$lock"
    flock 8
    rm -rf "$dir"
}
