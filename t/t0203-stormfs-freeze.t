#!/bin/sh
# Frozen, the server gives no answer; thawed, it goes on as if nothing had been.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
echo hello >src/file
frozen() { stat_of "s['server']['frozen']"; }

t 'while frozen nobody gets an answer; thaw lets them go on' '
    storm
    stormfs ctl m1 freeze
    is "$(frozen)" True
    cat m1/file >got &
    reader=$!
    wait_until asking "$reader"
    is "$(wc -c <got)" 0
    is "$(count requests)" 0
    stormfs ctl m1 thaw
    wait "$reader"
    is "$(cat got)" hello
    is "$(frozen)" False
'
t 'what is cached needs no answer' '
    stop_stormfs
    storm --cache-s 60
    stat m1/file >/dev/null
    stormfs ctl m1 freeze
    timeout 60 stat m1/file >/dev/null
    stormfs ctl m1 thaw
'
t 'freezing and thawing twice is no harm' '
    stormfs ctl m1 freeze
    stormfs ctl m1 freeze
    stormfs ctl m1 thaw
    stormfs ctl m1 thaw
    is "$(cat m1/file)" hello
'
t 'a killed client is let go, others stay' '
    stormfs ctl m1 freeze
    ls m1/absent 2>/dev/null &
    victim=$!
    ls m1/absent2 2>/dev/null &
    other=$!
    wait_until asking "$victim" "$other"
    kill -KILL "$victim"
    wait_until has_ended "$victim"
    asking "$other"
    stormfs ctl m1 thaw
    wait "$other" || :
'
t 'a signal that does not kill is not an answer' '
    stormfs ctl m1 freeze
    $python -c "
import os, signal, sys
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
try: os.stat(\"m1/absent\")
except FileNotFoundError: os._exit(0)
os._exit(1)" &
    client=$!
    # After the first signal it waits for the answer or its death, and for nothing else.
    wait_until grep -q "^State:.D" "/proc/$client/status"
    stormfs ctl m1 thaw
    wait "$client"
    stop_stormfs
'
t 'requests in the queue are frozen too' '
    storm --service-us 600000
    stat m1/file >/dev/null &
    client=$!
    wait_until asking "$client"
    stormfs ctl m1 freeze
    sleep 0.7 # longer than it takes to serve the request
    asking "$client"
    stormfs ctl m1 thaw
    wait "$client"
    stop_stormfs
'
t 'all mounts of the server are frozen' '
    mounts="$tmp/m1 $tmp/m2"
    storm
    stormfs ctl m1 freeze
    cat m2/file >got2 &
    reader=$!
    wait_until asking "$reader"
    stormfs ctl m2 thaw
    wait "$reader"
    stop_stormfs
'
t 'a frozen stormfs can be stopped; clients get an error' '
    storm
    stormfs ctl m1 freeze
    cat m1/file >/dev/null 2>said &
    client=$!
    wait_until asking "$client"
    code 0 timeout 60 stormfs ctl m1 stop
    if wait "$client"; then false; fi
    unmounted "$tmp/m1"
'
t 'a frozen stormfs ends by a signal' '
    storm
    pid=$(stat_of "s[\"pid\"]")
    stormfs ctl m1 freeze
    cat m1/file >/dev/null 2>&1 &
    wait_until asking $!
    kill "$pid"
    wait_until has_ended "$pid"
    unmounted "$tmp/m1"
'
t 'more clients than threads wait, and none is lost' '
    storm --threads 4
    stormfs ctl m1 freeze
    clients=
    for i in $(seq 20); do cat m1/file >got.$i & clients="$clients $!"; done
    wait_until asking $clients
    timeout 60 stormfs ctl m1 stats >/dev/null
    stormfs ctl m1 thaw
    wait
    is "$(cat got.* | sort | uniq -c | tr -s " ")" " 20 hello"
    stop_stormfs
'
finish
