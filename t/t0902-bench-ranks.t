#!/bin/sh
# loadcast bench: ranks, marks, clocks, statistics, and what happens when something goes wrong.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
PATH=${PROGRAMS:-$build/t}:$PATH
command -v stormfs >/dev/null && { : <>/dev/fuse; } 2>/dev/null && has_storm=yes || has_storm=


t 'marks end phases, with a time of their own or without; what is said otherwise does not matter' '
    cat >marks.sh <<-END
	echo LOADCAST_MARK=start
	echo chatter LOADCAST_MARK=no
	sleep 0.05
	echo LOADCAST_MARK=work
	printf "LOADCAST_MARK=last"
	END
    code 0 bench --command "sh $tmp/marks.sh" --name marks --target target --width 3 --cache warm --max-runs 1
    rows "sorted(rows[-1][\"phases\"]) == sorted([\"launch\", \"start\", \"work\", \"last\", \"total\", \"from_barrier\"])"
    rows "len(rows[-1][\"phases\"][\"work\"][\"samples_ns\"]) == 3"
    rows "all(0 < ns <= rows[-1][\"phases\"][\"total\"][\"max_ns\"] for ns in rows[-1][\"phases\"][\"work\"][\"samples_ns\"])"
    rows "rows[-1][\"phases\"][\"total\"][\"min_ns\"] >= 50e6"
'
t 'marks with times of their own are measured by them, to the nanosecond' '
    now=$("$python" -c "import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC) + 10**9)")
    code 0 bench --command "printf \"LOADCAST_MARK=start %d\nLOADCAST_MARK=work %d\n\" $now $((now + 123456789))" --target target --cache warm --max-runs 1
    rows "rows[-1][\"phases\"][\"work\"][\"samples_ns\"] == [123456789]"
'
t 'the header marks from C' '
    command -v gcc >/dev/null || skip "no gcc"
    cat >marked.c <<-END
	#include <loadcast-mark.h>
	int main(void) { loadcast_mark("start"); loadcast_mark("solve"); return 0; }
	END
    gcc -I "$src/src/bench" -Wall -Werror -o marked marked.c
    code 0 bench --command "$tmp/marked" --target target --cache warm --max-runs 1
    rows "0 <= rows[-1][\"phases\"][\"solve\"][\"max_ns\"] < 1e9"
'
t 'a command without marks is measured to its end' '
    code 0 bench --command "sleep 0.1" --target target --cache warm --max-runs 1
    line "lines[0][\"median_s\"] >= 0.1"
'
t 'ranks of hosts whose clocks are wrong: measured, subtracted, reported' '
    cat >launcher <<-END
	#!/bin/sh
	n=\$1
	shift
	for i in \$(seq 0 \$((n - 1))); do
	    PMI_RANK=\$i SKEW_S=\$((i * 5000)) SKEW_HOST=node\$i LD_PRELOAD=${PROGRAMS:-$build/t}/skew.so "\$@" &
	done
	wait
	END
    chmod +x launcher
    code 0 bench --command "sh $tmp/marks.sh" --target target --width 3 --launcher "$tmp/launcher {ranks}" --cache warm --max-runs 1
    rows "9999 < rows[-1][\"metrics\"][\"clock_offset_s\"] < 10001"
    rows "9999 < rows[-1][\"metrics\"][\"monotonic_offset_s\"] < 10001"
    rows "all(0 < ns < 100e9 for name in (\"launch\", \"work\", \"total\") for ns in rows[-1][\"phases\"][name][\"samples_ns\"])"
'
t 'a failed rank gives a failed row with its last words, and the suite goes on' '
    cat >s.yaml <<-END
	cases:
	  - {name: bad, kind: command, command: "sh -c \"echo first >&2; echo the disk is on fire >&2; exit 7\""}
	  - {name: good, kind: command, command: "true"}
	targets: [{path: target}]
	widths: [2]
	caches: [warm]
	max_runs: 3
	END
    code 1 bench s.yaml
    line "[l[\"status\"] for l in lines] == [\"failed\", \"done\"]"
    line "lines[0][\"runs\"] == 1 and \"ended with 7\" in lines[0][\"reason\"]"
    rows "[r for r in rows if r[\"case\"] == \"bad\"][-1][\"errors\"].endswith(\"the disk is on fire\n\")"
    rows "[r for r in rows if r[\"case\"] == \"bad\"][-1][\"total_s\"] is None"
