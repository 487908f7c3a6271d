#!/bin/sh
# loadcast stage on one machine: what it shows, and what it says to lines it cannot use. No root needed.
. "$(dirname "$0")/lib.sh"
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LOADCAST_STAGE_MPI SLURM_JOB_ID PBS_JOBID PBS_NODEFILE LSB_JOBID FLUX_JOB_ID COBALT_JOBID JOB_ID
mkdir -p sw node
export LOADCAST_DIR=$tmp/node
head -c 3000000 /dev/urandom >sw/big
echo small >sw/small
"$build/t/mkimage" app.lcast sw >/dev/null || exit 1
left() { find node -mindepth 1 | grep -v "^node/loadcast-[0-9]*$" || :; }
clean_now() { [ -z "$(left)" ]; }
gone() { wait_until clean_now || { left; return 1; }; }
away() { loadcast stage -q --clean app.lcast >/dev/null; left | nothing; }

t 'a bar while it stages, on a terminal only' '
    TERM=xterm "$python" "$here/pty_run.py" never "" loadcast stage app.lcast >shown || { cat shown; exit 1; }
    says "staging [" shown
    says "staged on 1 node by fs" shown
    away
    TERM=xterm "$python" "$here/pty_run.py" never "" loadcast stage -q app.lcast >shown
    lacks "staging [" shown
    away
    code 0 loadcast stage app.lcast
    lacks "staging [" err
    away
'
t 'an image that cannot be read: named, status 3' '
    code 3 loadcast stage "$tmp/none.lcast"
    says "none.lcast" err
    [ "$(id -u)" = 0 ] || { chmod 000 app.lcast; code 3 loadcast stage app.lcast; chmod 644 app.lcast; says "Permission denied" err; }
    left | nothing
'
t 'outside an allocation srun cannot stage, nor can sbcast' '
    code 1 loadcast stage app.lcast -- srun -n 4 x
    says "outside an allocation srun would choose other nodes" err
    says "use salloc or sbatch, or --via fs" err
    code 1 loadcast stage --via sbcast app.lcast
    says "inside an allocation" err
'
t 'a rank that stages leaves standard output to its program' '
    "$PROGRAMS/detaches" || skip "nothing is left behind that cleans: no clone() without a signal, as under qemu"
    mkdir bin && printf "#!/bin/sh\nwhile [ \"\${1#-}\" != \"\$1\" ]; do shift; done\nexec \"\$@\"\n" >bin/srun && chmod +x bin/srun
    PATH=$tmp/bin:$PATH code 0 loadcast run --image app.lcast -- srun -n1 cat "$tmp/sw/small"
    says "the first rank on each node stages" err
    echo small >expected
    same expected out
    gone
'
t 'a launcher that is not there, or that starts nothing' '
    code 1 loadcast stage --with "no-such-launcher -n 1" app.lcast
    says "no-such-launcher" err
    code 1 loadcast stage --with false app.lcast
    says "no node answered" err
    code 1 loadcast stage --with "unclosed \"quote" app.lcast
    says "quote" err
    left | nothing
'
# A launcher that fails as Open MPI does, one that is silent after its first node, and one that warns.
cat >failing <<'E'
#!/bin/sh
printf '%s\n' -------------------- 'There are not enough slots available in the system to satisfy the 4' \
    'slots that were requested by the application:' '' '  app' -------------------- >&2
