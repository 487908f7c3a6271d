#!/bin/sh
# pyMPI and pynamic-pyMPI from node memory on four nodes; and what goes wrong while they are staged: right
# answer or the launcher's own error, no long wait, nothing left.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
[ -x "$build/stage-mpi.openmpi" ] || skip_all 'built without mpicc.openmpi'
need_cluster
need_ptrace
mkdir -p shared/img
loadcast gen 12 20 -e -u 5 20 -n 10 --modes pyMPI,pynamic-pyMPI --out shared/workload >gen.out 2>&1 ||
    skip_all "no workload: $(tail -n 1 gen.out)"
head -c 40000000 /dev/urandom >shared/workload/big
m=$tmp/shared
cluster up 4 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" >/dev/null || exit 1
on() { node=$1; shift; (cd / && "$src/tools/cluster" --name "$name" node "$node" -- "$@"); }
mpi_run() { (cd / && timeout 100 "$src/tools/cluster" --name "$name" run -- "$@"); }
nothing_staged() {
    cleaned
    for n in n1 n2 n3 n4; do
        cluster node $n -- find /dev/shm /tmp -maxdepth 2 \( -name "loadcast-[0-9]*" -o -name ".loadcast-*" \) 2>/dev/null
    done | nothing
}
# Stagers whose launcher has ended clean by themselves.
clean_now() { nothing_staged >/dev/null 2>&1; }
wait_until_clean() { wait_until clean_now || nothing_staged; }
zero_but_first() {
    cluster stats 2>/dev/null | awk '$1 ~ /^n[234]$/ && $2 != 0 { print; bad = 1 } END { exit bad }'
}

for program in pyMPI pynamic-pyMPI; do
    t "$program: the same answer, the program itself from node memory, nothing asked by three of four nodes" '
        # Two ranks, as the job has several: one alone imports less, and a module of a new name is asked for beside the script.
        on n1 env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec.openmpi --oversubscribe -n 2 "$build/loadcast" record --manage "$m" -o "$m/img/$program.lcast" -- \
            "$m/workload/$program" "$m/workload/pynamic_driver.py" 0 >record.out 2>&1 || { cat record.out; exit 1; }
        cluster cold
        cluster stats --reset >/dev/null 2>&1
        # Ranks stand in a directory of the node: the launcher would look theirs up on the disk.
        code 0 mpi_run "$build/loadcast" run --stats --wait 60s --via mpi --image "$m/img/$program.lcast" -- \
            mpiexec.openmpi -wdir /tmp -npernode 2 "$m/workload/$program" "$m/workload/pynamic_driver.py" 0
        says "with 8 MPI tasks" out
        grep -q "^Pynamic-json: .*\"passed\": true" out
        zero_but_first || { cat err; exit 1; }
        nothing_staged
    '
done
# An image that takes seconds over links of 40 Mbit/s.
cat >reader.sh <<'EOS'
#!/bin/sh
cat "$(dirname "$0")/big" >/dev/null; echo fine
EOS
chmod +x reader.sh && cp reader.sh shared/workload/
on n1 "$build/loadcast" record -o "$m/img/big.lcast" -- "$m/workload/reader.sh" >/dev/null 2>&1
slow() { for n in n1 n2 n3 n4; do cluster node $n -- tc qdisc "$@" 2>/dev/null || :; done; }
cap() { slow add dev eth0 root tbf rate 40mbit burst 256k latency 50ms; }
uncap() { slow del dev eth0 root; }
# staging CODE: CODE runs while the image is under way; the job must end well within a minute
staging() {
    cap
    mpi_run "$build/loadcast" run --wait 8s --via mpi --image "$m/img/big.lcast" -- mpiexec.openmpi -wdir /tmp -npernode 1 "$m/workload/reader.sh" >out 2>err &
    job=$!
    wait_until cluster node n2 -- sh -c 'ls -d /dev/shm/loadcast-0/.*stage* >/dev/null 2>&1'
    eval "$1"
    status=0
    wait $job || status=$?
    uncap
    cat err
}
# by_name NODE WORD: processes of a node whose command line has the word
by_name() { for p in $(cat "$group/$1/cgroup.procs"); do { tr '\0' ' ' <"/proc/$p/cmdline"; } 2>/dev/null | grep -q "$2" && echo "$p" || :; done; }
# end_by SIGNAL NODE WORD: there must be such a process, though not every node begins at the same moment
end_by() {
    wait_until eval "pids=\$(by_name '$2' '$3'); [ -n \"\$pids\" ]"
    kill "-$1" $pids
}

t 'a stager that is killed: its node runs plainly, the others are served' '
    staging "end_by KILL n3 \"stager receive\""
    [ $status = 0 ]
    [ "$(grep -o fine out | wc -l)" = 4 ] || { cat out err; exit 1; }
    wait_until_clean
'
t 'the reader killed: all run plainly' '
    staging "end_by KILL n1 \"stager send\""
    [ $status = 0 ]
    [ "$(grep -o fine out | wc -l)" = 4 ] || { cat out err; exit 1; }
    wait_until_clean
'
t 'the first process of the broadcast killed: the launcher ends it, all run plainly' '
    staging "end_by KILL n1 \"^[^ ]*stage-mpi \""
    [ $status = 0 ]
    [ "$(grep -o fine out | wc -l)" = 4 ] || { cat out err; exit 1; }
    wait_until_clean
'
t 'an interrupt while staging leaves nothing' '
    staging "end_by INT head \"^[^ ]*loadcast run\""
    [ $status != 0 ]
    lacks fine out
    wait_until_clean
'
# The eldest: a process that guards it is its child and has the same words.
kill_run() { eldest=$(by_name head "^[^ ]*loadcast run" | sort -n | head -1); [ -n "$eldest" ] && kill -KILL "$eldest"; }
none_staging() { for n in n1 n2 n3 n4; do by_name $n "stage-mpi\|stager"; done | nothing >/dev/null; }
t 'run killed while staging leaves nothing, and no process' '
    staging kill_run
    [ $status != 0 ]
    lacks fine out
    wait_until none_staging
    wait_until_clean
'
t 'a link cut while staging: no wait beyond the time given, the line runs or its launcher complains' '
    began=$(date +%s)
    staging "cluster fault n3 cut; (sleep 25; cluster fault n3 heal) & "
    [ $(($(date +%s) - began)) -lt 90 ]
    cluster fault n3 heal || :
    wait_until_clean
'
t 'a node started anew between runs is staged anew' '
    code 0 mpi_run "$build/loadcast" run --keep --wait 60s --via mpi --image "$m/img/pyMPI.lcast" -- mpiexec.openmpi -wdir /tmp -npernode 1 "$m/workload/pyMPI" -c "print(\"up\")"
    cluster fault n2 kill
    cluster fault n2 heal
    code 0 mpi_run "$build/loadcast" run --wait 60s --via mpi --image "$m/img/pyMPI.lcast" -- mpiexec.openmpi -wdir /tmp -npernode 1 "$m/workload/pyMPI" -c "print(\"up\")"
    [ "$(grep -o up out | wc -l)" = 4 ] || { cat out err; exit 1; }
    says "staged on 4 nodes" err
    nothing_staged
'
finish
