#!/bin/sh
# A launch line whose processes all run on this machine: loadcast run stages by itself, and starts nothing beside
# the line.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
run_app <<EOS
exit) exit "\$2" ;;
wait) echo \$\$ >"\$2"; . "$here/wait.sh"; wait_until test ! -e "\$2" ;;
EOS
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# A launcher that notes each of its starts.
mkdir bin
printf '#!/bin/sh\necho start >>%s/starts\nexec /usr/bin/mpiexec.openmpi "$@"\n' "$tmp" >bin/mpiexec.openmpi
chmod +x bin/mpiexec.openmpi
ln -s mpiexec.openmpi bin/mpiexec
need_openmpi() { [ -x /usr/bin/mpiexec.openmpi ] || skip "openmpi-bin is not installed"; }
t 'a plain command: nothing is started beside it, neither before nor after' '
    command -v strace >/dev/null || skip "strace is not installed"
    no_leak_check strace -f -qq -o calls -e trace=execve loadcast run -q --image app.lcast -- sw/app.sh >out 2>err
    says content out
    # The front, loadcast itself; the shell line, the launcher, the program and what that starts.
    grep -o "execve(\"[^\"]*" calls | sed "s,.*/,," | sort -u >programs
    printf "%s\n" 9 cat dirname launch ld-linux-x86-64.so.2 loadcast loadcast-full sh >known
    grep -vxFf known programs | nothing
    left | nothing
'
t 'mpiexec: one start of the launcher, served from memory, and nothing left' '
    need_openmpi
    for name in mpiexec.openmpi mpiexec; do
        rm -f starts
        code 0 env PATH="$tmp/bin:$PATH" loadcast run --stats --image app.lcast -- $name -n 2 --oversubscribe sw/app.sh
        [ "$(grep -c content out)" = 2 ]
        [ "$(wc -l <starts)" = 1 ] || { cat starts; exit 1; }
        says "by fs on 1 node" err
        grep -q "^saved  *[1-9]" err
        wait_until clean_now || { left; exit 1; }
    done
'
t 'ranks that land elsewhere after all are started through the line that looks whose the launcher is' '
    need_openmpi
    code 0 loadcast run --keep --image app.lcast -- mpiexec.openmpi -n 1 sh -c "echo \$LD_PRELOAD; tr \"\\0\" \"\\n\" </proc/\$PPID/environ | grep -c ^LOADCAST_NODE" || :
    says "$tmp/node/loadcast-" out
    loadcast clean --all --dir "$tmp/node" >/dev/null
    left | nothing
'
t 'a line for other nodes is not staged here' '
    printf "#!/bin/sh\nexit 1\n" >bin/srun && chmod +x bin/srun
    for line in "mpiexec.openmpi -H far1,far2" "mpiexec.openmpi --hostfile $tmp/hosts" "mpiexec.hydra -f $tmp/hosts"; do
        printf "far1 slots=8\nfar2\n# far3\n" >hosts
        loadcast run --dry-run --image app.lcast -- $line -n 2 sw/app.sh >steps
        lacks "loadcast run itself stages" steps
    done
    OMPI_MCA_orte_default_hostfile=$tmp/hosts loadcast run --dry-run --image app.lcast -- mpiexec.openmpi -n 2 sw/app.sh >steps
    lacks "loadcast run itself stages" steps
    for line in "" "mpiexec.openmpi -n 2" "mpiexec.openmpi -H localhost,$(uname -n):4" "mpiexec.hydra -n 2"; do
        loadcast run --dry-run --image app.lcast -- $line sw/app.sh >steps
        says "# loadcast run itself stages: all of it runs on this machine" steps
    done
    SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 SLURM_JOB_NODELIST=a loadcast run --dry-run --image app.lcast -- srun -n 2 sw/app.sh >steps
    lacks "loadcast run itself stages" steps
    SLURMD_NODENAME=a SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 SLURM_JOB_NODELIST=a loadcast run --dry-run --image app.lcast -- srun -n 2 sw/app.sh >steps
    says "# loadcast run itself stages" steps
'
t 'several at a time, some killed: the last one cleans' '
    for i in 1 2 3; do
        rm -f pid.$i
        loadcast run -q --image app.lcast -- sw/app.sh wait "$tmp/pid.$i" >out.$i 2>err.$i &
        eval "job$i=$!"
    done
    for i in 1 2 3; do wait_until test -s pid.$i; done
    kill -KILL $job2
    wait $job2 || :
    rm -f pid.1
    wait $job1
    says content out.1
    [ -n "$(left)" ]
    rm -f pid.3 pid.2
    wait $job3
    says content out.3
    wait_until clean_now || { left; exit 1; }
'
t 'another run ends between the staging and the start of the line: it stays' '
    # The line itself waits; a second run of the same image begins and ends meanwhile.
    rm -f pid
    loadcast run -q --image app.lcast -- sh -c "echo \$\$ >$tmp/pid; . $here/wait.sh; wait_until test ! -e $tmp/pid; exec sw/app.sh" >first 2>&1 &
    job=$!
    wait_until test -s pid
    code 0 loadcast run -q --image app.lcast -- sw/app.sh
    [ -n "$(left)" ]
    rm pid
    wait $job
    says content first
    left | nothing
'
t 'a signal while it stages ends it, and what was staged is removed' '
    # It waits for a lock that somebody holds.
    code 0 loadcast run -q --keep --image app.lcast -- true
    lock=$(find node -name ".*.lock")
    dir=$(find node -mindepth 2 -maxdepth 2 -type d)
    [ -n "$lock" ] || { lock=${dir%/*}/.${dir##*/}.lock; : >"$lock"; }
    exec 8<>"$lock"
    flock 8
    rm -rf "$dir"
    loadcast run --wait 60s --image app.lcast -- sw/app.sh >out 2>err 8<&- &
    job=$!
    wait_until eval "ls -l /proc/$job/fd | grep -q \"/[.][0-9a-f]*[.]lock\""
    kill -TERM $job
    status=0
    wait $job || status=$?
    exec 8<&-
    [ $status = 143 ] || { echo $status; cat out err; exit 1; }
    lacks content out
    rm -f "$lock" # it stays if the run looked before it was released
    wait_until clean_now || { left; exit 1; }
'
t 'somebody stages and does nothing: the line runs plainly after --wait' '
    hold_staging_lock
    code 0 loadcast run --wait 1s --image app.lcast -- sw/app.sh 8<&-
    exec 8<&-
    says content out
    says "has done nothing for 1 s; running without it" err
    loadcast clean --all --dir "$tmp/node" >/dev/null
    left | nothing
'
finish
