#!/bin/sh
# loadcast run and stage on one machine: streams, status, signals, clean-up, bad input. No root needed.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
run_app <<'EOS'
exit) exit "$2" ;;
kill) kill -"$2" $$ ;;
cat) cat ;;
wait) echo started >"$2"; exec sleep 60 ;;
once) [ ! -e "$2" ] || exit 0; echo started >"$2"; (sleep 600; echo slept >"$2"); echo slept >"$2" ;;
EOS

t 'the program runs from node memory, and nothing is left afterwards' '
    code 0 loadcast run --stats --image app.lcast -- sw/app.sh
    says content out
    grep -q "^saved  *[1-9]" err
    grep -q "^check " err
    grep -q "^total " err
    gone
'
t 'status, signals and standard input are the line'\''s own' '
    code 7 loadcast run --image app.lcast -- sw/app.sh exit 7
    echo through | loadcast run -q --image app.lcast -- sw/app.sh cat >out 2>err
    says through out
    [ ! -s err ] || { cat err; exit 1; }
    status=0
    sh -c "loadcast run -q --image app.lcast -- sw/app.sh kill USR1" || status=$?
    [ $status = 138 ]
    gone
'
t 'the image is found by the name of the program' '
    cp app.lcast app.sh.lcast
    code 0 loadcast run -- sw/app.sh
    says "staged on 1 node" err
    LOADCAST_IMAGE=app.lcast code 0 loadcast run -- sw/app.sh
    rm app.sh.lcast
'
t 'no image: says what to do and runs; --strict does not run' '
    code 0 loadcast run --image none.lcast -- sw/app.sh
    says content out
    says "no image '\''none.lcast'\''; make it once with: loadcast run --record" err
    code 125 loadcast run --strict --image none.lcast -- sw/app.sh
    [ ! -s out ]
'
t 'a pilot has the environment of the line, and one task' '
    code 0 loadcast run --dry-run --record --image other.lcast -- env A=1 mpiexec.openmpi -np 64 -x B=2 --hostfile h -npernode 4 sw/app.sh arg
    says "env A=1 mpiexec.openmpi -x B=2 --hostfile h -n 1 " out
    says "record -o other.lcast --for=60s --settle=10s --end -- sw/app.sh arg" out
    code 0 loadcast run --dry-run --record --image other.lcast -- srun -N 8 -n 64 -p debug --export=ALL,B=2 sw/app.sh : -n 1 sw/other.sh
    says "srun -p debug --export=ALL,B=2 -N 1 -n 1 " out
    head -n 1 out >pilot
    lacks other.sh pilot
'
t '--record makes it first, by a command it prints' '
    code 0 loadcast run --record --manage sw --image new.lcast -- sw/app.sh
    says "recording: " err
    says "record -o new.lcast --manage sw --for=60s --settle=10s --end -- sw/app.sh" err
    code 0 loadcast info new.lcast
    code 0 loadcast run --dry-run --record --pilot "srun -n 1 sw/app.sh" --for 60s --image other.lcast -- sw/app.sh
    says "srun -n 1" out
    says "record -o other.lcast --for=60s --settle=10s --end -- sw/app.sh" out
    [ ! -e other.lcast ]
'
t '--for bounds the pilot: it is ended, with all it started, and the line runs' '
    for how in "" --no-ptrace; do
        rm -f long.lcast mark
        code 0 loadcast record $how -o long.lcast --manage sw --for 1s --end -- sw/app.sh once mark
        grep -q "was ended after 1[^ ]* s, the time it was given" err || { cat err; exit 1; }
        code 0 loadcast info long.lcast
        says started mark
    done
    rm -f long.lcast mark
    code 0 loadcast run --record --for 1s --manage sw --image long.lcast -- sw/app.sh once mark
    says "was ended after" err
    says "staged on 1 node" err
    says started mark
    lacks slept mark
    code 125 loadcast record -o long.lcast --end -- sw/app.sh
    says "--end needs --for or --settle" err
