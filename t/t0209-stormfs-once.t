#!/bin/sh
# Processes that exist once per job are charged once on a scaled disk.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
head -c 1000000 /dev/urandom >src/data
# The name of the program is what the kernel keeps of the path that was executed.
ln -s "$(command -v "$python")" archive-reader
# asks N: N names that are not there, a third by threads, a third by a forked child
cat >asks.py <<'EOS'
import os, sys, threading
def misses(n, who):
    for i in range(n):
        try: os.stat("m1/absent-%d-%s-%d" % (os.getpid(), who, i))
        except FileNotFoundError: pass
n = int(sys.argv[1]) // 3
threads = [threading.Thread(target=misses, args=(n, str(k))) for k in range(1)]
[t.start() for t in threads]
[t.join() for t in threads]
child = os.fork()
if child == 0:
    misses(n, "child")
    os._exit(0)
os.waitpid(child, 0)
misses(n, "self")
EOS
# charged: how often the service time of one task, at 100 us, was charged; by whom it says nothing
charged() { stat_of "round(s['server']['busy_s'] / 1e-4)"; }
of_once() { stat_of "s['server']['once']['$1']"; }

t 'requests of a named program, its threads and its children are charged without the scale' '
    storm --service-us 100 --scale 50 --once tar,archive-reader
    $python asks.py 30
    ranks=$(stat_of "s[\"server\"][\"requests\"]")
    [ "$ranks" -ge 30 ]
    is "$(charged)" $((ranks * 50))
    is "$(of_once requests)" 0
    stormfs ctl m1 reset
    ./archive-reader asks.py 30
    once=$(stat_of "s[\"server\"][\"requests\"]")
    [ "$once" -ge 30 ]
    is "$(of_once requests)" "$once"
    is "$(charged)" "$once"
    is "$(stat_of "[p for p in s[\"server\"][\"once\"][\"programs\"] if p[\"name\"] == \"tar\"][0][\"requests\"]")" 0
    stop_stormfs
'
t 'what a marked process executes is another program, and is charged as such' '
    storm --service-us 100 --scale 50 --once archive-reader
    ./archive-reader -c "
import subprocess
subprocess.run([\"$python\", \"asks.py\", \"30\"], check=True)"
    is "$(of_once requests)" 0
    is "$(charged)" $(($(stat_of "s[\"server\"][\"requests\"]") * 50))
    stop_stormfs
'
t 'both totals are printed, and the marks can be made while it runs' '
    storm --service-us 100 --scale 50
    stormfs ctl m1 once archive-reader
    ./archive-reader asks.py 30
    n=$(of_once requests)
    [ "$n" -ge 30 ]
    is "$(stat_of "round(s[\"server\"][\"once\"][\"busy_all_scaled_s\"] / 1e-4)")" $((n * 50))
    stormfs ctl m1 stats >stats
    says "once per job: archive-reader ($n); $n metadata requests charged without --scale" stats
    says "all charged with --scale: busy" stats
    stop_stormfs
'
t 'data is read at the bandwidth of one process' '
    storm --bandwidth 100 --scale 50 --once archive-reader
    $python -c "open(\"m1/data\", \"rb\").read()"
    is "$(stat_of "round(s[\"server\"][\"data_busy_s\"] / s[\"total\"][\"bytes_read\"] * 1e8)")" 50
    stop_stormfs
    storm --bandwidth 100 --scale 50 --once archive-reader
    ./archive-reader -c "open(\"m1/data\", \"rb\").read()"
    is "$(stat_of "round(s[\"server\"][\"data_busy_s\"] / s[\"total\"][\"bytes_read\"] * 1e8)")" 1
    is "$(stat_of "round(s[\"server\"][\"once\"][\"data_busy_all_scaled_s\"] / s[\"total\"][\"bytes_read\"] * 1e8)")" 50
    stop_stormfs
'
t 'a bad list of programs is refused' '
    code 1 stormfs --scale 2 --once /bin/tar src m1 2>err
    says "names without directories" err
    storm --scale 2
    code 2 stormfs ctl m1 once 2>err
    says "needs PROGRAMS" err
    code 1 stormfs ctl m1 once tar,,zstd 2>err
    says "names without directories" err
    code 2 stormfs ctl m1 freeze now 2>err
    stormfs ctl m1 stats >stats
    lacks "once per job" stats
    stop_stormfs
'
t 'bench and the benchmarks charge the same programs once' '
    sed -n "/define LC_TARGET_ONCE/,/^\$/p" "$src/src/bench/target.h" | tr -d "\\n\\\\\" " | sed "s/#defineLC_TARGET_ONCE//" >bench.once
    sed -n "s/^once_programs=//p" "$src/t/bench/lib.sh" | tr -d "\\n" >benchmarks.once
    [ -s bench.once ]
    same bench.once benchmarks.once
'
finish
