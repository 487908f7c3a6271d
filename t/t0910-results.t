#!/bin/sh
# The results database: what is kept comes out again, from one database into another.
. "$(dirname "$0")/lib.sh"
mkresults=$PROGRAMS/mkresults
LOADCAST_DB=$tmp/default.db
export LOADCAST_DB
"$mkresults" a.db 400 7

t 'list shows every run, oldest first, with its headline' '
    code 0 loadcast results list --db a.db
    test "$(wc -l <out)" = 401
    sed -n 2p out | grep -Eq "^ +1 +2026-01-01T00:00:00Z +done +nightly +numpy .* scratch +1 +1 +plain +cold +1 +0\.[0-9]+$"
'
t 'a run that died, failed or ran out of time has no value' '
    for s in started failed timeout stopped; do
        loadcast results list --db a.db --status $s | tail -n +2 >rows
        test -s rows
        grep -v -- "-$" rows | nothing
    done
'
t 'options choose runs, and go together' '
    loadcast results list --db a.db --case numpy --with loadcast --ranks 16 --cache cold --target common | tail -n +2 >rows
    test -s rows
    grep -Ev "numpy.* common +16 .*loadcast +cold" rows | nothing
    loadcast results list --db a.db --since 2026-01-03 --until 2026-01-03T00:30 | tail -n +2 >rows
    test "$(wc -l <rows)" = 2
    loadcast results list --db a.db --mode python-import --last 5 | tail -n +2 >rows
    test "$(wc -l <rows)" = 5
    grep -v python-import rows | nothing
    loadcast results list --db a.db --since 1s | tail -n +2 | nothing
'
t 'show tells phases in their order, metrics, place and suite' '
    code 0 loadcast results show 50 --db a.db
    grep -E "^(launch|start|import|visit|total) +1 " out | cut -d" " -f1 | tr "\n" " " | grep -x "launch start import visit total "
    says "check_s" out
    says "kernel     6.1.0" out
    says "    cases: [numpy, pynamic]" out
'
t 'show tells the last words of a run that failed' '
    id=$(loadcast results list --db a.db --status failed | awk "NR == 2 { print \$1 }")
    code 0 loadcast results show "$id" --db a.db
    says "rank 3 ended with status 1" out
    says "    ImportError: no module named numpy" out
'
t 'the headline is the worst rank with check and staging' '
    loadcast results export --json --db a.db --status done -o a.json
    "$python" -c "
