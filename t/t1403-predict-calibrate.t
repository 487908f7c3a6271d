#!/bin/sh
# 'loadcast predict --calibrate': a file system measured with few requests, as a machine file.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
server() { stat_of "s['server']['$1']"; }
# value SECTION KEY: of the machine file
value() { awk -v s="$1:" -v k="$2:" '/^[a-z]/ { at = $1 } at == s && $1 == k { print $2 }' m.yaml; }
# from_to GOT LEAST WANT: no less than that share of WANT, no more than 10 % above it; how near it comes on an idle machine is in
# t/bench/predict-calibrate.bench
from_to() {
    awk -v g="$1" -v l="$2" -v w="$3" 'BEGIN { exit !(g >= w * l && g <= w * 1.1) }' || { echo "$1 is not $2 to 1.1 of $3"; return 1; }
}

t 'what will be asked is said before, and refused above --max-ops' '
    mkdir dir
    code 4 loadcast predict --calibrate dir --max-ops 4000
    says "will make up to 5851 requests below" err
    says "are more than --max-ops 4000 allows; nothing was asked" err
    ls -A dir | nothing
    code 4 loadcast predict --calibrate nosuch --max-ops 10
'
t 'the manual names the same number of requests' '
    code 4 loadcast predict --calibrate dir --max-ops 1
    sed -n "s/.*will make up to \([0-9]*\) requests.*/\1/p" err >said
    grep -o "(up to [0-9,]*, from 32 threads" "$src/doc/man/loadcast-predict.1.scd" | sed "s/(up to//; s/from.*//" | tr -dc "0-9\n" >manual
    same said manual
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
t 'the same where its directory is there before it learns that it has made it' '
    strace -qq -o /dev/null -e trace=getpid -e inject=getpid:delay_exit=1 true 2>/dev/null || skip "strace cannot inject here"
    mkdir slow
    printf "#!/bin/sh\necho \$\$ >pid\nexec loadcast predict --calibrate slow\n" >ours
    chmod +x ours
    no_leak_check strace -o /dev/null -e "trace=?mkdir,mkdirat" -e "inject=?mkdir,mkdirat:delay_exit=2000000" ./ours >ours.out 2>&1 &
    made() { ls slow | grep -q loadcast-calibrate; }
    wait_until made
    kill -TERM "$(cat pid)"
    status=0
    wait $! || status=$?
    test $status = 143
    ls -A slow | nothing
'
t 'on stormfs it finds the rates of the profile, with no more requests than said' '
    # Each process stands for 8: 92 us x 8, 1,000 MB/s / 8. One machine cannot keep a server of 92 us busy.
    storm --rw --profile nfs --scale 8
    code 0 loadcast predict --calibrate m1 -o m.yaml
    asked=$(server requests)
    stop_stormfs
    said=$(sed -n "s/.*will make up to \([0-9]*\) requests.*/\1/p" err)
    # What is said is a bound, with a fifth for what the client may ask again.
    [ "$asked" -le "$said" ] && [ "$asked" -ge $((said / 2)) ] || { echo "$asked requests"; false; }
    # 32 threads ask: the server has 24 ms of work waiting, so that a busy machine hardly makes it idle. Four readers are 8 ms.
    from_to "$(value metadata lookups_per_s)" 0.5 1358.7
    from_to "$(value metadata misses_per_s)" 0.5 1358.7
    from_to "$(value metadata opens_per_s)" 0.5 679.3
    from_to "$(value data total_mb_s)" 0.2 125
    test "$(value client names_cached) $(value client absent_cached)" = "no no"
'
finish