exit 1
E
cat >silent <<'E'
#!/bin/sh
echo '@loadcast . n1'
exec sleep 60
E
printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\necho "warns: a warning" >&2\nexec "$@"\n' >warns
chmod +x failing silent warns
t 'a launcher that fails is quoted by its first sentence; all it said stands below our line' '
    code 1 loadcast stage --with ./failing app.lcast
    head -n 1 err | grep -q "^loadcast stage: no node answered .*failing.*: There are not enough slots available in the system to satisfy the 4 slots that were requested by the application" || { cat err; exit 1; }
    sed 1d err | grep -v "^  " | nothing
    says "  There are not enough slots" err
    [ "$(grep -c "^  There are" err)" = 1 ]
    code 0 loadcast run -q --with ./failing --image app.lcast -- cat sw/small
    head -n 1 err | grep -q "^loadcast run: no node answered .*: There are not enough" || { cat err; exit 1; }
    code 0 loadcast stage --with ./warns app.lcast
    [ "$(sed -n "1s/:.*//p" err)" = "loadcast stage" ] || { cat err; exit 1; }
    says "  warns: a warning" err
    away
'
t 'a launcher that falls silent: which nodes were not heard of, or how many were' '
    code 1 loadcast stage --wait 1s --with "./silent --host n1:8,n2:8,n3" app.lcast
    says "nothing was heard of n2, n3" err
    SLURM_JOB_ID=1 SLURM_JOB_NODELIST="n[1-2,10],x" code 1 loadcast stage --wait 1s --with "./silent" app.lcast
    says "nothing was heard of n2, n10, x" err
    code 1 loadcast stage --wait 1s --with ./silent app.lcast
    says "1 node had answered" err
    left | nothing
'
t 'a launcher that falls silent after a node has staged: nothing is named on nodes that nobody has judged' '
    printf "#!/bin/sh\n\"\$@\"\nexec sleep 60\n" >half && chmod +x half
    code 0 loadcast run --wait 5s --wrap never --with ./half --image app.lcast -- sh -c "echo \${LD_AUDIT:-plain}"
    says "a node runs without it: it did not answer" err
    says "1 of the nodes have no image" err
    echo plain >expected
    same expected out
    gone
'
t 'a node that cannot run the stager says why, directory by directory' '
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "needs mounts"
    case $build in /tmp/*) skip "what is built lies in /tmp" ;; esac
    away=$(mktemp -d /var/tmp/loadcast-test.XXXXXX) && at_exit "rm -rf $away" && cp app.lcast "$away/"
    for case in "size=16k,no room" "noexec,mounted noexec"; do
        unshare -m sh -c "for dir in /dev/shm /tmp; do mount -t tmpfs -o ${case%%,*},mode=1777 none \$dir || exit 1; done; cd $away && unset TMPDIR &&
            exec $build/loadcast stage --dir /dev/shm --with env app.lcast" >out 2>err || :
        says "cannot run the stager: /dev/shm: ${case#*,}; /tmp: ${case#*,}" err
    done
    rm -rf "$away"
'
t 'no stage-mpi for the launcher: how to build one' '
    code 1 loadcast stage --via mpi --helper "$tmp/none" --with env app.lcast
    says "build it with its mpicc: mpicc -O2 -o stage-mpi" err
'
# A Slurm of one node: what it is asked to start and to copy is all that is tested of it here. What it
# copied last is kept, and cut short on its way if 'cut' says so.
mkdir slurm
cat >slurm/srun <<'E'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
E
cat >slurm/sbcast <<E
#!/bin/sh
cp "\$2" "$tmp/parcel" && cp "\$2" "\$3" && { [ ! -e "$tmp/cut" ] || truncate -s "\$(cat "$tmp/cut")" "\$3"; }
E
chmod +x slurm/*
by_sbcast() { env PATH="$tmp/slurm:$PATH" SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 "$build/loadcast" stage --wait 60s --json --via sbcast "$@"; }
node_is() { "$python" -c "
import json
n = json.load(open('$tmp/out'))['nodes'][0]
assert $1, n"; }

t 'sbcast: the image at first, then what the node lacks' '
    code 0 by_sbcast app.lcast
    node_is "n[\"fresh\"] and n[\"wire\"] > 3000000"
    cmp parcel app.lcast
    echo changed >sw/small
    "$build/t/mkimage" new.lcast sw >/dev/null
    code 0 by_sbcast new.lcast
    node_is "n[\"fresh\"] and n[\"wire\"] < 100000 and n[\"copied\"] >= 3000000"
    code 0 loadcast stage --verify new.lcast
    loadcast stage -q --clean new.lcast
'
t 'sbcast: what was cut short on its way is refused, whatever is left of it' '
    for bytes in 1 39 40 200 "$(($(wc -c <parcel) - 1))"; do
        echo "$bytes" >cut
        code 1 by_sbcast new.lcast
        says "runs without it" err
    done
    rm cut
    code 0 by_sbcast new.lcast
    node_is "n[\"fresh\"]"
    loadcast stage -q --clean new.lcast
    away
'
t 'sbcast fails on a full node: our line comes first, what sbcast said is quoted below it' '
    mkdir -p full-slurm && cp slurm/srun full-slurm/
    printf "#!/bin/sh\necho \"sbcast: error: REQUEST_FILE_BCAST(n2): No space left on device\" >&2\nexit 1\n" >full-slurm/sbcast
    chmod +x full-slurm/sbcast
    PATH=$tmp/full-slurm:$PATH SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 code 1 loadcast stage --wait 60s --via sbcast app.lcast
    head -n 1 err | grep -q "^loadcast stage: .*sbcast.* failed (status 1): sbcast: error: REQUEST_FILE_BCAST(n2): No space left" || { cat err; exit 1; }
    sed 1d err | grep -v "^  " | nothing
    loadcast clean --all --dir "$LOADCAST_DIR" >/dev/null 2>&1
'
t 'what the reader said last counts, although it listens no more' '
    [ -x "$build/stage-mpi.openmpi" ] || skip "built without mpicc.openmpi"
    mkdir -p deaf/kit deaf/at && cp "$build/stage-mpi.openmpi" deaf/at/stage-mpi
    tar xzf "$build/node-kit.tgz" -C deaf/kit && mv deaf/kit/stager deaf/kit/stager.real
    # It gets 16 slots to fill, the one of the index again and the map of one byte, 16 bytes for each; then
    # nobody reads what stage-mpi says. Its own messages come slowly.
    cat >deaf/kit/stager <<-"E"
	#!/bin/sh
	at=$(dirname "$0")
	[ "$1" = send ] || exec "$at/stager.real" "$@"
	mkfifo "$at/in" "$at/out"
	dd bs=1 count=$((18 * 16 + 1)) <&4 >"$at/in" 2>/dev/null 5>&- &
	{ exec 4<&- 4<"$at/out"; while :; do dd bs=16 count=1 <&4 2>/dev/null >"$at/one"; [ -s "$at/one" ] || exit; sleep 0.1; cat "$at/one" >&5; done; } &
	exec 4<"$at/in" 5>"$at/out"
	exec "$at/stager.real" "$@"
	E
    chmod +x deaf/kit/stager && tar czf deaf/kit.tgz -C deaf/kit .
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 mpiexec.openmpi -n 1 \
        "$tmp/deaf/at/stage-mpi" "$tmp/deaf/kit.tgz" "$tmp/app.lcast" --dir="$LOADCAST_DIR" --patience=60s >out 2>err || { cat out err; exit 1; }
    says "\"ok\":true" out
    rm -rf deaf
    loadcast clean --all --dir "$LOADCAST_DIR" >/dev/null 2>&1
    left | nothing
'
t 'a tar that does not read what we give it: said, by a process that goes on' '
    [ -x "$build/stage-mpi.openmpi" ] || skip "built without mpicc.openmpi"
    mkdir -p odd && cp "$build/stage-mpi.openmpi" odd/stage-mpi
    head -c 3000000 /dev/urandom | gzip >odd/kit.tgz
    printf "#!/bin/sh\nexit 1\n" >odd/tar && chmod +x odd/tar
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    PATH=$tmp/odd:$PATH code 0 timeout 100 mpiexec.openmpi -n 1 -x PATH "$tmp/odd/stage-mpi" "$tmp/odd/kit.tgz" "$tmp/app.lcast"
    says "cannot unpack what came for the stager" out
    rm -rf odd
'
t 'an MPI whose network forbids fork: staged all the same' '
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    for line in "mpiexec.openmpi -n 1 -x LD_PRELOAD=" "mpiexec.mpich -n 1 -genv LD_PRELOAD "; do
        launcher=${line%% *}
        [ -x "$build/stage-mpi.${launcher#mpiexec.}" ] && command -v "$launcher" >/dev/null || continue
        code 0 loadcast stage --wait 60s --via mpi --with "$line${PROGRAMS:-$build/t}/no-fork.so" app.lcast
        says "staged on 1 node by mpi" err
        away
    done
'
t 'no port of our own: no process asks for a socket of the network, by sbcast, by fs or without a launcher' '
    command -v strace >/dev/null || skip "strace is not installed"
    strace -o probe true 2>/dev/null || skip "strace may not trace here"
    "$build/t/mkimage" port.lcast sw >/dev/null
    for how in "sbcast srun -n1" "fs srun -n1" "fs"; do
        no_leak_check env PATH="$tmp/slurm:$PATH" SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 strace -f -o calls -e trace=socket,bind,listen,execve \
            "$build/loadcast" run --stats --via "${how%% *}" --image port.lcast -- ${how#"${how%% *}"} cat sw/small >out 2>err
        same sw/small out
        says "by ${how%% *} on 1 node," err
        grep -q "execve(.*/stager\"" calls
        grep -q "^saved" err
        grep -E "AF_INET|listen\(" calls | nothing
        loadcast stage -q --clean port.lcast
        rm -rf node/loadcast-*/.job.*
    done
    left | nothing
'
t 'stage-mpi.c is built by the line in the manual' '
    for mpi in openmpi mpich; do
        [ -x "$build/stage-mpi.$mpi" ] || continue
        mkdir -p by-hand && cp "$src/src/stage/mpi/stage-mpi.c" "$src/src/stage/mpi/ring.h" by-hand/
        (cd by-hand && "mpicc.$mpi" -O2 -o stage-mpi stage-mpi.c) 2>warnings || { cat warnings; exit 1; }
        nothing <warnings
    done
'
finish
