#!/bin/sh
# loadcast run over MPI on four nodes: the image is sent while it is checked, and published when the check is over. The
# shared disk is stopped, so that the check waits for as long as it should; the image itself lies elsewhere.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
[ -x "$build/stage-mpi.openmpi" ] || skip_all 'built without mpicc.openmpi'
need_cluster
need_ptrace
mkdir -p shared/sw own store
echo old >shared/sw/data
head -c 10000000 /dev/urandom >shared/sw/big
m=$tmp/shared
export LOADCAST_STORE=$tmp/store
cluster up 4 --rw --shared "$m" --profile none --fs-options '--cache-s 0' --keep "$tmp" >/dev/null || exit 1
on() { node=$1; shift; (cd / && "$src/tools/cluster" --name "$name" node "$node" -- "$@"); }
is_at_rest() { [ -z "$(find shared -newerct '4 seconds ago' -print -quit)" ]; }
wait_until is_at_rest
on n1 "$build/loadcast" record -o "$tmp/own/app.lcast" --manage "$m" -- cat "$m/sw/data" "$m/sw/big" >record.out 2>&1 || skip_all "cannot record: $(tail -n 1 record.out)"
cp own/app.lcast recorded

# What is staged, on each node: a published directory, and one under a temporary name with all contents.
published() { for n in n1 n2 n3 n4; do on $n sh -c 'ls -d /dev/shm/loadcast-0/[0-9a-f]* 2>/dev/null || :'; done; }
is_held() { for n in n1 n2 n3 n4; do on $n sh -c 'ls -d /dev/shm/loadcast-0/.*.stage.*/about >/dev/null 2>&1' || return 1; done; }
nothing_staged() { for n in n1 n2 n3 n4; do on $n find /dev/shm /tmp -maxdepth 2 \( -name "loadcast-[0-9]*" -o -name ".loadcast-*" \); done | nothing; }
clean_now() { nothing_staged >/dev/null 2>&1; }
wait_until_clean() { wait_until clean_now || nothing_staged; }
# begin OPTIONS: the line begins, its ranks print what data says for them
begin() {
    cp recorded own/app.lcast
    (cd / && timeout 100 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run --wait 60s --via mpi --image "$tmp/own/app.lcast" "$@" -- \
        mpiexec.openmpi -wdir /tmp -npernode 1 /bin/cat "$m/sw/data") >out 2>err &
    job=$!
}
freeze() { cluster fault server freeze; }
heal() { cluster fault server heal; }
# ends WORD: it has ended well, and all ranks printed WORD
ends() {
    status=0
    wait $job || status=$?
    [ $status = 0 ] && [ "$(grep -c "^$1$" out)" = 4 ] || { cat out err; exit 1; }
}
by_name() { for p in $(cat "$group/$1/cgroup.procs"); do { tr '\0' ' ' <"/proc/$p/cmdline"; } 2>/dev/null | grep -q "$2" && echo "$p" || :; done; }

is_waiting() { for n in n1 n2 n3 n4; do [ -n "$(by_name $n "stager receive")" ] || return 1; done; }
away() { for n in n1 n2 n3 n4; do on $n "$build/loadcast" clean --all >/dev/null; done; }

t 'the nodes have all of it while the check still waits, and publish it afterwards' '
    freeze
    begin
    wait_until is_held
    published | nothing
    heal
    ends old
    says "staged on 4 nodes by mpi" err
    wait_until_clean
'
t 'the check finds a change: what was sent before is published nowhere' '
    freeze
    begin
    wait_until is_held
    echo new >shared/sw/data
    heal
    ends new
    says "staged on 4 nodes by mpi" err
    says "1 of" err
    wait_until_clean
'
t 'so it is where nodes had the image from a run before' '
    echo old >shared/sw/data
    begin --keep
    ends old
    [ "$(published | wc -l)" = 4 ]
    freeze
    cp own/app.lcast recorded
    begin
    wait_until is_waiting # none of them fills a directory: they wait for the verdict
    echo new >shared/sw/data
    heal
    ends new
    says "staged on 4 nodes by mpi" err
    away
    wait_until_clean
'
t 'the verdict is lost, and nothing has changed: also nodes that had nothing from a run before get the image' '
    echo old >shared/sw/data
    begin --keep
    ends old
    cp own/app.lcast recorded
    on n4 "$build/loadcast" clean --all >/dev/null
    [ "$(published | wc -l)" = 3 ]
    freeze
    begin --keep
    wait_until is_waiting
    kill -KILL $(by_name n1 "stager send")
    heal
    ends old
    says "staged on 4 nodes by mpi" err
    lacks "runs without it" err
