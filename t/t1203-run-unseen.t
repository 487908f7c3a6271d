#!/bin/sh
# loadcast run in front of a line: what the line finds, and what others see of it, is what it would be without.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
run_app <<EOS
exit) exit "\$2" ;;
wait) echo \$\$ >"\$2"; . "$here/wait.sh"; wait_until test ! -e "\$2"; exit "\$3" ;;
EOS
# start.py ACTION... -- CMD: what a parent may have done to a process before it starts CMD
cat >start.py <<'EOS'
import os, resource, signal, sys
words = sys.argv[1:]
at = words.index("--")
for word in words[:at]:
    verb, what = word.split(":")
    if verb == "ignore":
        signal.signal(getattr(signal, what), signal.SIG_IGN)
    elif verb == "default":
        signal.signal(getattr(signal, what), signal.SIG_DFL)
    elif verb == "block":
        signal.pthread_sigmask(signal.SIG_BLOCK, [getattr(signal, what)])
    elif verb == "files":
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(what), int(what)))
    elif verb == "umask":
        os.umask(int(what, 8))
os.execvp(words[at + 1], words[at + 1:])
EOS
start() { "$python" "$tmp/start.py" "$@"; }
# What a process is given: descriptors, masks, limits, place. A shell would change some of it.
cat >look.py <<'EOS'
import os, signal
for line in open("/proc/self/status"):
    if line.split(":")[0] in ("Umask", "SigBlk", "SigIgn", "NoNewPrivs", "Seccomp", "Cpus_allowed"):
        print(line, end="")
# A sanitizer sets the limit on core files to nothing.
print([l for l in open("/proc/self/limits") if "core file" not in l], open("/proc/self/oom_score_adj").read(), os.nice(0), os.getcwd())
print(os.getpgid(0), os.getsid(0), signal.getitimer(signal.ITIMER_REAL))
for fd in range(64):
    try:
        print(fd, os.readlink("/proc/self/fd/%d" % fd))
    except OSError:
        pass
print(sorted(n for n in os.environ if not n.startswith(("LOADCAST", "LD_"))))
EOS

t 'the line has the descriptors, signals, limits and place that it would have' '
    for how in "default:SIGPIPE" "ignore:SIGHUP ignore:SIGPIPE" "ignore:SIGINT block:SIGTERM block:SIGUSR1" "umask:0117 files:64"; do
        : >in
        (start $how -- "$python" look.py) >plain 2>&1 <in 5<in 9>>other
        (start $how -- loadcast run -q --image app.lcast -- "$python" look.py) >with 2>&1 <in 5<in 9>>other
        sed "s, $tmp/plain, STREAM," plain >want
        sed "s, $tmp/with, STREAM," with >got
        same want got
        gone
    done
'
t 'a parent that ignores SIGCHLD or SIGPIPE changes no status' '
    for how in ignore:SIGCHLD ignore:SIGPIPE "ignore:SIGCHLD ignore:SIGPIPE"; do
        code 7 start $how -- loadcast run -q --image app.lcast -- sw/app.sh exit 7
        gone
    done
    code 0 start ignore:SIGCHLD -- loadcast stage app.lcast
    code 0 start ignore:SIGCHLD -- loadcast stage --clean app.lcast
    gone
'
t 'whoever reads what we say may leave: the status stays the line'\''s' '
    # The reader is gone before anything is said.
    mkfifo said
    (exec 3<said; exec 3<&-) &
    ( (exec 2>said; wait_until eval "! kill -0 $! 2>/dev/null" >/dev/null; status=0
       loadcast run --stats --image app.lcast -- sw/app.sh exit 7 || status=$?; echo $status >status) ) >out
    [ "$(cat status)" = 7 ]
    gone
'
# guard_of PID: the process beside 'loadcast run' that cleans if it is killed
guard_of() {
    for p in $(cat "/proc/$1/task/$1/children"); do
        tr "\0" " " <"/proc/$p/cmdline" | grep -q "^[^ ]*loadcast run" && echo "$p"
    done || :
}
begin() {
    rm -f pid
    loadcast run -q --image app.lcast -- sw/app.sh wait "$tmp/pid" "$1" &
    job=$!
    wait_until test -s pid
}
t 'the process that guards it killed: the status stays the line'\''s, and it is cleaned' '
    begin 3
    guard=$(guard_of $job)
    [ -n "$guard" ]
    kill -KILL $guard
    rm -f pid
    status=0
    wait $job || status=$?
    [ $status = 3 ]
    gone
