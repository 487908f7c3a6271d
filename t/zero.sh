# zero.sh - the promise, as a function: source it after lib.sh, then 'zero_disk TREE', then
#
#   zero CMD...     record CMD, stage it, and show: plain asks the disk a lot, Loadcast nothing, by the
#                   disk's own counters with all caching off; and it also runs with the disk frozen: by
#                   'loadcast exec' and 'loadcast run' as the README has them, and by the staged launcher.
#                   $record_options go to record, $record_under stands before it, $disk_options go to stormfs.
#                   $ways are the ways by which it is started. Outputs are compared after 'tidy', which a test
#                   may define anew.
#
# $m is where TREE is mounted. Everything of the job lies there: programs, libraries, HOME, images, and
# Loadcast's own files, in the layout of a build ($loadcast is its command).

own_files() {
    for part in loadcast loadcast-full launch stager node-kit.tgz node-kit-small.tgz preload.so audit.so src/client/audit/loadcast-record.so \
        src/client/pilot/loadcast-pilot.so; do
        mkdir -p "$1/$(dirname "$part")"
        [ ! -e "$build/$part" ] || cp -p "$build/$part" "$1/$part"
    done
}
zero_disk() {
    mkdir -p "$tmp/mnt" "$tmp/node" "$tmp/work" "$1/images"
    own_files "$1/loadcast"
    stormfs --profile none --cache-s 0 ${disk_options:-} "$1" "$tmp/mnt" 2>err || skip_all "no FUSE: $(cat err)"
    zero_names "$1"
}
# What zero_disk leaves in the shell.
zero_names() {
    m=$tmp/mnt disk=$1 loadcast=$tmp/mnt/loadcast/loadcast
    at_exit "stormfs ctl '$m' thaw; stormfs ctl '$m' stop"
    export LOADCAST_DIR=$tmp/node
}
tidy() { cat; }
ways='by_exec launch by_run'
# The environment of a job whose software and home lie on the slow disk. Only for the program itself:
# our own tools must not search there.
job() {
    (
        export HOME=$m PATH="$m/bin:$PATH" PYTHONHOME=$m PYTHONPATH=$m/lib/python3/dist-packages \
            LD_LIBRARY_PATH=$m/lib PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 GIT_CONFIG_NOSYSTEM=1
        cd "$tmp/work" && exec "$@"
    )
}
# Without those that close: the kernel sends them when it comes to it, perhaps only after a count was reset. What was opened counts by its OPEN.
requests() {
    stormfs ctl "$m" stats --json | "$python" -c '
import json, sys
total = json.load(sys.stdin)["total"]
print(total["requests"] - sum(sum(total["operations"].get(name, {}).values()) for name in ("RELEASE", "RELEASEDIR")))'
}
# record_and_stage IMAGE CMD...: afterwards $node is its node directory
record_and_stage() {
    image=$1
    shift
    written=$image # past the disk, which is read-only
    case $image in "$m"/*) written=$disk/${image#"$m"/} ;; esac
    job ${record_under:-} "$loadcast" record -o "$written" ${record_options:-} -- "$@" 2>record.err | tidy >recorded
    job "$loadcast" exec "$image" -- "$@" 2>stage.err | tidy >staged
    test -s recorded || test ! -s staged || { cat record.err stage.err; return 1; }
    same recorded staged
    node=$(ls -td "$tmp"/node/loadcast-*/*/ | head -1)
    node=${node%/}
}
# launch CMD...: what a rank does once the node is staged
launch() { LOADCAST_NODE=$node job "$node/bin/launch" "$@"; }
# ends_within SECONDS PID: by asking /proc, since no other program may be started from the job's disk
ends_within() { wait_within "$1" has_ended "$2"; }
# What people type in a job, with the image on a local disk and Loadcast installed on one.
by_exec() { COBALT_JOBID=1 job "$build/loadcast" exec "$local_image" -- "$@"; }
by_run() { COBALT_JOBID=1 job "$build/loadcast" run -q --wait 60s --image "$local_image" -- "$@"; }
# asks_nothing HOW CMD...: same output as plain, no request, also when nothing would be answered
asks_nothing() {
    how=$1
    shift
    stormfs ctl "$m" reset
    $how "$@" 2>served.err | tidy >served
    asked=$(requests)
    test "$asked" = 0 || { echo "$how: $asked requests instead of 0 (plain $plain)"; stormfs ctl "$m" stats; loadcast status; return 1; }
    same plain served
    same plain.err served.err
    stormfs ctl "$m" freeze
    $how "$@" >frozen.raw 2>&1 &
    ends_within 20 $! || { kill -KILL $!; stormfs ctl "$m" thaw; echo "$how: hangs when frozen"; return 1; }
    stormfs ctl "$m" thaw
    tidy <frozen.raw >frozen
    same plain frozen
}
# like_plain CMD...: once the node is staged, served or not, the output and the status are the plain program's
like_plain() {
    a=0; job "$@" >plain 2>plain.err || a=$?
    b=0; launch "$@" >served 2>served.err || b=$?
    same plain served
    same plain.err served.err
    test $a = $b
}
zero() {
    record_and_stage "$m/images/$number.lcast" "$@"
    local_image=$tmp/$number.lcast
    cp "$disk/images/$number.lcast" "$local_image"
    stormfs ctl "$m" reset
    job "$@" 2>plain.err | tidy >plain
    plain=$(requests)
    test "$plain" -gt 20 || { echo "the plain run asked only $plain: no control"; return 1; }
    for way in $ways; do
        [ $way != by_run ] || by_run true # the first run of a job checks the image
        asks_nothing $way "$@"
    done
}
