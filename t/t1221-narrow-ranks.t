#!/bin/sh
# The ranks of a launch line stage by themselves: one start of the launcher, programs find what they would find
# without, and the last one of a node removes what was staged. The nodes of these tests are this machine.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
run_app <<EOS
exit) exit "\$2" ;;
wait) echo \$\$ >"\$2.\$MPI_LOCALRANKID"; . "$here/wait.sh"; wait_until test -e "\$2" ;;
EOS
# A launcher of ranks on this machine; with KILL it kills the first one when "$tmp/kill" is there.
mkdir bin
cat >bin/mpiexec.hydra <<EOS
#!/bin/sh
echo start >>$tmp/starts
n=1
while [ "\${1#-}" != "\$1" ]; do
    case \$1 in -n) n=\$2; shift 2 ;; -genv) export "\$2=\$3"; shift 3 ;; *) shift 2 ;; esac
done
i=0 pids= status=0
while [ \$i -lt \$n ]; do
    MPI_LOCALRANKID=\$i "\$@" &
    pids="\$pids \$!"
    i=\$((i + 1))
done
echo \$pids >$tmp/ranks
for p in \$pids; do wait \$p || status=\$?; done
exit \$status
EOS
chmod +x bin/mpiexec.hydra
PATH=$tmp/bin:$PATH
ranks() { n=$1; shift; loadcast run --via ranks --image app.lcast -- mpiexec.hydra -n "$n" "$@"; }
kits() { find node /dev/shm /tmp -maxdepth 1 -name ".loadcast-kit.$(id -u).*" -newer app.lcast 2>/dev/null; }
no_kits() { [ -z "$(find node -maxdepth 1 -name ".loadcast-kit.*")" ]; }
# janitors: processes that remove what these tests staged
janitors() { find node -path "*/users/t.*" | sed 's,.*/t\.\([0-9]*\)\..*,\1,'; }

t 'one start of the launcher; each rank is served; the last removes it' '
    rm -f starts
    code 0 ranks 4 sw/app.sh
    [ "$(grep -c content out)" = 4 ] || { cat out err; exit 1; }
    [ "$(wc -l <starts)" = 1 ]
    says "the first rank on each node stages: --via ranks" err
    gone
    rm -f starts
    code 0 loadcast run --stats --via ranks --image app.lcast -- mpiexec.hydra -n 4 sw/app.sh
    grep -q "^saved  *[1-9].* in 4 processes\|^saved  *[1-9]" err || { cat err; exit 1; }
    says "by the first rank on each node, within the launch line" err
    gone
'
t 'Open MPI carries it too' '
    [ -x /usr/bin/mpiexec.openmpi ] || skip "openmpi-bin is not installed"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    code 0 loadcast run --via ranks --image app.lcast -- mpiexec.openmpi -n 2 --oversubscribe -x A=b \
        sh -c "echo \"\$LOADCAST_NODE \$A \$LOADCAST_KITS \$LOADCAST_KIT1\"; exec sw/app.sh"
    [ "$(grep -c content out)" = 2 ] || { cat out err; exit 1; }
    [ "$(grep -cx "$tmp/node/loadcast-[0-9]*/[0-9a-f]* b *" out)" = 2 ] || { cat out; exit 1; }
    gone
    # Two parts of a line.
    code 0 loadcast run --via ranks --image app.lcast -- mpiexec.openmpi --oversubscribe -n 1 sw/app.sh : -n 1 sw/app.sh
    [ "$(grep -c content out)" = 2 ] || { cat out err; exit 1; }
    gone
'
# What a process is given, and what it could notice of us.
cat >look.py <<'EOS'
import os, signal, sys
say = []
for line in open("/proc/self/status"):
    if line.split(":")[0] in ("Umask", "SigBlk", "SigPnd", "ShdPnd", "NoNewPrivs", "Cpus_allowed"):
        say.append(line.strip())
    elif line.startswith("SigIgn:"):  # but for 32 and 33, which glibc takes for itself when a program starts a thread
        say.append("SigIgn: %x" % (int(line.split()[1], 16) & ~(3 << 31)))
try:
    say.append(str(os.waitpid(-1, os.WNOHANG)))
