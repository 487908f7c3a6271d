#!/bin/sh
# Nobody can tell the difference: each case of t/conformance runs plainly and under Loadcast, in a tree
# that is recorded whole, and must print the same. Cases whose names begin with 'change-' write, and
# get a tree of their own. CASES="open stat" runs only these.
. "$(dirname "$0")/lib.sh"
cases=$here/conformance
unset LOADCAST LOADCAST_NODE LD_AUDIT LD_PRELOAD PYTHONPATH PYTHONHOME SLURM_JOB_ID PBS_JOBID LSB_JOBID
command -v "$python" >/dev/null || skip_all 'no Python'

# Root may read everything, so the cases run as somebody else; what they need lies where he may look.
mkdir own node made tree own-home
for part in loadcast loadcast-full launch preload.so audit.so loadcast-record.so; do
    [ ! -e "$build/$part" ] || cp "$build/$part" own/
done
# What records searches and bindings, and, where there is no ptrace, everything.
for room in audit bindings pilot; do
    mkdir -p own/src/client/$room
    cp "$build/src/client/$room"/*.so own/src/client/$room/
done
cp -r "$cases" own/cases
as_user() { "$@"; }
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$tmp"
    chown -R 65534:65534 node made tree own-home own
    as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi
PATH=$tmp/own:$PATH
export HOME="$tmp/own-home" LOADCAST_DIR="$tmp/node" PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
unset PWD OLDPWD
as_user sh -c 'CC=cc own/cases/libraries/build own/cases/libraries made && own/cases/python/make made/python' ||
    { echo 'Bail out! the libraries of the cases cannot be built'; exit 1; }
for c in "$cases"/*.c; do
    name=$(basename "$c" .c)
    cp "$PROGRAMS/conform-$name" "made/bin/$name"
done

# one tree at one path: both runs print the same names
new_tree() {
    as_user sh -c 'chmod -R u+rwX tree 2>/dev/null; rm -rf tree/* node/*'
    as_user own/cases/fixture "$tmp/tree" "$tmp/made"
}
new_image() {
    as_user loadcast record -o own-home/app.lcast --manage "$tmp/tree" --add "$tmp/tree" 2>record.err || { cat record.err; return 1; }
}
# run CASE [PREFIX...]: in the tree, everything it prints and its status
run() {
    name=$1
    shift
    case $name in
    *.c) set -- "$@" "$tmp/tree/bin/${name%.c}" "$tmp/tree" ;;
    *.py) set -- "$@" "$python" "$tmp/own/cases/$name" ;;
    *.sh) set -- "$@" sh "$tmp/own/cases/$name" ;;
    esac
    (cd tree && PYTHONPATH="$tmp/tree/python:$tmp/tree/python/portion" as_user timeout $((60 * ${PATIENCE:-1})) "$@" 2>&1) && echo ended || echo "status $?"
}
answered() {
    as_user loadcast status --json | "$python" -c 'import json, sys
n = [n["counts"] for n in json.load(sys.stdin)]
print(sum(v for c in n for k, v in c.items() if k in ("open", "stat", "absent", "list", "readlink", "exec", "load")))'
}
# ld.so before glibc 2.35 dies of a new namespace under any auditor.
skip_odd() {
    case $1 in
    dl-namespaces.c) ! libc_is_before 2.35 || skip 'no dlmopen under an auditor with this glibc' ;;
    sh-own-tools.sh) command -v gdb >/dev/null || command -v perf >/dev/null || skip 'neither gdb nor perf' ;;
    esac
}
compare() {
    skip_odd "$1"
    case $1 in change-*) rm -f own-home/app.lcast; new_tree ;; esac
    run "$1" >plain.txt
    test "$(wc -l <plain.txt)" -gt 1 || { cat plain.txt; return 1; }
    case $(tail -1 plain.txt) in "status 124" | "status 1"[3-9]*) echo "the plain run died: no test"; return 1 ;; esac
    case $1 in change-*) new_tree; rm -f own-home/app.lcast; new_image ;; esac
    as_user loadcast clean --dir "$LOADCAST_DIR" >/dev/null 2>&1
    run "$1" loadcast exec --quiet "$tmp/own-home/app.lcast" -- >served.txt
    same plain.txt served.txt
    test "$(answered)" -gt 0 || { echo "nothing was answered: no test"; return 1; }
}

: "${CASES:=$(cd "$cases" && ls ./*.c ./*.py ./*.sh | sed 's|^\./||')}"
# Made here: their directory is '..' of the cases', and its time must not change between two runs.
: >plain.txt
: >served.txt
new_tree
new_image || exit 1
for c in $CASES; do
    case $c in change-*) ;; *) t "$c" "compare $c" ;; esac
done
for c in $CASES; do
    case $c in change-*) t "$c" "compare $c" ;; esac
done
# The same from a pilot of the case itself: what was searched, bound and compiled is in its image. The
# pilot, too, must not be told from a plain run.
compare_piloted() {
    skip_odd "$1"
    run "$1" >plain.txt
    rm -f own-home/pilot.lcast
    run "$1" loadcast record -o "$tmp/own-home/pilot.lcast" --manage "$tmp/tree" -- 2>/dev/null |
        grep -v "^loadcast record" >pilot.txt
    same plain.txt pilot.txt
    as_user loadcast clean --dir "$LOADCAST_DIR" >/dev/null 2>&1
    run "$1" loadcast exec --quiet "$tmp/own-home/pilot.lcast" -- >served.txt
    same plain.txt served.txt
    test "$(answered)" -gt 0 || { echo "nothing was answered: no test"; return 1; }
}
for c in $CASES; do
    case $c in dl-* | py-* | sh-libraries* | same-file* | fork* | exec*) t "$c, from its own pilot" "compare_piloted $c" ;; esac
done
# The same where the shell itself is served: what starts it inside the C library must not be told either.
new_shell_image() {
    shell=$(readlink -f /bin/sh)
    rm -f own-home/app.lcast; new_tree
    as_user loadcast record -o own-home/app.lcast --manage "$tmp/tree" --add "$tmp/tree" --manage "${shell%/*}" \
        --add "$shell" --add /bin/sh 2>record.err || { cat record.err; return 1; }
}
compare_with_shell() {
    new_shell_image
    compare "$1"
    as_user loadcast status --json | "$python" -c "import json, sys
n = [n[\"counts\"] for n in json.load(sys.stdin)]
sys.exit(sum(c[\"exec\"] for c in n) < $2)" || { as_user loadcast status; echo "the shell was not served"; return 1; }
}
for c in $CASES; do
    case $c in
    shell-calls.c) t "$c, with a served shell" "compare_with_shell $c 90" ;;
    sh-run.sh | spawn.c | exec.c | signals.c) t "$c, with a served shell" "compare_with_shell $c 1" ;;
    esac
done
t 'the intended differences are exactly those that the manual lists' '
    cp "$PROGRAMS/differences" made/bin/
    rm -f own-home/app.lcast; new_tree; new_image
    (cd tree && as_user bin/differences) >plain.txt
    (cd tree && as_user loadcast exec --quiet "$tmp/own-home/app.lcast" -- bin/differences) >served.txt
    diff plain.txt served.txt | sed -n "s/^> \([^:]*\):.*/\1/p" >told.txt
    printf "%s\n" maps "opening is told" namespace environment >expected.txt
    if libc_is_before 2.35; then sed -i /namespace/d expected.txt; fi
    same expected.txt told.txt
'
t 'nothing is left but the node directory' '
    as_user loadcast clean --dir "$LOADCAST_DIR" >out 2>&1
    ls node | nothing
'
finish