'
t 'a program that is not there: its row says so' '
    code 1 bench --command "no-such-program" --target target --cache warm --max-runs 1
    rows "\"no-such-program\" in rows[-1][\"errors\"]"
'
t 'a hung rank is ended after the time-out; wider runs are not tried' '
    code 1 bench --command "sh -c \"echo \$\$ >>$tmp/hung; exec sleep 1000\"" --target target --width 2,4 --timeout 1s --cache warm --max-runs 2
    line "[l[\"status\"] for l in lines] == [\"timeout\", \"stopped\"]"
    wait_until has_ended $(cat hung)
'
t 'a rank that dies does not leave the others at a barrier' '
    cat >barrier.sh <<-END
	[ \$LOADCAST_RANK != 1 ] || exit 9
	echo LOADCAST_BARRIER
	dd bs=1 count=1 <&\$LOADCAST_BARRIER_FD 2>/dev/null
	END
    code 1 timeout 60 loadcast bench --work "$work" --db "$tmp/r.db" --json --command "sh $tmp/barrier.sh" --target target --width 3 --cache warm --max-runs 1
    line "\"ended with 9\" in lines[0][\"reason\"]"
'
t 'a launcher that ends at once: how many ranks came' '
    code 1 bench --command true --target target --width 2 --launcher "false {ranks}" --cache warm --max-runs 1
    line "\"only 0 of 2 ranks came\" in lines[0][\"reason\"]"
'
t 'stop_above: wider runs are rows that say stopped' '
    code 0 bench --command "sleep 0.2" --target target --width 1,2,4 --stop-above 100ms --cache warm --max-runs 2
    line "[l[\"status\"] for l in lines] == [\"done\", \"stopped\", \"stopped\"]"
    line "\"stop_above\" in lines[2][\"reason\"] and lines[2][\"median_s\"] is None"
    rows "rows[-1][\"status\"] == \"stopped\" and rows[-1][\"ranks\"] == 4"
'
t 'repeats until the interval is narrow, or max-runs' '
    code 0 bench --command "sleep 0.1" --target target --precision 5 --max-runs 50 --cache warm
    line "lines[0][\"done\"] == 6 and lines[0][\"low_s\"] <= lines[0][\"median_s\"] <= lines[0][\"high_s\"]"
    code 0 bench --command "sleep 0.01" --target target --precision 0 --max-runs 8 --cache warm
    line "lines[0][\"done\"] == 8 and len(lines[0][\"total_s\"]) == 8 and lines[0][\"best_s\"] == min(lines[0][\"total_s\"])"
'
t 'a bystander becomes slow: wider runs are stopped, and his latency is kept' '
    [ -n "$has_storm" ] || skip "no stormfs here"
    # The server gives no answer for longer than all the rest of the run takes.
    cat >freeze.sh <<-"END"
	born=$(awk "{ print \$22 / $(getconf CLK_TCK) }" /proc/$PPID/stat)
	mount=${1%/loadcast-bench*}
	stormfs ctl "$mount" freeze
	sleep $(awk -v born=$born "{ print 1 + (\$1 > born ? 6 * (\$1 - born) : 0) }" /proc/uptime)
	stormfs ctl "$mount" thaw
	END
    cat >s.yaml <<-END
	cases: [{name: storm, command: "sh $tmp/freeze.sh {target}"}]
	targets: [{stormfs: {profile: none, options: --cache-s 0}}]
	widths: [1, 2]
	caches: [cold]
	max_runs: 1
	count: false
	END
    bystander_limit=3 code 0 bench s.yaml
    line "[l[\"status\"] for l in lines] == [\"done\", \"stopped\"] and \"bystander\" in lines[1][\"reason\"]"
    rows "rows[-2][\"metrics\"][\"bystander_s\"] >= 0.9 and rows[-2][\"metrics\"][\"bystander_s\"] > 3 * rows[-2][\"metrics\"][\"bystander_idle_s\"]"
    code 0 bench s.yaml
    line "[l[\"status\"] for l in lines] == [\"done\", \"done\"]"
