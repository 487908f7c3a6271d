#!/bin/sh
# trace follows a process tree through everything it may do.
. "$(dirname "$0")/lib.sh"
need_ptrace
families=$PROGRAMS/families
json() { "$python" -c "import json,sys; j=json.load(open(sys.argv[1])); print($1)" "$2"; }
asked() { grep -Pc "\t/etc/passwd(\t|$)" "$1"; }
in_state() { grep -q "^State:.$2" "/proc/$1/status" 2>/dev/null; }
gone() { ! kill -0 "$1" 2>/dev/null; }
child_of() { cat "/proc/$1/task/$1/children" 2>/dev/null | cut -d " " -f 1; }

t 'threads are followed' '
    code 0 loadcast trace --log log --json f.json -- "$families" threads
    test "$(asked log)" = 200
    test "$(json "j[\"outcome\"][\"threads\"]" f.json)" = 5
    test "$(json "j[\"outcome\"][\"processes\"]" f.json)" = 1
'
t 'exec by a thread that is not the first' '
    code 0 loadcast trace --log log --json f.json -- "$families" thread-exec
    grep -Pq "\texecve\t0\t/bin/true\t" log
    test "$(json "j[\"totals\"][\"kinds\"][\"exec\"][\"ok\"]" f.json)" = 2
'
t 'posix_spawn, vfork and clone3 children are followed' '
    for mode in spawn vfork; do
        code 0 loadcast trace --log log -- "$families" $mode
        grep -Pq "\texecve\t0\t/bin/true\t" log
    done
    code 0 loadcast trace --log log -- "$families" clone3
    test "$(asked log)" = 1
'
t 'a daemon is followed to its end' '
    code 0 loadcast trace --log log -- "$families" daemon
    test -e alive
    test "$(asked log)" = 1
'
t 'Ctrl-C after the program has ended: report at once, the daemon unharmed' '
    rm -f alive orphan
    mkfifo go
    loadcast trace --json f.json -- "$families" daemon >out 2>err &
    wait_until test -s orphan
    wait_until test ! -e "/proc/$(cat orphan)"
    kill -INT $!
    wait $!
    test ! -e alive
    test "$(json "j[\"outcome\"][\"partial\"]" f.json)" = True
    timeout 60 sh -c "echo >go"
    wait_until test -e alive
'
t 'a program that stops stays stopped, and goes on when continued' '
    loadcast trace -o table -- "$families" stop &
    keeper=; wait_until eval "keeper=\$(child_of $!); test -n \"\$keeper\""
    pid=; wait_until eval "pid=\$(child_of \$keeper); test -n \"\$pid\""
    wait_until in_state $pid t
    wait_until in_state $keeper S # it has seen to it, and waits for what comes next
    in_state $pid t
    test ! -e continued
    kill -CONT $pid
    wait $!
    test -e continued
'
mkfifo never # nobody writes to it: to read from it is to wait for a signal
t 'a signal sent to us reaches the program' '
    loadcast trace -o table -- sh -c "trap \"exit 5\" USR1; exec 7<>never; echo ready >ready; read x <&7" &
    wait_until test -e ready
    kill -USR1 $!
    rc=0; wait $! || rc=$?
    test $rc = 5
'
# A signal between "ready" and the blocking read would wait for ever: nothing that is traced lies between them.
t 'Ctrl-C on a terminal reaches the program, once, and its answer is ours' '
    code 6 "$python" "$here/pty_run.py" ready "\x03" loadcast trace -o table -- \
        sh -c "trap \"echo caught; exit 6\" INT; exec 7<>never; echo ready; read x <&7"
    test "$(grep -c caught out)" = 1
    code 130 "$python" "$here/pty_run.py" ready "\x03" loadcast trace -o table -- \
        "$python" -c "
