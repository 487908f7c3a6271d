#!/bin/sh
# loadcast doctor: is this machine fit? Each check with a line, and a next step where there is something to do.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
unset LOADCAST LOADCAST_CONF SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID LOADCAST_STAGE_MPI
mkdir bin
# A PATH without launchers and Pythons but those that the test puts there.
for tool in sh cat mount mkdir chmod; do ln -s "$(command -v $tool)" bin/; done
alone() { PATH=$build:$tmp/bin "$@"; }
# line LEVEL CHECK TEXT: such a line is in the output
line() { grep -E "^$1 +$2 " out | grep -qF -e "$3" || { echo "no '$1 $2 ... $3' in:"; cat out; return 1; }; }

t 'a line for each check, with a next step; the same as JSON' '
    alone loadcast doctor >out && status=0 || status=$?
    cp out plain
    for check in "node memory" noexec "memory limit" ptrace shims launchers srun "MPI helper" glibc Python FUSE store site; do
        grep -qE "^(ok|note|problem) +$check " plain || { echo "no $check"; cat plain; exit 1; }
    done
    grep -vF "; next: " plain | nothing
    [ "$status" = "$(grep -c "^problem" plain | sed "s/[1-9].*/1/")" ]
    alone loadcast doctor --json >out || [ $? = "$status" ]
    "$python" - <<-"P"
	import json
	d = json.load(open("out"))
	rows = [l for l in open("plain")]
	assert len(d["checks"]) == len(rows)
	for check, row in zip(d["checks"], rows):
	    assert row.startswith(check["result"]) and check["check"] in row and check["text"].split(":")[0] in row, (check, row)
	    assert check["next"], check
	assert d["problems"] == sum(c["result"] == "problem" for c in d["checks"])
	assert d["program"] == "loadcast doctor" and d["version"]
	P
'
t 'colours on a terminal only, and not with NO_COLOR' '
    escape=$(printf "\033")
    lacks "$escape" plain
    TERM=xterm "$python" "$here/pty_run.py" memory "" loadcast doctor >out 2>&1 || :
    says "$escape[3" out
    NO_COLOR=1 TERM=xterm "$python" "$here/pty_run.py" memory "" loadcast doctor >out 2>&1 || :
    says "node memory" out
    lacks "$escape[3" out
'
t 'no program is started that need not be asked' '
    need_ptrace
    ln -sf "$python" bin/python3
    alone no_leak_check loadcast trace -o /dev/null --log log -- loadcast doctor >out
    line ok Python "tested"
    awk -F "\t" "\$2 == \"execve\" && \$3 == 0" log >started
    [ "$(wc -l <started)" -le 2 ] || { cat started; exit 1; } # loadcast and loadcast-full
'
t 'node memory: the directory, and how much fits' '
    loadcast doctor --dir "$LOADCAST_DIR" >out || :
    says "images are staged in '\''$LOADCAST_DIR'\''" out
    alone loadcast doctor --dir "$tmp/none" >out && exit 1 || [ $? = 1 ]
    line problem "node memory" "no directory can hold staged images"
    line note "node memory" "$tmp/none"
'
t 'noexec: another directory is used, and where there is none that is a problem' '
    unshare -rm true 2>/dev/null || skip "no namespaces for users here"
    mkdir -p noexec
    unshare -rm sh -c "mount -t tmpfs -o noexec,mode=1777 tmpfs /dev/shm && unset LOADCAST_DIR TMPDIR && loadcast doctor" >out || :
    line note noexec "'\''/dev/shm'\'' is mounted noexec"
    line note noexec "set LOADCAST_DIR to a local directory"
    grep -qE "^(ok|note) +node memory +images are staged in ./tmp. " out
    unshare -rm sh -c "mount -t tmpfs -o noexec,mode=700 tmpfs noexec && loadcast doctor --dir $tmp/noexec" >out && exit 1 || [ $? = 1 ]
    line problem noexec "and there is no other: programs and libraries are not served"
'
t 'little room is told' '
    unshare -rm true 2>/dev/null || skip "no namespaces for users here"
    mkdir -p small
    unshare -rm sh -c "mount -t tmpfs -o size=10m,mode=700 tmpfs small && loadcast doctor --dir $tmp/small" >out || :
    line note "node memory" "ask for more memory per node"
'
t "the cgroup's limit on memory" '
    [ "$(id -u)" = 0 ] || skip "needs root to make a cgroup"
    if [ -f /sys/fs/cgroup/cgroup.controllers ] && grep -qw memory /sys/fs/cgroup/cgroup.subtree_control; then
        group=/sys/fs/cgroup/loadcast-test.$$ limit=memory.max
    elif [ -d /sys/fs/cgroup/memory ]; then
        group=/sys/fs/cgroup/memory/loadcast-test.$$ limit=memory.limit_in_bytes
    else
        skip "no memory cgroup here"
    fi
    mkdir "$group" 2>/dev/null || skip "cannot make a cgroup"
    trap "rmdir $group" EXIT
    echo 300000000 >"$group/$limit"
    sh -c "echo \$\$ >$group/cgroup.procs; exec loadcast doctor" >out || :
    line note "memory limit" "with Slurm: --mem"
    says " of the cgroup" out
'
t 'ptrace forbidden' '
    "$PROGRAMS/no-ptrace" true || skip "no seccomp filters here"
    alone "$PROGRAMS/no-ptrace" loadcast doctor >out || :
    line note ptrace "forbidden (Operation not permitted)"
    line note ptrace "--cap-add=SYS_PTRACE"
