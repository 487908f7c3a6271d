#!/bin/sh
# loadcast bench: suites, the command line, and what is wrong with them.
. "$(dirname "$0")/lib.sh"
mkdir target
work=$tmp/work
bench() { loadcast bench --work "$work" --db "$tmp/r.db" "$@"; }
# suite LINES: a suite file from lines separated by ';'.
suite() { printf '%s\n' "$1" | tr ';' '\n' >"$tmp/s.yaml"; }
good='cases:;  - name: nothing;    kind: dummy;targets:;  - name: here;    path: target'

t 'a suite is measured and its rows are kept with its text' '
    suite "name: first;$good;widths: [2, 1];caches: [warm];max_runs: 1;bystander_limit: 0"
    code 0 bench s.yaml
    says "nothing" out
    loadcast results export --json --db "$tmp/r.db" >rows.json
    says "first" rows.json
    says "max_runs: 1" rows.json
'
t 'widths go upward, whatever their order in the suite' '
    suite "$good;widths: [8, 2, \"4@1\"];caches: [warm];max_runs: 1"
    code 0 bench --dry-run s.yaml
    says "2 4@1 8 ranks" out
'
t 'the command line alone is a suite' '
    code 0 bench --case dummy --target target --width 1,2 --max-runs 1 --bystander-limit 0 --json
    "$python" -c "
import json
lines = json.load(open(\"$tmp/out\"))
assert [l[\"ranks\"] for l in lines] == [1, 1, 2, 2], lines
assert all(l[\"status\"] == \"done\" and l[\"median_s\"] > 0 for l in lines)"
'
t 'options replace what the suite says' '
    suite "$good;widths: [8];max_runs: 5"
    code 0 bench --dry-run --width 3 --max-runs 2 --cache cold s.yaml
    says "3 ranks; cold; plain; at most 2 runs" out
'
t 'broken YAML is shown by line and column' '
    suite "cases: [;  - name: x"
    code 2 bench s.yaml
    grep -Eq "s.yaml:[0-9]+:[0-9]+: " err
'
t 'an unknown key is shown where it stands, with the nearest name' '
    suite "$good;wdiths: [1]"
    code 2 bench s.yaml
    says "s.yaml:7:1: unknown key '\''wdiths'\''; did you mean '\''widths'\''?" err
    suite "cases:;  - kind: dummy;    comand: x;targets:;  - path: target"
    code 2 bench s.yaml
    says "s.yaml:3:5: unknown key '\''comand'\''; did you mean '\''command'\''?" err
    suite "cases:;  - kind: dummy;targets:;  - stormfs:;      profle: lustre"
    code 2 bench s.yaml
    says "s.yaml:5:7: unknown key '\''profle'\''; did you mean '\''profile'\''?" err
'
t 'a value of the wrong kind is shown where it stands' '
    suite "$good;max_runs: many"
    code 2 bench s.yaml
    says "s.yaml:7:" err
    says "max_runs" err
'
t 'values that make no sense are named' '
    for bad in "widths: [0]" "widths: [\"2@4\"]" "caches: [hot]" "with: [loadcats]" "bytecode: some" "precision: -1" \
        "max_runs: 0" "launcher: mpiexce" "launcher: mpirun -n 4" "timeout: soon" "bystander_limit: 0.5"; do
        suite "$good;$bad"
        code 2 bench s.yaml
        says "s.yaml" err
    done
    says "bystander_limit" err
'
t 'what a case needs is asked for' '
    suite "cases:;  - kind: command;targets:;  - path: target"
    code 2 bench s.yaml
    says "needs '\''command:" err
    suite "cases:;  - kind: workload;targets:;  - path: target"
    code 2 bench s.yaml
    says "loadcast gen" err
    suite "cases:;  - kind: dummy;targets:;  - name: x"
    code 2 bench s.yaml
    says "needs '\''path:" err
'
t 'an empty, an absent and a directory suite are refused' '
    : >empty.yaml
    code 2 bench empty.yaml
    says "empty" err
    code 2 bench nowhere.yaml
    says "No such file" err
    code 2 bench target
    says "target" err
'
t 'no case and no target: what to type' '
    code 2 bench
    says "python-import" err
    code 2 bench --case dummy
    says "--target" err
'
t 'a target that is not there fails its rows; the others are measured' '
    suite "cases:;  - kind: dummy;targets:;  - {name: gone, path: nowhere};  - {name: here, path: target};max_runs: 1"
    code 1 bench s.yaml
    says "nowhere" err
    says "No such file" out
    grep -E "^dummy +dummy +here .* done" out
'
t 'a launcher that is not installed: a clear line, a failed row, the suite goes on' '
    suite "$good;  - {name: two, path: target};launcher: no-such-launcher -n {ranks};max_runs: 1"
    code 1 bench s.yaml
    test "$(grep -c "not installed" out)" -ge 2
'
t 'plain processes do not pretend to be on several nodes' '
    code 1 bench --case dummy --target target --width 2@2 --launcher plain --max-runs 1
    says "plain processes run on one node" out
'
t 'a database that is none of ours is refused and left alone' '
    echo precious >mine.db
    code 1 loadcast bench --work "$work" --db mine.db --case dummy --target target
    says "mine.db" err
    test "$(cat mine.db)" = precious
'
t 'on a terminal a bar shows how far it is and the time left; elsewhere there is none' '
    code 0 env TERM=xterm "$python" "$here/pty_run.py" never x "$build/loadcast" bench --work "$work" --db "$tmp/r.db" \
        --bystander-limit 0 --command "sleep 0.2" --target target --cache warm --max-runs 4 --precision 0 --no-count
    grep -Eq "bench \[#+ *\] +[0-9]+ %" out
    says " left" out
    code 0 bench --command "sleep 0.2" --target target --cache warm --max-runs 2 --no-count --bystander-limit 0
    lacks "[#" err
'
t '--pick random:1 takes one pair, by weight' '
    suite "cases:;  - {name: never, kind: dummy, weight: 0};  - {name: always, kind: dummy};targets:;  - {name: a, path: target};  - {name: b, path: target, weight: 0};max_runs: 1;caches: [warm]"
    for i in 1 2 3; do
        code 0 bench --pick random:1 --json s.yaml
        "$python" -c "
import json
lines = json.load(open(\"$tmp/out\"))
assert [(l[\"case\"], l[\"target\"]) for l in lines] == [(\"always\", \"a\")], lines"
    done
    code 1 bench --pick first s.yaml
    says "random:1" err
'
t '--submit hands the same command, without itself, to the queue' '
    suite "$good;max_runs: 1"
    code 0 loadcast bench --db "$tmp/q r.db" --submit "cat >$tmp/job.sh" --max-runs 1 s.yaml
    lacks submit job.sh
    code 0 sh job.sh
    test -s "$tmp/q r.db"
    code 1 bench --submit "exit 3" s.yaml
    says "did not take the job" err
'
t 'the examples are suites, and their scripts are scripts' '
    for f in "$src"/examples/*.yaml; do code 0 bench --dry-run "$f"; test -s out; done
    bash -n "$src/examples/bench-slurm.sh"
    mkdir bench-home
    command -v python3 >/dev/null && $python -c "import json" || skip "no python"
    sed "s/numpy/json/g" "$src/examples/bench-small.yaml" >small.yaml
    code 0 bench --pick random:1 --width 1 --max-runs 1 --cache warm --with plain --no-count small.yaml
    says "done" out
'
finish