'
t 'a pilot that has loaded all it loads is ended before its time' '
    rm -f long.lcast mark
    code 0 loadcast record -o long.lcast --manage sw --for 500s --settle 1s --end -- sw/app.sh once mark
    says "when it had asked for nothing new for 1.0 s" err
    lacks slept mark
    rm -f long.lcast mark
    code 0 loadcast record --no-ptrace -o long.lcast --manage sw --settle 1s --end -- sw/app.sh once mark
    says "when it had asked for nothing new for 1.0 s" err
    lacks slept mark
'
t '--dry-run executes nothing where the image cannot be used, or LOADCAST=0' '
    head -c 3000 app.lcast >cut.lcast
    for image in none.lcast cut.lcast; do
        code 0 loadcast run --dry-run --image $image -- touch ran
        says "touch ran" out
        says "the line would run without it" err
    done
    LOADCAST=0 code 0 loadcast run --dry-run --image app.lcast -- touch ran
    says "touch ran" out
    code 125 loadcast run --dry-run --strict --image none.lcast -- touch ran
    [ ! -e ran ]
    gone
'
t 'a changed file is seen by the check that belongs to each run' '
    echo changed >sw/data
    code 0 loadcast run --image app.lcast -- sw/app.sh
    says changed out
    says "was recorded; updated" err
'
t '--dry-run prints steps that can be pasted, and does none of them' '
    echo later >sw/data
    cp app.lcast before
    code 0 loadcast run --dry-run --image app.lcast -- sw/app.sh
    says "loadcast check \"\$image\"" out
    says "node=\$(loadcast stage" out
    cmp app.lcast before
    gone
    cp out steps
    code 0 sh -e ./steps
    says later out
    gone
    echo changed >sw/data
    loadcast check app.lcast >/dev/null
'
t 'pasted steps carry options, blanks in names and the variables of a launcher' '
    command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mkdir -p "a place" && cp app.lcast "a place/an image.lcast"
    code 0 loadcast run --dry-run --wrap never --wait 50s --image "a place/an image.lcast" -- mpiexec.openmpi -n 1 --oversubscribe /bin/sh -c "echo \"\$LOADCAST_NODE|\$LD_PRELOAD\"; exec sw/app.sh"
    says "OMPI_MCA_mca_base_env_list=\"LOADCAST_NODE=\${node};LD_AUDIT=\${node}/" out
    says "--wait=50s" out
    cp out steps
    code 0 sh -e ./steps
    says changed out
    grep -qx "$tmp/node/loadcast-[0-9]*/[0-9a-f]*|$tmp/node/loadcast-[0-9]*/[0-9a-f]*/bin/preload.so" out
    gone
'
t 'a launcher that is not understood: variables only, and how to give a template' '
    command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"
    code 0 loadcast run --dry-run --image app.lcast -- mpiexec.openmpi --frobnicate 3 sw/app.sh
    says "is no option of" err
    says "OMPI_MCA_mca_base_env_list=" out
    code 0 loadcast run --dry-run --with "ibrun -n 4 -o 0" --image app.lcast -- ibrun sw/app.sh
    says "--with '\''ibrun -n 4 -o 0'\''" out
    code 1 loadcast stage --with "no-such-launcher -n 1" app.lcast
    says "no-such-launcher" err
    code 1 loadcast stage --with "srun '\''-n 1" app.lcast
    says "not closed" err
    export PBS_JOBID=1
    printf "#!/bin/sh\necho PALS version 1.2\n" >mpiexec && chmod +x mpiexec
    code 1 env PATH="$tmp:$PATH" loadcast stage app.lcast -- mpiexec -n 4 --ppn 2 sw/app.sh
    says "one process per node by --with" err
    rm -f mpiexec
'
t 'LOADCAST=0 is as if Loadcast were not there' '
    LOADCAST=0 code 5 loadcast run --image none.lcast -- sw/app.sh exit 5
    [ ! -s err ]
