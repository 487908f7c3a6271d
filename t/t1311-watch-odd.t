#!/bin/sh
# Programs that would notice a recorder: each behaves, on its first run, as without us; so do the ranks of mpiexec.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
. "$here/watch.sh"
. "$here/odd_programs.sh"
need_compiler
watch_disk
watch_in_memory
lib=$tmp/tree/lib/odd
mkdir -p "$lib"

odd_programs tree/bin "$lib" "$m/lib/odd" || skip_all 'the compiler makes no shared libraries'
t 'a library with a symbol that nobody defines and nobody calls' '
    plain_and_watched "$m/bin/uses-lazy"
    [ "$status" = 5 ]
    got=0
    LD_BIND_NOW=1 job "$m/bin/uses-lazy" >now 2>&1 || got=$?
    [ "$got" = 127 ] # the control: bound at once, it cannot start
    wait_until is_stored
    code 5 job loadcast exec --stats "$store"/*.lcast -- "$m/bin/uses-lazy"
    same plain out
    grep -E "^bindings +[1-9].* replayed in [1-9]" err || { cat err; exit 1; }
'
for bytes in 6000 200000; do
    cat >tls.c <<E
static __thread char place[$bytes] __attribute__((tls_model("initial-exec")));
int tls(void);
int tls(void) { place[7]++; return place[7] + place[$bytes - 1]; }
E
    cat >uses-tls.c <<'E'
#include <pthread.h>
#include <stdio.h>
int tls(void);
static void *run(void *arg) { *(int *)arg = tls() + tls(); return arg; }
int main(int argc, char **argv)
{
    pthread_t thread;
    int other = 0, own = tls(), rc = pthread_create(&thread, NULL, run, &other);
    if (rc == 0)
        pthread_join(thread, NULL);
    printf("%d %d %d", own, other, rc);
    for (int i = 1; i < argc; i++)
        printf(" [%s]", argv[i]);
    printf("\n");
    return own + other + 4;
}
E
    $cc -shared -fPIC -o "$lib/libtls$bytes.so" tls.c
    $cc -o tree/bin/uses-tls$bytes uses-tls.c -L"$lib" -ltls$bytes -Wl,-rpath,"$m/lib/odd" -lpthread
done
t 'thread variables at fixed places (static TLS), more than an auditor leaves room for' '
    for bytes in 6000 200000; do
        plain_and_watched "$m/bin/uses-tls$bytes"
        [ "$(cat plain)" = "1 3 0" ]
        [ "$status" = 8 ]
        wait_until is_stored
        code 8 job loadcast exec -q "$store"/*.lcast -- "$m/bin/uses-tls$bytes"
        same plain out
    done
'
t 'the same as the interpreter of a script: it is started with the same words, and watched' '
    printf "#!$m/bin/uses-tls200000 -x\n" >script
    chmod +x script
    plain_and_watched "$tmp/script" "a b" c
    [ "$(cat plain)" = "1 3 0 [-x] [$tmp/script] [a b] [c]" ]
    wait_until is_stored
    code 8 job loadcast exec -q "$store"/*.lcast -- "$tmp/script" "a b" c
'
t 'a script whose interpreter has rights of its own is not watched, and finds nothing of ours in its environment' '
    [ "$(id -u)" = 0 ] || skip "not root"
    cat >environment.c <<-"E"
	#include <stdio.h>
	#include <string.h>
	int main(int argc, char **argv, char **env)
	{
	    for (; *env; env++)
	        if (strncmp(*env, "LD_", 3) == 0 || strstr(*env, "WATCHED"))
	            puts(*env);
	    return argc > 9 || !argv[0];
	}
	E
    $cc -o own-rights environment.c
    chown 65534 own-rights && chmod 4755 own-rights
    printf "#!$tmp/own-rights\n" >rights
    chmod +x rights
    plain_and_watched "$tmp/rights"
    nothing_watches
'
t 'jemalloc preloaded' '
    jemalloc=$(ls /usr/lib/*/libjemalloc.so.2 2>/dev/null | head -1)
    [ "$jemalloc" ] || skip "no libjemalloc"
    LD_PRELOAD=$jemalloc plain_and_watched "$m/bin/python3" -c "import json; print(any(\"jemalloc\" in l for l in open(\"/proc/self/maps\")))"
    says True plain
