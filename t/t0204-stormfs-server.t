#!/bin/sh
# One server for all: its queue, its data path, its name, the profiles.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
echo hello >src/file
server() { stat_of "s['server']['$1']"; }
ms() { echo $(($(date +%s%N) / 1000000)); }
# misses DIR N: look up N names that are not there, other names than any other process: the kernel
# asks for one name of a directory at a time.
misses() { $python -c "
import os, sys
for i in range(int(sys.argv[2])):
    try: os.stat('%s/absent-%d-%d' % (sys.argv[1], os.getpid(), i))
    except FileNotFoundError: pass" "$1" "$2"; }

t 'requests are served one after another, whoever asks' '
    mounts="$tmp/m1 $tmp/m2"
    storm --service-us 5000
    from=$(ms)
    misses m1 25 & misses m2 25 & misses m1 25 & misses m2 25 &
    wait
    took=$(($(ms) - from))
    n=$(server requests)
    [ "$took" -ge $((n * 5)) ]
    is "$(stat_of "round(s[\"server\"][\"busy_s\"] / 5e-3)")" "$n"
    is "$(stat_of "s[\"server\"][\"wait_s\"][\"max\"] >= 0.005")" True
    [ "$(stat_of "s[\"server\"][\"wait_s\"][\"max\"] >= s[\"server\"][\"wait_s\"][\"p99\"] >= s[\"server\"][\"wait_s\"][\"mean\"]")" = True ]
    stop_stormfs
'
t 'K servers serve K at once: as many clients never wait for each other' '
    storm --service-us 20000 --servers 4
    from=$(ms)
    misses m1 10 & misses m1 10 & misses m1 10 & misses m1 10 &
    wait
    took=$(($(ms) - from))
    n=$(server requests)
    [ "$n" -ge 40 ]
    [ "$took" -ge $((n * 20 / 4)) ]
    is "$(stat_of "s[\"server\"][\"wait_s\"][\"max\"]")" 0.0
    stormfs ctl m1 reset
    for i in $(seq 16); do misses m1 10 & done
    wait
    [ "$(stat_of "s[\"server\"][\"wait_s\"][\"max\"] > 0")" = True ]
    stop_stormfs
'
t 'latency delays, but occupies no server' '
    storm --latency-us 20000 --service-us 1
    from=$(ms)
    for i in $(seq 8); do misses m1 5 & done
    wait
    [ "$(($(ms) - from))" -ge 100 ]
    [ "$(stat_of "s[\"server\"][\"wait_s\"][\"max\"] < 0.02")" = True ]
    is "$(stat_of "round(s[\"server\"][\"busy_s\"] * 1e6)")" "$(server requests)"
    stop_stormfs
'
t 'bandwidth is a limit for all clients together' '
    head -c 4000000 /dev/urandom >src/data
    mounts="$tmp/m1 $tmp/m2"
    storm --bandwidth 20
    from=$(ms)
    cat m1/data >/dev/null & cat m2/data >/dev/null &
    wait
    took=$(($(ms) - from))
    [ "$took" -ge 400 ]
    is "$(stat_of "round(s[\"server\"][\"data_busy_s\"], 3)")" 0.4
    is "$(stat_of "s[\"total\"][\"bytes_read\"]")" 8000000
    stop_stormfs
'
t 'with --halved-at, what is read at once is read more slowly' '
    head -c 4000000 /dev/urandom >src/data
    mounts=$tmp/m1
    storm --bandwidth 100 --halved-at 1
    cat m1/data >/dev/null
    # at least one reader: half of the bandwidth
    [ "$(stat_of "s[\"server\"][\"data_busy_s\"] >= 0.079")" = True ]
    is "$(server halved_at_readers)" 1.0
    stop_stormfs
    storm --bandwidth 100 --halved-at 128 --scale 64
    is "$(server halved_at_readers)" 2.0
    stop_stormfs
'
t 'two processes share a server by its name' '
    srv=$tmp/shared
    stormfs --server "$srv" --service-us 1000 src m1
    stormfs --server "$srv" --service-us 1000 src m2
    misses m1 5
    misses m2 5
    is "$(count LOOKUP absent)" 5
    [ "$(server requests)" -ge 10 ]
    stormfs ctl m2 freeze
    is "$(server frozen)" True
    stat m1/absent 2>/dev/null &
    client=$!
    wait_until asking "$client"
    stormfs ctl m1 thaw
    wait "$client" || :
    stormfs ctl m2 stop
    [ -e "$srv" ]
    misses m1 1
    stop_stormfs
    [ ! -e "$srv" ]
'
t 'a plain name of a server stands in the control directory' '
    stormfs --server plain src m1
    [ -f ctl/server-plain ]
    is "$(stat -c %a ctl/server-plain)" 600
    stop_stormfs
    [ ! -e ctl/server-plain ]
'
t 'the server of a crashed process is started anew' '
    stormfs --server "$tmp/shared" --service-us 7 src m1
    pid=$(stat_of "s[\"pid\"]")
    kill -KILL "$pid"
    wait_until has_ended "$pid"
    stormfs --server "$tmp/shared" --service-us 8 src m1
    is "$(server service_us)" 8.0
    stop_stormfs
'
t 'mounts in separate mount namespaces share a server, and can be told apart' '
    unshare -m true 2>/dev/null || skip "needs root"
    stormfs --server "$tmp/ns" src m1
    unshare -m sh -c "umount m1; stormfs --server $tmp/ns src m1 && cat m1/absent; stormfs ctl m1 stats --json >inner.json; stormfs ctl m1 stop" 2>/dev/null
    is "$($python -c "import json; print(json.load(open(\"inner.json\"))[\"total\"][\"operations\"][\"LOOKUP\"][\"absent\"])")" 1
    is "$(count requests)" 0
    [ "$(server requests)" -ge 1 ]
    stop_stormfs
'
# The profiles are frozen: doc/stormfs-profiles.md. service, latency, bandwidth, caches.
profile() { stat_of "[s['server']['servers'], s['server']['service_us'], s['model']['latency_us'], s['server']['bandwidth_mb_s'], s['model']['cache_s'], s['model']['attr_cache_s'], s['model']['dir_cache_s'], s['model']['negative_cache_s']]"; }
expect() {
    storm --profile "$1"
    is "$(profile)" "$2"
    is "$(stat_of "s['model']['profile']")" "$1"
    stop_stormfs
}
t 'profile none costs nothing' 'expect none "[1, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]"'
t 'profile local' 'expect local "[1, 0.0, 80.0, 2000.0, 3600.0, 3600.0, 3600.0, 3600.0]"'
t 'profile nfs' 'expect nfs "[1, 92.0, 200.0, 1000.0, 0.0, 1.0, 30.0, 0.0]"'
t 'profile lustre' 'expect lustre "[1, 9.5, 100.0, 10000.0, 0.0, 1.0, 30.0, 0.0]"'
t 'under lustre a call costs one request: stat 1, open 2, its fstat 0, a miss 1' '
    storm --profile lustre
    [ -e m1/file ]
    stormfs ctl m1 reset
    [ -e m1/file ]
    is "$(server requests)" 1
    $python -c "
import os
os.fstat(os.open(\"m1/file\", 0))"
    is "$(server requests)" 3
    [ ! -e m1/absent ]
    is "$(server requests)" 4
    stop_stormfs
'
t '--scale: one process stands for many tasks' '
    storm --profile lustre --scale 128
    is "$(server service_us) $(server bandwidth_mb_s)" "1216.0 78.125"
    stop_stormfs
'
finish
