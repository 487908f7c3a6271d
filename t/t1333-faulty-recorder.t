#!/bin/sh
# A recorder that kills the program it watches: the next job of that line is not watched, and runs.
. "$(dirname "$0")/lib.sh"
. "$here/watch.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'faults are put into x86-64 code only'
command -v nm >/dev/null || skip_all 'no nm'
command -v "$python" >/dev/null || skip_all 'no python'
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE SLURM_JOB_ID SLURM_STEP_ID PBS_JOBID COBALT_JOBID
export PYTHONDONTWRITEBYTECODE=1
ulimit -c 0
mkdir -m 700 app
cat >app/app.py <<'P'
import os, signal, sys
how = sys.argv[1] if len(sys.argv) > 1 else ""
if how == "die":
    os.kill(os.getpid(), signal.SIGSEGV)
if how.startswith("exit"):
    sys.exit(int(how[4:]))
for i in range(30):
    os.path.exists("%s/none%d" % (os.path.dirname(os.path.abspath(__file__)), i))
print("done")
P
watch_begin
# An installation of our own, whole or with a fault: faulty OBJECT FUNCTION [STATUS]
faulty() {
    rm -rf "$tmp/faulty"
    mkdir "$tmp/faulty"
    (cd "$build" && cp loadcast loadcast-full launch stager stager-small ./*.so src/client/audit/loadcast-record.so \
        src/client/bindings/loadcast-bindings.so src/client/pilot/loadcast-pilot.so "$tmp/faulty/")
    [ $# = 0 ] || "$python" "$here/programs/break_object.py" "$tmp/faulty/$1.so" "$2" ${3-}
    PATH=$tmp/faulty:$PATH
}
# died LINE...: the line ends by SIGSEGV, told as a launcher or as a shell does
died() { code 139 sh -c '"$@"; exit $?' sh "$@"; }
run="loadcast run --manage $tmp/app --"
# settled CMD...: and no process watches any more
settled() {
    "$@" || return
    wait_until nothing_watches
}
is_watched() { says "is watched, for the next run" err && lacks "an earlier run" err; }
is_spared() {
    says "an earlier run died $1 while it was watched for an image, so this one is not watched" err
    says "for a report: loadcast doctor -- ...; to watch again: loadcast images reset" err
    [ "$(grep -c "^loadcast " err)" = 1 ] || { cat err; return 1; }
}
reset() {
    code 0 loadcast images reset "$@"
    echo "1 program reset" | same - out
}
t 'a whole installation: the first job is watched, the second has the image' '
    faulty
    settled code 0 $run "$python" app/app.py
    is_watched
    ls "$store" | grep suspect | nothing
    code 0 $run "$python" app/app.py
    says "staged on 1 node" err
    forget
'
for fault in "loadcast-record la_version" "loadcast-record la_objopen" "loadcast-record la_preinit" "loadcast-pilot lc_watched_begin"; do
    t "SIGSEGV in $fault: job 2 and all later ones are not watched, and reset brings that back" '
        faulty $fault
        settled died $run "$python" app/app.py
        is_watched
        for i in 2 3 4; do
            code 0 $run "$python" app/app.py
            echo done | same - out
            is_spared "by signal 11 (Segmentation fault)"
            nothing_watches
        done
        code 0 loadcast run -q --manage "$tmp/app" -- "$python" app/app.py other words
        nothing <err
        code 0 loadcast images
        says "no image yet" out
        code 0 loadcast images show app.py
        says "off        watching for an image" out
        reset app.py
        settled died $run "$python" app/app.py
        is_watched
        code 0 $run "$python" app/app.py
        is_spared "by signal 11 (Segmentation fault)"
        reset
        faulty
        settled code 0 $run "$python" app/app.py
        is_watched
        code 0 $run "$python" app/app.py
        says "staged on 1 node" err
        code 0 loadcast images show app.py
        lacks "off  " out
        forget
    '
done
t 'status 127, as ld.so ends what it cannot load: the same' '
    for fault in "loadcast-record la_version" "loadcast-pilot lc_watched_begin"; do
        faulty $fault 127
        settled code 127 $run "$python" app/app.py
        is_watched
        for i in 2 3; do
            code 0 $run "$python" app/app.py
            echo done | same - out
            is_spared "with status 127"
        done
        forget
    done
'
t 'the word alone before the line' '
    faulty loadcast-record la_version
    settled died loadcast "$python" app/app.py
    is_watched
    for i in 2 3; do
        code 0 loadcast "$python" app/app.py
        echo done | same - out
        is_spared "by signal 11 (Segmentation fault)"
    done
    code 0 loadcast images remove app.py
    ls -A "$store" | nothing
'
t 'another program is watched all the same, and so is this one by another version' '
    faulty loadcast-record la_version
    settled died $run "$python" app/app.py
    cp app/app.py app/other.py
    settled died $run "$python" app/other.py
    is_watched
    version=$(loadcast --version)
    sed -i "s/ ${version#loadcast } / 0.0.1 /" "$store"/fact.suspect-*
    faulty
    settled code 0 $run "$python" app/app.py
    is_watched
    forget
'
t 'a program that dies by itself costs one run that is not watched, and is not marked for ever' '
    faulty
    settled died $run "$python" app/app.py die
    is_watched
    settled died $run "$python" app/app.py die
    is_spared "by signal 11 (Segmentation fault)"
    for i in 3 4 5; do
        settled died $run "$python" app/app.py die
        lacks "an earlier run" err
    done
    settled code 0 $run "$python" app/app.py
    is_watched
    code 0 $run "$python" app/app.py
    says "staged on 1 node" err
    lacks "an earlier run" err
    forget
'
t 'so does a status that looks like a death' '
    for status in 126 127 139; do
        settled code $status $run "$python" app/app.py exit$status
        is_watched
        settled code $status $run "$python" app/app.py exit$status
        says "so this one is not watched" err
        settled code $status $run "$python" app/app.py exit$status
        lacks "an earlier run" err
        forget
    done
'
t 'a changed script is another case' '
    settled died $run "$python" app/app.py die
    echo "# mended" >>app/app.py
    settled code 0 $run "$python" app/app.py exit0
    is_watched
    code 0 $run "$python" app/app.py exit0
    [ ! -s err ] # it asks little, and that is known now
    settled code 0 $run "$python" app/app.py
    is_watched
    forget
'
t 'statuses of the program itself, and signals by others, are no deaths' '
    for status in 1 3 125; do
        settled code $status $run "$python" app/app.py exit$status
        ls "$store" | grep suspect | nothing
        forget
    done
    for number in KILL TERM; do
        got=0
        settled $run sh -c "kill -$number \$\$" >out 2>&1 || got=$?
        [ $got -gt 128 ] || { cat out; false; }
        ls "$store" | grep suspect | nothing
    done
    forget
'
t '--no-watch asks nothing about it, --dry-run changes nothing' '
    faulty loadcast-record la_version
    settled died $run "$python" app/app.py
    cat "$store"/fact.suspect-* >before
    code 0 loadcast run --no-watch -- "$python" app/app.py
    lacks "an earlier run" err
    code 0 loadcast run --dry-run -- "$python" app/app.py
    cat "$store"/fact.suspect-* | same before -
    forget
'
t 'ranks of mpiexec' '
    command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"
    for fault in "loadcast-record la_version" "loadcast-pilot lc_watched_begin"; do
        faulty $fault
        mpi="mpiexec.openmpi --allow-run-as-root --oversubscribe -n 3"
        settled code 139 $run $mpi "$python" app/app.py
        says "one rank is watched" err
        for i in 2 3; do
            code 0 $run $mpi "$python" app/app.py
            [ "$(grep -o done out | wc -l)" = 3 ]
            is_spared "by signal 11 (Segmentation fault)"
        done
        forget
    done
'
finish
