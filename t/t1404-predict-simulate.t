#!/bin/sh
# 'loadcast predict --simulate': the chain's messages on SimGrid, beside the model.
. "$(dirname "$0")/lib.sh"
json() { "$python" -c "import json,sys; j=json.load(open(sys.argv[1])); print($1)" "$2"; }
cat >trace.json <<EOS
{"format": "loadcast-trace", "format_version": 1, "outcome": {"wall_s": 1.0}, "totals": {"metadata": {"ok": 990, "failed": 4681},
 "kinds": {"open": {"ok": 495, "failed": 4681}}, "bytes_read": 100000000, "bytes_mapped": 0, "files": 495}}
EOS
loadcast predict --machine juropa --show >m.yaml 2>err || skip_all "$(cat err)"
case $(cat err) in *libyaml*) skip_all "built without libyaml" ;; esac
# with_simgrid: skip the test where it is not here
with_simgrid() { command -v smpirun >/dev/null && [ -x "$build/predict-chain" ] || skip "no SimGrid"; }

t 'without SimGrid the model alone is shown, and that is said once' '
    mkdir empty
    (PATH=$build:$tmp/empty; loadcast predict --machine juropa --trace trace.json --simulate --json f.json >out 2>err)
    test "$(grep -c "not simulated: SimGrid is not here" out)" = 1
    test "$(json "j[\"widths\"][1][\"chain_simulated_s\"]" f.json)" = None
'
t 'the same from a build without SimGrid, where only the simulated program is missing' '
    mkdir built
    cp "$build/loadcast" "$build"/loadcast-full built/
    code 0 built/loadcast predict --machine juropa --trace trace.json --simulate
    test "$(grep -c "not simulated: SimGrid is not here" out)" = 1
    says "last rank ready" out
'
t 'model and simulation of the chain agree within 15 % on a machine such as JUROPA' '
    with_simgrid
    code 0 loadcast predict --machine juropa --trace trace.json --ranks 16,512 --simulate --json f.json
    test "$(json "[abs(w[\"chain_s\"] / w[\"chain_simulated_s\"] - 1) < 0.15 for w in j[\"widths\"]]" f.json)" = "[True, True]"
    test "$(json "j[\"simulation\"]" f.json)" = ""
    says "chain at 64 nodes: " out
'
t 'where they differ by more, the output says so' '
    with_simgrid
    sed "s/link_mb_s: .*/link_mb_s: 100000/" m.yaml >fast.yaml
    widths=16,24,32,40,48,56,64,72
    code 0 loadcast predict --machine ./fast.yaml --trace trace.json --ranks $widths --simulate --html page.html
    says "model and simulation of the chain differ by more than 15 % at nodes: 2 (-" out
    says "; see doc/figures.md" out
    test "$(sed -n "s/.*at nodes: //p" out | grep -o "[0-9]* (-" | tr -d "(\\-\n")" = "2 3 4 5 6 7 8 9 "
    says "<b>The chain at 9 nodes:</b>" page.html
    says "differ by more than 15 % at nodes: 2 (-" page.html
'
t 'a directory that cannot be made is named, not SimGrid' '
    with_simgrid
    (TMPDIR=$tmp/nosuch; export TMPDIR; code 0 loadcast predict --machine juropa --trace trace.json --ranks 16 --simulate)
    says "not simulated: cannot make a directory" out
    says "nosuch" out
'
t 'who ends it finds no directory left behind' '
    with_simgrid
    mkdir slow tmp
    mkfifo go
    printf "#!/bin/sh\\n[ \"\$1\" = -help ] || { echo >started; read -r line <go; }\\n" >slow/smpirun
    chmod +x slow/smpirun
    (PATH=$tmp/slow:$PATH TMPDIR=$tmp/tmp; export PATH TMPDIR; exec loadcast predict --machine juropa --trace trace.json --ranks 16 --simulate >out 2>err) &
    pid=$!
    wait_until test -e started
    kill -TERM $pid
    echo >go
    status=0
    wait $pid || status=$?
    test $status = 143
    ls -A tmp | nothing
'
t 'a simulation that fails is said; the prediction stands' '
    with_simgrid
    mkdir bin
    printf "#!/bin/sh\\n[ \"\$1\" = -help ] || { echo broken >&2; exit 1; }\\n" >bin/smpirun
    chmod +x bin/smpirun
    (PATH=$tmp/bin:$PATH; code 0 loadcast predict --machine juropa --trace trace.json --ranks 16 --simulate)
    says "the simulation failed: " out
    says "last rank ready" out
'
finish