'
t 'nothing but the line holds its streams, or what else was open' '
    # The reader of each sees the end as soon as the line has closed it, while the line goes on.
    for fd in 1 3; do
        rm -f pid end pipe
        mkfifo pipe
        (cat pipe >text; : >end) &
        eval "(exec $fd>pipe; exec loadcast run -q --image app.lcast -- sh -c \"echo said >&$fd; exec $fd>&-; exec sw/app.sh wait $tmp/pid 0\") &"
        wait_until test -e end
        says said text
        wait_until test -s pid
        rm pid
        wait
    done
    # And a writer, that nobody reads any more.
    rm -f pid pipe end
    mkfifo pipe
    ("$python" -c "
import signal
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
while True: print(\"y\" * 100)" >pipe || : >end) &
    loadcast run -q --image app.lcast -- sh -c "read line; exec <&-; exec sw/app.sh wait $tmp/pid 0" <pipe &
    wait_until test -e end
    wait_until test -s pid
    rm pid
    wait
    gone
'
t 'run killed: neither it nor what cleans holds a lock that was its parent'\''s' '
    rm -f pid
    (exec 9>lock; flock 9; exec loadcast run -q --image app.lcast -- sh -c "exec 9>&-; exec sw/app.sh wait $tmp/pid 0") &
    wait_until test -s pid
    flock -n lock true
    rm pid
    wait
    gone
'
# slow NAME: a launcher of one process for --with that waits while $tmp/hold is there, if the words after
# it have NAME in them
slow() {
    cat >slow.sh <<-EOS
	#!/bin/sh
	case "\$*" in *"$1"*) echo \$\$ >$tmp/slow; . $here/wait.sh; wait_until test ! -e $tmp/hold ;; esac
	exec "\$@"
	EOS
    chmod +x slow.sh
    rm -f slow
    : >hold
}
t 'a hangup that was to be ignored does not end the staging' '
    slow "stager fs"
    "$python" start.py ignore:SIGHUP ignore:SIGINT -- loadcast run --with ./slow.sh --wait 60s --image app.lcast -- sw/app.sh exit 4 >out 2>err &
    job=$!
    wait_until test -s slow
    kill -HUP $job
    kill -INT $job
    rm hold
    status=0
    wait $job || status=$?
    [ $status = 4 ] || { cat out err; exit 1; }
    says "staged on 1 node" err
    gone
'
t 'an interrupt while another directory is tried ends it: the line is not started' '
    slow "dir=/tmp --id"
    export LOADCAST_DIR=$tmp/nowhere
    loadcast run --with ./slow.sh --wait 60s --image app.lcast -- sw/app.sh >out 2>err &
    job=$!
    wait_until test -s slow
    kill -TERM $job
    status=0
    wait $job || status=$?
    [ $status = 143 ] || { echo $status; cat out err; exit 1; }
    lacks content out
