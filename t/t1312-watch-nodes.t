#!/bin/sh
# A line without an image on four nodes, by mpiexec and by srun: one rank is watched, the next job has the image.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
. "$here/run_job.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster
command -v mpiexec.openmpi >/dev/null || skip_all 'openmpi-bin is not installed'
$python -c 'import mpi4py, numpy' 2>/dev/null || skip_all 'python3-mpi4py or numpy is not installed'
job_tree
store=$m/store
mkdir -m 700 "$store"
export LOADCAST_STORE=$store LOADCAST_WATCH=1
cluster up 4 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" >/dev/null || exit 1
python3=$m/py/bin/python3
job() { (cd / && timeout 150 "$src/tools/cluster" --name "$name" run -- env $environment LOADCAST_STORE=$store LOADCAST_WATCH=1 "$@"); }
slurm_job() { (cd / && timeout 150 "$src/tools/cluster" --name "$name" slurm -- env $environment LOADCAST_STORE=$store LOADCAST_WATCH=1 "$@"); }
mpi="mpiexec.openmpi -x PYTHONHOME -x PYTHONPATH -x LD_LIBRARY_PATH -wdir /tmp"
is_stored() { [ -n "$(find "$store" -name '*.json')" ]; }
nothing_watches() {
    for n in n1 n2 n3 n4; do cluster node $n -- find /dev/shm -maxdepth 1 -name "loadcast-watch.*"; done | nothing >/dev/null
}
forget() { wait_until nothing_watches && rm -rf "${store:?}"/*; }

t 'mpiexec: plain and watched say the same; one node has a watcher; the second job is served on all' '
    code 0 job $mpi -npernode 2 "$python3" "$m/app.py"
    cp out plain
    code 0 job "$lc" $mpi -npernode 2 "$python3" "$m/app.py"
    same plain out
    says "one rank is watched" err
    wait_until is_stored
    find "$store" -name "*.lcast" | grep -q .
    code 0 job "$lc" run --wait 60s --stats -- $mpi -npernode 2 "$python3" "$m/app.py"
    same plain out
    says "saved" err
    lacks watched err
    wait_until nothing_watches
'
# requests NODE: since the disk was cold. How often data is read, and before that asked whether the file has changed, depends on its length
# and on time; so does when it is closed.
requests() {
    cluster stats 2>/dev/null | awk -v node="$1" '$1 == node {
        n = $2
        for (i = 1; i < NF; i++) if ($i == "READ" || $i == "GETATTR" || $i == "RELEASE") n -= $(i + 1)
        print n + 0
    }'
}
# copies_note: what each node asks to copy the image; asks_for_the_image_alone: now no node asks anything else
copies_note() {
    image=$(find "$store" -name "*.lcast")
    from_cold
    for n in n1 n2 n3 n4; do
        cluster node $n -- cat "$image" >/dev/null
        requests $n >copy.$n
        [ "$(cat copy.$n)" -gt 0 ]
    done
}
asks_for_the_image_alone() {
    for n in n1 n2 n3 n4; do
        [ "$(requests $n)" = "$(cat copy.$n)" ] || { echo "$n: $(requests $n), a copy $(cat copy.$n)"; cluster stats; return 1; }
    done
}
# The variables go to the ranks alone: the launcher's own programs on the nodes are not to search the disk for libraries.
t 'the ranks of the second job ask nothing of the disk: the first one on each node reads the image, or nobody does' '
    copies_note
    from_cold
    code 0 openmpi --via ranks --image "$image" -- -wdir /tmp -npernode 2 "$python3" "$m/app.py"
    says "ranks 8" out
    says "the first rank on each node stages" err
    asks_for_the_image_alone
    [ -x "$build/stage-mpi.openmpi" ] || exit 0
    from_cold
    code 0 openmpi --via mpi --image "$image" -- -wdir /tmp -npernode 2 "$python3" "$m/app.py"
    says "ranks 8" out
    for n in n2 n3 n4; do [ "$(operations $n)" = 0 ] || { cluster stats; exit 1; }; done
'
t 'srun: the same' '
    need_package munged slurmctld slurmd srun sbcast
    forget
    code 0 slurm_job salloc -Q -N4 srun -N4 --ntasks-per-node=2 "$python3" "$m/app.py" load
    all_ranks 8 4 out
    code 0 slurm_job salloc -Q -N4 "$lc" srun -N4 --ntasks-per-node=2 "$python3" "$m/app.py" load
    all_ranks 8 4 out
    says "one rank is watched" err
    wait_until is_stored
    code 0 slurm_job salloc -Q -N4 "$lc" run --wait 60s --stats -- srun -N4 --ntasks-per-node=2 "$python3" "$m/app.py" load
    all_ranks 8 4 out
    says "saved" err
    lacks watched err
    for n in n1 n2 n3 n4; do cluster node $n -- "$lc" clean -q --all; done # what the job before has left
    copies_note
    from_cold
    code 0 slurm_run 4 --via ranks --image "$image" -- -D /tmp --ntasks-per-node=2 "$python3" "$m/app.py" load
    says "the first rank on each node stages" err
    all_ranks 8 4 out
    asks_for_the_image_alone
'
t 'MPICH: the same' '
    need_package mpiexec.mpich
    forget
    program="import numpy; print(numpy.__file__)"
    code 0 job "$lc" mpiexec.mpich -n 8 -ppn 2 -wdir /tmp "$python3" -c "$program"
    [ "$(grep -o "$m/py/" out | wc -l)" = 8 ] || { cat out err; exit 1; }
    says "one rank is watched" err
    wait_until is_stored
    code 0 job "$lc" run --wait 60s -- mpiexec.mpich -n 8 -ppn 2 -wdir /tmp "$python3" -c "$program"
    [ "$(grep -o "$m/py/" out | wc -l)" = 8 ] || { cat out err; exit 1; }
    lacks watched err
'
t 'one rank on each node, two are watched: one image of what both saw' '
    forget
    code 0 job "$lc" run --watch 2 -- $mpi -npernode 1 "$python3" -c "
import os
rank = int(os.environ[\"OMPI_COMM_WORLD_RANK\"])
__import__([\"csv\", \"calendar\", \"wave\", \"mailbox\"][rank])
print(\"rank %d on %s\" % (rank, os.uname().nodename))"
    [ "$(grep -o "on n[1-4]" out | sort -u | wc -l)" = 4 ] || { cat out err; exit 1; }
    says "some ranks are watched" err
    wait_until nothing_watches # before, the image may be of one rank
    code 0 loadcast info --files "$store"/*.lcast
    says /csv out
    says /calendar out
    lacks /wave out
    find "$store" -name "*.parts-*" | nothing
'
t 'a store that the nodes do not see, and Loadcast that they do not have: plainly, and nothing is said by ranks' '
    # Each machine of the cluster has a /tmp of its own.
    forget
    job cp -r "$m/inst" /tmp/own
    for what in store loadcast; do
        own=$lc seen=/tmp/away
        [ $what = store ] || own=/tmp/own/${lc#"$m/inst/"} seen=$store
        code 0 job env LOADCAST_STORE="$seen" "$own" $mpi -npernode 1 "$python3" "$m/app.py"
        says "ranks 4" out
        says "one rank is watched" err
        # Open MPI itself warns now and then (setpgid of an agent that ended): "[head:PID] plm:rsh: ...".
        [ "$(grep -vc -e "^loadcast run: no image of" -e "^\[head:[0-9]*\] plm:" err)" = 0 ] || { cat err; exit 1; }
        nothing_watches
    done
    job sh -c "ls -A /tmp/away; rm -rf /tmp/own /tmp/away" | nothing
    is_stored && exit 1 || :
'
finish
