#!/bin/sh
# 'loadcast predict --calibrate': a file system measured with few requests, as a machine file.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
server() { stat_of "s['server']['$1']"; }
# value SECTION KEY: of the machine file
value() { awk -v s="$1:" -v k="$2:" '/^[a-z]/ { at = $1 } at == s && $1 == k { print $2 }' m.yaml; }
# at_most GOT WANT: no more than 10 % above; how near it comes on an idle machine is in t/bench/predict-calibrate.bench
at_most() { awk -v g="$1" -v w="$2" 'BEGIN { exit !(g > 0 && g <= w * 1.1) }' || { echo "$1 is more than $2"; return 1; }; }

t 'what will be asked is said before, and refused above --max-ops' '
    mkdir dir
    code 4 loadcast predict --calibrate dir --max-ops 4000
    says "will make up to 5851 requests below" err
    says "are more than --max-ops 4000 allows; nothing was asked" err
    ls -A dir | nothing
    code 4 loadcast predict --calibrate nosuch --max-ops 10
'
t 'nothing is left behind, and what is written can be read' '
    code 0 loadcast predict --calibrate dir -o m.yaml
    ls -A dir | nothing
    code 1 loadcast predict --calibrate nosuch
    says "cannot make a directory below" err
    code 2 loadcast predict --calibrate dir -- true
    echo "{\"format\": \"loadcast-trace\", \"format_version\": 1, \"totals\": {\"metadata\": {\"ok\": 9, \"failed\": 1}}}" >t.json
    code 0 loadcast predict --machine ./m.yaml --trace t.json
    says "measured by loadcast predict --calibrate" out
'
t 'who ends it finds nothing left behind' '
    storm --rw --latency-us 10000
    loadcast predict --calibrate m1 -o ended.yaml 2>ended.err &
    pid=$!
    made() { ls src | grep -q loadcast-calibrate; }
    wait_until made
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    stop_stormfs
    test $status = 143
    ls src | grep loadcast-calibrate | nothing
    test ! -e ended.yaml
'
t 'on stormfs it finds no server faster than that of the profile, with no more requests than said' '
    # Each process stands for 8: 92 us x 8, 1,000 MB/s / 8. One machine cannot keep a server of 92 us busy.
    storm --rw --profile nfs --scale 8
    code 0 loadcast predict --calibrate m1 -o m.yaml
    asked=$(server requests)
    stop_stormfs
    said=$(sed -n "s/.*will make up to \([0-9]*\) requests.*/\1/p" err)
    [ "$asked" -le "$said" ] || { echo "$asked requests"; false; }
    at_most "$(value metadata lookups_per_s)" 1358.7
    at_most "$(value metadata misses_per_s)" 1358.7
    at_most "$(value metadata opens_per_s)" 679.3
    at_most "$(value data total_mb_s)" 125
    test "$(value client names_cached) $(value client absent_cached)" = "no no"
'
finish
