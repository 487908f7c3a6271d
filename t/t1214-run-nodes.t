#!/bin/sh
# Nodes of one job that are not alike in their directories, and what --stats says of a job, beside the shared
# disk's own counters.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster
need_ptrace
command -v mpiexec.openmpi >/dev/null || skip_all 'openmpi-bin is not installed'
mkdir -p shared/sw shared/img shared/other
m=$tmp/shared
# ask.sh N: N questions for a file that is recorded, N for one that is not, N for one that is recorded as absent
cat >shared/sw/ask.sh <<'EOS'
#!/bin/sh
m=$(dirname "$(dirname "$0")") n=$1
while [ $n -gt 0 ]; do
    [ -e "$m/known" ] || echo "no known"
    [ ! -e "$m/lacking" ] || echo "lacking"
    [ $1 = 1 ] || [ ! -e "$m/other/unknown" ] || echo "unknown"
    n=$((n - 1))
done
cat "$m/data" >/dev/null
EOS
echo known >shared/known
head -c 700000 /dev/urandom >shared/data
chmod +x shared/sw/ask.sh
find shared -exec touch -d 2020-01-01 {} +
cluster up 3 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" --keep "$build" >/dev/null || exit 1
on() { node=$1; shift; (cd / && "$src/tools/cluster" --name "$name" node "$node" -- "$@"); }
image=$m/img/ask.lcast
on n1 "$build/loadcast" record --manage "$m" -o "$image" -- "$m/sw/ask.sh" 1 >record.out 2>&1 || { cat record.out; exit 1; }
openmpi() {
    options=
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    (cd / && timeout 200 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run --wait 60s $options --image "$image" -- mpiexec.openmpi -wdir /tmp "$@")
}
plain() { (cd / && timeout 200 "$src/tools/cluster" --name "$name" run -- mpiexec.openmpi -wdir /tmp "$@"); }
slurm() { (cd / && timeout 200 "$src/tools/cluster" --name "$name" slurm -- salloc -Q -N3 "$@"); }
# One of the ways is by Open MPI's ranks.
need_slurm() {
    need_package munged slurmctld slurmd srun sbcast
    need_pmix
}
nothing_staged() {
    cleaned /tmp/scratch
    for n in n1 n2 n3; do
        on $n find /dev/shm /tmp -maxdepth 3 \( -path "*/loadcast-[0-9]*" -o -name ".loadcast-*" \) ! -path "*/.job.*" | sed "s/^/$n /"
    done | nothing
}
clean_now() { nothing_staged >/dev/null; }
away() { cleaned /tmp/scratch; for n in n1 n2 n3; do on $n env LOADCAST_DIR="${1:-/dev/shm}" "$build/loadcast" clean --all >/dev/null; done; nothing_staged; }

# asked FIELD: over all nodes, by the disk's own counters; "operations" or "absent"
asked() { cluster stats 2>/dev/null | awk -v field="$1" '/^n[0-9]/ { for (i = 2; i <= NF; i++) if ($i ~ "^" field) n += $(i - 1) } END { print n + 0 }'; }
from_cold() { cluster cold && cluster stats --reset >/dev/null 2>&1; }
# figure WORD FILE: the number behind a word of --stats
figure() { sed -n "s/^$1  *\([0-9,]*\) .*/\1/p" "$2" | tr -d ,; }
t '--stats: operations that were passed on are those that the disk was asked, path by path' '
    for n in 10 110; do
        from_cold
        code 0 plain -npernode 2 "$m/sw/ask.sh" $n
        asked operations >plain.operations.$n
        from_cold
        code 0 openmpi --stats --via mpi -- -npernode 2 "$m/sw/ask.sh" $n
        asked operations >operations.$n
        asked absent >absent.$n
        cp err stats.$n
        nothing_staged
    done
    more() { echo $(($(cat $1.110) - $(cat $1.10))); }
    for n in 10 110; do for word in saved passed; do figure $word stats.$n >$word.$n; done; done
    # 100 more questions of each kind by each of six ranks: two kinds are answered, one is not.
    [ "$(more saved)" = 1200 ] || { cat stats.*; exit 1; }
    [ "$(more passed)" = 600 ] || { cat stats.*; exit 1; }
    [ "$(more absent)" = 600 ] || { cluster stats; exit 1; }
    for n in 10 110; do grep -q "^  *$((n * 6))  $m/other/unknown$" stats.$n || { cat stats.$n; exit 1; }; done
    # An operation is a call of the program: the disk saves at least as many requests.
    [ "$(cat saved.110)" -le $(($(cat plain.operations.110) - $(cat operations.110))) ] || { more plain.operations; more operations; exit 1; }
    says "by mpi on 3 nodes" err
