#!/bin/sh
# loadcast bench --resume: a suite that was interrupted goes on where it was; and what is said while it runs.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
mkdir stage
# The second case waits once it was started more often than $tmp/after says.
cat >stage/rank.sh <<END
echo "\$1" >>$tmp/ran
[ "\$1" != endless ] || exec sleep 1000
if [ "\$1" = second ] && [ \$(grep -c second $tmp/ran) -gt \$(cat $tmp/after) ]; then touch $tmp/waits; exec sleep 1000; fi
END
cat >suite.yaml <<END
name: long
cases:
  - {kind: command, name: first, command: "sh {target}/rank.sh first", stage: $tmp/stage}
  - {kind: command, name: second, command: "sh {target}/rank.sh second", stage: $tmp/stage}
targets: [{name: here, path: $tmp/target}]
widths: [1, 2]
with: [plain]
caches: [warm]
min_runs: 2
max_runs: 2
precision: 0
count: false
END
ran() { grep -c "^$1\$" ran || :; }
# interrupted SIGNAL STARTS WORDS...: bench, ended by that once the second case was started more often
interrupted() {
    interrupted_by=$1
    rm -rf r.db* ran waits "$work"
    echo "$2" >after
    shift 2
    loadcast bench --work "$work" --db "$tmp/r.db" --json --bystander-limit 0 "$@" >out 2>err &
    bench_pid=$!
    wait_until test -e waits
    kill -"$interrupted_by" $bench_pid
    wait $bench_pid || :
    echo 1000 >after
}
for signal in TERM KILL; do
    t "ended by SIG$signal: what was measured is not measured again, the rest is" "
        interrupted $signal 0 suite.yaml
        [ $signal = KILL ] || says 'the same command with --resume goes on' err
        test \$(ran first) = 9 # two runs and a warm-up of one rank, and of two
        code 0 bench --resume suite.yaml
        says 'first on here: measured before' err
        test \$(ran first) = 9
        # All of it is in the summary, and once in the database.
        line '[(l[\"case\"], l[\"ranks\"], l[\"runs\"], l[\"status\"]) for l in lines] == [(n, r, 2, \"done\") for n in (\"first\", \"second\") for r in (1, 2)]'
        rows 'len([r for r in rows if r[\"status\"] == \"done\"]) == 8'
    "
done
t 'within a case: widths that were measured are not measured again' '
    sed "/name: first/d" suite.yaml >second.yaml
    interrupted TERM 3 second.yaml
    rows "[(r[\"ranks\"], r[\"repetition\"]) for r in rows if r[\"status\"] == \"done\"] == [(1, 1), (1, 2)]"
    code 0 bench --resume second.yaml
    line "[(l[\"ranks\"], l[\"runs\"]) for l in lines] == [(1, 2), (2, 2)]"
    rows "[(r[\"ranks\"], r[\"repetition\"]) for r in rows if r[\"status\"] == \"done\"] == [(1, 1), (1, 2), (2, 1), (2, 2)]"
'
t 'a run that stopped the wider ones before the interruption still does so after it' '
    # Every run takes longer than that.
    sed "/name: first/s/}\$/, stop_above: 1ms}/" suite.yaml >stop.yaml
    grep -q "stop_above" stop.yaml
    interrupted TERM 0 stop.yaml
    test "$(ran first)" = 2 # the warm-up and one run of one rank
    rows "[(r[\"ranks\"], r[\"status\"]) for r in rows if r[\"case\"] == \"first\"] == [(1, \"done\"), (2, \"stopped\")]"
    code 0 bench --resume stop.yaml
    test "$(ran first)" = 2
    line "[(l[\"case\"], l[\"ranks\"], l[\"status\"]) for l in lines] == [(\"first\", 1, \"done\"), (\"first\", 2, \"stopped\"), (\"second\", 1, \"done\"), (\"second\", 2, \"done\")]"
    line "\"above stop_above\" in lines[1][\"reason\"]"
'
t 'a run that timed out before the interruption is not tried again, and is told as if it had been' '
    sed "/name: first/s/rank.sh first\(.*\)}\$/rank.sh endless\1, timeout: 100ms}/" suite.yaml >timeout.yaml
    grep -q "endless.*timeout" timeout.yaml
    interrupted TERM 0 timeout.yaml
    started=$(ran endless)
    code 1 bench --resume timeout.yaml
    test "$(ran endless)" = "$started"
    line "[(l[\"case\"], l[\"ranks\"], l[\"status\"], l[\"failed\"]) for l in lines[:2]] == [(\"first\", 1, \"timeout\", 1), (\"first\", 2, \"stopped\", 0)]"
    line "lines[0][\"reason\"] != \"\" and \"timed out\" in lines[1][\"reason\"]"
'
t 'an arm that the machine does not have: the case is not prepared again for it, nor its row written twice' '
    if command -v spindle >/dev/null; then skip "there is a spindle"; fi
    sed "s/^with:.*/with: [plain, spindle]/" suite.yaml >arms.yaml
    interrupted TERM 0 arms.yaml
    code 0 bench --resume arms.yaml
    says "first on here: measured before" err
    line "[(l[\"ranks\"], l[\"with\"], l[\"status\"]) for l in lines if l[\"case\"] == \"first\"] == [(r, *a) for r in (1, 2) for a in ((\"plain\", \"done\"), (\"spindle\", \"stopped\"))]"
    rows "len([r for r in rows if r[\"case\"] == \"first\" and r[\"status\"] == \"stopped\"]) == 2"
'
t 'without --resume, and where nothing was interrupted, everything is measured' '
    rm -f ran
    code 0 bench suite.yaml
    test $(ran first) = 9
    code 0 bench --resume suite.yaml
    says "nothing of this suite was interrupted" err
    test $(ran first) = 18
'
t 'an interrupted line of options is resumed by the same line' '
    set -- --command "sh {target}/rank.sh second" --stage stage --target target --cache warm --width 1,2 --max-runs 2 --precision 0 --no-count
    interrupted TERM 3 "$@"
    before=$(ran second)
    code 0 bench "$@" --resume
    lacks "nothing of this suite" err
    test $(($(ran second) - before)) = 6 # two ranks: a warm-up and two runs
'
t 'bad words' '
    code 2 bench --resume --pick random:1 suite.yaml
    says "a new draw cannot go on" err
'
t 'one line for each measured run where no bar can be drawn' '
    rm -f ran
    code 0 bench suite.yaml
    test "$(grep -c "run *[0-9]* of at most 8: " err)" = 8
'
finish
