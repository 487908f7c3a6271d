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
    for word in plain copy copy-bcast squashfs loadcast-fs loadcast-sbcast loadcast-mpi "22,272" "1,000,000" "median rank" \
        "requests per second" "another user" "source: " "fitted: " "assumed: " "error: " "pyMPI driver"; do says "$word" out; done
    says "plain takes longer than a launcher waits (180 s) from " out
    says "loadcast-mpi is faster than plain from " out
'
t 'the published times of Sierra are met' '
    code 0 loadcast predict --machine sierra-lustre --trace sierra.json --ranks 4608,5376,6144 --json f.json
    test "$(json "max(abs(w[\"with\"][\"plain\"][\"worst_s\"] / t - 1) for w, t in zip(j[\"widths\"], (249.0, 287.6, 332.8))) < 0.1" f.json)" = True
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
t 'an image tells what is asked' '
    mkdir app
    seq 1000 >app/file
    "$PROGRAMS/mkimage" app.lcast app
    code 0 loadcast predict --machine juropa --image app.lcast --cpu 2s --json f.json
    test "$(json "j[\"job\"][\"cpu_s\"]" f.json)" = 2.0
    test "$(json "j[\"job\"][\"opens\"]" f.json)" = 1.0
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
    sed "s/\"failed\": 4681}, \"on_d/\"failed\": -1}, \"on_d/" sierra.json >minus.json
    code 1 loadcast predict --machine juropa --trace minus.json
    says "impossible" err
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
t 'the presets are listed with what they rest on' '
    code 0 loadcast predict --machines
    for m in sierra-nfs sierra-lustre juropa archer edison; do grep -qx "$m" out; done
    test "$(grep -c "fitted: " out)" = 5
'
finish
