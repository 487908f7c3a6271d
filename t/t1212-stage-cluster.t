#!/bin/sh
# loadcast stage on four nodes that are not all alike, over MPIs that do not fit, by sbcast and with ports
# watched.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
[ -x "$build/stage-mpi.openmpi" ] || skip_all 'built without mpicc.openmpi'
need_cluster
need_ptrace
mkdir sw
head -c 20000000 /dev/urandom >sw/big
yes 'nobody reads this line' | head -c 60000000 >sw/plain
printf '#!/bin/sh\ncd "$(dirname "$0")"; cat big plain >/dev/null; echo fine\n' >sw/app.sh
chmod +x sw/app.sh
find sw -exec touch -d 2020-01-01 {} +
loadcast record -o app.lcast --manage sw -- sw/app.sh >record.out 2>&1 || skip_all "cannot record: $(tail -n 1 record.out)"
cluster up 4 --fs none --memory 400M --keep "$tmp" >/dev/null || exit 1
on() { node=$1; shift; cluster node "$node" -- "$@"; }
line="mpiexec.openmpi -npernode 1 sw/app.sh"
# Patience: the machine may be shared.
stage() { timeout 200 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" stage --wait 60s "$@"; }
slurm() { timeout 200 "$src/tools/cluster" --name "$name" slurm -- salloc -Q -N4 "$@"; }
away() { cleaned; for n in n1 n2 n3 n4; do on $n loadcast clean --all >/dev/null; done; nothing_staged; }
nothing_staged() {
    cleaned
    for n in n1 n2 n3 n4; do on $n find /dev/shm /tmp -maxdepth 2 \( -name "loadcast-[0-9]*" -o -name ".loadcast-*" \); done | nothing
}
# nodes EXPRESSION: on 'r', the JSON report in $tmp/out, and 'nodes' in it
nodes() { "$python" -c "
import json
r = json.load(open('$tmp/out')); nodes = r['nodes']
assert $1, json.dumps(r, indent=1)"; }
by_name() { for p in $(cat "$group/$1/cgroup.procs"); do tr '\0' ' ' 2>/dev/null <"/proc/$p/cmdline" | grep -q "$2" && echo "$p" || :; done; }

t 'nodes of another architecture are named and run plainly; the others are served' '
    cp /usr/bin/uname uname.real
    printf "#!/bin/sh\n[ \"\$1\" = -m ] && echo other-cpu && exit\nexec $tmp/uname.real \"\$@\"\n" >uname.other
    chmod +x uname.other
    on n3 mount --bind "$tmp/uname.other" /usr/bin/uname
    code 4 stage --json app.lcast -- $line
    says "n3 runs without it: its architecture is other-cpu" err
    nodes "r[\"ok\"] == 3 and r[\"failed\"] == 1 and r[\"via\"] == \"fs\""
    code 1 stage --via mpi app.lcast -- $line
    says "MPI needs all nodes, and n3 cannot take part: its architecture is other-cpu" err
    says "try --via fs" err
    code 0 timeout 200 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run --wait 60s --image app.lcast -- $line
    [ "$(grep -c fine out)" = 4 ]
    on n3 umount /usr/bin/uname
    away
'
# The loader that starts the shell on nodes, in a place of which n3 knows nothing, as a node of another
# architecture knows nothing of this one's.
mkdir ld && ln -s "$(ldd /bin/sh | awk '/ld-linux/ { print $1 }')" ld/ld.so
without_loader() { on n3 mount -t tmpfs none "$tmp/ld"; export LOADCAST_LOADER="$tmp/ld/ld.so"; }
with_loader() { on n3 umount "$tmp/ld"; unset LOADCAST_LOADER; }
t 'a node without this machine'"'"'s loader: OpenMPI' '
    without_loader
    on n3 mount --bind "$tmp/uname.other" /usr/bin/uname
    code 4 stage --json app.lcast -- $line
    says "n3 runs without it: its architecture is other-cpu" err
    nodes "r[\"ok\"] == 3 and r[\"failed\"] == 1"
    code 0 timeout 200 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run --wait 60s --image app.lcast -- $line
    [ "$(grep -c fine out)" = 4 ] || { cat out err; exit 1; }
    on n3 umount /usr/bin/uname
    # It can still take part if that is all it lacks.
    code 0 stage --json --via mpi app.lcast -- $line
    nodes "r[\"ok\"] == 4"
    code 0 timeout 200 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run --wait 60s --image app.lcast -- $line
    [ "$(grep -c fine out)" = 4 ] || { cat out err; exit 1; }
    with_loader
    away
'
t 'a node without this machine'"'"'s loader: Slurm' '
    need_package munged slurmctld slurmd srun sbcast
    without_loader
    for via in fs sbcast mpi; do
        code 0 slurm "$build/loadcast" stage --json --wait 60s --via $via app.lcast
        nodes "r[\"ok\"] == 4 and r[\"failed\"] == 0 and r[\"via\"] == \"$via\""
        away
    done
    on n3 mount --bind "$tmp/uname.other" /usr/bin/uname
    # Two runs of one job: the second has only what the first noted.
    printf "for i in 1 2; do \"\$@\" || exit; done\n" >twice
    code 0 slurm sh "$tmp/twice" "$build/loadcast" run --wait 60s --image app.lcast -- srun -N4 -n4 sw/app.sh
    says "n3 runs without it: its architecture is other-cpu" err
    [ "$(grep -c fine out)" = 8 ] || { cat out err; exit 1; }
    # Outside an allocation no step has seen the nodes.
    code 0 timeout 200 "$src/tools/cluster" --name "$name" slurm -- "$build/loadcast" run --image app.lcast -- srun -N4 -n4 sw/app.sh
    says "n3 runs without it: its architecture is other-cpu" err
    [ "$(grep -c fine out)" = 4 ] || { cat out err; exit 1; }
    on n3 umount /usr/bin/uname
    with_loader
    away
'
# where OPTIONS: ranks of a program that is not in the image say where they are; nothing is left
where() {
    timeout 200 "$src/tools/cluster" --name "$name" run -- "$build/loadcast" run --wait 60s --image app.lcast "$@" -- \
        mpiexec.openmpi -npernode 1 /bin/sh -c "echo \"\$(uname -n) \${LOADCAST_NODE:-plain}\"" >out 2>err || { cat out err; return 1; }
    lacks "ld.so" err
    lacks "tar:" err
    [ "$(cut -d " " -f 1 out | sort | paste -sd " ")" = "n1 n2 n3 n4" ] || { cat out err; return 1; }
    nothing_staged
}
t 'node memory that is noexec, read-only or too small on one node: named, plain there' '
    for how in "noexec:mounted noexec" "ro:Read-only" "size=300k:"; do
        on n3 mount -t tmpfs -o "${how%%:*}" none /dev/shm
        where
        says "staged on 3 nodes" err
        says "n3 runs without it: " err
        says "${how#*:}" err
        says "n3 plain" out
        [ "$(grep -c " /dev/shm/loadcast-" out)" = 3 ] || { cat out err; exit 1; }
        on n3 umount /dev/shm
    done
'
t 'node memory that no node can use: another directory, or plain' '
    for how in noexec ro; do
        for n in n1 n2 n3 n4; do on $n mount -t tmpfs -o $how none /dev/shm; done
        where
        [ "$(grep -c " /tmp/loadcast-" out)" = 4 ] || { cat out err; exit 1; }
        where --dir /dev/shm
        [ "$(grep -c " plain" out)" = 4 ] || { cat out err; exit 1; }
        for n in n1 n2 n3 n4; do on $n umount /dev/shm; done
    done
'
t 'so are those with another C library' '
    libc=$(ldd /bin/sh | awk "/libc\\.so/ { print \$3 }")
    "$python" -c "
import os, sys
data, v = open(sys.argv[1], \"rb\").read(), os.confstr(\"CS_GNU_LIBC_VERSION\").split()[1].encode()
other = data
for start in b\"\\0\", b\" \":
    other = other.replace(start + v + b\"\\0\", start + b\"1\" * len(v) + b\"\\0\")
assert other != data
open(\"libc.other\", \"wb\").write(other)" "$(readlink -f "$libc")"
    chmod 755 libc.other
    on n3 mount --bind "$tmp/libc.other" "$(readlink -f "$libc")"
    code 4 stage --json --via mpi app.lcast -- $line
    says "n3 runs without it: the image was recorded with glibc" err
    nodes "r[\"ok\"] == 3 and r[\"failed\"] == 1 and r[\"via\"] == \"mpi\""
    on n3 umount -l "$(readlink -f "$libc")" # umount itself uses it
    away
'
t 'a node without the MPI library: staged without MPI, or told why that cannot be' '
    mpi=$(ldd "$build/stage-mpi.openmpi" | awk "/libmpi\\.so/ { print \$3 }")
    on n3 mount --bind /dev/null "$(readlink -f "$mpi")"
    code 0 stage --json app.lcast -- $line
    nodes "r[\"ok\"] == 4 and r[\"via\"] == \"fs\""
    code 1 stage --via mpi app.lcast -- $line
    says "n3 cannot take part: cannot start stage-mpi" err
    says "libmpi" err
    away
    on n3 umount "$(readlink -f "$mpi")"
'
t 'several processes on a node: one of them does the work' '
    code 0 stage --json --via mpi --with "mpiexec.openmpi -npernode 3" app.lcast
    nodes "r[\"ok\"] == 4 and len(nodes) == 4"
    away
'
t 'the stage-mpi of another MPI: said, not staged by each for itself' '
    [ -x "$build/stage-mpi.mpich" ] || skip "built without mpicc.mpich"
    code 1 stage --via mpi --helper "$build/stage-mpi.mpich" app.lcast -- $line
    says "of another MPI than the launcher" err
    nothing_staged
'
t 'the image cannot be read on the first node: said, nobody waits, nothing is left' '
    : >empty
    on n1 mount --bind "$tmp/empty" "$tmp/app.lcast"
    code 1 stage --via mpi app.lcast -- $line
    on n1 umount "$tmp/app.lcast"
    says "app.lcast" err
    nothing_staged
'
t 'what shrinks is compressed on slow links, what does not is not' '
    for n in n1 n2 n3 n4; do on $n tc qdisc add dev eth0 root tbf rate 60mbit burst 256k latency 50ms; done
    code=0
    stage --json --via mpi app.lcast -- $line >out 2>err || code=$?
    for n in n1 n2 n3 n4; do on $n tc qdisc del dev eth0 root; done
    [ $code = 0 ] || { cat err; exit 1; }
    # 20 MB of noise, and a trial of 16 MiB that is sent as it is.
    nodes "all(20000000 < n[\"wire\"] < 60000000 for n in nodes)"
    away
'
t 'MPICH: every node has it, and no process is left that waits for the end' '
    need_package mpiexec.mpich
    [ -x "$build/stage-mpi.mpich" ] || skip "built without mpicc.mpich"
    code 0 stage --json --via mpi app.lcast -- mpiexec.mpich -ppn 1 sw/app.sh
    nodes "r[\"ok\"] == 4 and r[\"via\"] == \"mpi\""
    gone() { for n in n1 n2 n3 n4; do by_name $n stage-mpi; done | nothing >/dev/null; }
    wait_until gone
    away
'
# listeners NODE WORD: ports on which processes of a node listen whose command line has the word
listeners() {
    "$python" - "$(by_name "$1" "$2" | tr "\n" " ")" <<-"E"
	import os, sys
	count = 0
	for pid in sys.argv[1].split():
	    try:
	        held = {os.readlink("/proc/%s/fd/%s" % (pid, fd)) for fd in os.listdir("/proc/%s/fd" % pid)}
	        rows = [r.split() for k in ("tcp", "tcp6", "udp", "udp6") for r in list(open("/proc/%s/net/%s" % (pid, k)))[1:]]
	    except OSError:
	        continue
	    # 0A: a listening TCP socket; 07: a UDP socket that takes anything
	    count += sum(r[3] in ("0A", "07") and "socket:[%s]" % r[9] in held for r in rows)
	print(count)
	E
}
# Looks while the image is under way over slow links.
watched() {
    for n in n1 n2 n3 n4; do on $n tc qdisc add dev eth0 root tbf rate 40mbit burst 256k latency 50ms; done
    "$@" >out 2>err &
    job=$!
    under_way() { [ -n "$(by_name n2 "stager $word")" ] && on n2 sh -c "ls -d /dev/shm/loadcast-0/.*stage* >/dev/null 2>&1"; }
    wait_until under_way
    listeners n2 stager >stager.listens
    listeners n2 "stage-mpi " >mpi.listens
    [ -n "$(by_name n2 stager)" ] || { echo "it was over too soon"; exit 1; }
    for n in n1 n2 n3 n4; do on $n tc qdisc del dev eth0 root; done
    wait $job || { cat err; exit 1; }
}
cat >bare.c <<'E'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (FILE *f; !(f = fopen(argv[1], "r"));)
        usleep(20000);
    MPI_Finalize();
}
E
t 'no port of our own: the stager listens on none, stage-mpi on as many as any program of its MPI' '
    mpicc.openmpi -o bare-mpi bare.c
    word=receive
    watched stage --via mpi app.lcast -- $line
    [ "$(cat stager.listens)" = 0 ]
    rm -f go
    timeout 100 "$src/tools/cluster" --name "$name" run -- mpiexec.openmpi -npernode 1 "$tmp/bare-mpi" "$tmp/go" >bare.out 2>&1 &
    wait_until eval "[ -n \"\$(by_name n2 \"bare-mpi $tmp\")\" ] && [ \"\$(listeners n2 \"bare-mpi $tmp\")\" != 0 ]"
    bare=$(listeners n2 "^$tmp/bare-mpi")
    : >go
    wait $!
    [ "$(cat mpi.listens)" = "$bare" ] || { echo "stage-mpi listens on $(cat mpi.listens) ports, any program on $bare"; exit 1; }
    away
'
need_slurm() { need_package munged slurmctld slurmd srun sbcast; }
t 'sbcast: after a small change the difference alone is sent' '
    need_slurm
    cp -r sw sw2 && loadcast record -o old.lcast --manage sw -- sw/app.sh >/dev/null 2>&1
    code 0 slurm "$build/loadcast" stage --json --wait 60s --via sbcast old.lcast
    nodes "r[\"ok\"] == 4 and all(n[\"wire\"] > 80000000 for n in nodes)"
    echo "#" >>sw/app.sh
    loadcast record -o new.lcast --manage sw -- sw/app.sh >/dev/null 2>&1
    code 0 slurm "$build/loadcast" stage --json --wait 60s --via sbcast new.lcast
    nodes "r[\"ok\"] == 4 and all(n[\"fresh\"] and n[\"wire\"] < 1000000 and n[\"copied\"] >= 80000000 for n in nodes)"
    code 0 slurm "$build/loadcast" stage --verify --wait 60s new.lcast
    code 0 slurm "$build/loadcast" stage --json --wait 60s --via sbcast new.lcast
    nodes "all(not n[\"fresh\"] and n[\"wire\"] < 1000000 for n in nodes)"
    slurm "$build/loadcast" stage -q --clean --wait 60s new.lcast
'
t 'sbcast: what a node held is damaged: all of it is sent, and every node has it' '
    need_slurm
    [ -e new.lcast ] || skip "nothing to differ from"
    file=$(on n2 find /dev/shm -name plain)
    on n2 chmod u+w "$file" && on n2 sh -c "echo planted >$file"
    code 0 slurm "$build/loadcast" stage --json --wait 60s --via sbcast new.lcast
    nodes "r[\"ok\"] == 4 and r[\"failed\"] == 0"
    code 0 slurm "$build/loadcast" stage --verify --wait 60s new.lcast
    for image in old new; do slurm "$build/loadcast" stage -q --clean --wait 60s $image.lcast; done
    # Within a job the directory of the user stays, so that nobody takes its name.
    for n in n1 n2 n3 n4; do on $n find /dev/shm -mindepth 2; done | nothing
    away
'
t 'nothing is left' '
    down_leaves_nothing
'
finish
