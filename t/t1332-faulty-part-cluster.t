#!/bin/sh
# A part of ours that kills ranks on four nodes is off in the next job: staged by a step, and by the ranks
# themselves, under Open MPI and Slurm.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
. "$here/run_job.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'faults are put into x86-64 code only'
command -v nm >/dev/null || skip_all 'no nm'
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster
need_ptrace
command -v mpiexec.openmpi >/dev/null || skip_all 'openmpi-bin is not installed'
$python -c 'import numpy' 2>/dev/null || skip_all 'numpy is not installed'
ulimit -c 0
job_tree
echo 'import numpy; print("done")' >"$m/quick.py"
export LOADCAST_STORE=$tmp/store
cluster up 4 --rw --shared "$m" --profile none --keep "$tmp" >/dev/null || exit 1
image=$m/img/app.lcast
python3=$m/py/bin/python3
record_on n1 "$image" "$python3" "$m/quick.py" || exit 1
objects=$(dirname "$(find "$m/inst" -name audit.so)")
# faulty [OBJECT FUNCTION]: the installation on the shared disk has this fault
faulty() {
    rm -rf "$tmp/objects"
    mkdir "$tmp/objects"
    (cd "$build" && cp stager stager-small preload.so audit.so launch "$tmp/objects/")
    [ $# = 0 ] || "$python" "$here/programs/break_object.py" "$tmp/objects/$1.so" "$2"
    (cd "$tmp/objects" && "$src/tools/node-kit" strip node-kit.tgz stager preload.so audit.so launch &&
        "$src/tools/node-kit" strip node-kit-small.tgz stager-small preload.so audit.so launch && cp ./* "$objects/")
}
# Processes that are killed leave core files, and Open MPI prints a report for each.
job() { (cd / && timeout 100 "$src/tools/cluster" --name "$name" run -- env $environment "$@"); }
slurm_job() { (cd / && timeout 100 "$src/tools/cluster" --name "$name" slurm -- env $environment "$@"); }
mpi="mpiexec.openmpi -x PYTHONHOME -x PYTHONPATH -x LD_LIBRARY_PATH -wdir /tmp -npernode 2"
is_clean() {
    for n in n1 n2 n3 n4; do cluster node $n -- find /dev/shm /tmp -maxdepth 2 \( -name "loadcast-[0-9]*" -o -name ".loadcast-*" \); done | nothing >/dev/null
}
# heals OFF LINE...: the first run dies, the next ones do without OFF
heals() {
    off=$1
    shift
    code 139 "$@" "$python3" "$m/quick.py"
    lacks "an earlier run" err
    for i in 2 3; do
        code 0 "$@" "$python3" "$m/quick.py"
        [ "$(grep -o done out | wc -l)" = 8 ] || { cat out err; return 1; }
        says "an earlier run died by signal 11" err
        says "so this one does without $off" err
    done
    code 0 job "$lc" images reset
    echo "1 program reset" | same - out
}
for how in ranks fs; do
    t "Open MPI, staged by $how" '
        faulty audit lc_group_writer_write
        heals "recorded symbol bindings" job "$lc" run --wait 60s --via $how --image "$image" -- $mpi
        wait_until is_clean
        faulty preload lc_path_info_find
        heals "the hook into Python" job "$lc" run --wait 60s --via $how --image "$image" -- $mpi
        wait_until is_clean
    '
    t "srun in an allocation, staged by $how" '
        need_package munged slurmctld slurmd srun sbcast
        faulty audit lc_group_writer_write
        heals "recorded symbol bindings" slurm_job salloc -Q -N4 "$lc" run --wait 60s --via $how --image "$image" -- srun -D /tmp -n8
        for n in n1 n2 n3 n4; do cluster node $n -- loadcast clean --all >/dev/null; done
    '
done
t 'a rank that dies by itself, on one node of four: one plain run, then all parts for good' '
    faulty
    rm -f all
    cat >"$m/die.py" <<-"P"
	import numpy, os, signal, time
	if os.environ["OMPI_COMM_WORLD_RANK"] == "5":
	    os.kill(os.getpid(), signal.SIGSEGV)
	time.sleep(60)
	P
    for i in 1 2 3 4 5; do
        code 139 job "$lc" run --wait 60s --via ranks --image "$image" -- $mpi "$python3" "$m/die.py"
        cat err >>all
    done
    [ "$(grep -c "does without Loadcast" all)" = 1 ] || { cat all; exit 1; }
    lacks "an earlier run" err
    wait_until is_clean
'
finish
