#!/bin/sh
# A part of ours that kills the program while it loads is off in the next job, and stays off.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'faults are put into x86-64 code only'
command -v nm >/dev/null || skip_all 'no nm'
need_compiler
need_ptrace
unset LOADCAST LOADCAST_NODE LOADCAST_BINDINGS LOADCAST_PRUNE LOADCAST_PYTHON LOADCAST_AUDIT LOADCAST_PRELOAD
export PYTHONDONTWRITEBYTECODE=1
ulimit -c 0
mkdir -m 700 app
cat >app/app.py <<'P'
import json, decimal, sys, os, time, signal
how = sys.argv[1] if len(sys.argv) > 1 else ""
if how.startswith("die"):
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)
if how.startswith("exit"):
    sys.exit(int(how[4:]))
print("done")
P
loadcast record -o app.lcast --manage /usr --manage "$tmp/app" -- "$python" app/app.py >/dev/null 2>record.err || { cat record.err; exit 1; }
# An installation of our own, whole or with a fault: faulty OBJECT FUNCTION [STATUS]
faulty() {
    rm -rf "$tmp/faulty"
    mkdir "$tmp/faulty"
    (cd "$build" && cp loadcast loadcast-full launch stager stager-small ./*.so "$tmp/faulty/")
    [ $# = 0 ] || "$python" "$here/programs/break_object.py" "$tmp/faulty/$1.so" "$2" ${3-}
    (cd "$tmp/faulty" && "$src/tools/node-kit" strip node-kit.tgz stager preload.so audit.so launch &&
        "$src/tools/node-kit" strip node-kit-small.tgz stager-small preload.so audit.so launch)
    PATH=$tmp/faulty:$PATH
}
# died LINE...: the line ends by SIGSEGV, told as a launcher or as a shell does
died() { code 139 sh -c '"$@"; exit $?' sh "$@"; }
no_marks() { [ ! -e "$LOADCAST_STORE" ] || ls -A "$LOADCAST_STORE" | grep suspect | nothing; }
run="loadcast run --image app.lcast --"
sentence='an earlier run died by signal 11'
# dies_once OFF: the first run dies, the second and all later ones do without OFF
dies_once() {
    died $run "$python" app/app.py
    lacks 'an earlier run' err
    for i in 2 3 4; do
        code 0 loadcast run --image app.lcast -- "$python" app/app.py
        echo done | same - out
        says "$sentence" err
        says "does without $1; which part is at fault, for a report: loadcast doctor" err
        [ "$(grep -c "an earlier run" err)" = 1 ]
    done
    code 0 loadcast run -q --image app.lcast -- "$python" app/app.py
    nothing <err
}
# doctor_names PART: for the same fault
doctor_names() {
    code 1 loadcast doctor --json --image app.lcast -- "$python" app/app.py
    found=$("$python" -c "import json; print(json.load(open(\"$tmp/out\"))[\"part\"])")
    [ "$found" = "$1" ] || { echo "doctor names $found"; cat out err; return 1; }
}
reset() {
    code 0 loadcast images reset
    echo "1 program reset" | same - out
}
t 'a whole installation says nothing' '
    faulty
    code 0 loadcast run -q --image app.lcast -- "$python" app/app.py
    nothing <err
    no_marks
'
t 'SIGSEGV in the replay of bindings: job 2 does without them, and reset brings them back' '
    faulty audit lc_group_writer_write
    dies_once "recorded symbol bindings"
    doctor_names "bindings"
    reset
    died $run "$python" app/app.py
    reset
'
t 'SIGSEGV in the auditor: job 2 does without it' '
    faulty audit lc_serve_path
    dies_once "the auditor"
    doctor_names "auditor"
    reset
'
t 'SIGSEGV in the import seam: job 2 does without it' '
    faulty preload lc_path_info_find
    dies_once "the hook into Python'\''s import system"
    doctor_names "seam"
    reset
'
t 'SIGSEGV in the preload: job 2 does without Loadcast' '
    faulty preload lc_query_with
    dies_once "Loadcast"
    doctor_names "preload"
    reset
'
t 'status 127 by a part of ours, as ld.so ends what it cannot load: job 2 does without the part' '
    for fault in "audit lc_group_writer_write|recorded symbol bindings" "audit lc_serve_path|the auditor" "preload lc_query_with|Loadcast"; do
        faulty ${fault%|*} 127
        code 127 $run "$python" app/app.py
        lacks "an earlier run" err
        for i in 2 3; do
            code 0 $run "$python" app/app.py
            echo done | same - out
            says "an earlier run died with status 127 while it loaded, so this one does without ${fault#*|};" err
            [ "$(grep -c "an earlier run" err)" = 1 ]
        done
        reset
    done
'
t 'what is off is off for this version of Loadcast alone' '
    faulty audit lc_group_writer_write
    died $run "$python" app/app.py
    code 0 $run "$python" app/app.py
    says "does without recorded symbol bindings" err
    version=$(loadcast --version)
    sed -i "s/ ${version#loadcast } / 0.0.1 /" "$LOADCAST_STORE"/fact.suspect-*
    died $run "$python" app/app.py
    lacks "an earlier run" err
    code 0 $run "$python" app/app.py
    says "does without recorded symbol bindings" err
    reset
'
t 'the same by exec, which sees it when it is called again' '
    for fault in "audit lc_group_writer_write|recorded symbol bindings" "preload lc_path_info_find|the hook into Python" "preload lc_query_with|Loadcast"; do
        faulty ${fault%|*}
        died loadcast exec -q app.lcast -- "$python" app/app.py
        for i in 2 3 4; do
            code 0 loadcast exec app.lcast -- "$python" app/app.py
            echo done | same - out
            says "an earlier run died while it loaded, so this one does without ${fault#*|}" err
        done
        code 0 loadcast images reset app.lcast
        echo "1 program reset" | same - out
    done
    faulty
    code 0 loadcast exec app.lcast -- "$python" app/app.py
    lacks "an earlier run" err
'
t 'an image of the store, and the word alone before the line' '
    faulty
    code 0 loadcast images import app.lcast -- "$python" app/app.py
    key=$(cat out)
    faulty audit lc_group_writer_write
    died loadcast "$python" app/app.py
    code 0 loadcast "$python" app/app.py
    says "does without recorded symbol bindings" err
    code 0 loadcast "$python" app/app.py
    says "does without recorded symbol bindings" err
    code 0 loadcast images show app.py
    says "off        recorded symbol bindings" out
    code 0 loadcast images show --json "$key"
    says "\"off\": \"recorded symbol bindings\"" out
    code 0 loadcast images reset app.py
    echo "1 program reset" | same - out
    code 0 loadcast images show app.py
    lacks "off " out
    code 1 loadcast images reset nowhere.py
    died loadcast "$python" app/app.py
    code 0 loadcast images remove app.py
    no_marks
'
t 'bindings that are wrong kill the program in its own code: job 2 does without them' '
    faulty
    cp app.lcast lied.lcast
    "$PROGRAMS/misbind" lied.lcast target
    died loadcast run --image lied.lcast -- "$python" app/app.py || code 132 sh -c "\"\$@\"; exit \$?" sh loadcast run --image lied.lcast -- "$python" app/app.py
    for i in 2 3; do
        code 0 loadcast run --image lied.lcast -- "$python" app/app.py
        echo done | same - out
        says "does without recorded symbol bindings" err
    done
    code 0 loadcast images reset lied.lcast
    echo "1 program reset" | same - out
'
t 'a program that dies by itself costs one plain run, and runs with all parts for good' '
    faulty
    for i in 1 2 3 4 5 6; do
        died $run "$python" app/app.py die
        cat err >>all
    done
    [ "$(grep -c "does without Loadcast" all)" = 1 ]
    lacks "an earlier run" err
    code 0 $run "$python" app/app.py
    lacks "an earlier run" err
    code 0 loadcast run --stats --image app.lcast -- "$python" app/app.py
    grep -q "^answered" err || cat err
    reset
'
t 'another input, or a changed script, is another case' '
    cp -r app mended
    died $run "$python" mended/app.py die
    echo "# mended" >>mended/app.py
    code 0 $run "$python" mended/app.py
    lacks "an earlier run" err
    code 0 loadcast images reset
'
t 'where no part was seen: bindings, then the auditor, then everything; what the program lives without stays off' '
    for off in "recorded symbol bindings" "the auditor" "Loadcast"; do
        died $run "$python" app/app.py die
        cp "$LOADCAST_STORE"/fact.suspect-* mark
        for i in 1 2; do
            code 0 $run "$python" app/app.py
            says "does without $off;" err
        done
        cp mark "$(ls "$LOADCAST_STORE"/fact.suspect-*)"
    done
    died $run "$python" app/app.py die # without Loadcast
    code 0 $run "$python" app/app.py
    lacks "an earlier run" err
    reset
'
t 'statuses of the program itself are no deaths' '
    for status in 1 126 127 134 139; do
        code $status $run "$python" app/app.py exit$status
        no_marks
        code $status $run sh -c "exit $status"
        no_marks
        code $status $run "$python" -c "import os; os._exit($status)"
        no_marks
    done
'
t 'a program that is not there is no suspect' '
    code 127 $run "$tmp/app/nowhere"
    code 127 $run sh -c nowhere
    code 126 $run "$tmp/app"
    no_marks
'
t 'SIGKILL and SIGTERM are not of our doing' '
    for number in KILL TERM INT HUP; do
        got=0
        $run "$python" -c "import os, signal; [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGHUP)]; os.kill(os.getpid(), signal.SIG$number)" >out 2>&1 || got=$?
        [ $got -gt 128 ] || { cat out; false; }
        no_marks
    done
'
t 'a program that dies after its loading has settled is no suspect' '
    died $run "$python" -c "import os, signal, time; time.sleep(11); os.kill(os.getpid(), signal.SIGSEGV)"
    no_marks
'
t '--strict, by which one measures and looks for faults, switches nothing off and remembers nothing' '
    faulty audit lc_group_writer_write
    for i in 1 2 3; do
        died loadcast run --strict --image app.lcast -- "$python" app/app.py
        lacks "an earlier run" err
        died loadcast exec --strict app.lcast -- "$python" app/app.py
        lacks "an earlier run" err
    done
    no_marks
    loadcast clean -q --all --dir "$LOADCAST_DIR"
    died $run "$python" app/app.py
    code 0 $run "$python" app/app.py
    died loadcast run --strict --image app.lcast -- "$python" app/app.py
    reset
'
t 'without a store that can be written all is as without' '
    faulty audit lc_group_writer_write
    export LOADCAST_STORE=/proc/nowhere
    died $run "$python" app/app.py
    died $run "$python" app/app.py
    lacks "an earlier run" err
'
need_openmpi() { command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"; }
mpi="mpiexec.openmpi --allow-run-as-root --oversubscribe -n 3"
for how in '--wrap always' '--wrap never' '--via ranks'; do
    t "mpiexec on one node, $how" '
        need_openmpi
        faulty audit lc_group_writer_write
        code 139 loadcast run $how --image app.lcast -- $mpi "$python" app/app.py
        for i in 2 3; do
            code 0 loadcast run $how --image app.lcast -- $mpi "$python" app/app.py
            [ "$(grep -o done out | wc -l)" = 3 ]
            says "does without recorded symbol bindings" err
        done
        reset
        faulty
        code 0 loadcast run $how --image app.lcast -- $mpi "$python" app/app.py
        lacks "an earlier run" err
    '
done
finish