'
t 'a signal ends the ranks, unmounts, keeps the row, and gives its status' '
    [ -n "$has_storm" ] || skip "no stormfs here"
    rm -f hung
    mkdir -p scratch
    TMPDIR=$tmp/scratch loadcast bench --work "$work" --db "$tmp/r.db" --storm none --command "sh -c \"echo \$\$ >>$tmp/hung; exec sleep 1000\"" --width 2 --max-runs 2 >out 2>&1 &
    pid=$!
    wait_until eval "test -s hung && test \$(wc -l <hung) = 2"
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    test $status = 143
    has_ended $(cat hung)
    ls scratch | nothing
    rows "rows[-1][\"status\"] == \"failed\" and \"interrupted\" in rows[-1][\"reason\"]"
'
t 'a bench that is killed leaves a row that says started, and no value' '
    loadcast bench --work "$work" --db "$tmp/r.db" --command "sleep 1000" --target target --cache warm --max-runs 1 >out 2>&1 &
    pid=$!
    started() { loadcast results export --json --db r.db >rows.json && [ "$("$python" -c "import json; print(json.load(open(\"rows.json\"))[-1][\"status\"])")" = started ]; }
    wait_until started
    kill -KILL $pid
    wait $pid 2>/dev/null || :
    rows "rows[-1][\"status\"] == \"started\" and rows[-1][\"total_s\"] is None"
'
t 'a target that vanishes on the way: a failed row, the others are measured' '
    mkdir -p vanish
    cat >s.yaml <<-END
	cases: [{name: gone, kind: command, command: "rm -rf $tmp/vanish"}]
	targets: [{path: vanish}, {path: target}]
	caches: [warm]
	max_runs: 2
	precision: 0
	count: false
	END
    code 1 bench s.yaml
    line "\"has vanished\" in lines[0][\"reason\"] and lines[1][\"status\"] == \"done\""
'
t 'programs find signals and limits as bench did' '
    cat >given.sh <<-END
	[ \$(ulimit -S -n) = 200 ] || { echo "limit \$(ulimit -S -n)"; exit 1; }
	[ \$(( 0x\$(awk "/SigIgn/ { print \\\$2 }" /proc/\$\$/status) & 0x1000 )) = 0 ] || { echo "SIGPIPE is ignored"; exit 1; }
	END
    (ulimit -S -n 200; code 0 bench --command "sh $tmp/given.sh" --target target --cache warm --max-runs 1)
'
t 'DUMMY measures the harness itself' '
    code 0 bench --case dummy --target target --width 2 --max-runs 2 --cache warm
    rows "0 < rows[-1][\"metrics\"][\"harness_s\"] < 1"
'
t 'somebody else at our port does not disturb a run' '
    cat >knock.sh <<-END
	port=\$(tr "\\\\0" " " </proc/\$PPID/cmdline | sed "s/.*127.0.0.1 \\\\([0-9]*\\\\) .*/\\\\1/")
	"$python" -c "
	import socket
	for word in (b\"GET / HTTP/1.0\\\\r\\\\n\\\\r\\\\n\", b\"hello wrong 0 here 0\\\\n\", b\"\\\\0\" * 100000):
	    s = socket.create_connection((\"127.0.0.1\", \$port)); s.sendall(word); s.close()
	"
	echo LOADCAST_MARK=start
	END
    sed -i "s/^\t//" knock.sh
    code 0 bench --command "sh $tmp/knock.sh" --target target --width 2 --cache warm --max-runs 1
    rows "len(rows[-1][\"phases\"][\"start\"][\"samples_ns\"]) == 2"
'
finish