'
t 'an interrupt ends the program and leaves nothing' '
    rm -f started
    loadcast run -q --image app.lcast -- sw/app.sh wait "$tmp/started" &
    wait_until test -e started
    test -n "$(left)"
    kill -INT $!  2>/dev/null || :
    kill -TERM $!
    wait_until eval "! kill -0 $! 2>/dev/null"
    gone
'
t 'Ctrl-C on a terminal reaches the program once, and leaves nothing' '
    cat >keys.sh <<-"E"
	#!/bin/sh
	n=0
	trap "n=\$((n + 1))" INT
	. "$1"
	echo ready
	interrupted() { [ $n -gt 0 ]; }
	wait_until interrupted
	sleep 0.3 # for a second one, which is not to come
	echo "interrupts: $n"
	exit 9
	E
    chmod +x keys.sh
    code 9 "$python" "$here/pty_run.py" ready "\x03" loadcast run -q --image app.lcast -- ./keys.sh "$here/wait.sh"
    says "interrupts: 1" out
    gone
    code 130 "$python" "$here/pty_run.py" ready "\x03" loadcast run -q --image app.lcast -- sh -c "echo ready; exec sleep 60"
    gone
'
t 'Ctrl-C in the pilot ends it all: the line is not started' '
    printf "#!/bin/sh\necho one >>\"\$1\"; echo ready; exec sleep 60\n" >sw/pilot.sh && chmod +x sw/pilot.sh
    code 130 "$python" "$here/pty_run.py" ready "\x03" loadcast run --record --manage sw --image pilot.lcast -- sw/pilot.sh "$tmp/starts"
    [ "$(cat starts)" = one ] || { cat starts out; exit 1; }
    rm -f starts
    loadcast run --record --manage sw --image pilot2.lcast -- sw/pilot.sh "$tmp/starts" >out 2>err &
    job=$!
    wait_until test -s starts
    kill -TERM $job
    status=0
    wait $job || status=$?
    [ "$status:$(cat starts)" = 143:one ] || { echo $status; cat starts out err; exit 1; }
    gone
'
printf '#!/bin/sh\necho $$ >"$1"; exec sleep 600\n' >long.sh && chmod +x long.sh
# long_run OPTION...: $job is a run whose line does not end by itself; $tmp/pid has the line's number
long_run() {
    rm -f pid
    loadcast run -q "$@" --image app.lcast -- ./long.sh "$tmp/pid" &
    job=$!
    wait_until test -s pid
}
t 'run killed: its line is told to end, the node is cleaned, the next run works' '
    long_run
    test -n "$(left)"
    kill -KILL $job
    lost() { ! kill -0 "$(cat pid)" 2>/dev/null; }
    wait_until lost
    wait_until clean_now
    code 0 loadcast run --image app.lcast -- sw/app.sh
    says "staged on 1 node" err
    gone
'
t 'run killed in a job: the node is cleaned too' '
    export SLURM_JOB_ID=4710
    long_run --with ""
    kill -KILL $job
    lost() { [ -z "$(find node -name index -o -name ".loadcast-kit*")" ]; }
    wait_until lost
    loadcast clean --dir "$tmp/node" >/dev/null
'
t 'an interrupt cleans in a job too' '
    export SLURM_JOB_ID=4712
    long_run --with ""
    kill -TERM $job
    wait $job || :
    find node -path "*/bin/launch" | nothing
    loadcast clean --dir "$tmp/node" >/dev/null
    gone
'
mkdir -p queue && printf '#!/bin/sh\necho RUNNING\n' >queue/squeue && chmod +x queue/squeue
t 'an interrupt leaves an image that another job wants; that job'\''s end removes it' '
    export PATH=$tmp/queue:$PATH
    SLURM_JOB_ID=4720 loadcast run -q --with "" --image app.lcast -- sw/app.sh >/dev/null
    export SLURM_JOB_ID=4721
    long_run --with ""
    kill -TERM $job
    wait $job || :
    find node -path "*/bin/launch" | grep -q . || { echo "it is gone"; left; exit 1; }
    export SLURM_JOB_ID=4720
    code 0 loadcast clean --dir "$tmp/node"
    find node -path "*/bin/launch" | nothing
    loadcast clean --all --dir "$tmp/node" >/dev/null
    gone
