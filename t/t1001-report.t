#!/bin/sh
# The report in a terminal: sentence, tables, comparison.
. "$(dirname "$0")/lib.sh"
mkresults=$PROGRAMS/mkresults
LOADCAST_DB=$tmp/a.db
export LOADCAST_DB
"$mkresults" a.db 1600 3

t 'it opens with one sentence computed from the data, and its conditions' '
    code 0 loadcast report
    head -1 out | grep -Eqx "Loadcast started 64 ranks of pynamic 100x50 [0-9]+.× sooner than plain; the metadata server saw [0-9,]+ requests instead of [0-9,]+\."
    sed -n 2p out | grep -Eq "; linked, cold \(drop_caches\) on common \(nfs4\), 4 nodes; .*check and staging included; median of [0-9]+ plain and [0-9]+ Loadcast runs; host login1, 2026-01-"
'
t 'the sentence agrees with the points, and the points with the runs' '
    loadcast report --json >r.json
    loadcast results export --json -o all.json
    "$python" -c "
import json, re, statistics
r = json.load(open(\"r.json\")); runs = json.load(open(\"all.json\"))
key = lambda x: tuple(x[k] for k in (\"case\", \"mode\", \"target\", \"ranks\", \"nodes\", \"with\", \"cache\"))
by = {}
for x in runs:
    by.setdefault(key(x), []).append(x)
assert len(by) == len(r[\"points\"]) == 192
for p in r[\"points\"]:
    done = [x for x in by[key(p)] if x[\"status\"] == \"done\"]
    assert p[\"runs\"] == len(done) and p[\"without_value\"] == len(by[key(p)]) - len(done)
    assert abs(p[\"median_s\"] - statistics.median(x[\"total_s\"] for x in done)) < 1e-9
    assert p[\"best_s\"] == min(x[\"total_s\"] for x in done)
    parts = sum(v for v in p[\"parts_s\"].values() if v)
    assert abs(parts - p[\"median_s\"]) < 0.1 * p[\"median_s\"], (parts, p)
points = {key(p): p for p in r[\"points\"]}
best = max((p for p in r[\"points\"] if p[\"with\"] == \"plain\" and p[\"cache\"] == \"cold\" and p[\"ranks\"] == 64),
    key=lambda p: p[\"median_s\"] / points[key(p)[:5] + (\"loadcast\", \"cold\")][\"median_s\"])
cached = points[key(best)[:5] + (\"loadcast\", \"cold\")]
n = re.search(r\"(\d+).× sooner.* saw ([0-9,]+) requests instead of ([0-9,]+)\", r[\"headline\"])
assert int(n.group(1)) == round(best[\"median_s\"] / cached[\"median_s\"])
assert int(n.group(2).replace(\",\", \"\")) == cached[\"operations\"]
assert int(n.group(3).replace(\",\", \"\")) == best[\"operations\"]
"
'
t 'scaling, phases, cold against warm and linked against imported are there' '
    code 0 loadcast report
    says "Scaling: numpy, python-import, cold" out
    says "Phases of the last rank: pynamic 100x50, pynamic-pyMPI, cold" out
    says "Cold against warm: numpy" out
    says "Linked against imported: pynamic 100x50, cold" out
    grep -Eq "^common +plain +64 +linked " out
    grep -Eq "^common +plain +64 +bigexe " out
    grep -Eq "of 1,600 runs have no value: .* failed" out
'
t 'slower with Loadcast is said as plainly' '
    "$mkresults" slow.db 384 3 100
    loadcast results prune --db slow.db --target common >/dev/null
    loadcast results prune --db slow.db --target scratch >/dev/null
    code 0 loadcast report --db slow.db
    head -1 out | grep -q "later than plain: it took [0-9]*.× as long"
'
t 'nothing to compare: said, and no failure' '
    cp a.db plain.db
    loadcast results prune --db plain.db --with loadcast >/dev/null
    code 0 loadcast report --db plain.db
    says "nothing was measured both plain and with Loadcast yet" out
    loadcast results prune --db plain.db --with plain >/dev/null
    code 0 loadcast report --db plain.db
    says "0 runs are kept here." out
'
t 'the page is written, for hostile names too' '
    "$mkresults" h.db --hostile
    for db in a.db h.db; do
        code 0 loadcast report --db $db --html page.html
        tail -1 page.html | grep -qx "</html>"
    done
'
t 'the history marks a slow-down, outliers and runs without a value' '
    "$mkresults" story.db 8000 3
    loadcast results prune --db story.db --with loadcast >/dev/null
    sqlite3 story.db "
        UPDATE run SET total_s = total_s * 1.6 WHERE name = '\''numpy'\'' AND started_ns > 1767225600000000000 + 5000 * 1200000000000;
        UPDATE run SET total_s = total_s * 9 WHERE id = (SELECT id FROM run WHERE name = '\''numpy'\'' AND total_s > 0 AND id > 1000 AND ranks = 64 AND target = '\''tmpfs'\'' LIMIT 1)"
    loadcast report --db story.db --case numpy --target tmpfs --html story.html
    test "$(grep -o "class=\"slower\"" story.html | wc -l)" -ge 1
    test "$(grep -o "class=\"outlier\"" story.html | wc -l)" -ge 1
    grep -q "class=\"failed\"" story.html
    loadcast report --db story.db --case "pynamic 100x50" --target tmpfs --html steady.html
    lacks "class=\"slower\"" steady.html
'
t 'compare: a slower B ends with 3, and only what is slower is called so' '
    "$mkresults" b.db 1600 5 1.4
    code 3 loadcast report --compare a.db b.db
    test "$(grep " plain " out | grep -c SLOWER)" -le 5
    test "$(grep -c "loadcast.*SLOWER" out)" -gt 80
    grep -q "B is slower at [0-9]* points, faster at 0" out
'
t 'compare: a faster B and an equal one end with 0' '
    code 0 loadcast report --compare b.db a.db
    test "$(grep -c faster$ out)" -gt 80
    "$mkresults" same.db 1600 4
    code 0 loadcast report --compare a.db same.db
    grep -q "B is slower at 0 points" out
    code 0 loadcast report --compare a.db a.db
'
t 'compare: choices from one database, the named fields standing open' '
    code 3 loadcast report --compare with=plain,target=tmpfs with=loadcast,target=tmpfs
    grep -Eq "numpy +python-import +\* +16 +1 +\* +warm .* SLOWER" out
    code 0 loadcast report --json --compare with=plain,target=common,cache=cold with=loadcast,target=common,cache=cold --threshold 50
    "$python" -c "
import json
c = json.load(open(\"out\"))
assert c[\"faster\"] > 5 and c[\"slower\"] == 0
p = [x for x in c[\"points\"] if x[\"ranks\"] == 64]
assert len(p) == 4 and all(x[\"effect\"] == -1 and x[\"p\"] < 0.001 and x[\"verdict\"] == \"faster\" for x in p)
"
'
t 'compare: too few runs are not called the same' '
    "$mkresults" few.db 192 5 2
    "$mkresults" few2.db 192 6
    code 0 loadcast report --compare few2.db few.db
    grep -q "too few runs at 1[0-9][0-9]" out
    lacks "no difference" out
'
t 'compare: bad choices get usage, nothing in common a failure' '
    code 2 loadcast report --compare a.db
    code 2 loadcast report --compare a.db absent.db
    code 2 loadcast report --compare version=1 verison=2
    says "did you mean '\''version'\''?" err
    code 1 loadcast report --compare version=1 version=2
    says "there are no runs of '\''version=1'\''" err
    cp a.db numpy.db
    cp a.db others.db
    sqlite3 numpy.db "DELETE FROM run WHERE name <> '\''numpy'\''"
    loadcast results prune --db others.db --case numpy >/dev/null
    code 1 loadcast report --compare numpy.db others.db
    says "no point in common" err
    code 2 loadcast report something
    code 2 loadcast report --html x --json
    code 1 loadcast report --db none.db
'
finish