'
# flat.sh N: N questions each for a file that is there and for one that is not, directly below the mount point: with nothing
# cached, the disk is asked to look up one name for each.
cat >shared/flat.sh <<'EOS'
#!/bin/sh
m=${0%/*} n=$1
while [ $n -gt 0 ]; do
    [ -e "$m/known" ] && [ ! -e "$m/lacking" ] || echo "neither"
    n=$((n - 1))
done
cat "$m/data" >/dev/null
EOS
chmod +x shared/flat.sh
touch -d 2020-01-01 shared/flat.sh shared
look_ups() { cluster stats 2>/dev/null | awk '/^n[0-9]/ { for (i = 2; i < NF; i++) if ($i == "LOOKUP") n += $(i + 1) } END { print n + 0 }'; }
is_stored() { [ -n "$(find "$m/store" -name "*.json")" ]; }
nothing_watches() { for n in n1 n2 n3; do on $n find /dev/shm -maxdepth 1 -name "loadcast-watch.*"; done | nothing >/dev/null; }
# told_as_asked: what --stats says of plain ranks, and what they asked (plain.look_ups), within a quarter
told_as_asked() {
    told=$(sed -n "s/^asked .* of about \([0-9,]*\) operations.*/\1/p" err | tr -d ,)
    asked=$(cat plain.look_ups)
    [ "${told:-0}" -ge $((asked * 3 / 4)) ] && [ "$told" -le $((asked * 5 / 4)) ] || { echo "told ${told:-nothing}, asked $asked"; cat err; return 1; }
}
t '--stats: what plain ranks would have asked is what the disk says they asked, by a recording and by a watched rank' '
    from_cold
    code 0 plain -npernode 1 "$m/flat.sh" 50
    look_ups >plain.look_ups
    [ "$(cat plain.look_ups)" -ge 300 ]
    image=$m/img/flat.lcast
    on n1 "$build/loadcast" record -o "$image" -- "$m/flat.sh" 50 >record.out 2>&1 || { cat record.out; exit 1; }
    code 0 openmpi --stats --via mpi -- -npernode 1 "$m/flat.sh" 50
    told_as_asked
    nothing_staged
    mkdir -m 700 "$m/store"
    export LOADCAST_STORE=$m/store LOADCAST_WATCH=1
    code 0 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run -- mpiexec.openmpi -wdir /tmp -npernode 1 "$m/flat.sh" 50
    says "one rank is watched" err
    wait_until is_stored
    wait_until nothing_watches
    image=$(ls "$m/store"/*.lcast)
    code 0 openmpi --stats --via mpi -- -npernode 1 "$m/flat.sh" 50
    told_as_asked
    nothing_staged
'
t '--stats: what an image takes of each node is what lies there' '
    code 0 openmpi --stats --via mpi --wrap always -- -npernode 1 sh -c "du -s --block-size=1 \$LOADCAST_NODE"
    said=$(sed -n "s/^stage .* on 3 nodes, \(.*\) of each/\1/p" err)
    [ "$(wc -l <out)" = 3 ]
    while read -r bytes rest; do
        # By figures as they are printed, 1.1 MB, and some pages that the processes on the node have written to since.
        "$python" -c "
import sys
value, unit = sys.argv[1].split()
said = float(value) * {\"B\": 1, \"kB\": 1e3, \"MB\": 1e6, \"GB\": 1e9}[unit]
assert -1e5 < int(sys.argv[2]) - said < 2e5, sys.argv" "$said" "$bytes"
    done <out
    nothing_staged
'
t 'a directory that one node lacks: named, plain there, served elsewhere, nothing left' '
    for n in n1 n2; do on $n mkdir -p /tmp/scratch; done
    for via in mpi fs auto; do
        code 0 openmpi --via $via --dir /tmp/scratch -- -npernode 1 sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\""
        says "n3 runs without it: " err
        says "/tmp/scratch" err
        says "n3 plain" out
        [ "$(grep -c " /tmp/scratch/loadcast-" out)" = 2 ] || { cat out err; exit 1; }
        lacks "ld.so" err
        wait_until clean_now # what ranks staged goes after their last process
        # Without words before the program none is served, and nothing is left either.
        code 0 openmpi --via $via --wrap never --dir /tmp/scratch -- -npernode 1 sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\""
        [ "$(grep -c " plain" out)" = 3 ] || { cat out err; exit 1; }
        nothing_staged
    done
'
t 'the same in a job of Slurm'\''s, by each way; its runs check once although the head lacks it, too' '
    need_slurm
    printf "for i in 1 2; do \"\$@\" || exit; done\n" >twice
    for via in fs mpi auto; do
        code 0 slurm sh "$tmp/twice" "$build/loadcast" run --stats --wait 60s --via $via --dir /tmp/scratch --image "$image" -- \
            srun -N3 -n3 sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\""
        says "n3 runs without it: " err
        [ "$(grep -c "n3 plain" out)" = 2 ] || { echo $via; cat out err; exit 1; }
        [ "$(grep -c " /tmp/scratch/loadcast-" out)" = 4 ] || { echo $via; cat out err; exit 1; }
        says "check      done by an earlier run of this job" err
        lacks "ld.so" err
        for n in n1 n2; do on $n env LOADCAST_DIR=/tmp/scratch "$build/loadcast" clean --all >/dev/null; done
        on head "$build/loadcast" clean --all >/dev/null
        nothing_staged
    done
    # sbcast stops for all at the first node that cannot write.
    code 0 slurm "$build/loadcast" run --wait 60s --via sbcast --dir /tmp/scratch --image "$image" -- \
        srun -N3 -n3 sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\""
    says "sbcast needs all nodes, and n3 cannot take part: /tmp/scratch/loadcast-0 cannot be made; try --via fs" err
    [ "$(grep -c " plain" out)" = 3 ] || { cat out err; exit 1; }
    # Within a job the name of the directory stays the user'\''s.
    for n in n1 n2; do on $n env LOADCAST_DIR=/tmp/scratch "$build/loadcast" clean --all >/dev/null; done
    nothing_staged
    for n in n1 n2; do on $n rmdir /tmp/scratch; done
'
# A job that shares nodes stages the same image: on n2 its stager has the lock, and waits for n1, which has what
# this one puts there.
other_job() {
    on n2 mkdir -m 700 /dev/shm/loadcast-0
    on n2 flock "/dev/shm/loadcast-0/.$id.lock" sh -c "touch $tmp/held; until [ -e $tmp/release ]; do sleep 0.05; done" &
    wait_until test -e held
    (until on n1 test -e "/dev/shm/loadcast-0/$id/index" || [ -e stop ]; do sleep 0.05; done; touch release) &
}
t 'two jobs that stage on the same nodes do not wait for each other' '
    [ -x "$build/stage-mpi.openmpi" ] || skip "built without mpicc.openmpi"
    id=$(loadcast stage -q --dir "$tmp" "$image" | sed "s,.*/,,")
    loadcast clean --all --dir "$tmp" >/dev/null 2>&1 || :
    other_job
    code 0 openmpi --via mpi -- -npernode 1 sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\""
    touch stop
    wait
    [ "$(grep -c " /dev/shm/loadcast-0/$id" out)" = 3 ] || { cat out err; exit 1; }
    lacks "runs without it" err
    on n2 rm -rf /dev/shm/loadcast-0
    nothing_staged
'
# A prolog gives each node a TMPDIR of its own, and one none; nobody has XDG_RUNTIME_DIR but n1.
cat >prolog <<'EOS'
#!/bin/sh
case $(uname -n) in
n1) echo export TMPDIR=/tmp/one; echo export XDG_RUNTIME_DIR=/tmp/run ;;
n2) echo export TMPDIR=/tmp/two/deep; echo unset XDG_RUNTIME_DIR ;;
*) echo unset TMPDIR; echo unset XDG_RUNTIME_DIR ;;
esac
EOS
chmod +x prolog
t 'TMPDIR that differs by node: one directory is agreed all the same, and the ranks keep theirs' '
    need_slurm
    # Slurm itself sets it to /tmp where there is none.
    on n1 mkdir -p /tmp/one
    on n2 mkdir -p /tmp/two/deep
    export SLURM_TASK_PROLOG=$tmp/prolog
    ranks() {
        code 0 slurm "$build/loadcast" run --stats --wait 60s --via $via --image "$image" -- \
            srun -N3 -n3 sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain} \${TMPDIR:-none} \${XDG_RUNTIME_DIR:-none}\""
        says "by $via on 3 nodes" err
        sort out >sorted
        printf "n1 NODE /tmp/one /tmp/run\nn2 NODE /tmp/two/deep none\nn3 NODE /tmp none\n" >want
        sed "s, /[^ ]*/loadcast-0/[0-9a-f]* , NODE ," sorted >got
        same want got
        [ "$(cut -d " " -f 2 sorted | sort -u | wc -l)" = 1 ]
    }
    for via in fs mpi sbcast; do
        ranks
        away
    done
'
t 'nothing is left' '
    nothing_staged
    down_leaves_nothing
'
finish
