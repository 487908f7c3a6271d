#!/bin/sh
# loadcast bench on a bad day: a clear line, the documented exit code, and nothing is lost.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
plain() { bench --case dummy --target target --cache warm --max-runs 1 "$@"; }
runs() { loadcast results list --db "$1" | tail -n +2 | wc -l; }
# Damage what is there, then: refused at once, nothing was changed, nothing was run.
refused() {
    cp "$tmp/r.db" before
    code 1 plain --command "touch $tmp/was-run" --case command
    cmp "$tmp/r.db" before
    test ! -e was-run
}
plain >/dev/null 2>&1 && cp r.db good.db

t 'a corrupt database: refused with the way out, never overwritten' '
    head -c 100 /dev/urandom >r.db
    refused
    says "damaged" err
    says "results merge --salvage" err
    head -c 8192 good.db >r.db
    refused
    says "nothing was changed" err
    cp good.db r.db
'
t 'a database of a newer schema: refused' '
    "$python" -c "import sqlite3; sqlite3.connect(\"r.db\").execute(\"PRAGMA user_version = 99\")"
    refused
    says "newer Loadcast" err
    cp good.db r.db
'
t 'a database locked from the start: waited for, then named; nothing was run' '
    cp good.db r.db
    mkfifo pipe
    "$python" -c "
import sqlite3, sys
db = sqlite3.connect(\"r.db\", isolation_level=None)
db.execute(\"BEGIN IMMEDIATE\")
open(\"held\", \"w\").close()
sys.stdin.read()" <pipe &
    exec 7>pipe
    wait_until test -e held
    code 1 plain --case command --command "touch $tmp/was-run"
    says "locked" err
    says "fuser" err
    test ! -e was-run
    exec 7>&-
    wait
    code 0 plain
'
t 'a database locked while a run is on: the run is kept beside it, and merged later' '
    cp good.db r.db
    rm -f held
    # The warm-up takes the lock; who holds it outlives the rank.
    cat >hold.py <<-END
	import sqlite3, subprocess
	db = sqlite3.connect("$tmp/r.db", isolation_level=None)
	db.execute("BEGIN IMMEDIATE")
	open("$tmp/held", "w").close()
	subprocess.call(["sh", "-c", ". $here/wait.sh; wait_within 300 test -e $tmp/release"])
	END
    cat >lock.sh <<-END
	[ -e $tmp/held ] || setsid "$python" $tmp/hold.py </dev/null >/dev/null 2>&1 &
	. $here/wait.sh; wait_until test -e $tmp/held
	echo LOADCAST_MARK=start
	END
    sed -i "s/^\t//" hold.py
    at_exit "touch $tmp/release"
    code 1 plain --case command --command "sh $tmp/lock.sh"
    touch release
    says "locked" err
    says "the run that was measured is kept in '\''$tmp/r.db.spool'\''" err
    says "loadcast results merge --db '\''$tmp/r.db'\''" err
    test "$(ls r.db.spool | wc -l)" = 1
    wait_until loadcast results merge --db "$tmp/r.db"
    rows "rows[-1][\"status\"] == \"done\" and rows[-1][\"total_s\"] > 0 and rows[-1][\"phases\"][\"start\"][\"max_ns\"] > 0"
    ls r.db.spool 2>/dev/null | nothing
'
t 'a full disk under the database: rows stay, the run that was measured is kept elsewhere' '
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "needs root and a mount namespace"
    mkdir -p small spare
    cat >fill.sh <<-END
	cat /dev/zero >$tmp/small/filler 2>/dev/null
	echo LOADCAST_MARK=start
	END
    cat >try.sh <<-END
	set -e
	mount -t tmpfs -o size=400k none $tmp/small
	cp $tmp/good.db $tmp/small/r.db
	code=0
	TMPDIR=$tmp/spare loadcast bench --work $tmp/work --db $tmp/small/r.db --json --bystander-limit 0 --case command \
	    --command "sh $tmp/fill.sh" --target $tmp/target --cache warm --width 8 --max-runs 9 --precision 0 --no-count || code=\$?
	echo \$code >$tmp/status
	rm -f $tmp/small/filler
	loadcast results list --db $tmp/small/r.db >$tmp/small.list
	loadcast results merge --db $tmp/small/r.db $tmp/spare/loadcast-results.spool
	loadcast results list --db $tmp/small/r.db >$tmp/small.merged
	END
    PATH=$PATH unshare -m sh try.sh >out 2>err || { cat out err; exit 1; }
    test "$(cat status)" = 1
    says "no space left" err
    says "the run that was measured is kept in '\''$tmp/spare/loadcast-results.spool'\''" err
    grep -q "started" small.list
    grep -q "done .*dummy" small.list
    grep "Z  started" small.merged | nothing
    grep "done .* command  command" small.merged
'
t 'a target that vanishes before a cold run: a failed row, not a refused one; others are measured' '
    mkdir -p vanish
    cat >s.yaml <<-END
	cases: [{name: gone, kind: command, command: "rm -rf $tmp/vanish"}]
	targets: [{path: vanish, cold_command: "true"}, {path: target, cold_command: "true"}]
	caches: [cold]
	max_runs: 2
	precision: 0
	count: false
	END
    code 1 bench s.yaml
    line "lines[0][\"status\"] == \"failed\" and \"has vanished\" in lines[0][\"reason\"] and lines[0][\"done\"] == 1"
    line "lines[1][\"status\"] == \"done\" and lines[1][\"done\"] == 2"
    rows "[(r[\"status\"], r[\"target\"]) for r in rows[-4:]] == [(\"done\", \"vanish\"), (\"failed\", \"vanish\"), (\"done\", \"target\"), (\"done\", \"target\")]"
'
t 'a launcher that is absent: failed, cold or warm' '
    for cache in cold warm; do
        code 1 bench --command true --target target --cache $cache --max-runs 1 --launcher "no-such-launcher -n {ranks}"
        line "lines[0][\"status\"] == \"failed\" and \"not installed\" in lines[0][\"reason\"]"
        rows "rows[-1][\"status\"] == \"failed\" and rows[-1][\"total_s\"] is None"
    done
'
t 'widths beyond the allocation: failed with what the allocation has; narrower ones are measured' '
    mkdir -p bin
    cat >bin/srun <<-"END"
	#!/bin/sh
	n=1
	while :; do
	    case $1 in
	    -n) n=$2; shift 2 ;;
	    -*) shift ;;
	    *) break ;;
	    esac
	done
	i=0
	while [ $i -lt $n ]; do SLURM_PROCID=$i "$@" & i=$((i + 1)); done
	wait
	END
    chmod +x bin/srun
    export SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=4
    PATH=$tmp/bin:$PATH
    code 1 bench --command true --target target --cache warm --max-runs 1 --width 2,4,5,4@3
    line "[(l[\"ranks\"], l[\"status\"]) for l in lines] == [(2, \"done\"), (4, \"done\"), (4, \"failed\"), (5, \"failed\")]"
    line "\"3 nodes are more than the allocation\" in lines[2][\"reason\"] and \"5 ranks are more than the allocation\" in lines[3][\"reason\"]"
    rows "rows[-1][\"place\"][\"launcher\"] == \"srun\" and rows[-1][\"place\"][\"job\"] == \"7\""
    unset SLURM_NTASKS
    export SLURM_JOB_CPUS_PER_NODE="2(x2)"
    code 1 bench --command true --target target --cache cold,warm --max-runs 1 --width 5
    line "all(l[\"status\"] == \"failed\" and \"SLURM_JOB_CPUS_PER_NODE\" in l[\"reason\"] for l in lines)"
'
finish