'
# A Slurm of one node whose sbcast brings the file and then waits, or fails.
mkdir slurm
printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n' >slurm/srun
printf '#!/bin/sh\ncp "$2" "$3"; echo $$ >%s/slow; . %s/wait.sh; wait_until test ! -e %s/hold; exit 1\n' "$tmp" "$here" "$tmp" >slurm/sbcast
chmod +x slurm/*
by_slurm() { env PATH="$tmp/slurm:$PATH" SLURM_JOB_ID=4714 SLURM_JOB_NUM_NODES=1 "$@"; }
t 'an interrupt while sbcast works ends it, and what it brought is removed' '
    slow none
    env PATH="$tmp/slurm:$PATH" SLURM_JOB_ID=4714 SLURM_JOB_NUM_NODES=1 loadcast run --via sbcast --image app.lcast -- srun -n1 sw/app.sh >out 2>err &
    job=$!
    wait_until test -s slow
    [ -n "$(find node -name ".cast.*")" ]
    kill -TERM $job
    status=0
    wait $job || status=$?
    [ $status = 143 ] || { echo $status; cat out err; exit 1; }
    lacks content out
    gone
'
t 'sbcast that fails: what it brought is removed, and the line runs' '
    rm -f hold
    code 0 by_slurm loadcast run --via sbcast --image app.lcast -- srun -n1 sw/app.sh
    says content out
    says "'\''sbcast'\'' failed" err
    gone
'
# A hydra of one node. With HOLD its ranks, not what stages, wait while $tmp/hold is there.
mkdir hydra
cat >hydra/mpiexec.hydra <<EOS
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do case \$1 in -genv) export "\$2=\$3"; shift 3 ;; *) shift 2 ;; esac; done
case "\${HOLD-} \$*" in *stager*) ;; 1*) : >$tmp/waits; . $here/wait.sh; wait_until test ! -e $tmp/hold ;; esac
exec "\$@"
EOS
chmod +x hydra/mpiexec.hydra
t 'two runs of one image at a time: the last one cleans, whichever that is, however the other ended' '
    PATH=$tmp/hydra:$PATH
    for how in ends TERM KILL; do
        : >hold
        rm -f waits pid
        HOLD=1 loadcast run -q --via fs --image app.lcast -- mpiexec.hydra -n 1 /bin/cat sw/data >out.1 2>err.1 &
        job=$!
        wait_until test -e waits
        loadcast run -q --via fs --image app.lcast -- mpiexec.hydra -n 1 sw/app.sh wait "$tmp/pid" 0 >out.2 2>err.2 &
        other=$!
        wait_until test -s pid
        guard=$(guard_of $other)
        [ $how = ends ] || kill -$how $other
        rm -f pid
        wait $other || :
        wait_until has_ended $guard
        [ -n "$(find node -name preload.so)" ]
        rm hold
        wait $job
        says content out.1
        lacks "ld.so" err.1
        wait_until clean_now
    done
'
t 'one interrupt more while it cleans: it is cleaned all the same' '
    slow "stager end"
    rm -f pid
    loadcast run -q --stats --with ./slow.sh --wait 60s --image app.lcast -- sw/app.sh wait "$tmp/pid" 0 >out 2>err &
    job=$!
    wait_until test -s pid
    rm pid
    wait_until test -s slow
    kill -INT $job 2>/dev/null || :
    kill -TERM $job
    status=0
    wait $job || status=$?
    [ $status = 0 ] || { echo $status; cat out err; exit 1; }
    rm -f hold
    wait_until clean_now
'
t 'staged, and then it turns out that it cannot be used: nothing is left' '
    printf "#!/bin/sh\n\"\$@\"\nprintf \"%%s\\n\" \"@loadcast {\\\"ok\\\":false,\\\"error\\\":\\\"no room\\\",\\\"host\\\":\\\"other\\\"}\"\n" >lacking.sh && chmod +x lacking.sh
    code 5 loadcast run --wait 60s --wrap never --with ./lacking.sh --image app.lcast -- sw/app.sh exit 5
    says "other runs without it: no room" err
    says "1 of the nodes have no image" err
    gone
    code 125 loadcast run --wait 60s --strict --wrap never --with ./lacking.sh --image app.lcast -- sw/app.sh exit 5
    gone
    # With the staged launcher before the program it can.
    code 5 loadcast run --wait 60s --with ./lacking.sh --image app.lcast -- sw/app.sh exit 5
    says "other runs without it: no room" err
    gone
'
t 'a launcher that prints zeros, and no end of its last line' '
    printf "#!/bin/sh\nprintf \"\\\\000a\\\\000\\\\n\\\\000\"\n\"\$@\"\nprintf end\n" >zeros.sh && chmod +x zeros.sh
    code 0 loadcast run --wait 60s --with ./zeros.sh --image app.lcast -- sw/app.sh
    says content out
    says "staged on 1 node" err
    gone
'
t 'an mpiexec that does not say what it is, and does not end either' '
    mkdir -p bin && printf "#!/bin/sh\ncase \$1 in --version) exec sleep 300 ;; esac\nshift 2; exec \"\$@\"\n" >bin/mpiexec && chmod +x bin/mpiexec
    PATH=$tmp/bin:$PATH code 3 timeout 100 loadcast run -q --image app.lcast -- mpiexec -n 1 sw/app.sh exit 3
    gone
'
t 'signals that schedulers send reach the line: one it handles does not end us' '
    printf "#!/bin/sh\ntrap \"echo more; exit 6\" XCPU\necho \$\$ >\"\$1\"; read x <>never\n" >limit.sh && mkfifo never && chmod +x limit.sh
    rm -f pid
    loadcast run -q --image app.lcast -- ./limit.sh "$tmp/pid" >out &
    job=$!
    wait_until test -s pid
    kill -XCPU $job
    status=0
    wait $job || status=$?
    [ "$status:$(cat out)" = 6:more ]
    gone
'
finish