'
t '--stats: a job that shares the image on these nodes is named' '
    export PATH=$tmp/queue:$PATH
    export SLURM_JOB_ID=4722
    code 0 loadcast run --stats --with "" --image app.lcast -- sw/app.sh
    lacks "shared " err
    export SLURM_JOB_ID=4723
    code 0 loadcast run --stats --with "" --image app.lcast -- sw/app.sh
    says "shared     with job slurm-4722: what it did meanwhile is counted in" err
    loadcast clean --all --dir "$tmp/node" >/dev/null
    gone
'
t 'signals sent to run alone are passed on; streams keep every byte' '
    cat >caught.sh <<-"E"
	#!/bin/sh
	trap "echo usr1; exit 3" USR1
	trap "echo term; exit 4" TERM
	echo $$ >"$1"
	read x <>"${0%/*}/never"
	E
    mkfifo never
    chmod +x caught.sh
    for signal in USR1:3:usr1 TERM:4:term; do
        rm -f pid
        loadcast run -q --image app.lcast -- ./caught.sh "$tmp/pid" >out 2>err &
        job=$!
        wait_until test -s pid
        kill -"${signal%%:*}" $job
        status=0
        wait $job || status=$?
        [ "$status:$(cat out)" = "${signal#*:}" ] || { echo "$status"; cat out err; exit 1; }
        gone
    done
    head -c 300000 /dev/urandom >bytes
    loadcast run -q --image app.lcast -- cat <bytes | cmp - bytes
'
t 'closed streams stay closed, and others are not touched' '
    sh -c "[ ! -e /proc/self/fd/0 ]" <&- || skip "no program starts without standard input here: its emulator fills the place"
    loadcast run -q --image app.lcast -- sh -c "echo to-3 >&3; [ ! -e /proc/self/fd/0 ]" 3>three <&-
    says to-3 three
'
t 'a damaged image, or none that is one, does not keep the line from running' '
    head -c 5000 app.lcast >bad.lcast
    code 0 loadcast run --image bad.lcast -- sw/app.sh
    says changed out
    says "running without it" err
    code 3 loadcast stage bad.lcast
    code 3 loadcast stage /dev/null
    gone
'
t 'a place that cannot be used is named; the line runs' '
    code 0 loadcast run --dir "$tmp/nowhere" --image app.lcast -- sw/app.sh
    says changed out
    says nowhere err
    code 1 loadcast stage --dir "$tmp/nowhere" app.lcast
    says nowhere err
'
t 'odd names, values and streams: blanks in paths, newlines and 100 kB in the environment, input for rank 0' '
    mkdir -p "odd sw" "odd images"
    printf "%s\n" "#!/bin/sh" "cat \"\$(dirname \"\$0\")/a file\"; cat; printf \"<%s|%s>\n\" \"\$LINES_OF\" \${#LARGE}" >"odd sw/an app.sh"
    echo inside >"odd sw/a file"
    chmod +x "odd sw/an app.sh"
    find "odd sw" -exec touch -d 2020-01-01 {} +
    loadcast record -o "odd images/an image.lcast" --manage "odd sw" -- "odd sw/an app.sh" >/dev/null 2>&1 </dev/null
    LINES_OF=$(printf "a\nb;c,d=e") LARGE=$(head -c 100000 /dev/zero | tr "\0" x)
    export LINES_OF LARGE OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    printf "inside\npiped\n<a\nb;c,d=e|100000>\n" >expected
    for launcher in "" "mpiexec.openmpi -n 1 --oversubscribe" "mpiexec.mpich -n 1"; do
        [ -z "$launcher" ] || command -v "${launcher%% *}" >/dev/null || continue
        echo piped | timeout 100 loadcast run --stats --image "odd images/an image.lcast" -- $launcher "odd sw/an app.sh" >out 2>err || { cat err; exit 1; }
        same expected out
        grep -q "^saved  *[1-9]" err
        lacks "ld.so" err
        wait_until clean_now # a launcher may be gone before its processes
    done
