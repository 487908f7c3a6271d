#!/bin/sh
# Images with words changed and all checksums right, through every command that reads one; what is
# staged from them is asked everything by the client's own code (fuzz/node_walk.c), and by programs
# under the client itself, which the sanitized leg builds to stop at undefined behaviour.
. "$(dirname "$0")/lib.sh"
: "${PROGRAMS:=$build/t}"
need_compiler
need_ptrace
unset LOADCAST LOADCAST_NODE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
first=${LOADCAST_MUTATION_SEED:-1} last=$((${LOADCAST_MUTATION_SEED:-1} + ${LOADCAST_MUTATIONS:-200} - 1))
mkdir -m 700 node
export LOADCAST_DIR=$tmp/node
mkdir -p tree/lib tree/dir/below
echo 'int f(void); int f(void) { return 0; }' | $cc -shared -fPIC -x c - -o tree/lib/libf.so -Wl,-soname,libf.so
echo 'int f(void); int main(void) { return f(); }' |
    $cc -x c - -o tree/main -Ltree/lib -lf -Wl,-rpath,"$tmp/tree/lib"
for i in 1 2 3 4 5; do echo "file $i" >tree/dir/$i; echo "code $i" >tree/dir/below/$i.pyc; done
ln tree/dir/1 tree/dir/hard
ln -s dir tree/link
ln -s ../dir/2 tree/lib/up
loadcast record -o base.lcast --manage "$tmp/tree" --add "$tmp/tree" -- tree/main 2>err || { cat err; exit 1; }
cat >ask.sh <<E2
for c in "find $tmp/tree -ls" "cat $tmp/tree/dir/1 $tmp/tree/link/2 $tmp/tree/lib/up" "ls -l $tmp/tree/none $tmp/tree/link/"; do
    \$c >/dev/null 2>&1
    [ \$? -lt 128 ] || exit 99
done
E2
# goes MOST CMD...: it ends with a status of at most MOST
goes() {
    most=$1 status=0
    shift
    timeout 60 "$@" >out 2>err || status=$?
    [ $status -le "$most" ] || { echo "seed $seed: $*: status $status"; head -20 err; return 1; }
}
t "seeds $first to $last: refused, or used without a stray access" '
    : >all
    for seed in $(seq $first $last); do
        "$PROGRAMS/damage" base.lcast app.lcast $seed
        rm -rf into
        goes 3 loadcast info --verify app.lcast
        goes 3 loadcast unpack app.lcast into
        goes 3 loadcast check -n app.lcast
        goes 3 loadcast stage --quiet app.lcast
        if [ $status = 0 ]; then
            goes 0 "$PROGRAMS/node-walk" "$(tail -1 out)"
            cat out >>all
        fi
        goes 0 loadcast exec --quiet app.lcast -- sh ask.sh
        rm -rf node/loadcast-*
    done
    sort all | uniq -c
    # Enough of them get as far as the client to prove something.
    [ "$(grep -c attached all)" -ge $(((last - first) / 20)) ]
'
finish
