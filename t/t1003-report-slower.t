#!/bin/sh
# The report of many targets: what became slower comes first, targets from best to worst, and a
# sentence that many runs support.
. "$(dirname "$0")/lib.sh"
mkresults=$PROGRAMS/mkresults
LOADCAST_DB=$tmp/a.db
export LOADCAST_DB
# One run of each of 192 points every 64 hours, the last on 2026-08-11.
"$mkresults" steady.db 16000 3
day=86400000000000
last=$(sqlite3 steady.db 'SELECT max(started_ns) FROM run')
since=$(date -u -d "@$(((last - 15 * day) / 1000000000))" +%F)
early=$(date -u -d "@$(((last - 19 * day) / 1000000000))" +%F) # one run earlier
# forge DB SQL: a database of which something is not true.
forge() { cp steady.db "$1" && sqlite3 "$1" "$2"; }
# python on 'r', the report of a database as JSON.
report() {
    loadcast report --db "$1" --json >"$tmp/r.json"
    "$python" -c "
import json
r = json.load(open('$tmp/r.json'))
$2"
}

t 'scratch is 40 % slower since 15 days: text says so first, with the target, by how much and since when' '
    forge a.db "UPDATE run SET total_s = total_s * 1.4 WHERE target = '\''scratch'\'' AND started_ns > $last - 15 * $day"
    code 0 loadcast report
    head -1 out | grep -Eqx "Slower than before on scratch: [0-9]+ of [0-9]+ series, by up to [0-9]+ %, since 2026-[0-9-]+\."
    first=$(sed -n "1,/^$/p" out)
    echo "$first" | grep -Eq "^scratch +numpy +imported +cold +plain +([0-9]+, )*64 .* 1\.[234][0-9] x +2026-0[78]-[0-9]+"
    echo "$first" | grep -E "^(common|tmpfs) " | nothing
    grep -q "^Loadcast started " out
'
t 'JSON has the same, before everything else: before, now, ratio, since, how sure' '
    report a.db "
