#!/bin/sh
# What is never learnt, and what a store, a log or other jobs that get in the way do to a job: nothing.
. "$(dirname "$0")/lib.sh"
need_ptrace
. "$here/stormfs.sh"
. "$here/learn.sh"
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LOADCAST_LEARN LOADCAST_CONF SLURM_JOB_ID PBS_JOBID COBALT_JOBID
learn_tree
truncate -s 1G src/site-packages/pkg0/data.h5
mkdir -p src/data src/home/.ssh
echo input >src/data/input.txt
echo key >src/home/.ssh/id_ed25519
echo password >src/site-packages/pkg0/.netrc
head -c 1048576 /dev/zero >src/site-packages/pkg0/most.bin
head -c 1048577 /dev/zero >src/site-packages/pkg0/large.bin
echo once >src/site-packages/pkg0/output.txt
find src -exec touch -hd 2020-01-01 {} +
m=$tmp/m1
# ask CODE: the program runs it before its import
ask() { learn exec "$1"; }
files() { loadcast info --files "$(image)"; }

t '1 GB of data beside a module: the image does not grow' '
    learn_begin
    cp "$(image)" before
    ask "f = open(\"$m/site-packages/pkg0/data.h5\", \"rb\"); f.seek(10**9); f.read(4096); print(os.path.getsize(f.name))"
    says 1073741824 out
    cmp before "$(image)"
'
t 'a file of the software up to 1 MiB is, a larger one and one outside of it are not' '
    ask "[open(f, \"rb\").read() for f in (\"$m/site-packages/pkg0/most.bin\", \"$m/site-packages/pkg0/large.bin\", \"$m/data/input.txt\")]"
    files >list
    says pkg0/most.bin list
    lacks large.bin list
    lacks input.txt list
'
t 'one that was opened to write is not, whether it was read before or later' '
    cp "$(image)" before
    ask "f = \"$m/site-packages/pkg0/output.txt\"; open(f).read(); open(f, \"r+\").close()"
    cmp before "$(image)"
    ask "f = \"$m/site-packages/pkg0/output.txt\"; open(f, \"r+\").close(); open(f).read()"
    cmp before "$(image)"
    ask "f = \"$m/site-packages/pkg0/new.txt\"; open(f, \"w\").write(\"new\"); open(f).read(); os.remove(f)"
    files >list
    lacks new.txt list
    ask "open(\"$m/site-packages/pkg0/output.txt\").read()"
    files >list
    says output.txt list
'
t 'passwords and keys are not' '
    cp "$(image)" before
    ask "[open(f).read() for f in (\"$m/site-packages/pkg0/.netrc\", \"$m/home/.ssh/id_ed25519\")]"
    cmp before "$(image)"
'
t 'absences and listings are' '
    ask "import glob; [os.path.exists(\"$m/site-packages/pkg0/no-such-%d\" % i) for i in range(9)]; print(sorted(os.listdir(\"$m/site-packages/pkg3\")))"
    stormfs ctl m1 reset
    quiet_job exec "import glob; [os.path.exists(\"$m/site-packages/pkg0/no-such-%d\" % i) for i in range(9)]; print(sorted(os.listdir(\"$m/site-packages/pkg3\")))"
'
t 'a library that is loaded' '
    need_compiler
    echo "int seven(void) { return 7; }" >seven.c
    mkdir -p src/site-packages/pkg0/lib
    $cc -shared -fPIC -o src/site-packages/pkg0/lib/libseven.so seven.c || skip "no shared libraries here"
    find src -exec touch -hd 2020-01-01 {} +
    code="import ctypes; print(ctypes.CDLL(\"$m/site-packages/pkg0/lib/libseven.so\").seven())"
    ask "$code"
    says 7 out
    quiet_job exec "$code"
    says 7 out
