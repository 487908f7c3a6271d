#!/bin/sh
# A program runs; then its node directory, the image or its source is damaged; it goes on, starts
# children, loads libraries, and must print what the plain one prints, on both streams, without delay.
. "$(dirname "$0")/lib.sh"
need_compiler
need_ptrace
unset LOADCAST LOADCAST_NODE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
mkdir -m 700 node
mkdir -p app/lib app/late app/bin
export LOADCAST_DIR=$tmp/node PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tmp/app/late
for i in 1 2 3; do
    echo "int f(void); int f(void) { return $i; }" | $cc -shared -fPIC -x c - -o app/lib/lib$i.so
    echo "value = $i" >app/late/late$i.py
done
cp "$PROGRAMS/show" app/bin/show
printf '#!/bin/sh\necho script "$@"\n' >app/bin/script && chmod +x app/bin/script
# Phase N asks for what no other phase has asked for.
cat >app/run.py <<P
import ctypes, importlib, os, subprocess, sys
top = "$tmp/app"
def phase(n):
    print(n, importlib.import_module("late%d" % n).value, ctypes.CDLL(top + "/lib/lib%d.so" % n).f())
    print(open(top + "/late/late%d.py" % n).read(), os.stat(top + "/lib/lib%d.so" % n).st_size, sorted(os.listdir(top + "/lib")))
    print(os.path.exists(top + "/lib/none"), os.path.realpath(top + "/bin/show"), os.readlink("/proc/self/exe"))
    print(subprocess.run([sys.executable, "-c", "import sys; print(sys.executable)"], capture_output=True))
    print(subprocess.run([top + "/bin/script", "a"], capture_output=True))
    print(subprocess.run("$tmp/app/bin/script b", shell=True, capture_output=True))
    sys.stdout.flush()
phase(1)
os.write(int(sys.argv[1]), b"ready\n")
os.read(int(sys.argv[2]), 1)
phase(2)
phase(3)
P
mkfifo ready go
# runs CMD...: start it, wait for its first phase, do \$damage, let it go on
runs() {
    "$@" "$python" app/run.py 8 9 8>ready 9<go >got 2>got.err &
    pid=$!
    exec 7<ready
    exec 6>go
    read -r _ <&7
    eval "$damage"
    start=$(date +%s%N)
    echo >&6
    exec 6>&- 7<&-
    rc=0; wait $pid || rc=$?
    took_ms=$((($(date +%s%N) - start) / 1000000))
    test $took_ms -lt $patience_ms || { echo "took $took_ms ms, not below $patience_ms"; return 1; }
    test $rc = 0 || { cat got.err; return 1; }
}
damage=:
patience_ms=60000
runs env || exit 1
# No hang beyond 2 s: more than the plain one takes, on a machine that may be busier by then.
patience_ms=$((2000 + 8 * took_ms))
mv got want && mv got.err want.err
echo | loadcast record -o good.lcast --manage "$tmp/app" --add "$tmp/app" 2>err || { cat err; exit 1; }
# staged: a whole node directory, $node
staged() {
    cp good.lcast app.lcast
    chmod -R u+rwx node && loadcast clean -q --all >/dev/null 2>&1 || rm -rf node/*
    loadcast exec -q app.lcast -- true
    node=$(echo "$tmp"/node/loadcast-*/[0-9a-f]*)
    chmod -R u+w "$node"
}
answers() { loadcast status --json | "$python" -c 'import json, sys; print(json.load(sys.stdin)[0]["counts"]["answered"])'; }
right() { same want got && same want.err got.err; }
# while_running NAME CODE: the damage is done in the middle
while_running() {
    t "$1, while it runs" "
        staged
        damage='$2'
        LOADCAST_NODE=\$node runs \"\$node/bin/launch\"
        right
    "
}
# before NAME CODE: the damage is there when it starts, by the launcher and by loadcast exec
before() {
    t "$1, before it starts" "
        staged
        cp \"\$node/bin/launch\" launch
        damage=:
        eval '$2'
        LOADCAST_NODE=\$node runs ./launch
        right
        cp good.lcast app.lcast
        runs loadcast exec -q app.lcast --
        same want got
    "
}
t 'undamaged: served, and right' '
    staged
    damage=:
    before=$(answers)
    LOADCAST_NODE=$node runs "$node/bin/launch"
    right
    test "$(answers)" -gt $((before + 20))
'
while_running 'node directory removed' 'rm -rf $node'
while_running 'node directory renamed' 'mv $node $node.gone; rm -rf away; mv $node.gone away'
while_running 'all of the directories removed' 'rm -rf node/loadcast-*'
while_running 'staged files removed' 'rm -rf $node/files'
while_running 'index removed' 'rm $node/index'
while_running 'state and live removed' 'rm $node/state $node/live'
while_running 'launcher removed' 'rm $node/bin/launch'
while_running 'preload removed' 'rm $node/bin/preload.so'
while_running 'audit removed' 'rm $node/bin/audit.so'
while_running 'both objects removed' 'rm $node/bin/*.so'
while_running 'opened to everybody' 'chmod 777 $node'
while_running 'closed to everybody' 'chmod 000 $node/files'
while_running 'image removed' 'rm app.lcast'
while_running 'image truncated' 'truncate -s 100 app.lcast'
while_running 'another index put in its place' 'cp good.lcast $node/new; mv -f $node/new $node/index'
while_running 'a library replaced by an installer' 'cp app/lib/lib2.so app/lib/new; mv app/lib/new app/lib/lib2.so'
while_running 'everything of it swept away by clean --all, which must not' 'loadcast clean -q --all --dir "$LOADCAST_DIR" || :'
test "$(id -u)" != 0 || while_running 'given to another user' 'chown -R 65534 $node'

before 'index truncated' 'truncate -s 4000 $node/index'
before 'index empty' ': >$node/index'
before 'index garbage' 'head -c 100000 /dev/urandom >$node/index'
before 'state of another version' 'printf 9 | dd of=$node/state bs=1 seek=7 conv=notrunc status=none'
before 'live of another version' 'printf 9 | dd of=$node/live bs=1 seek=7 conv=notrunc status=none'
before 'index of another image' 'printf X | dd of=$node/index bs=1 seek=200 conv=notrunc status=none'
before 'no node directory' 'rm -rf $node'
before 'no preload' 'rm $node/bin/preload.so'
before 'no audit' 'rm $node/bin/audit.so'
before 'no staged files' 'rm -rf $node/files'
before 'objects that are none' 'echo garbage >$node/bin/preload.so; echo garbage >$node/bin/audit.so'
before 'objects cut in the middle' 'for o in $node/bin/*.so; do truncate -s 20000 $o; done'
before 'staged files cut in the middle' 'find $node/files -type f -exec truncate -s -10 {} +'
before 'staged files empty' 'find $node/files -type f -exec truncate -s 0 {} +'
before 'staged libraries overwritten in place' 'for l in $node/files$tmp/app/lib/*.so; do dd if=/dev/zero of=$l bs=4096 count=1 conv=notrunc status=none; done'
before 'open to everybody' 'chmod 777 $node'
before 'a link in its place' 'mv $node away2; ln -s $tmp/away2 $node'
before 'image truncated' 'truncate -s 5000 app.lcast'
test "$(id -u)" != 0 || before 'of another user' 'chown -R 65534 $node'
chmod -R u+rwx node away away2 2>/dev/null
finish