'
t 'a program that closes all descriptors finds each number free' '
    plain_and_watched "$m/bin/closes" "$m/bin/closes"
    [ "$(cat plain)" = "0 1 2 -1" ]
'
t '_exit, and a signal: status, and what was seen' '
    watched "$m/bin/python3" -c "import json, os; os._exit(3)"
    [ "$status" = 3 ]
    plain_and_watched "$m/bin/python3" -c "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    [ "$status" = 143 ]
'
t 'exec of another program, and again: no signal is pending that was not there' '
    plain_and_watched "$m/bin/execs" "$m/bin/execs" "$m/bin/execs"
    says "pending 0" plain
    watched "$m/bin/execs" "$m/bin/python3" -c "import json; print(1)"
    second_asks_nothing "$m/bin/execs" "$m/bin/python3" -c "import json; print(1)"
'
t 'exec of a program with AddressSanitizer, of a static one, of one that does not exist' '
    echo "int main(void) { return 6; }" >six.c
    $cc -static -o tree/bin/static six.c 2>/dev/null || cp "$(command -v true)" tree/bin/static
    plain_and_watched "$m/bin/execs" "$m/bin/static"
    plain_and_watched "$m/bin/static"
    plain_and_watched "$m/bin/execs" "$m/bin/nonesuch"
    $cc -fsanitize=address -o tree/bin/asan six.c 2>/dev/null || skip "no AddressSanitizer"
    unset ASAN_OPTIONS
    plain_and_watched "$m/bin/execs" "$m/bin/asan"
    [ "$status" = 6 ]
    plain_and_watched "$m/bin/asan"
    [ "$status" = 6 ]
'
t 'a limit on the size of files: no write of ours ends the program' '
    for blocks in 0 1 70; do
        plain_and_watched sh -c "(ulimit -f $blocks; exec \"\$@\") | cat" sh "$m/bin/python3" -c "import csv, decimal, json; print(1)"
        says 1 plain
    done
'
t 'fork without exec: what the child imports is seen, and it is the only child' '
    watched "$m/bin/python3" -c "
import os, sys
if os.fork() == 0:
    import json, csv
    os._exit(4)
