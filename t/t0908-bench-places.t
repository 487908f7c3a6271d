#!/bin/sh
# loadcast bench in places of all kinds: a head that is no node of the job, a target that cannot be written,
# cron's environment; its log, and what is left in memory when it is killed.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
# To count requests, bench traces 'loadcast check', which then cannot look for its memory leaks.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
mkdir packages packages/tiny memory
# A package that stays where it is told to, once the ranks import it.
cat >packages/tiny/__init__.py <<END
import json, os
if os.environ.get("LOADCAST_RANK") and "/other/" in __file__ and os.path.exists("$tmp/stay"):
    open("$tmp/asleep", "w").close()
    while os.path.exists("$tmp/stay"):
        __import__("time").sleep(0.1)
END
PYTHONPATH=$tmp/packages loadcast bench env --package tiny "$tmp/tiny-env" >/dev/null
LOADCAST_DIR=$tmp/memory
export LOADCAST_DIR
tiny() { bench --env "$tmp/tiny-env" --package tiny --target target --cache warm "$@"; }
left_in_memory() { find "$tmp/memory" -mindepth 1 -maxdepth 1 | nothing; }
has_trace() { loadcast trace -o /dev/null -- true 2>/dev/null; }

t 'under cron: no PATH to our programs, no HOME, no terminal: plain and with Loadcast' '
    code 0 env -i ASAN_OPTIONS="$ASAN_OPTIONS" UBSAN_OPTIONS="$UBSAN_OPTIONS" PATH=/usr/bin:/bin LOADCAST_DIR="$LOADCAST_DIR" "$build/loadcast" bench --work "$work" --db "$tmp/r.db" --json \
        --bystander-limit 0 --env "$tmp/tiny-env" --package tiny --target target --width 1,2 --cache warm --with plain,loadcast --max-runs 1 --launcher plain
    line "[l[\"status\"] for l in lines] == [\"done\"] * 4"
    lacks "not found" err
    lacks "were not counted" err
    left_in_memory
'
t 'under cron and started by a link of another name' '
    ln -s "$build/loadcast" measure-it
    code 0 env -i ASAN_OPTIONS="$ASAN_OPTIONS" UBSAN_OPTIONS="$UBSAN_OPTIONS" PATH=/usr/bin:/bin LOADCAST_DIR="$LOADCAST_DIR" ./measure-it bench --work "$work" --db "$tmp/r.db" --json \
        --bystander-limit 0 --env "$tmp/tiny-env" --package tiny --target target --cache warm --with loadcast --max-runs 1
    line "[l[\"status\"] for l in lines] == [\"done\"]"
    code 0 env -i ASAN_OPTIONS="$ASAN_OPTIONS" UBSAN_OPTIONS="$UBSAN_OPTIONS" PATH=/usr/bin:/bin "$build/loadcast" bench --work "$work" --db "$tmp/q.db" --bystander-limit 0 --command true --target target \
        --cache warm --max-runs 1 --submit "env -i PATH=/usr/bin:/bin sh"
    loadcast results list --db q.db | grep -q " done "
'
t 'not on a terminal: one line for each measured run, as it ends' '
    code 0 tiny --width 1,2 --with plain,loadcast --max-runs 2 --precision 0 --no-count
    grep -E "^loadcast bench: run +[0-9]+ of at most 8: " err >runs
    test "$(wc -l <runs)" = 8
    grep -Eq "run +1 of at most 8: tiny on target, 1 rank, warm, plain: [0-9.]+ (us|ms|s)$" runs
    grep -Eq ", 2 ranks, warm, loadcast: [0-9.]+ (us|ms|s) \(check [0-9.]+ [mu]?s, staging [0-9.]+ [mu]?s\)$" runs
    lacks "[#" err
'
t 'the line of a run that failed says so with its reason; on a terminal there is a bar and no such line' '
    code 1 bench --command "sh -c \"exit 7\"" --name bad --target target --cache warm --max-runs 3
    grep -Eq "^loadcast bench: run +1 of at most 3: bad on target, 1 rank, warm, plain: failed: .*ended with 7" err
    code 0 env TERM=xterm "$python" "$here/pty_run.py" never x "$build/loadcast" bench --work "$work" --db "$tmp/r.db" \
        --bystander-limit 0 --command "sleep 0.2" --target target --cache warm --max-runs 4 --precision 0 --no-count
    grep -q "bench \[#" out
    grep -aE "run +[0-9]+ of" out | nothing
'