'
t 'paths are whole in the log, up to the longest' '
    long=$(printf "%0200d" 0 | tr 0 l)
    deep=$m/site-packages/pkg0
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do deep=$deep/$long; done
    mkdir -p "src/site-packages/pkg0/${deep#"$m/site-packages/pkg0/"}"
    echo "value = 1" >"src/site-packages/pkg0/${deep#"$m/site-packages/pkg0/"}/long_module.py"
    [ ${#deep} -gt 3600 ]
    ask "open(\"$deep/long_module.py\").read()"
    files >list
    says "$deep/long_module.py" list
    rm -rf "src/site-packages/pkg0/$long"
'
t 'the log of a node takes at most 1 MB, whatever is asked' '
    before=$(learnt)
    ask "
live = os.environ[\"LOADCAST_NODE\"] + \"/live\"
size = os.stat(live).st_size, os.stat(live).st_blocks
for i in range(60000):
    os.path.exists(\"$m/site-packages/pkg2/%s%d\" % (\"x\" * 90, i))
print(size == (os.stat(live).st_size, os.stat(live).st_blocks), size[0])"
    says "True " out
    # Of the paths that were asked so many are learnt as fit into 1 MB.
    new=$(($(learnt) - before)) path=$m/site-packages/pkg2/$(printf "%090d" 0)
    echo "$new entries of ${#path} bytes and more"
    [ $new -gt 1000 ]
    [ $((new * ${#path})) -le 1000000 ]
'
t 'a log that is full: the program is as plain, and what fits is learnt' '
    rm -rf "$LOADCAST_STORE"
    learn_begin
    code="
for i in range(20000):
    os.path.exists(\"$m/site-packages/pkg0/%s%d\" % (\"x\" * 90, i))
print(os.path.exists(\"$m/site-packages/pkg0/table.txt\"))"
    ask "$code"
    says True out
    [ ! -s err ] || lacks lost err
    code 0 loadcast info --verify "$(image)"
    ask "$code"
    says True out
    stop_stormfs
'
t 'a disk that stops to answer when the job ends: the line ends at once, and learns later' '
    learn_begin
    code 0 timeout 60 loadcast run -q -- "$python" "$m/app/app.py" exec "
import atexit, subprocess, time
atexit.register(lambda: open(\"$tmp/ended\", \"w\").write(str(int(time.time() * 1000))))
open(\"$m/site-packages/pkg0/most.bin\", \"rb\").read()
subprocess.run([\"stormfs\", \"ctl\", \"$m\", \"freeze\"], env=dict(os.environ, LOADCAST=\"0\"), check=True)"
    is_prompt ended
    says "pkg0/__init__.py 0" out
    [ ! -s err ] || { cat err; return 1; }
    stormfs ctl m1 thaw
    wait_until has_learnt
    code 0 loadcast info --verify "$(image)"
    stop_stormfs
'
t 'a store that cannot be written: the line runs, and says one sentence at most' '
    learn_begin
    mv "$LOADCAST_STORE" src/store
    stop_stormfs
    storm --cache-s 0
    LOADCAST_STORE=$m/store code 0 loadcast run -q -- "$python" "$m/app/app.py" 1
    wait_until nothing_learns
    app 1 >plain.1
    same plain.1 out
    [ "$(wc -l <err)" -le 1 ] || { cat err; return 1; }
    stop_stormfs
    mv src/store "$LOADCAST_STORE"
'
t 'a full one, the same; the image stays whole' '
    [ "$(id -u)" = 0 ] || skip "needs root for a small tmpfs"
    storm --rw --cache-s 0
    mkdir -p -m 700 small
    bytes=$(stat -c %s "$(image)")
    cat >inside.sh <<-EOF
	mount -t tmpfs -o size=$((bytes + 65536)),mode=700 none $tmp/small || exit 77
	cp $LOADCAST_STORE/* $tmp/small
	dd if=/dev/zero of=$tmp/small/other bs=4096 2>/dev/null
	LOADCAST_STORE=$tmp/small loadcast run -q -- $python $m/app/app.py 1
	status=\$?
	. $here/wait.sh
	. $here/learn.sh
	LOADCAST_STORE=$tmp/small
	wait_until nothing_learns
	LOADCAST_STORE=$LOADCAST_STORE
	cmp $tmp/small/*.lcast $LOADCAST_STORE/*.lcast && ls $tmp/small >$tmp/stored
	exit \$status
	EOF
    code 0 unshare -m sh inside.sh
    same plain.1 out
    [ "$(wc -l <err)" -le 1 ] || { cat err; return 1; }
    says .lcast stored
    lacks .tmp stored
'
# some_run PID...: one of them has not ended
some_run() { ! has_ended "$@"; }
# holds_a_job: what one of the jobs 1 to 3 learns alone, all of it, is in the image
holds_a_job() {
    files | sort >now
    for job in 1 2 3; do [ -n "$(comm -23 whole.$job now)" ] || return 0; done
    for job in 1 2 3; do echo "of job $job is missing:" && comm -23 whole.$job now; done
    return 1
}
t 'ten jobs at once learn into one image: it is never damaged, and the last one is in it' '
    for i in 1 2 3; do
        learn_begin
        learn $i
        files | sort >whole.$i
        says pkg$i/table.txt whole.$i
        stop_stormfs
    done
    learn_begin
    if holds_a_job >/dev/null; then echo "held before it was learnt"; return 1; fi
    pids=
    for i in 0 1 2 3 4 5 6 7 8 9; do
        loadcast run -q -- "$python" "$m/app/app.py" $((i % 4)) >many.$i 2>&1 &
        pids="$pids $!"
    done
    verified=0
    while some_run $pids; do
        code 0 loadcast info --verify "$(image)"
        verified=$((verified + 1))
    done
    wait
    wait_until nothing_learns
    [ $verified -gt 1 ]
    for i in 0 1 2 3 4 5 6 7 8 9; do
        app $((i % 4)) >plain
        same plain many.$i
    done
    code 0 loadcast info --verify "$(image)"
    has_learnt
    holds_a_job
    find "$LOADCAST_STORE" -name "*.tmp*" | nothing
    for i in 0 1 2 3; do learn $i; done
    quiet_job 0 1 2 3
'
t 'on the disk of the store: ten operations more than a job that does not learn, none if there is nothing new' '
    rm -rf "$LOADCAST_STORE"
    learn_begin
    mkdir -m 700 disk m3
    cp -p "$LOADCAST_STORE"/* disk/
    stormfs --rw --cache-s 60 "$tmp/disk" "$tmp/m3"
    export LOADCAST_STORE=$tmp/m3
    # Facts about the image first.
    code 0 loadcast run --no-learn -- "$python" "$m/app/app.py" 1
    code 0 loadcast run --no-learn -- "$python" "$m/app/app.py" 1
    # Data and closing aside; and GETXATTR, which the kernel sends before each write to a FUSE file system only.
    charged() { stormfs ctl "$tmp/m3" stats --json | "$python" -c "
import json, sys
ops = json.load(sys.stdin)[\"total\"][\"operations\"]
print(sum(sum(r.values()) for o, r in ops.items() if o not in (\"READ\", \"WRITE\", \"FLUSH\", \"RELEASE\", \"RELEASEDIR\", \"GETXATTR\")))"; }
    stormfs ctl "$tmp/m3" reset
    code 0 loadcast run --no-learn -- "$python" "$m/app/app.py" 1
    without=$(charged)
    stormfs ctl "$tmp/m3" stats
    stormfs ctl "$tmp/m3" reset
    code 0 loadcast run -- "$python" "$m/app/app.py" 1
    wait_until nothing_learns
    with=$(charged)
    stormfs ctl "$tmp/m3" stats
    echo "without $without, with $with"
    has_learnt
    [ "$with" -le $((without + 10)) ]
    # Facts about the new image, and one run more, after which the kernel asks for the times of the directory no more.
    for i in 1 2; do
        code 0 loadcast run -- "$python" "$m/app/app.py" 1
        wait_until nothing_learns
    done
    stormfs ctl "$tmp/m3" reset
    code 0 loadcast run -- "$python" "$m/app/app.py" 1
    wait_until nothing_learns
    stormfs ctl "$tmp/m3" stats
    [ "$(charged)" -le "$without" ]
'
finish
