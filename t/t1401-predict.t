#!/bin/sh
# What 'loadcast predict' computes, prints and refuses.
. "$(dirname "$0")/lib.sh"
json() { "$python" -c "import json,sys; j=json.load(open(sys.argv[1])); print($1)" "$2"; }
# trace VERSION: a trace as 'loadcast trace --json' writes it: Pynamic on Sierra by the chapter's counts
trace() {
    cat <<-EOS
	{"format": "loadcast-trace", "format_version": $1, "provenance": {"command": ["loadcast", "trace", "--", "pyMPI", "driver"]},
	 "outcome": {"wall_s": 10.0}, "totals": {"metadata": {"ok": 990, "failed": 4681}, "on_descriptor": {"ok": 495, "failed": 0}, "data": {"ok": 495, "failed": 0},
	 "kinds": {"open": {"ok": 495, "failed": 4681}}, "bytes_read": 0, "bytes_mapped": 2360000000, "files": 495}}
	EOS
}
trace 1 >sierra.json
case $(loadcast predict --machine juropa --trace sierra.json 2>&1) in
*"without libyaml"*) skip_all "built without libyaml" ;;
esac

t 'tables: each remedy at each width, the widths at which something happens, the source' '
    code 0 loadcast predict --machine sierra-lustre --trace sierra.json
    for word in plain copy copy-bcast squashfs loadcast-ranks loadcast-fs loadcast-sbcast loadcast-mpi "22,272" "1,000,000" "median rank" \
        "requests per second" "another user" "source: " "fitted: " "assumed: " "error: " "pyMPI driver"; do says "$word" out; done
    says "plain takes longer than a launcher waits (180 s) from " out
    says "another user'\''s stat takes 1 s or more under plain from " out
    for remedy in copy copy-bcast squashfs loadcast-ranks loadcast-fs loadcast-sbcast loadcast-mpi; do grep -q "^$remedy is faster than plain " out; done
