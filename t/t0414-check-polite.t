#!/bin/sh
# check asks a shared disk as much at once as it answers without a queue, and no more.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
need_ptrace
mkdir src/d
for i in $(seq 400); do echo "$i" >"src/d/file-$i"; done
find src -exec touch -d 2020-01-01 {} +
storm --profile none
loadcast record -o a.lcast --add "$tmp/m1/d" 2>record.err || cat record.err
stop_stormfs

# The time that a request waited for its turn is what another user's request would have waited.
t 'a server that answers one after another has no queue from a check' '
    storm --profile none --service-us 1000
    code 0 loadcast check --dry-run a.lcast
    says "the image is true" out
    [ "$(stat_of "s[\"server\"][\"requests\"] >= 400")" = True ]
    [ "$(stat_of "s[\"server\"][\"wait_s\"][\"mean\"] <= 0.0025")" = True ] || { stormfs ctl m1 stats; exit 1; }
    stop_stormfs
'
t 'a server far away is asked many questions at once' '
    storm --profile none --latency-us 100000
    code 0 loadcast check --dry-run a.lcast
    # stormfs starts a thread for each request that finds all of them busy, and ends none. A check starts with two questions.
    at_once=$(stat_of "s[\"mounts\"][0][\"threads\"]")
    [ "$at_once" -gt 8 ] || { echo "$at_once threads"; exit 1; }
    stop_stormfs
'
t '--jobs 1 asks one question at a time' '
    storm --profile none --service-us 1000
    code 0 loadcast check --dry-run --jobs 1 a.lcast
    is "$(stat_of "s[\"server\"][\"wait_s\"][\"max\"]")" 0.0
    stop_stormfs
'
finish