except ChildProcessError:
    say.append("no children")
say += [open("/proc/self/task/%d/children" % os.getpid()).read(), os.getcwd(), str(os.getpgid(0) == os.getppid()), str(os.nice(0))]
for fd in range(64):
    try:
        say.append("%d %s" % (fd, os.readlink("/proc/self/fd/%d" % fd)))
    except OSError:
        pass
say += [n + "=" + os.environ[n] for n in sorted(os.environ) if n not in ("LD_AUDIT", "LD_PRELOAD", "LOADCAST_NODE", "GLIBC_TUNABLES", "_")]
say += [i for n in ("LD_AUDIT", "LD_PRELOAD") for i in os.environ.get(n, "").split(":") if i and "/loadcast-" not in i]
open(sys.argv[1] + os.environ["MPI_LOCALRANKID"], "w").write("\n".join(say) + "\n")
EOS
cat >start.py <<'EOS'
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.umask(0o027)
os.execvp(sys.argv[1], sys.argv[1:])
EOS
t 'programs find the mask, signals, variables, descriptors and children that they would find without' '
    export LD_LIBRARY_PATH=/opt/none LD_PRELOAD= ODD="a b;c"
    : >in
    for how in "set" ""; do
        [ -n "$how" ] || unset LD_LIBRARY_PATH LD_PRELOAD
        "$python" start.py mpiexec.hydra -n 3 "$python" look.py "$tmp/plain." <in 5<in >o 2>&1
        "$python" start.py loadcast run -q --via ranks --image app.lcast -- mpiexec.hydra -n 3 "$python" look.py "$tmp/with." <in 5<in >o 2>&1
        for i in 0 1 2; do same plain.$i with.$i; done
        wait_until clean_now
    done
'
t 'a rank that is killed while it stages: another one does it' '
    hold_staging_lock
    rm -f ranks
    loadcast run --via ranks --wait 60s --image app.lcast -- mpiexec.hydra -n 3 sw/app.sh >out 2>err 8<&- &
    job=$!
    wait_until test -s ranks
    first=$(cut -d " " -f 1 ranks)
    wait_until grep -q "stager" /proc/$first/cmdline
    kill -KILL $first
    exec 8<&-
    wait $job || :
    [ "$(grep -c content out)" = 2 ] || { cat out err; exit 1; }
    lacks "runs without it" err
    gone
    wait_until no_kits
'
t 'somebody stages and does nothing: all run plainly after --wait, and one says why' '
    hold_staging_lock
    code 0 loadcast run --via ranks --wait 1s --image app.lcast -- mpiexec.hydra -n 3 sw/app.sh 8<&-
    [ "$(grep -c content out)" = 3 ] || { cat out err; exit 1; }
    [ "$(grep -c "$(uname -n) runs without it: " err)" = 1 ] || { cat err; exit 1; }
    code 125 loadcast run --strict --via ranks --wait 1s --image app.lcast -- mpiexec.hydra -n 2 sw/app.sh 8<&-
    lacks content out
    exec 8<&-
    loadcast clean --all --dir "$tmp/node" >/dev/null
    left | nothing
'
t 'an interrupt ends the ranks, and what they staged goes' '
    rm -f go go.* ranks
    loadcast run -q --via ranks --image app.lcast -- mpiexec.hydra -n 2 sw/app.sh wait "$tmp/go" >out 2>err &
    job=$!
    for i in 0 1; do wait_until test -s go.$i; done
    [ -n "$(janitors)" ]
    kill -TERM $job
    kill -TERM $(cat ranks)
    wait $job || :
    gone
'
# Ranks that find no janitor at the same moment start one each: the file of the first is put back.
t 'two processes that clean the same directory do not wait for each other' '
    rm -f go go.*
    loadcast run -q --via ranks --image app.lcast -- mpiexec.hydra -n 1 sw/app.sh wait "$tmp/go" >out 2>err &
    wait_until test -s go.0
    first=$(find node -path "*/users/t.*")
    mv "$first" "${first%/*}/t.4194304.1.$(stat -Lc %i /proc/self/ns/pid)"
    code 0 ranks 1 sw/app.sh
    : >"$first"
    [ "$(janitors | wc -l)" = 2 ] || { left; exit 1; }
    : >go
    wait
    gone