'
t 'without --ranks: 24, 1,024, 24,000 and 1,000,000, and the whole machine' '
    for m in sierra-lustre juropa archer; do
        code 0 loadcast predict --machine $m --trace sierra.json --json f.json
        whole=$(json "int(j[\"machine\"][\"nodes\"] * j[\"machine\"][\"ranks_per_node\"])" f.json)
        test "$(json "{24, 1024, 24000, 1000000, $whole} - {w[\"ranks\"] for w in j[\"widths\"]}" f.json)" = "set()"
    done
'
t 'the published times of Sierra are met' '
    code 0 loadcast predict --machine sierra-lustre --trace sierra.json --ranks 4608,5376,6144 --json f.json
    test "$(json "max(abs(w[\"with\"][\"plain\"][\"worst_s\"] / t - 1) for w, t in zip(j[\"widths\"], (249.0, 287.6, 332.8))) < 0.1" f.json)" = True
'
t 'in the JSON, too: below the widths at which something happens it does not, and from there on it does' '
    at() { loadcast predict --machine sierra-lustre --trace sierra.json --ranks "$1,$(($1 - 1))" --json at.json >/dev/null; }
    code 0 loadcast predict --machine sierra-lustre --trace sierra.json --json f.json
    at "$(json "j[\"from_ranks\"][\"plain_over_180_s\"]" f.json)"
    test "$(json "[w[\"with\"][\"plain\"][\"worst_s\"] > 180 for w in j[\"widths\"]]" at.json)" = "[True, False]"
    at "$(json "j[\"from_ranks\"][\"bystander_over_1_s\"]" f.json)"
    test "$(json "[w[\"with\"][\"plain\"][\"bystander_s\"] >= 1 for w in j[\"widths\"]]" at.json)" = "[True, False]"
    for remedy in $(json "*j[\"from_ranks\"][\"pays\"], sep=chr(10)" f.json); do
        from=$(json "j[\"from_ranks\"][\"pays\"][\"$remedy\"]" f.json)
        at "$from"
        test "$(json "[w[\"with\"][\"$remedy\"][\"worst_s\"] < w[\"with\"][\"plain\"][\"worst_s\"] for w in j[\"widths\"]]" at.json)" = "[True, False]"
    done
'
t 'the parts add up to the whole, and the median is not later than the last' '
    code 0 loadcast predict --machine archer --trace sierra.json --json f.json
    test "$(json "all(abs(e[\"launch_s\"] + e[\"check_s\"] + e[\"stage_s\"] + e[\"start_s\"] - e[\"worst_s\"]) < 1e-6 * e[\"worst_s\"] and 0 < e[\"median_s\"] <= e[\"worst_s\"] for w in j[\"widths\"] for e in w[\"with\"].values())" f.json)" = True
'
t 'a million ranks in less than a second of CPU time' '
    code 0 "$python" -c "import resource, subprocess, sys
subprocess.run([\"loadcast\", \"predict\", \"--machine\", \"sierra-lustre\", \"--trace\", \"sierra.json\", \"--json\", \"m.json\"], check=True)
r = resource.getrusage(resource.RUSAGE_CHILDREN)
print(r.ru_utime + r.ru_stime)
sys.exit(r.ru_utime + r.ru_stime > (10 if \"san\" in \"$build\" else 1))"
    test "$(json "j[\"widths\"][-1][\"ranks\"]" m.json)" = 1000000
'
t '--json - and --html - leave standard output to themselves' '
    code 0 loadcast predict --machine juropa --trace sierra.json --json -
    test "$(json "j[\"format\"]" out)" = loadcast-predict
    code 0 loadcast predict --machine juropa --trace sierra.json --html -
    head -1 out | grep -qx "<!doctype html>"
    code 2 loadcast predict --machine juropa --trace sierra.json --html - --json -
'
t 'a command is run, traced and predicted; its own output goes to standard error' '
    loadcast trace -o /dev/null -- true 2>err || { grep -q "ptrace is forbidden" err && skip "$(cat err)"; }
    code 0 loadcast predict --machine juropa -- echo hello
    says "echo hello on juropa" out
    says hello err
    code 1 loadcast predict --machine juropa -- /nonexistent/program
    says "cannot trace" err
    code 0 loadcast predict --machine juropa -- false
    says "failed; what it asked before is predicted" err
'
t 'a file that many processes map has its size once; what makes a trace doubtful is said' '
    loadcast trace -o /dev/null -- true 2>err || { grep -q "ptrace is forbidden" err && skip "$(cat err)"; }
    code 0 loadcast trace --json one.json -- cat /etc/passwd
    code 0 loadcast trace --json many.json -- sh -c "cat /etc/passwd; cat /etc/passwd; cat /etc/passwd; :"
    code 0 loadcast predict --machine juropa --trace one.json --json one
    code 0 loadcast predict --machine juropa --trace many.json --json many
    says "a rank is all 4 processes" out
    test "$(json "j[\"job\"][\"bytes\"]" many | cut -d. -f1)" -lt "$(json "2 * j[\"job\"][\"bytes\"]" one | cut -d. -f1)"
    sed "s/\"wall_s\": 10.0/&, \"partial\": true/" sierra.json >part.json
    code 0 loadcast predict --machine juropa --trace part.json
    says "the trace ended before the program did" out
'
t 'an image tells what is asked' '
    mkdir app
    seq 1000 >app/file
    "$PROGRAMS/mkimage" app.lcast app
    code 0 loadcast predict --machine juropa --image app.lcast --cpu 2s --json f.json
    test "$(json "j[\"job\"][\"cpu_s\"]" f.json)" = 2.0
    test "$(json "j[\"job\"][\"opens\"]" f.json)" = 1.0
    # the file is opened, which looks it up; each other entry is looked up once
    test "$(json "j[\"job\"][\"lookups\"] + j[\"job\"][\"misses\"] + 1 == j[\"job\"][\"image_entries\"]" f.json)" = True
    says "each path is taken" out
    head -c 100 app.lcast >short.lcast
    code 3 loadcast predict --machine juropa --image short.lcast
'
t 'measured runs tell how much is asked' '
    "$PROGRAMS/mkresults" a.db 400 3
    code 0 loadcast predict --machine juropa --results a.db --case numpy --json f.json
    test "$(json "j[\"job\"][\"name\"]" f.json)" = numpy
    test "$(json "900 < j[\"job\"][\"lookups\"] < 1500" f.json)" = True
    says "all are taken for look-ups" out
    code 1 loadcast predict --machine juropa --results a.db --case nosuch
    says "has no plain run of nosuch" err
    code 1 loadcast predict --machine juropa --results nosuch.db
    says "nosuch.db" err
'
t 'without --case the newest plain run is taken, and the image and the time of its case' '
    "$PROGRAMS/mkresults" b.db 400 3
    "$python" -c "import sqlite3
db = sqlite3.connect(\"b.db\")
db.execute(\"update metric set value = 7e6 where name = '\''image_bytes'\'' and run in (select id from run where name = '\''numpy'\'')\")
db.execute(\"insert or replace into metric select id, '\''cpu_control_s'\'', 0.25 from run where with_ = '\''plain'\'' and name = '\''numpy'\''\")
db.execute(\"insert into metric select id, '\''cpu_control_s'\'', 99 from run where with_ = '\''plain'\'' and name != '\''numpy'\''\")
db.execute(\"delete from metric where name = '\''operations_per_rank'\'' and run in (select id from run where name != '\''numpy'\'')\")
db.execute(\"update run set with_ = '\''squashfs'\'' where with_ = '\''loadcast'\'' and name = '\''numpy'\'' and id > 200\")
db.execute(\"update metric set value = 3e6 where name = '\''image_bytes'\'' and run in (select id from run where with_ = '\''squashfs'\'')\")
db.commit()"
    code 0 loadcast predict --machine juropa --results b.db --json f.json
    test "$(json "(j[\"job\"][\"name\"], j[\"job\"][\"image_bytes\"], j[\"job\"][\"cpu_s\"])" f.json)" = "('\''numpy'\'', 7000000.0, 0.25)"
    "$python" -c "import sqlite3
db = sqlite3.connect(\"b.db\")
db.execute(\"delete from metric where name in ('\''image_bytes'\'', '\''cpu_control_s'\'')\")
db.commit()"
    code 0 loadcast predict --machine juropa --results b.db
    says "no run with Loadcast tells the files'\'' size: taken for 0; CPU time unknown: --cpu tells it" out
    "$python" -c "import sqlite3
db = sqlite3.connect(\"b.db\")
db.execute(\"update metric set value = 1e308 where name = '\''operations_per_rank'\''\")
db.commit()"
    code 1 loadcast predict --machine juropa --results b.db --json no.json
    says "has no plain run whose requests were counted" err
    : >empty.db
    code 1 loadcast predict --machine juropa --results empty.db
    says "is empty: no run was ever written to it" err
'
t 'bad input: one job, one machine' '
    code 2 loadcast predict --trace sierra.json
    says "needs --machine" err
    code 2 loadcast predict --machine juropa
    says "needs one of --trace, --image, --results" err
    code 2 loadcast predict --machine juropa --trace sierra.json -- true
    code 2 loadcast predict --machine jurop --trace sierra.json
    says "did you mean '\''juropa'\''" err
    code 2 loadcast predict --machine ./nosuch.yaml --trace sierra.json
    says "cannot read the machine file" err
'
t 'bad input: a machine file, with line, column and range' '
    loadcast predict --machine juropa --show >ours.yaml
    code 0 loadcast predict --machine ./ours.yaml --trace sierra.json
    sed "s/^nodes: .*/nodes: 0/" ours.yaml >bad.yaml
    line=$(grep -n "^nodes" bad.yaml | cut -d: -f1)
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    says "bad.yaml:$line:8: '\''nodes'\'': 0 is outside 1 to 10000000" err
    sed "s/opens_per_s/openings/" ours.yaml >bad.yaml
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    says "unknown key '\''openings'\''" err
    sed "s/total_mb_s: .*/total_mb_s: 10001/" ours.yaml >bad.yaml
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    says "is outside 0.1 to 10000, which 10 servers of 1000 MB/s send together" err
    printf "nodes: [[[[" >bad.yaml
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    head -c 100000 /dev/zero >bad.yaml
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    says "is no machine file" err
'
t 'bad input: a machine file that says less than it seems to; names that would change a terminal' '
    loadcast predict --machine juropa --show >ours.yaml
    (cat ours.yaml; printf "\0nodes: 0\n") >bad.yaml
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    says "it has a zero byte" err
    (cat ours.yaml; printf "%s\n" "---" "nodes: 0") >bad.yaml
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    says "bad.yaml:$(grep -n "^---" bad.yaml | cut -d: -f1):1: one file is one machine" err
    sed "s/^name: .*/name: \"\\\\e[31mred\"/" ours.yaml >bad.yaml
    code 2 loadcast predict --machine bad.yaml --trace sierra.json
    says "a control character" err
    sed "s/pyMPI/\\\\u001b[31mred/" sierra.json >red.json
    code 0 loadcast predict --machine juropa --trace red.json
    says "31mred driver on juropa" out
    grep "$(printf "\033")" out | nothing
'
t 'bad input: a trace of another version, or none at all' '
    trace 2 >new.json
    code 1 loadcast predict --machine juropa --trace new.json
    says "a trace of version 2; this program reads version 1" err
    echo "{}" >empty.json
    code 1 loadcast predict --machine juropa --trace empty.json
    says "is no trace" err
    echo nonsense >bad.json
    code 1 loadcast predict --machine juropa --trace bad.json
    code 1 loadcast predict --machine juropa --trace nosuch.json
    says "No such file" err
    for change in "s/\"failed\": 4681}, \"on_d/\"failed\": -1}, \"on_d/" "s/\"failed\": 4681}, \"on_d/\"failed\": 1e300}, \"on_d/" \
        "s/10.0}/\"long\"}/" "s/10.0}/-1}/" "s/\"files\": 495/\"files\": -4/" "s/\"bytes_read\": 0/\"bytes_read\": 1e308/"; do
        sed "$change" sierra.json >wrong.json
        code 1 loadcast predict --machine juropa --trace wrong.json --json none.json
        says "is impossible (0 to 1e+15)" err
    done
    sed "s/\"on_descriptor\": {\"ok\": 495/\"on_descriptor\": {\"ok\": 991/" sierra.json >wrong.json
    code 1 loadcast predict --machine juropa --trace wrong.json
    says "its parts are more than its totals" err
    sed "s/\"metadata\": {[^}]*}/\"metadata\": {}/" sierra.json >wrong.json
    code 1 loadcast predict --machine juropa --trace wrong.json
    says "totals.metadata.ok'\'' is missing" err
    test ! -e none.json
'
t 'widths beyond the model are marked, or refused' '
    code 0 loadcast predict --machine juropa --trace sierra.json --ranks 8000,8200,26305
    says " 8,000  " out
    says " 8,200+ " out
    says "26,305*+ " out
    says "more than the machine" out
    says "beyond the model" out
    code 2 loadcast predict --machine juropa --trace sierra.json --ranks 1000001
    says "1000000" err
'
t 'doc/figures.md says what is predicted' '
    code 0 "$python" "$src/tools/draw-figures" --tables "$build"
    test "$(grep -c "^| " out)" = 16
    grep "^| " out | while read -r row; do says "$row" "$src/doc/figures.md"; done
'
t 'the presets are listed with what they rest on' '
    code 0 loadcast predict --machines
    for m in sierra-nfs sierra-lustre juropa archer edison blue-waters; do grep -qx "$m" out; done
    test "$(grep -c "fitted: " out)" = 6
'
finish