'
t 'a directory whose name ld.so cannot read is named, and the line runs' '
    for name in "a b" "a:b" "a\$b"; do
        mkdir -p "$name"
        code 0 loadcast run --dir "$tmp/$name" --image app.lcast -- sw/app.sh
        says "takes no name with a blank" err
        lacks "ld.so" err
        find "$name" -mindepth 1 | nothing
    done
'
t 'an image that cannot be read: said, and run' '
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    chmod 755 "$tmp"
    cp app.lcast secret.lcast && chmod 600 secret.lcast
    for file in loadcast loadcast-full launch preload.so audit.so node-kit.tgz; do cp "$build/$file" .; done
    another() { setpriv --reuid 4444 --regid 4444 --clear-groups env HOME=/ "$@"; }
    code 0 another "$tmp/loadcast" run --dir /tmp --image secret.lcast -- echo fine
    says fine out
    says "secret.lcast" err
    says "Permission denied" err
    code 125 another "$tmp/loadcast" run --strict --dir /tmp --image secret.lcast -- echo fine
    code 3 another "$tmp/loadcast" stage --dir /tmp secret.lcast
    rm -f loadcast loadcast-full launch preload.so audit.so node-kit.tgz
'
t 'launcher not found, not executable' '
    code 127 loadcast run -q --image app.lcast -- no-such-launcher -n 4 x
    says "no-such-launcher" err
    : >plain
    code 126 loadcast run -q --image app.lcast -- ./plain
'
t 'usage: no line, no image, unknown way' '
    code 125 loadcast run --image app.lcast
    says "no launch line given" err
    code 2 loadcast stage
    code 2 loadcast stage --via pigeon app.lcast
    code 1 loadcast stage --via sbcast app.lcast
    says "salloc" err
'
t 'stage, verify, clean: a file that was changed on the node is found' '
    node=$(loadcast stage -q app.lcast)
    [ -x "$node/bin/launch" ]
    code 0 loadcast stage app.lcast
    says "all had it already" err
    code 0 loadcast stage --json app.lcast
    "$python" -c "import json; r = json.load(open('\''out'\'')); assert r['\''ok'\''] == 1 and r['\''nodes'\''][0]['\''ok'\''], r"
    code 0 loadcast stage --verify app.lcast
    file=$(find "$node/files" -name data)
    chmod u+w "$file" && echo planted >"$file"
    code 1 loadcast stage --verify app.lcast
    says "is not what was recorded" err
    code 0 loadcast stage --clean app.lcast
    gone
'
t 'after a small change what the node has is not read again' '
    head -c 3000000 /dev/urandom >sw/big
    cat >sw/two.sh <<-"E"
	#!/bin/sh
	cat "$(dirname "$0")/big" >/dev/null; cat "$(dirname "$0")/data"
	E
    chmod +x sw/two.sh
    find sw -exec touch -d 2020-01-01 {} +
    loadcast record -o two.lcast --manage sw -- sw/two.sh >/dev/null 2>&1
    loadcast stage -q two.lcast >node1
    echo again >sw/data
    loadcast check two.lcast >/dev/null
    code 0 loadcast stage --json two.lcast
    "$python" -c "import json; r = json.load(open('\''out'\''))['\''nodes'\''][0]; assert r['\''fresh'\''] and r['\''copied'\''] >= 3000000, r"
    code 0 loadcast stage --verify two.lcast
    LOADCAST_NODE=$(loadcast stage -q two.lcast) && [ "$LOADCAST_NODE" != "$(cat node1)" ]
    [ "$("$LOADCAST_NODE"/bin/launch sw/two.sh)" = again ]
    loadcast clean --all --dir "$tmp/node" >/dev/null 2>&1
    gone
