#!/bin/sh
# loadcast report: any number of arms side by side, in the terminal, in JSON and on the page.
. "$(dirname "$0")/lib.sh"
LOADCAST_DB=$tmp/a.db
export LOADCAST_DB
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
CHROMIUM=$chromium
HOME=$tmp # Chromium keeps things there
XDG_CONFIG_HOME=$tmp/config
export CHROMIUM HOME XDG_CONFIG_HOME
# Six arms with values at three widths, two runs each; an arm of which this version knows nothing is among them.
"$python" - <<'END'
import json
arms = {"plain": (1, 7), "copy": (2, 3), "squashfs": (3, 4), "loadcast": (1.5, 2), "loadcast-libs": (1.8, 5), "another": (4, 6)}
runs = []
for number, (arm, (first, last)) in enumerate(arms.items()):
    for ranks in (1, 4, 16):
        for repetition in (1, 2):
            s = first + (last - first) * ranks / 16 + repetition / 100
            metrics = {"operations": 1000 * ranks if arm == "plain" else 10 + number, "memory_bytes": 1000000 * (number + 1)}
            if arm in ("plain", "loadcast"): # measured on a stormfs
                metrics.update({"server_busy_s": 0.5 if arm == "plain" else 0.01, "server_busy_all_scaled_s": 0.5, "bystander_s": 0.02,
                                "bystander_idle_s": 0.001, "bystander_server_s": 0.009 if arm == "plain" else 0.0001})
            if arm not in ("plain", "another"):
                metrics.update({"stage_s": 0.5, "edit_s": 2.5 + number, "prepare_s": 3})
            phase = {"ranks": 1, "min_ns": int(s * 1e9), "median_ns": int(s * 1e9), "p95_ns": int(s * 1e9), "max_ns": int(s * 1e9), "samples_ns": [int(s * 1e9)]}
            runs.append({"format": 1, "uid": "%032x" % (len(runs) + 1), "status": "done", "suite": "s", "case": "numpy",
                         "mode": "python-import", "target": "scratch", "with": arm, "cache": "cold", "how": "command",
                         "ranks": ranks, "nodes": 1, "repetition": repetition, "started": "", "started_ns": 1700000000000000000 + len(runs),
                         "ended_ns": 1700000001000000000 + len(runs), "total_s": s, "reason": "", "errors": "",
                         "place": {k: "" for k in ("host", "cpu", "kernel", "fs_type", "fs_options", "launcher", "mpi", "python", "glibc", "version", "job", "suite_text")},
                         "phases": {"total": phase}, "metrics": metrics})
# One arm that the machine does not have.
for ranks in (1, 4, 16):
    runs.append(dict(runs[0], uid="%032x" % (len(runs) + 1), status="stopped", **{"with": "spindle"}, ranks=ranks, total_s=None, phases={}, metrics={},
                     reason="'spindle' is left out: 'spindle' is not installed", started_ns=1700000000000000000 + len(runs)))
json.dump(runs, open("runs.json", "w"))
END
loadcast results import --db a.db runs.json >import.out 2>&1 || { cat import.out; skip_all 'cannot import'; }
loadcast report --html page.html
loadcast report --json >report.json

t 'what to tell your users: every arm at the largest width, fastest first, with its costs' '
    code 0 loadcast report
    says "What to tell your users: numpy on scratch, cold" out
    grep -A7 "What to tell" out | awk "NR > 2 { print \$1 }" | tr "\n" " " >order
    says "Loadcast copy squashfs Loadcast, another plain" order
    grep -E "^Loadcast +16 .* 4.0 MB +5.5 s +no root, no FUSE, no daemon" out
    grep -E "^plain +16 .* 16,000 +1.0 MB +- +nothing" out
    says "Not measured: Spindle: '\''spindle'\'' is left out: '\''spindle'\'' is not installed" out
    # The table of plain and Loadcast is about these two only.
    test "$(grep -c "^scratch  *\(1\|4\|16\)  *1 " out)" = 3
'
t 'both totals of the time that the server was busy' '
    code 0 loadcast report
    says "Server busy: Loadcast 10 ms (500 ms), plain 500 ms. In brackets: if what a job does once were charged as many tasks, too." out
    says "Server busy: Loadcast 10 ms (500 ms), plain 500 ms." page.html
    "$python" -c "
import json
arms = {a[\"with\"]: a for a in json.load(open(\"report.json\"))[\"arms\"]}
assert (arms[\"loadcast\"][\"server_busy_s\"], arms[\"loadcast\"][\"server_busy_all_scaled_s\"]) == (0.01, 0.5), arms
assert arms[\"copy\"][\"server_busy_s\"] is None"
'
t 'another user'\''s stat on a stormfs is the time that the server took, not what ranks on the same machine took from it' '
    code 0 loadcast report
    grep -E "^scratch +16 +1 .* 9 ms +100 us +2[+]2$" out
    "$python" -c "
import json
points = {(p[\"with\"], p[\"ranks\"]): p for p in json.load(open(\"report.json\"))[\"points\"]}
assert points[\"loadcast\", 16][\"bystander_server_s\"] == 0.0001 and points[\"loadcast\", 16][\"bystander_s\"] == 0.02"
    grep -E "stat meanwhile</dt>.*>9[.0]* ms<.*<b>100 .s</b>" page.html >tile || { grep -o "stat meanwhile.*" page.html; exit 1; }
'
t 'the same as JSON' '
    "$python" -c "
import json
arms = json.load(open(\"report.json\"))[\"arms\"]
missing = arms.pop()
assert missing[\"with\"] == \"spindle\" and missing[\"median_s\"] is None and \"is not installed\" in missing[\"reason\"], missing
assert [a[\"with\"] for a in arms] == [\"loadcast\", \"copy\", \"squashfs\", \"loadcast-libs\", \"another\", \"plain\"], arms
assert all(a[\"ranks\"] == 16 for a in arms) and arms[1][\"memory_bytes\"] == 2e6 and arms[0][\"edit_s\"] == 5.5
assert arms[5][\"edit_s\"] is None and arms[2][\"needs\"].startswith(\"FUSE\") and arms[4][\"needs\"] == \"\""
'
t 'the page: the same table, a curve and a bar for each arm' '
    grep -o "<table class=\"arms\">" page.html | wc -l >count
    says 1 count
    says "What to tell your users" page.html
    says "Not measured: Spindle: &#39;spindle&#39; is left out" page.html
    for arm in plain copy squashfs Loadcast "Loadcast, libraries only" another; do grep -q "<td>$arm</td>" page.html; done
    for arm in plain copy squashfs Loadcast another; do says "16 $arm" page.html; done
'
t 'in a browser: every curve is drawn, no fault of accessibility, light and dark' '
    command -v node >/dev/null && [ -n "$chromium" ] || skip "no node, or no Chromium"
    "$src/tools/npm-fetch" "$build/npm-test" 2>npm.err || skip "$(cat npm.err)"
    for check in axe looks; do
        node "$here/page_check.js" "$build/npm-test/node_modules" $check "$tmp/page.html" "$tmp/report.json"
    done
'
finish