# Its directory is writable for nobody: a read-only mount for root, modes for others.
read_only() {
    if [ "$(id -u)" = 0 ]; then
        unshare -m true 2>/dev/null || skip "no mount namespaces here"
        cat >inside.sh
        PATH=$PATH unshare -m sh -c "mount --bind $tmp/ro $tmp/ro && mount -o remount,bind,ro $tmp/ro && ! touch $tmp/ro/x 2>/dev/null && . ./inside.sh"
    else
        cat >inside.sh
        chmod -R a-w ro
        at_exit "chmod -R u+w $tmp/ro"
        sh inside.sh
    fi
}
t 'a read-only target that holds the tree already is measured, plain and with Loadcast' '
    mkdir -p ro
    code 0 bench --env "$tmp/tiny-env" --package tiny --target ro --cache warm --max-runs 1
    echo "loadcast bench --work $work --db $tmp/r.db --json --bystander-limit 0 --env $tmp/tiny-env --package tiny --target ro --with plain,loadcast --cache warm --width 2 --max-runs 1 >out 2>err" |
        read_only || { cat out err; exit 1; }
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"loadcast\", \"done\")]"
    if has_trace; then lacks "were not counted" err; fi
    left_in_memory
'
t 'a read-only target without the tree: said plainly, a failed row' '
    rm -rf ro/loadcast-bench
    echo "! loadcast bench --work $work --db $tmp/r.db --json --bystander-limit 0 --env $tmp/tiny-env --package tiny --target ro --cache warm --max-runs 1 >out 2>err" |
        read_only || { cat out err; exit 1; }
    says "cannot make" err
    line "lines[0][\"status\"] == \"failed\""
'
t 'a head that is no node of the job: measured, and its requests counted' '
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null && command -v nsenter >/dev/null || skip "needs root and mount namespaces"
    unset LOADCAST_DIR
    mkfifo hold
    unshare -m --propagation private sh -c "mount -t tmpfs none /dev/shm; : >$PWD/up; read x <$PWD/hold" &
    node=$!
    exec 8<>hold
    wait_until test -e up
    mkdir -p bin
    cat >bin/srun <<-END
	#!/bin/sh
	n=1
	while :; do
	    case \$1 in
	    -n) n=\$2; shift 2 ;;
	    -N) shift 2 ;;
	    -*) shift ;;
	    *) break ;;
	    esac
	done
	i=0
	while [ \$i -lt \$n ]; do SLURM_PROCID=\$i SLURM_NODEID=0 SLURM_LOCALID=\$i nsenter -m -t $node -- "\$@" & i=\$((i + 1)); done
	wait
	END
    chmod +x bin/srun
    status=0
    (export SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=1 SLURM_NTASKS=2 PATH=$tmp/bin:/usr/bin:/bin
    code 0 unshare -m --propagation private sh -c "mount -t tmpfs none /dev/shm; status=0; \"\$@\" || status=\$?; ls /dev/shm >left-on-head; exit \$status" - \
        "$build/loadcast" bench --work "$work" --db "$tmp/r.db" --json --bystander-limit 0 --env "$tmp/tiny-env" --package tiny --target target --with plain,loadcast --cache warm --width 2 --max-runs 1) || status=1
    echo >&8
    wait $node || :
    [ $status = 0 ]
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"loadcast\", \"done\")]"
    if has_trace; then line "lines[1][\"operations\"] is not None and lines[1][\"operations\"] < lines[0][\"operations\"]"; fi
    lacks "were not counted" err
    grep loadcast-bench left-on-head | nothing
'
# A bench that holds an image in memory while its rank stays; its process id in $pid.
begin_staged() {
    rm -f asleep
    : >stay
    loadcast bench --work "$work" --db "$tmp/staged.db" --bystander-limit 0 --env "$tmp/tiny-env" --package tiny --target other \
        --cache warm --with loadcast --max-runs 1 --no-count >staged.out 2>&1 &
    pid=$!
    wait_until test -e asleep
    is_staged
}
is_staged() { find memory -name index -size +0 | grep -q .; }
mkdir other
t 'killed by SIGKILL: what it staged goes out of memory by itself' '
    begin_staged
    kill -KILL $pid
    wait $pid 2>/dev/null || :
    rm stay
    wait_until eval "[ -z \"\$(ls memory)\" ]"
'
# descendants PID: of the program, too, which goes on until it sees that bench has gone
descendants() { for child in $(ps -o pid= --ppid "$1"); do echo "$child"; descendants "$child"; done; }
t 'killed with all its helpers: the next bench takes it out of memory, and so does clean' '
    for next in "tiny --max-runs 1 --no-count --with loadcast" "loadcast clean --dir $LOADCAST_DIR"; do
        begin_staged
        kill -STOP $pid
        all=$(descendants $pid)
        kill -KILL $(ps -o pid= --ppid $pid) $pid
        wait $pid 2>/dev/null || :
        rm stay
        wait_until has_ended $all
        is_staged
        code 0 $next
        left_in_memory
    done
'
t 'what a bench that is alive has in memory is left to it' '
    begin_staged
    code 0 tiny --max-runs 1 --no-count --with loadcast
    loadcast clean --all --dir "$LOADCAST_DIR" >/dev/null
    is_staged
    kill -TERM $pid
    wait $pid || :
    rm stay
    left_in_memory
'
finish