'
killed() { for p; do if kill -0 $p 2>/dev/null; then return 1; fi; done; }
kill_all() {
    rm -f go go.* ranks
    loadcast run -q --via ranks --image app.lcast -- mpiexec.hydra -n 2 sw/app.sh wait "$tmp/go" >out 2>err &
    job=$!
    for i in 0 1; do wait_until test -s go.$i; done
    wait_until eval "[ -n \"\$(janitors)\" ]"
    guards=$(cat /proc/$job/task/$job/children)
    all="$(janitors) $(cat ranks) $guards $job"
    kill -KILL $all || : # one of them may have ended
    wait $job || :
    wait_until killed $(cat ranks)
    [ -n "$(left)" ]
}
t 'all killed, and the process that cleans: the next run of the same image removes it' '
    kill_all
    code 0 ranks 2 sw/app.sh
    [ "$(grep -c content out)" = 2 ]
    gone
'
t 'all killed: whatever the user stages next on that node removes it, at once' '
    kill_all
    mkdir -p sw2 && cp -r sw/. sw2/ && loadcast record -o other.lcast --manage sw2 -- sw2/app.sh >/dev/null 2>&1
    code 0 loadcast run -q --image other.lcast -- sw2/app.sh
    left | nothing
'
# What the ranks had started themselves may live a moment longer, and use it.
epilog() { loadcast clean --dir "$tmp/node" >/dev/null; }
t 'all killed: an epilog removes it' '
    kill_all
    wait_until epilog
    left | nothing
'
t 'a rank that adopts orphans gets no process that it did not start' '
    cat >adopt.py <<-"E"
	import ctypes, os, sys
	ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
	os.execvp(sys.argv[1], sys.argv[1:])
	E
    cat >bin/mpiexec.hydra.adopt <<-E
	#!/bin/sh
	while [ "\${1#-}" != "\$1" ]; do case \$1 in -genv) export "\$2=\$3"; shift 3 ;; *) shift 2 ;; esac; done
	MPI_LOCALRANKID=0 exec "$python" $tmp/adopt.py "\$@"
	E
    chmod +x bin/mpiexec.hydra.adopt
    mkdir -p adopt && cp bin/mpiexec.hydra.adopt adopt/mpiexec.hydra
    code 0 env PATH="$tmp/adopt:$PATH" loadcast run -q --via ranks --image app.lcast -- mpiexec.hydra -n 1 "$python" -c "
import os
try: os.waitpid(-1, os.WNOHANG); print(\"a child\")
except ChildProcessError: print(\"none\")"
    says none out
    loadcast clean --all --dir "$tmp/node" >/dev/null
    left | nothing
'
t 'in a job it stays for the next run of the job; its end cleans' '
    export PBS_JOBID=77
    code 0 ranks 2 sw/app.sh
    [ "$(grep -c content out)" = 2 ]
    janitors | nothing
    [ -n "$(left)" ]
    code 0 ranks 2 sw/app.sh
    [ "$(grep -c content out)" = 2 ]
    wait_until epilog
    left | nothing
'
t 'an image that cannot be used: said, and run' '
    head -c 5000 app.lcast >bad.lcast
    code 0 loadcast run --via ranks --image bad.lcast -- mpiexec.hydra -n 2 sw/app.sh
    [ "$(grep -c content out)" = 2 ]
    says "running without it" err
    gone
'
t 'a line that gets longer than the kernel takes runs plainly' '
    big=$(head -c 120000 /dev/zero | tr "\0" x)
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do export "BIG$i=$big"; done
    code 0 ranks 1 sw/app.sh
    says content out
    says "too long for its ranks to stage; running without it" err
'
t '--via ranks where that is impossible: the reason, and the line runs' '
    code 0 loadcast run --via ranks --image app.lcast -- sw/app.sh
    says content out
    says "its ranks cannot stage it: not tried with this launcher" err
    code 0 loadcast run --via ranks --wrap never --image app.lcast -- mpiexec.hydra -n 1 sw/app.sh
    says "nothing may stand before the program" err
    code 1 loadcast stage --via ranks app.lcast
    says "only the ranks" err
    left | nothing
'
finish
