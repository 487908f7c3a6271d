# run.sh - jobs on tools/cluster for the benchmarks of 'loadcast run'. Source it after lib.sh.
#
# A job prints when its last rank had imported, counted from the start of its line: for Loadcast from the start
# of 'loadcast run', with check and staging in it.
#
#   up NODES SLOTS OPTIONS          a cluster whose shared disk is $m
#   plain NODES PER_NODE SCRIPT     seconds, or "-" if the job failed; further words are the script's
#   cast NODES PER_NODE IMAGE SCRIPT
#   record IMAGE SCRIPT             on a cluster of its own without a slow disk
#   store_on_disk                   the user's store is on the shared disk, as a home is
#   on_head CMD...                  CMD there, with the variables $with and, if $how is "slurm", those of Slurm
#   import_image IMAGE SCRIPT       into the store, as the image of that script where the variables are $with
#   settle CMD...                   jobs until one has left the store's images as they were, eight at most
#   whole CMD...                    seconds from start to end; its output is kept in 'said'
#   letters FILE                    a number for all its characters in any order: launchers mix what ranks print
#   middle                          the median of the numbers on standard input
. "$(dirname "$here")/run_job.sh"
. "$(dirname "$here")/learn.sh"
cleaned() { :; } # with --stats 'run' waits for it
[ "$(id -u)" = 0 ] && [ -x "$build/stormfs" ] && [ -x "$build/stage-mpi.openmpi" ] || { echo "needs root, stormfs, mpicc.openmpi" >&2; exit 0; }
name=bench$$
cluster() { "$src/tools/cluster" --name "$name" "$@"; }
at_exit "cluster down"
unset LOADCAST LOADCAST_NODE LOADCAST_DIR MALLOC_PERTURB_
skip_all() { echo "$1" >&2; exit 0; }
patience=${STORM_PATIENCE:-900}
cd "$tmp"

after() { awk '/last import after/ { print $4; found = 1 } END { if (!found) print "-" }'; }
now() { date +%s.%N; }
up() { nodes=$1 slots=$2; shift 2; cluster up "$nodes" --rw --shared "$m" --slots "$slots" --memory 400M --keep "$tmp" "$@" >/dev/null; }
hosts() { seq -f "n%g:$2" 1 "$1" | paste -sd,; }
plain() { nodes=$1 per=$2 script=$3; shift 3; plain_openmpi -H "$(hosts "$nodes" "$per")" -npernode "$per" "$python3" "$m/$script" "$(now)" "$@" 2>"$tmp/plain.err" | after; }
cast() { openmpi -q --stats --image "$3" -- -H "$(hosts "$1" "$2")" -npernode "$2" "$python3" "$m/$4" "$(now)" 2>"$tmp/cast.err" | after; }
# prepared: seconds that check and staging of the last cast took, as 'run --stats' said
prepared() {
    awk '$1 == "check" || $1 == "stage" { t += $2 * ($3 ~ /^us/ ? 1e-6 : $3 ~ /^ms/ ? 1e-3 : $3 ~ /^min/ ? 60 : 1) } END { printf "%.3f", t }' "$tmp/cast.err"
}
record() {
    up 1 1 --profile none
    record_on n1 "$1" "$python3" "$m/$2" 0 || echo "$2 cannot be recorded" >&2
    cluster down
}
store_on_disk() {
    LOADCAST_STORE=$m/store LOADCAST_CONF=$tmp/loadcast.conf
    export LOADCAST_CONF
    mkdir -m 700 "$LOADCAST_STORE"
    printf 'wait = 60s\nquiet = yes\n' >"$LOADCAST_CONF"
}
on_head() { (cd / && timeout "$patience" "$src/tools/cluster" --name "$name" "${how:-run}" -- env ${with:-} "$@"); }
import_image() { on_head "$build/loadcast" images import "$1" -- "$python3" "$m/$2" >/dev/null; }
stored() { on_head sh -c 'cat "$LOADCAST_STORE"/*.lcast | cksum'; }
settle() {
    for settle_job in 1 2 3 4 5 6 7 8; do
        before=$(stored)
        "$@" >said 2>said.err || { cat said said.err >&2; exit 1; }
        wait_until nothing_learns
        [ "$(stored)" != "$before" ] || return 0
    done
    echo "eight jobs, and each has learnt something" >&2
    exit 1
}
# script NAME: the imports on standard input, then when the last rank had them
script() {
    {
        echo 'import sys, time'
        cat
        cat <<-"EOS"
	now = time.time()
	from mpi4py import MPI
	last = MPI.COMM_WORLD.reduce(now, op=MPI.MAX)
	if MPI.COMM_WORLD.rank == 0:
	    print("last import after %.3f s" % (last - float(sys.argv[1])))
	EOS
    } >"$m/$1"
}
whole() {
    whole_began=$(now)
    "$@" >said 2>said.err || { cat said said.err >&2; return 1; }
    awk -v a="$whole_began" -v b="$(now)" 'BEGIN { printf "%.3f\n", b - a }'
}
letters() { [ -s "$1" ] && od -An -v -tx1 -w1 "$1" | sort | cksum; }
middle() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