'
t 'the verdict is lost, and something has changed: no node uses what it had' '
    freeze
    begin
    wait_until is_waiting
    kill -KILL $(by_name n1 "stager send")
    echo new >shared/sw/data
    heal
    ends new
    says "staged on 4 nodes by mpi" err
    away
    wait_until_clean
'
away
t 'the first node still sees the old image under the name of the new one: it is staged nowhere' '
    mkdir stale
    cp recorded stale/app.lcast
    on n1 mount --bind "$tmp/stale" "$tmp/own"
    freeze
    begin
    wait_until is_held
    echo newest >shared/sw/data
    heal
    ends newest
    says "was replaced just now" err
    wait_until_clean
'
on n1 umount "$tmp/own" 2>/dev/null
away
slow() { for n in n1 n2 n3 n4; do cluster node $n -- tc qdisc "$@" 2>/dev/null || :; done; }
t 'the check finds a change while content is under way' '
    slow add dev eth0 root tbf rate 40mbit burst 256k latency 50ms
    echo newer >shared/sw/data
    begin
    ends newer
    says "staged on 4 nodes by mpi" err
    slow del dev eth0 root
    wait_until_clean
'
t 'a stager killed while the nodes wait: its node runs plainly, the others are served' '
    freeze
    begin
    wait_until is_held
    kill -KILL $(by_name n3 "stager receive")
    heal
    ends newer
    says "n3 runs without it" err
    says "staged on 3 nodes by mpi" err
    wait_until_clean
'
t 'the reader killed while the nodes wait: all run' '
    freeze
    begin
    wait_until is_held
    kill -KILL $(by_name n1 "stager send")
    heal
    ends newer
    wait_until_clean
'
cat >leaves.sh <<EOS
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" != 2 ] || setsid sleep 1000 </dev/null >/dev/null 2>&1 &
cat $m/sw/data
EOS
chmod +x leaves.sh
t 'while the nodes are cleaned behind the run before, nodes do not use what is being removed' '
    cp recorded own/app.lcast
    (cd / && timeout 100 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run -q --wait 60s --via mpi --image "$tmp/own/app.lcast" -- \
        mpiexec.openmpi -wdir /tmp -npernode 1 "$tmp/leaves.sh") >out 2>err || { cat err; exit 1; }
    cp own/app.lcast recorded
    # It tries again for some seconds, as a process on n3 uses the image.
    cleaner=$(by_name head "^[^ ]*loadcast run")
    [ -n "$cleaner" ]
    freeze
    begin
    has_receiver() { [ -n "$(by_name n1 "stager receive")" ]; }
    wait_until has_receiver
    has_ended $cleaner || { echo "the cleaner is still at work"; exit 1; }
    heal
    ends newer
    kill -KILL $(by_name n3 "^sleep 1000")
    cleaned
    on n3 "$build/loadcast" clean --all >/dev/null
    wait_until_clean
'
away
t 'another job that stages the same image meanwhile does not wait for the check, nor does one that cleans' '
    freeze
    begin
    wait_until is_held
    (cd / && timeout 100 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" stage --wait 500s --via mpi "$tmp/own/app.lcast" -- \
        mpiexec.openmpi -wdir /tmp -npernode 1 true) >out2 2>err2 &
    other=$!
    has() { [ "$(by_name n1 "$2" | wc -l)" = $1 ]; }
    wait_until has 2 "stager receive"
    wait_within 40 has 1 "stager send" # that of the other job needs no node any more
    has 2 "stager receive"
    status=0
    on n1 timeout 40 "$build/loadcast" stage -q --clean "$tmp/own/app.lcast" || status=$?
    [ $status != 124 ] || { echo "clean waits"; exit 1; }
    heal
    ends newer
    wait $other || { cat err2; exit 1; }
    says "staged on 4 nodes by mpi" err2
    away
    wait_until_clean
'
t 'standard input that is open on the first node, and never has anything: the step is begun again' '
    mkdir deaf && mkfifo never
    printf "#!/bin/sh\nexec %s \"\$@\" <>%s\n" "$(command -v mpiexec.openmpi)" "$tmp/never" >deaf/mpiexec.openmpi
    chmod +x deaf/mpiexec.openmpi
    export PATH=$tmp/deaf:$PATH
    begin --wait 20s
    ends newer
    says "staged on 4 nodes by mpi" err
    wait_until_clean
'
kill_run() { eldest=$(by_name head "^[^ ]*loadcast run" | sort -n | head -1); [ -n "$eldest" ] && kill -KILL "$eldest"; }
none_staging() { for n in n1 n2 n3 n4; do by_name $n "stage-mpi\|stager"; done | nothing >/dev/null; }
t 'run killed while the nodes wait: nothing is left' '
    freeze
    begin
    wait_until is_held
    kill_run
    heal
    wait $job || :
    wait_until none_staging
    wait_until_clean
'
finish