import json
for r in json.load(open(\"a.json\")):
    m = r[\"metrics\"]
    s = sorted(r[\"phases\"][\"total\"][\"samples_ns\"])
    assert len(s) == r[\"ranks\"]
    assert r[\"phases\"][\"total\"][\"max_ns\"] == s[-1] and r[\"phases\"][\"total\"][\"min_ns\"] == s[0]
    want = s[-1] / 1e9 + m.get(\"check_s\", 0) + m.get(\"stage_s\", 0)
    assert abs(want - r[\"total_s\"]) < 1e-9, (want, r[\"total_s\"])
"
'
t 'an export imported elsewhere is the same, and importing it again changes nothing' '
    loadcast results export --json --db a.db -o all.json
    code 0 loadcast results import all.json
    says "400 added, 0 completed, 0 known before" out
    loadcast results export --json | cmp - all.json
    code 0 loadcast results import - <all.json
    says "0 added, 0 completed, 400 known before" out
    loadcast results export --json | cmp - all.json
'
t 'CSV has one line per run, the same columns in each, and quotes what needs it' '
    loadcast results export --csv --db a.db -o a.csv
    "$python" -c "
import csv
rows = list(csv.DictReader(open(\"a.csv\", newline=\"\")))
assert len(rows) == 400
assert all(None not in r and None not in r.values() for r in rows)
done = [r for r in rows if r[\"status\"] == \"done\"]
assert all(float(r[\"total_max_s\"]) <= float(r[\"total_s\"]) + 1e-6 for r in done)
assert rows[0][\"fs_options\"] == \"rw,relatime\"
assert all(r[\"total_s\"] == \"\" for r in rows if r[\"status\"] != \"done\")
"
'
t 'databases are merged: what is known stays, what had only started is completed' '
    "$mkresults" more.db 8 99
    cp a.db b.db
    sqlite3 b.db "UPDATE run SET status = '\''started'\'', total_s = NULL WHERE id = 1;
        DELETE FROM phase WHERE run = 1; DELETE FROM sample WHERE run = 1; DELETE FROM metric WHERE run = 1"
    code 0 loadcast results merge --db b.db a.db more.db
    says "8 added, 1 completed, 399 known before" out
    loadcast results export --json --db b.db --until 2026-01-01T00:01 -o one.json
    loadcast results export --json --db a.db --until 2026-01-01T00:01 -o two.json
    "$python" -c "
import json
one, two = json.load(open(\"one.json\")), json.load(open(\"two.json\"))
assert two[0] in one and len(one) == 2
"
'
t 'prune removes what it is told, after a dry run that removes nothing' '
    cp a.db c.db
    code 0 loadcast results prune --db c.db --status failed --dry-run
    n=$(cut -d" " -f1 out)
    test "$n" -gt 0
    test "$(loadcast results list --db c.db | wc -l)" = 401
    code 0 loadcast results prune --db c.db --status failed
    test "$(loadcast results list --db c.db | wc -l)" = $((401 - n))
    test "$(sqlite3 c.db "SELECT count(*) FROM phase WHERE run NOT IN (SELECT id FROM run)")" = 0
    code 2 loadcast results prune --db c.db
    says "needs to be told which runs" err
'
t 'an older database is upgraded after a backup; only a writer does it' '
    sqlite3 old.db <"$src/t/golden/results-v1.sql"
    code 1 loadcast results list --db old.db
    says "schema 1" err
    says "loadcast results merge" err
    test ! -e old.db.v1.bak
    code 0 loadcast results merge --db old.db
    test "$(sqlite3 old.db.v1.bak "PRAGMA user_version; SELECT count(*) FROM run" | tr "\n" " ")" = "1 2 "
    test "$(sqlite3 old.db "PRAGMA user_version")" = 2
    code 0 loadcast results show 1 --db old.db
    says "numpy" out
    sqlite3 old2.db <"$src/t/golden/results-v1.sql"
    echo mine >old2.db.v1.bak
    code 0 loadcast results merge --db old2.db
    says mine old2.db.v1.bak
    test -s old2.db.v1.bak.1
'
t 'several processes write to one database at once, and nothing is lost' '
    for i in 1 2 3 4; do "$mkresults" many.db --timed 50 & done >/dev/null
    wait
    test "$(loadcast results list --db many.db --status done | tail -n +2 | wc -l)" = 200
'
# Of 2,000 processes one was told that the database is locked, before opening was tried again.
t 'several processes make one database at once, and each of them can write to it' '
    for round in 1 2 3 4 5 6 7 8 9 10; do
        rm -f made.db*
        for i in 1 2 3 4 5 6 7 8; do "$mkresults" made.db --timed 1 & done >/dev/null
        wait
        test "$(loadcast results list --db made.db --status done | tail -n +2 | wc -l)" = 8
    done
'
t 'a reader without permission to write beside the database can read it' '
    [ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
    chmod 755 "$tmp"
    mkdir ro && cp a.db ro/ && chmod 555 ro && chmod 444 ro/a.db
    setpriv --reuid 65534 --regid 65534 --clear-groups "$build/loadcast" results list --db "$tmp/ro/a.db" >out
    test "$(wc -l <out)" = 401
'
t 'names made to break things stay on their line and are cut to their column' '
    "$mkresults" h.db --hostile
    code 0 loadcast results list --db h.db
    test "$(wc -l <out)" = 145
    test "$(wc -L <out)" -lt 300
    tr -d "\n" <out | grep -P "[\x00-\x1f\x7f]" | nothing
    code 0 loadcast results show 17 --db h.db
    loadcast results export --json --db h.db -o h.json
    code 0 loadcast results import h.json --db h2.db
    loadcast results export --json --db h2.db | cmp - h.json
'
finish
