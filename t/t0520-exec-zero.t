#!/bin/sh
# The promise: after staging, nothing is asked of the shared file system. Judged by the file system's
# own counters with all caching off, and by freezing it.
. "$(dirname "$0")/lib.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
"$here/python_tree" "$tmp/tree" || skip_all 'no Python to copy'
for program in bash perl git ls; do
    path=$(command -v $program) && cp -L "$path" tree/bin/
done
mkdir mnt node work
stormfs --profile none --cache-s 0 "$tmp/tree" "$tmp/mnt" 2>err || skip_all "no FUSE: $(cat err)"
m=$tmp/mnt
at_exit "stormfs ctl '$m' thaw; stormfs ctl '$m' stop"
export LOADCAST_DIR=$tmp/node

# The environment of a job whose software and home lie on the slow disk. Only for the program itself:
# our own tools must not search there.
job() {
    (
        export HOME=$m PYTHONHOME=$m PYTHONPATH=$m/lib/python3/dist-packages LD_LIBRARY_PATH=$m/lib \
            PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 GIT_CONFIG_NOSYSTEM=1
        cd "$tmp/work" && exec "$@"
    )
}
requests() { stormfs ctl "$m" stats --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["total"]["requests"])'; }
# record_and_stage IMAGE CMD...: afterwards $node is its node directory
record_and_stage() {
    image=$1
    shift
    job loadcast record -o "$image" -- "$@" >recorded 2>record.err || { cat record.err; return 1; }
    job loadcast exec "$image" -- "$@" >staged 2>stage.err || { cat stage.err; return 1; }
    same recorded staged
    node=$(ls -td "$tmp"/node/loadcast-*/*/ | head -1)
    node=${node%/}
}
# launch CMD...: what a rank does once the node is staged
launch() { LOADCAST_NODE=$node job "$node/bin/launch" "$@"; }
# ends_within SECONDS PID: by asking /proc, since no other program may be started from the job's disk
ends_within() {
    for _ in $(seq "$(($1 * 10))"); do
        case $(cat "/proc/$2/stat" 2>/dev/null) in '' | *') Z '*) return 0 ;; esac
        sleep 0.1
    done
    return 1
}
# zero CMD...: same output as plain, no request, also when nothing would be answered
zero() {
    record_and_stage "$tmp/$number.lcast" "$@"
    stormfs ctl "$m" reset
    job "$@" >plain 2>plain.err
    plain=$(requests)
    test "$plain" -gt 20 || { echo "the plain run asked only $plain: no control"; return 1; }
    stormfs ctl "$m" reset
    launch "$@" >served 2>served.err || { cat served.err; return 1; }
    asked=$(requests)
    test "$asked" = 0 || { echo "$asked requests instead of 0 (plain $plain)"; stormfs ctl "$m" stats; return 1; }
    same plain served
    same plain.err served.err
    stormfs ctl "$m" freeze
    launch "$@" >frozen 2>&1 &
    ends_within 20 $! || { kill -KILL $!; stormfs ctl "$m" thaw; echo "hangs when frozen"; return 1; }
    stormfs ctl "$m" thaw
    same plain frozen
}

t 'python -c pass' '
    zero "$m/bin/python3" -c pass
'
t 'import numpy, and a result' '
    test -d tree/lib/python3/dist-packages/numpy || skip "no numpy"
    zero "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
'
t 'import mpi4py without MPI started' '
    test -d tree/lib/python3/dist-packages/mpi4py || skip "no mpi4py"
    zero "$m/bin/python3" -c "import mpi4py; print(mpi4py.__file__)"
'
t 'bash, with its own children' '
    zero "$m/bin/bash" -c "echo hello; $m/bin/ls -d $m/bin; type ls >/dev/null"
'
t 'perl' '
    test -x tree/bin/perl || skip "no perl"
    zero "$m/bin/perl" -e "print 6 * 7"
'
t 'python that starts python' '
    zero "$m/bin/python3" -c "import subprocess, sys; print(subprocess.check_output([sys.executable, \"-c\", \"print(1)\"]))"
'
t 'listing, globbing, walking and real paths' '
    zero "$m/bin/python3" -c "
import glob, os
print(sorted(os.listdir(\"$m/bin\")), glob.glob(\"$m/bin/*\"), os.path.realpath(\"$m/bin/python3\"))
print(sum(len(f) for _, _, f in os.walk(\"$m/lib/python3.11/json\")) if os.path.isdir(\"$m/lib/python3.11/json\") else 0)"
'
finish