import signal, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
print(\"ready\", flush=True); time.sleep(20)"
'
t 'a signal to the whole group is not multiplied by us' '
    code 0 timeout 60 setsid sh -c "loadcast trace -o table -- \"$python\" -c \"
import os, signal
n = 0
r, w = os.pipe()
def count(*_):
    global n
    n += 1
signal.signal(signal.SIGUSR1, count)
signal.signal(signal.SIGUSR2, lambda *_: os.write(w, bytes(1)))
open('\''up'\'', '\''w'\'').close()
os.read(r, 1)
open('\''count'\'', '\''w'\'').write(str(n))\" & us=\$!
        trap : USR1; . $here/wait.sh; wait_until test -e up; kill -USR1 0
        # A later signal, to us alone: the program gets it after whatever we make of the first.
        kill -USR2 \$us; until wait \$us; do :; done"
    test "$(cat count)" -ge 1
    test "$(cat count)" -le 2
'
t 'closed standard streams stay closed, and nothing of ours takes their place' '
    rc=0; loadcast trace --log log -- sh -c "echo out; exit 7" >&- 2>/dev/null || rc=$?
    test $rc = 7
    lacks "operations" log
    grep -x out log | nothing
    rc=0; loadcast trace -- sh -c "exit 7" <&- >&- 2>&- || rc=$?
    test $rc = 7
'
t 'no process of ours is left when trace has ended' '
    "$python" -c "
import ctypes, os, subprocess
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
for i in range(5): subprocess.run([\"loadcast\", \"trace\", \"-o\", os.devnull, \"--\", \"true\"], check=True)
try:
    os.waitpid(-1, os.WNOHANG)
    print(\"left\")
except ChildProcessError:
    print(\"none\")" >left
    test "$(cat left)" = none
'
t 'a signal in the first moments reaches the program' '
    for delay in 0 0.001 0.002 0.004 0.006; do
        loadcast trace -o table -- sleep 5 &
        sleep $delay
        kill -TERM $!
        rc=0; wait $! || rc=$?
        test $rc = 143
    done
'
t 'if trace is killed, the program goes on to its end' '
    loadcast trace -o table -- sh -c "echo >started; read x <go; cat /etc/passwd >/dev/null && echo >finished" &
    wait_until test -e started
    kill -KILL $!
    wait $! || :
    timeout 60 sh -c "echo >go"
    wait_until test -e finished
'
t 'if the tracing process itself is killed, nothing is left stopped or failing' '
    loadcast trace -o table -- sh -c "echo \$\$ >pid; sleep 30" 2>err &
    keeper=; wait_until eval "keeper=\$(child_of $!); test -n \"\$keeper\""
    wait_until test -s pid
    kill -KILL $keeper
    rc=0; wait $! || rc=$?
    test $rc = 125
    says "the tracing process was killed" err
    says "the program was ended with it" err
    wait_until gone "$(cat pid)"
'
t '--for lets go: the program goes on untraced, its status is still ours' '
    rm -f f.json
    code 4 loadcast trace --for 0.3 --json f.json -- sh -c "cat /etc/passwd >/dev/null; . $here/wait.sh; wait_until test -s f.json && echo yes >told; grep TracerPid /proc/\$\$/status >tracer; grep Seccomp: /proc/\$\$/status >>tracer; exit 4"
    grep -Pqx "TracerPid:\t0" tracer
    grep -Pqx "Seccomp:\t0" tracer
    test -e told
    test "$(json "j[\"outcome\"][\"partial\"]" f.json)" = True
    test "$(json "j[\"outcome\"][\"running\"]" f.json)" = True
'
t '--for lets go of threads that never pause' '
    code 0 loadcast trace --for 0.3 --json f.json -- "$families" busy
    test "$(json "j[\"outcome\"][\"running\"]" f.json)" = True
'
t '--for works whatever signals we were born with' '
    rm -f f.json
    code 9 "$python" -c "
import signal, subprocess, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); signal.signal(signal.SIGCHLD, signal.SIG_IGN)
import os; os.execvp(\"loadcast\", [\"loadcast\", \"trace\", \"--json\", \"f.json\", \"--for\", \"0.2\", \"--\", \"sh\", \"-c\", \". $here/wait.sh; wait_until test -s f.json; exit 9\"])"
    test "$(json "j[\"outcome\"][\"running\"]" f.json)" = True
'
t 'a program that ends before --for is reported whole' '
    code 0 loadcast trace --for 20s --json f.json --log log -- cat /etc/passwd
    test "$(json "j[\"outcome\"][\"partial\"]" f.json)" = False
    test "$(asked log)" -ge 2
'
t 'with and without the filter the same calls are seen' '
    loadcast trace -o table --log one -- cat /etc/passwd >/dev/null
    loadcast trace -o table --log two --for 20s -- cat /etc/passwd >/dev/null
    cut -f 2,4 one | grep -v "^#" >a; cut -f 2,4 two | grep -v "^#" >b
    same a b
'
t 'a program is told of all its CPUs' '
    "$families" affinity >plain
    code 0 loadcast trace -o table -- "$families" affinity
    same plain out
'
t 'while it computes, a program may use every CPU' '
    code 0 loadcast trace -o table -- "$python" -c "
import os, time
for i in range(300): os.stat(\"/\")
end = time.time() + 0.8
while time.time() < end: pass
print(open(\"/proc/self/status\").read().split(\"Cpus_allowed_list:\")[1].split()[0])"
    cp out traced
    "$python" -c "print(open(\"/proc/self/status\").read().split(\"Cpus_allowed_list:\")[1].split()[0])" >plain
    same plain traced
'
t 'children of a busy program may use every CPU' '
    code 0 loadcast trace -o table -- "$python" -c "
import os, threading, time
true = os.sched_getaffinity(0)
def ask():
    for i in range(200):
        for j in range(30): os.stat(\"/\")
        time.sleep(0.001)
threading.Thread(target=ask).start()
bad = 0
for i in range(100):
    for j in range(20): os.stat(\"/\")
    pid = os.fork()
    if pid == 0:
        time.sleep(0.003)
        os._exit(os.sched_getaffinity(0) != true)
    bad += os.waitpid(pid, 0)[1] != 0
print(bad)"
    test "$(cat out)" = 0
'
t 'a program that chooses its CPU keeps it' '
    code 0 loadcast trace -o table -- "$python" -c "
import os
for i in range(200): os.stat(\"/\")
cpu = max(os.sched_getaffinity(0)); os.sched_setaffinity(0, {cpu})
for i in range(200): os.stat(\"/\")
print(os.sched_getaffinity(0) == {cpu})"
    test "$(cat out)" = True
'
t 'ranks of an MPI job under trace, and trace of a whole job' '
    command -v mpiexec >/dev/null || skip "no mpiexec"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe
    code 0 timeout 60 mpiexec -n 2 loadcast trace -o table -- cat /etc/passwd
    code 0 timeout 60 loadcast trace --log log -- mpiexec -n 2 stat /etc/passwd
    test "$(grep -Pc "\texecve\t0\t[^\t]*/stat\t" log)" = 2
'
finish