print(os.waitstatus_to_exitcode(os.wait()[1]))
try: os.wait()
except ChildProcessError: print(\"no more\")"
    says "no more" plain
    code 0 loadcast info --files "$local_image"
    says /csv out
'
t 'a rank that is killed: what was seen is kept, whole' '
    status=0
    forget
    job loadcast "$m/bin/python3" -c "import json, os, signal; os.kill(os.getpid(), signal.SIGKILL)" >first 2>first.err || status=$?
    [ "$status" = 137 ]
    wait_until nothing_watches
    local_image=$(find "$store" -name "*.lcast")
    [ -n "$local_image" ]
    code 0 loadcast info --verify "$local_image"
'
# watchers: processes that watch for these tests
watchers() {
    for comm in /proc/[0-9]*/comm; do
        pid=${comm#/proc/}
        pid=${pid%/comm}
        [ "$(cat "$comm")" != loadcast-watch ] || ! tr "\0" "\n" <"/proc/$pid/environ" | grep -qxF "LOADCAST_STORE=$store" || echo "$pid"
    done 2>/dev/null
}
has_watcher() { [ -n "$(watchers)" ]; }
# They have low priority: on a busy machine it takes a while until the kernel has ended them and let go of their locks.
kill_watchers() {
    wait_until has_watcher
    killed=$(watchers)
    kill -KILL $killed
    for watcher in $killed; do ends_within 60 "$watcher"; done
}
t 'the image is there while the program runs, since the end of a step may end the watcher; what is loaded later is added' '
    forget
    cat >late.py <<-"P"
	import calendar, glob, os, time
	def seconds_until(there, most):
	    began = time.monotonic()
	    while not there() and time.monotonic() - began < most:
	        time.sleep(0.05)
	    return time.monotonic() - began
	stored = lambda: glob.glob(os.environ["LOADCAST_STORE"] + "/*.json")
	print("early" if seconds_until(stored, 9.5) < 9.5 else "not early", flush=True)
	import csv
	P
    code 0 job loadcast "$m/bin/python3" "$tmp/late.py"
    echo early | same - out
    wait_until nothing_watches
    code 0 loadcast info --files "$store"/*.lcast
    says /calendar out
    says /csv out
    code 0 loadcast info --verify "$store"/*.lcast
'
t 'rank and watcher are killed: no part of an image, and the next watcher removes the logs' '
    forget
    job loadcast "$m/bin/python3" -c "
import itertools, json, os, time
print(1, flush=True)
for i in itertools.count(): # never quiet, so that nothing is packed yet
    os.path.exists(str(i))
    time.sleep(0.1)" >first 2>first.err &
    line=$!
    wait_until test -s first
    logs=$(ls -d "$LOADCAST_DIR"/loadcast-watch.*)
    rank=${logs##*loadcast-watch.}
    rank=${rank#*.}
    rank=${rank%%.*}
    kill_watchers
    kill -KILL "$rank"
    wait $line || :
    [ -d "$logs" ]
    find "$store" -name "*.lcast*" | nothing
    code 0 job loadcast "$m/bin/python3" -c "import json"
    [ ! -d "$logs" ]
    wait_until is_stored
'
at_exit "stormfs ctl '$tmp/more.mnt' thaw; stormfs ctl '$tmp/more.mnt' stop"
t 'the watcher is killed while it packs: the next job goes on with what was seen' '
    forget
    mkdir more more.mnt
    for i in 1 2 3 4 5 6 7 8 9; do echo "x = $i" >more/more$i.py; done
    stormfs --profile none --cache-s 0 more more.mnt
    cat >more.py <<-P
	import os, subprocess, sys
	if sys.argv[1:]:
	    sys.path.insert(0, "$tmp/more.mnt")
	    import json, more1, more2, more3, more4, more5, more6, more7, more8, more9
	    subprocess.run(["stormfs", "ctl", "$tmp/more.mnt", "freeze"], check=True, env={"PATH": "$PATH"})
	    os._exit(0)
	P
    code 0 job loadcast "$m/bin/python3" "$tmp/more.py" all
    has_part() { [ -n "$(find "$store" -name "*.part")" ]; }
    wait_until has_part
    kill_watchers
    find "$store" -name "*.lcast" -type f | nothing
    stormfs ctl more.mnt thaw
    code 0 job loadcast "$m/bin/python3" "$tmp/more.py"
    wait_until nothing_watches
    code 0 loadcast info --files "$store"/*.lcast
    says more9.py out
    find "$store" -name "*.part*" | nothing
    stormfs ctl more.mnt stop
'
at_exit "stormfs ctl '$tmp/slow.mnt' thaw; stormfs ctl '$tmp/slow.mnt' stop"
# freezes HOW: a program that stops the store's disk, writes down the time, and ends
freezes() {
    echo "
import json, os, signal, subprocess, sys, time
subprocess.run([\"stormfs\", \"ctl\", \"$tmp/slow.mnt\", \"freeze\"], check=True, env={\"PATH\": \"$PATH\"})
open(\"$tmp/ended\", \"w\").write(str(int(time.time() * 1000)))
$1"
}
t 'a store whose disk stops to answer while the program runs: the line ends all the same, at once, and what was seen is kept later' '
    forget
    mkdir -m 700 slow slow.mnt
    stormfs --rw --profile none --cache-s 0 slow slow.mnt
    has_image() { [ -n "$(find slow -name "*.json")" ]; }
    for how in "4 sys.exit(4)" "139 os.kill(os.getpid(), signal.SIGSEGV)"; do
        LOADCAST_STORE=$tmp/slow.mnt code "${how%% *}" job timeout 60 loadcast "$m/bin/python3" -c "$(freezes "${how#* }")"
        is_prompt ended
        stormfs ctl slow.mnt thaw
        wait_until has_image
        wait_until nothing_watches
        code 0 loadcast info --verify slow/*.lcast
        rm -rf slow/*
    done
    stormfs ctl slow.mnt stop
'
t 'a rank of a Slurm step waits at its end for its watcher, and no longer than a second' '
    forget
    cat >held.py <<-P
	import os, time
	open("$tmp/began", "w").close()
	while not os.path.exists("$tmp/go"):
	    time.sleep(0.02)
	open("$tmp/ended", "w").write(str(int(time.time() * 1000)))
	P
    rm -f began go ended
    SLURM_STEP_ID=0 job loadcast "$m/bin/python3" "$tmp/held.py" >first 2>first.err &
    line=$!
    wait_until test -e began
    wait_until has_watcher
    stopped=$(watchers)
    kill -STOP $stopped
    touch go
    is_held=0
    { ends_within 60 $line && is_prompt ended; } || is_held=1
    ls -d "$LOADCAST_DIR"/loadcast-watch.*/ending # that is what the rank has waited for
    kill -CONT $stopped
    [ $is_held = 0 ]
    wait $line
    wait_until nothing_watches
    is_stored
'
t 'ranks of mpiexec: output and status as plain; by the second job the ranks ask the disk nothing' '
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    for mpiexec in mpiexec.openmpi mpiexec.mpich; do
        command -v $mpiexec >/dev/null || continue
        # (The end of one rank with a status may end the others before they print: so that is shown with one rank.)
        program="import json; print(json.dumps([1]))"
        forget
        code 3 job loadcast $mpiexec -n 1 "$m/bin/python3" -c "import json, sys; print(json.dumps([1])); sys.exit(3)"
        says "one rank is watched" err
        [ "$(cat out)" = "[1]" ]
        forget
        code 0 job loadcast $mpiexec -n 2 "$m/bin/python3" -c "$program"
        says "one rank is watched" err
        [ "$(grep -o "\[1\]" out | wc -l)" = 2 ] || { cat out err; exit 1; }
        wait_until is_stored
        local_image=$(find "$store" -name "*.lcast")
        # From here on the launcher itself has nothing to do with the disk.
        mpi() { cd "$tmp/work" && COBALT_JOBID=1 "$build/loadcast" run -q --wait 60s --image "$local_image" -- $mpiexec -n 2 "$@"; }
        in_ranks="env HOME=$m PYTHONHOME=$m PYTHONPATH=$m/lib/python3/dist-packages LD_LIBRARY_PATH=$m/lib PYTHONDONTWRITEBYTECODE=1"
        (mpi true)
        stormfs ctl "$m" reset
        (mpi $in_ranks "$m/bin/python3" -c "$program") >out 2>err || { cat out err; exit 1; }
        [ "$(grep -o "\[1\]" out | wc -l)" = 2 ] || { cat out err; exit 1; }
        [ "$(requests)" = 0 ] || { requests; stormfs ctl "$m" stats; exit 1; }
    done
'
t 'two ranks: one image of what they saw together' '
    command -v mpiexec.openmpi >/dev/null || skip "no Open MPI"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    forget
    code 0 job loadcast run --watch 2 -- mpiexec.openmpi -n 2 "$m/bin/python3" -c "
import os
if os.environ[\"OMPI_COMM_WORLD_RANK\"] == \"0\": import csv
else: import calendar"
    says "some ranks are watched" err
    wait_until nothing_watches # before, the image may be of one rank: one that began late goes on with what is there
    code 0 loadcast info --files "$store"/*.lcast
    says /csv out
    says /calendar out
    find "$store" -name "*.parts-*" | nothing
'
t 'unprivileged' '
    [ "$(id -u)" = 0 ] || skip "not root: every other test shows it"
    command -v setpriv >/dev/null || skip "no setpriv"
    mkdir -p whole/bin whole/libexec/loadcast nobody
    cp "$build/loadcast" whole/bin/
    cp "$build/loadcast-full" "$build"/src/client/*/loadcast-*.so whole/libexec/loadcast/
    chmod -R a+rX whole
    chmod 755 "$tmp"
    mkdir -m 700 nobody/store nobody/node
    chown -R 65534 nobody
    as_nobody() {
        HOME=$tmp/nobody LOADCAST_STORE=$tmp/nobody/store LOADCAST_DIR=$tmp/nobody/node setpriv --reuid 65534 --regid 65534 --clear-groups \
            whole/bin/loadcast "$@"
    }
    left=nobody/node/loadcast-watch.65534.$$.abcdef # of a killed watcher, by a number that is root'\''s now
    mkdir -m 700 "$left"
    touch "$left/calls"
    chown -R 65534 "$left"
    code 0 as_nobody run --manage /usr/lib -- "$python" -c "import json; print(1)"
    [ "$(cat out)" = 1 ]
    says "is watched" err
    [ ! -e "$left" ]
    has_image() { [ -n "$(find nobody/store -name "*.json")" ]; }
    wait_until has_image
    code 0 loadcast info --files nobody/store/*.lcast
    says /json/ out
'
t 'nothing is left behind' '
    wait_until nothing_watches
'
finish