'
t 'runs of one job check and stage once; its end cleans' '
    export SLURM_JOB_ID=4711
    export PATH=$tmp/none:$PATH
    code 0 loadcast run --stats --with "" --image app.lcast -- sw/app.sh
    grep -q "^check .*entries" err
    code 0 loadcast run --stats --with "" --image app.lcast -- sw/app.sh
    says "check      done by an earlier run of this job" err
    says "stage      done by an earlier run of this job" err
    grep "^saved" err >second
    code 0 loadcast run --stats --with "" --image app.lcast -- sw/app.sh
    grep "^saved" err >third
    same second third
    code 127 loadcast run --stats --with "" --image app.lcast -- /no-such-program
    says "saved      0 operations in 0 processes" err
    code 0 loadcast clean --dir "$tmp/node"
    gone
    code 0 loadcast run --stats --with "" --image app.lcast -- sw/app.sh
    says again out
    grep -q "^check .*entries" err
    loadcast clean --dir "$tmp/node" >/dev/null
'
by() { uid=$1; shift; setpriv --reuid "$uid" --regid "$uid" --clear-groups env HOME=/ "$@"; }
t 'a name that another user has taken is not used' '
    [ "$(id -u)" = 0 ] || skip "needs root to be two users"
    chmod 755 "$tmp" && mkdir -m 1777 shared && mkdir inst
    for file in loadcast loadcast-full launch preload.so audit.so node-kit.tgz; do cp "$build/$file" inst/; done
    by 4242 mkdir shared/loadcast-4343
    cp app.lcast readable.lcast && chmod 644 readable.lcast
    code 0 by 4343 "$tmp/inst/loadcast" stage --dir "$tmp/shared" "$tmp/readable.lcast"
    says "$tmp/shared/loadcast-4343." out
'
t 'two users on one node can neither read nor plant each other'\''s images' '
    [ -d inst ] || skip "needs root to be two users"
    by 4242 "$tmp/inst/loadcast" stage -q --dir "$tmp/shared" "$tmp/readable.lcast" >mine
    mine=$(cat mine)
    # Reading: the directory, a file of it, its counters.
    code 2 by 4343 ls "$mine"
    code 2 by 4343 ls "$tmp/shared/loadcast-4242"
    code 1 by 4343 cat "$mine/index"
    # Planting: into it, in its place, under its name.
    code 1 by 4343 cp /bin/true "$mine/bin/launch"
    code 1 by 4343 mv "$tmp/shared/loadcast-4242" "$tmp/shared/away"
    code 1 by 4343 rm -rf "$tmp/shared/loadcast-4242"
    by 4242 "$tmp/inst/loadcast" stage -q --clean --dir "$tmp/shared" "$tmp/readable.lcast"
    rmdir shared/loadcast-4242 2>/dev/null || :
    planted=$tmp/shared/loadcast-4242/${mine##*/}
    by 4343 mkdir -p "$planted/bin"
    printf "#!/bin/sh\necho planted\n" >evil && by 4343 cp evil "$planted/bin/launch" && by 4343 chmod -R 755 "$tmp/shared/loadcast-4242"
    by 4343 cp "$tmp/inst/preload.so" "$planted/bin/"
    # It is staged under another name; the line that ranks are started with looks whose launcher it is.
    code 0 by 4242 "$tmp/inst/loadcast" run --dir "$tmp/shared" --image "$tmp/readable.lcast" -- sh -c "echo own"
    lacks planted out
    says own out
    by 4242 "$tmp/inst/loadcast" run --dry-run --dir "$tmp/shared" --image "$tmp/readable.lcast" -- sh -c "echo own" >steps
    { echo "node=$planted"; grep "bin/launch" steps; } >start
    code 0 by 4242 sh ./start
    lacks planted out
    says own out
    # The same line does use one that is his.
    chown -R 4242 "$tmp/shared/loadcast-4242"
    code 0 by 4242 sh ./start
    says planted out
    # A node directory of another is no answer for a client either.
    chown -R 4343 "$tmp/shared/loadcast-4242"
    code 0 by 4242 env LOADCAST_NODE="$planted" "$tmp/inst/launch" sh -c "echo own"
    says own out
'
finish
