#!/bin/sh
# A whole job on four nodes, judged by the shared disk's own counters: one node reads the image, the
# others ask for nothing, with Loadcast itself installed on that disk.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
. "$here/run_job.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster
need_ptrace
command -v mpiexec.openmpi >/dev/null || skip_all 'openmpi-bin is not installed'
$python -c 'import mpi4py, numpy' 2>/dev/null || skip_all 'python3-mpi4py or numpy is not installed'
job_tree
cluster up 4 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" >/dev/null || exit 1
image=$m/img/app.lcast
python3=$m/py/bin/python3
record_on n1 "$image" "$python3" "$m/app.py" || exit 1
# The program that all run here is one of Open MPI's.
need_slurm() {
    need_package munged slurmctld slurmd srun sbcast
    need_pmix
}
clean_all() { for n in n1 n2 n3 n4; do cluster node $n -- loadcast clean --all >/dev/null; done; }
# others: what the nodes but the first asked
others() { for n in n2 n3 n4; do operations $n; done | sort -u; }
nothing_staged() {
    cleaned
    for n in n1 n2 n3 n4; do cluster node $n -- find /dev/shm /tmp -maxdepth 2 \( -name "loadcast-[0-9]*" -o -name ".loadcast-*" \); done | nothing
}
clean_now() { nothing_staged >/dev/null; }

t 'plain, as a control: every node asks thousands of times' '
    from_cold
    code 0 plain_openmpi -npernode 4 "$python3" "$m/app.py"
    says "ranks 16 sum 680 hosts 4" out
    [ "$(operations n4)" -gt 2000 ]
'
t 'OpenMPI, mpi: the first node reads the image, the others nothing at all' '
    [ -x "$build/stage-mpi.openmpi" ] || skip "built without mpicc.openmpi"
    from_cold
    code 0 openmpi --via mpi --image "$image" -- -npernode 4 "$python3" "$m/app.py"
    says "ranks 16 sum 680 hosts 4 $m/py" out
    [ "$(others)" = 0 ] || { cluster stats; exit 1; }
    [ "$(opens n1)" -le 3 ]
    all_operations >mpi4
    nothing_staged
'
t 'the same number of operations on one node as on four' '
    [ -x "$build/stage-mpi.openmpi" ] || skip "built without mpicc.openmpi"
    from_cold
    code 0 openmpi --via mpi --image "$image" -- -H n1:8 -npernode 4 "$python3" "$m/app.py"
    says "ranks 4 sum 10 hosts 1" out
    [ "$(all_operations)" = "$(cat mpi4)" ] || { all_operations; cat mpi4; cluster stats; exit 1; }
'
t 'OpenMPI, fs: one open on each node, none by a rank' '
    [ -x "$build/stage-mpi.openmpi" ] || skip "built without mpicc.openmpi"
    from_cold
    code 0 openmpi --via fs --image "$image" -- -npernode 4 "$python3" "$m/app.py"
    says "ranks 16 sum 680 hosts 4 $m/py" out
    for n in n2 n3 n4; do [ "$(opens $n)" = 1 ] || { cluster stats; exit 1; }; done
'
t 'MPICH hydra carries the kit and the variables' '
    need_package mpiexec.mpich
    (cd / && timeout 100 "$src/tools/cluster" --name $name run -- "$lc" run --via fs --image "$image" -- \
        mpiexec.mpich -n 4 -ppn 1 env $environment "$python3" -c "import numpy, os; print(os.environ[\"LOADCAST_NODE\"], numpy.__file__)") >out 2>err
    # Four processes write at once: a line may stand within another.
    for part in "/dev/shm/loadcast-0/[0-9a-f]*" "$m/py/lib/[^ ]*/numpy/__init__.py"; do
        [ "$(grep -o "$part" out | wc -l)" = 4 ] || { cat out err; exit 1; }
    done
    nothing_staged