'
t 'no launcher in PATH; one that nobody knows; MPICH, and its helper' '
    alone loadcast doctor >out || :
    line note launchers "no srun, mpiexec or mpirun is in PATH"
    printf "#!/bin/sh\necho version 1 of something\n" >bin/mpirun && chmod +x bin/mpirun
    alone loadcast doctor >out || :
    line note mpirun "is of no MPI that is known"
    lacks "no srun, mpiexec" out
    rm bin/mpirun
    command -v mpiexec.hydra >/dev/null || skip "no MPICH"
    mkdir -p inst && own_files inst
    ln -sf "$(command -v mpiexec.hydra)" bin/mpiexec
    PATH=$tmp/bin inst/loadcast doctor >out || :
    line ok mpiexec "$tmp/bin/mpiexec"
    line note "MPI helper" "mpicc -O2 -o stage-mpi $tmp/inst/stage-mpi.c"
    cp bin/sh inst/stage-mpi.mpich
    PATH=$tmp/bin inst/loadcast doctor >out || :
    line ok "MPI helper" "$tmp/inst/stage-mpi.mpich"
    rm bin/mpiexec
'
t 'srun: its version, or why it tells none' '
    printf "#!/bin/sh\necho slurm-wlm 22.05.8\n" >bin/srun && chmod +x bin/srun
    alone loadcast doctor >out || :
    line ok srun "slurm-wlm 22.05.8"
    printf "#!/bin/sh\necho no configuration >&2\nexit 1\n" >bin/srun
    alone loadcast doctor >out || :
    line note srun "fails: no configuration"
    rm bin/srun
'
t 'Python: none, too old, too new, tested; by the name of its link, else by its word' '
    rm -f bin/python3
    alone loadcast doctor >out || :
    line note Python "no python3 is in PATH"
    for minor in 7 99; do
        printf "#!/bin/sh\nexit 1\n" >bin/python3.$minor && chmod +x bin/python3.$minor
        ln -sf python3.$minor bin/python3
        alone loadcast doctor >out || :
        line note Python "is 3.$minor, the import seam is made for 3.8 to 3.13: it is off"
        rm bin/python3 bin/python3.$minor
    done
    for minor in 7 12; do
        printf "#!/bin/sh\necho Python 3.$minor.1\n" >bin/python3 && chmod +x bin/python3
        alone loadcast doctor >out || :
        case $minor in
        7) line note Python "is 3.7" ;;
        12) line ok Python "is 3.12, tested" ;;
        esac
    done
    printf "#!/bin/sh\nexit 1\n" >bin/python3
    alone loadcast doctor >out || :
    line note Python "of a version that it does not tell"
    rm bin/python3
'
t 'glibc is in the tested range' '
    loadcast doctor >out || :
    line "(ok|note)" glibc "$(getconf GNU_LIBC_VERSION | sed "s/glibc //")"
'
t 'the store: none yet, its size and cap, open to others' '
    line ok store "there is none yet"
    mkdir -m 700 store
    LOADCAST_STORE=$tmp/store alone loadcast doctor >out || :
    line ok store "'\''$tmp/store'\'' is yours alone and holds 0 images, 0 B of at most"
    printf "not really an image" >store/app-0123456789abcdef.lcast
    LOADCAST_STORE=$tmp/store LOADCAST_STORE_CAP=1 alone loadcast doctor >out || :
    line note store "LOADCAST_STORE_CAP allows more"
    chmod 755 store
    code 1 env PATH="$build:$tmp/bin" LOADCAST_STORE="$tmp/store" loadcast doctor
    line problem store "mode 0700"
'
t 'the site: its file, what is wrong in it, Loadcast switched off' '
    echo "quiet = yes" >good.conf
    LOADCAST_CONF=$tmp/good.conf alone loadcast doctor >out || :
    line ok site "$tmp/good.conf"
    echo "quit = yes" >bad.conf
    code 1 env PATH="$build:$tmp/bin" LOADCAST_CONF="$tmp/bad.conf" loadcast doctor
    line problem site "did you mean '\''quiet'\''?"
    echo "off = yes" >off.conf
    LOADCAST_CONF=$tmp/off.conf alone loadcast doctor >out || :
    line note site "has switched Loadcast off"
    LOADCAST=0 alone loadcast doctor >out || :
    line note "switched off" "unset LOADCAST"
'
t 'shims: in PATH, or behind a launcher' '
    printf "#!/bin/sh\necho version 1 of something\n" >bin/mpiexec && chmod +x bin/mpiexec
    PATH=$build/shims:$build:$tmp/bin loadcast doctor >out || :
    line ok shims "'\''$build/shims'\'' is in PATH"
    line note mpiexec "'\''$tmp/bin/mpiexec'\''" # behind the shims
    code 1 env PATH="$tmp/bin:$build/shims:$build" loadcast doctor
    line problem shims "a launcher comes before it"
    rm bin/mpiexec
'
t 'by a user without rights' '
    [ "$(id -u)" = 0 ] || skip "not root: the other cases have run without rights"
    command -v setpriv >/dev/null || skip "no setpriv"
    rm -rf inst && mkdir inst && own_files inst && chmod -R go+rX inst && chmod 755 .
    mkdir -m 700 nobody && chown 65534:65534 nobody
    LOADCAST_STORE=$tmp/nobody/store HOME=$tmp/nobody setpriv --reuid 65534 --regid 65534 --clear-groups inst/loadcast doctor --dir "$tmp/nobody" >out || :
    line "(ok|note)" "node memory" "images are staged in '\''$tmp/nobody'\''"
    line ok store "none yet"
'
finish