assert list(r)[0] == \"regressions\", list(r)
slow = r[\"regressions\"]
assert len(slow) > 20 and all(s[\"target\"] == \"scratch\" for s in slow), slow
for s in slow:
    assert 1.15 <= s[\"ratio\"] < 1.8 and s[\"p\"] <= 0.0005 and s[\"runs_since\"] >= 5 and s[\"runs_before\"] >= 10, s
    assert abs(s[\"ratio\"] - s[\"now_s\"] / s[\"before_s\"]) < 1e-9
    assert s[\"since\"] >= \"$early\", s
assert [s[\"ratio\"] for s in slow] == sorted((s[\"ratio\"] for s in slow), reverse=True)
"
'
t 'the page says it at the top, without choosing a target' '
    code 0 loadcast report --html page.html
    sed -n "/<main>/,/class=\"hero\"/p" page.html >top
    grep -q "<section class=\"regressions\"" top
    grep -q "Slower than before on scratch" top
    grep -q "<td>scratch</td>" top
'
t 'every run of one target, not only its newest: a slow-down months ago that stayed is told with its day' '
    forge old.db "UPDATE run SET total_s = total_s * 1.4 WHERE target = '\''scratch'\'' AND started_ns > $last - 100 * $day"
    report old.db "
slow = [s for s in r[\"regressions\"] if s[\"case\"] == \"numpy\" and s[\"cache\"] == \"cold\" and s[\"with\"] == \"plain\" and s[\"ranks\"] == 64]
assert len(slow) == 1 and slow[0][\"target\"] == \"scratch\" and \"2026-04-2\" < slow[0][\"since\"] < \"2026-05-2\", slow
"
'
t 'what became slower and then fast again is over: not told as slower' '
    forge over.db "UPDATE run SET total_s = total_s * 1.4 WHERE target = '\''scratch'\'' AND started_ns BETWEEN $last - 120 * $day AND $last - 60 * $day"
    report over.db "assert r[\"regressions\"] == [], r[\"regressions\"]"
'
t 'nothing became slower: nothing is said, whatever the chance' '
    "$mkresults" another.db 16000 4
    for db in steady.db another.db; do
        report $db "assert r[\"regressions\"] == [], r[\"regressions\"]"
    done
    code 0 loadcast report --db steady.db
    lacks "Slower than before" out
    head -1 out | grep -q "^Loadcast started"
    loadcast report --db steady.db --html steady.html
    lacks "class=\"regressions\"" steady.html
'
t 'targets of a case stand from best to worst, plain and with Loadcast, at the same width' '
    code 0 loadcast report --db steady.db
    grep -A4 "^Targets from best to worst: numpy, python-import, cold, 64 ranks" out >table
    sed -n 3,5p table | awk "{ print \$1 }" >order
    printf "tmpfs\nscratch\ncommon\n" >want
    same want order
    report steady.db "
t = [t for t in r[\"targets\"] if (t[\"case\"], t[\"mode\"], t[\"cache\"]) == (\"numpy\", \"python-import\", \"cold\")]
assert len(t) == 1 and t[0][\"ranks\"] == 64 and t[0][\"by\"] == \"plain\"
rows = t[0][\"from_best_to_worst\"]
assert [x[\"target\"] for x in rows] == [\"tmpfs\", \"scratch\", \"common\"], rows
assert rows[0][\"times_best\"] == 1 and all(a[\"plain_s\"] <= b[\"plain_s\"] for a, b in zip(rows, rows[1:]))
assert all(x[\"loadcast_s\"] > 0 for x in rows)
assert len(r[\"targets\"]) == 8
"
    loadcast report --db steady.db --html steady.html
    tr -d "\n" <steady.html | grep -o "<table class=\"targets\">.*" | grep -o "<tr><td>[a-z]*</td>" | head -3 | sed "s/<[^>]*>//g" >order
    same want order
'
t 'a target without the common width stands last, without a rank' '
    forge narrow.db "UPDATE run SET ranks = ranks + 1 WHERE target = '\''tmpfs'\''"
    report narrow.db "
rows = [t for t in r[\"targets\"] if t[\"case\"] == \"numpy\" and t[\"cache\"] == \"cold\"][0][\"from_best_to_worst\"]
assert [x[\"target\"] for x in rows] == [\"scratch\", \"common\", \"tmpfs\"] and rows[2][\"plain_s\"] is None, rows
"
'
t 'the sentence is about the pair with most runs on both sides, not about one run each' '
    forge one.db "
        UPDATE run SET ranks = 4096, nodes = 64, total_s = CASE with_ WHEN '\''plain'\'' THEN 5000 ELSE 1 END
            WHERE id IN (SELECT min(id) FROM run WHERE target = '\''common'\'' AND name = '\''numpy'\'' AND cache = '\''cold'\'' AND status = '\''done'\'' GROUP BY with_)"
    code 0 loadcast report --db one.db
    head -1 out | grep -q "started 64 ranks"
    sed -n 2p out | grep -Eq "median of [78][0-9] plain and [78][0-9] Loadcast runs"
'
t 'only one run each: no sentence is made of them, and it says what to do' '
    forge single.db "DELETE FROM run WHERE id NOT IN (SELECT min(id) FROM run WHERE status = '\''done'\'' GROUP BY name, mode, target, ranks, nodes, with_, cache)"
    code 0 loadcast report --db single.db
    head -1 out | grep -q "measured both plain and with Loadcast only once"
    lacks "sooner than" out
    sed -n 2p out | grep -q "loadcast bench"
'
t 'requests of the whole job are those per rank times the ranks, also where older rows say otherwise' '
    forge older.db "UPDATE metric SET value = 0 WHERE name = '\''operations_per_rank'\'' AND run IN (SELECT id FROM run WHERE with_ = '\''loadcast'\'')"
    report older.db "
for p in r[\"points\"]:
    assert abs(p[\"operations\"] - p[\"operations_per_rank\"] * p[\"ranks\"]) <= 1e-6 * p[\"operations\"], p
"
'
t 'compare: since a date against before it, from one database' '
    code 3 loadcast report --compare since=$since
    says "A: until=$since" out
    says "B: since=$since" out
    grep "SLOWER" out >slower
    test "$(grep -c " scratch " slower)" -gt 20
    grep -v " scratch " slower | nothing
    code 3 loadcast report --compare target=scratch,until=$since target=scratch,since=$since --json
    "$python" -c "
import json
c = json.load(open(\"$tmp/out\"))
assert c[\"slower\"] > 20 and c[\"faster\"] == 0"
    code 0 loadcast report --compare target=tmpfs,since=$since
    code 0 loadcast report --target tmpfs --compare since=$since
'
t 'compare: dates that are none, and times that cannot hold anything' '
    for bad in 2026-02-31 2026-13-01 yesterday 01.11.2026 "" 2026-11 -3d; do
        code 2 loadcast report --compare since=$bad
        says "since" err
        says "is neither a date (2026-01-31" err
    done
    code 2 loadcast report --compare until=2026-02-30 since=2026-03-01
    says "2026-02-30" err
    code 2 loadcast report --since 2026-02-31
    code 2 loadcast report --compare since=2026-05-02,until=2026-05-01 a.db
    says "since=2026-05-02 is not before until=2026-05-01" err
    code 2 loadcast report --compare version=1
    says "two" err
    code 1 loadcast report --compare since=2031-01-01
    says "no runs of '\''since=2031-01-01'\''" err
    code 1 loadcast report --compare since=1999-01-01
    says "no runs of '\''until=1999-01-01'\''" err
'
finish