'
for via in mpi sbcast; do
    t "Slurm, $via: the first node or the head reads the image, the others nothing" '
        need_slurm
        clean_all
        from_cold
        code 0 slurm_run 4 --stats --via $via --image "$image" -- -n16 "$python3" "$m/app.py" quiet
        all_ranks 16 4 out
        says "by $via on 4 nodes" err
        [ "$(others)" = 0 ] || { cluster stats; exit 1; }
        grep -q "^saved  *[1-9]" err
    '
done
t 'outside an allocation the first rank on each node stages' '
    need_slurm
    clean_all
    (cd / && timeout 100 "$src/tools/cluster" --name $name slurm -- "$lc" run --image "$image" -- \
        srun -N4 -n8 --export="ALL,$(echo "$environment" | tr " " ,)" "$python3" "$m/app.py" quiet) >out 2>err || { cat out err; exit 1; }
    all_ranks 8 4 out
    wait_until clean_now
'
t 'a node where another user took the name first is served under another, and runs nothing of his' '
    clean_all
    node=/dev/shm/loadcast-0/$(loadcast stage -q --dir "$tmp" "$image" | sed "s,.*/,,")
    loadcast clean --all --dir "$tmp" >/dev/null 2>&1 || :
    cluster node n3 -- setpriv --reuid 4242 --regid 4242 --clear-groups sh -c "mkdir -p $node/bin &&
        printf \"#!/bin/sh\\necho planted\\n\" >$node/bin/launch && chmod -R 755 /dev/shm/loadcast-0"
    # /bin/sh is not in the image: by environment alone if it were not for n3.
    code 0 openmpi --via mpi --image "$image" -- -npernode 1 /bin/sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\""
    cluster node n3 -- rm -rf /dev/shm/loadcast-0
    lacks planted out
    says "n3 /dev/shm/loadcast-0." out
    [ "$(grep -c " $node" out)" = 3 ] || { cat out err; exit 1; }
    clean_all
    nothing_staged
'
t 'a node without room says so and runs plainly; the others are served' '
    # What is left must do for Open MPI, and not for the image.
    free=$(cluster node n3 -- df --output=avail -BM /dev/shm | tr -dc 0-9)
    cluster node n3 -- fallocate -l $((free - 24))M /dev/shm/fill
    code=0
    openmpi --stats --via mpi --image "$image" -- -npernode 4 "$python3" "$m/app.py" >out 2>err || code=$?
    cluster node n3 -- rm -f /dev/shm/fill
    [ $code = 0 ] || { cat out err; exit 1; }
    says "ranks 16 sum 680 hosts 4" out
    says "n3 runs without it" err
    grep -q "^saved  *[1-9]" err
    nothing_staged
'
t 'the shared disk frozen after staging: the next run of the job needs nothing of it' '
    need_slurm
    cat >frozen <<-E
	#!/bin/sh
	cd /
	"$lc" run -q --wait 60s --via mpi --image "$image" -- srun -N4 -n4 --export="ALL,$(echo "$environment" | tr " " ,)" "$python3" "$m/app.py" quiet || exit 1
	# Whichever directory the nodes agreed on.
	launch=\$(srun -N1 -n1 sh -c "ls /dev/shm/loadcast-0/*/bin/launch /tmp/loadcast-0/*/bin/launch 2>/dev/null" | head -1)
	: >"$tmp/staged"
	. "$tmp/wait.sh"; wait_until test -e "$tmp/frozen-now"
	srun -N4 -n8 --export="ALL,$(echo "$environment" | tr " " ,)" \$launch "$python3" "$m/app.py" quiet
	E
    rm -f staged frozen-now
    cp "$here/wait.sh" "$tmp/"
    (cd / && timeout 100 "$src/tools/cluster" --name $name slurm -- salloc -Q -N4 sh "$tmp/frozen") >out 2>err &
    job=$!
    wait_until test -e staged || { cat out err; exit 1; }
    cluster fault server freeze
    : >frozen-now
    status=0
    wait $job || status=$?
    cluster fault server heal
    cat err
    [ $status = 0 ]
    all_ranks 8 4 out
    clean_all
'
t 'nothing is left' '
    nothing_staged
    down_leaves_nothing
'
finish
