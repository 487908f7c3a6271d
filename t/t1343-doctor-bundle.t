#!/bin/sh
# loadcast doctor --bundle: what to attach to a report, without contents of files and without credentials.
. "$(dirname "$0")/lib.sh"
need_ptrace
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
mkdir -m 700 own sw
export TMPDIR=$tmp/own HOME=$tmp/sw PYTHONDONTWRITEBYTECODE=1
mkdir -p sw/.aws
echo 'aws_secret_access_key = inside-the-file' >sw/.aws/credentials
echo 'text = "content-of-a-module"' >sw/helper.py
cat >sw/app.py <<P
import importlib.machinery, os, sys, types
sys.path.insert(0, "$tmp/sw")
import helper
os.path.exists("$tmp/sw/.aws/credentials")
print("visible", os.environ["SITE_TOKEN"], "--password=printed-by-the-program")
print("https://user:in-an-address@host/", file=sys.stderr)
if not isinstance(importlib.machinery.FileFinder.find_spec, types.FunctionType): print("seam")
P
export SITE_TOKEN=value-of-a-token LOADCAST_API_KEY=another-value
t 'versions, machine, environment, index, outputs, counters; mode 0600' '
    umask 000
    code 1 loadcast doctor --bundle report.tar --manage "$tmp/sw" -- "$python" sw/app.py --api-token on-the-command-line
    umask 022
    says "attach     '\''report.tar'\''" out
    [ "$(stat -c %a report.tar)" = 600 ]
    tar xf report.tar
    [ "$(stat -c %a loadcast-doctor/report.json)" = 600 ]
    "$python" - <<-"P"
	import json
	top = "loadcast-doctor/"
	report = json.load(open(top + "report.json"))
	assert report["verdict"] == "part" and report["part"] == "seam" and report["version"] and report["kernel"]
	counted = [r for r in report["runs"] if "counters" in r]
	assert counted and all(r["counters"][0]["counts"]["answered"] > 0 for r in counted), counted
	machine = json.load(open(top + "machine.json"))
	assert any(c["check"] == "glibc" for c in machine["checks"])
	image = json.load(open(top + "image.json"))
	assert any(f["path"].endswith("/sw/helper.py") and f["size"] > 0 for f in image["files"])
	assert "LOADCAST_DIR=" in open(top + "environment").read()
	P
    says visible loadcast-doctor/runs/plain-1.out
    says seam loadcast-doctor/runs/everything-1.out
    find own -mindepth 1 | nothing
'
t 'no content of files, no credentials' '
    for secret in content-of-a-module inside-the-file value-of-a-token another-value printed-by-the-program in-an-address on-the-command-line .aws/credentials; do
        grep -raF -e "$secret" loadcast-doctor report.tar | nothing
    done
    says "visible ***" loadcast-doctor/runs/plain-1.out
    says "LOADCAST_API_KEY=***" loadcast-doctor/environment
'
t 'libraries of traced runs are in it' '
    sed -i /types/d sw/app.py
    rm report.tar
    code 0 loadcast doctor --bundle report.tar --manage "$tmp/sw" -- "$python" sw/app.py
    rm -r loadcast-doctor && tar xf report.tar
    grep -q "^/.*python.*: /.*libc.so.6$" loadcast-doctor/runs/plain-traced-1.libraries
    for run in plain everything; do grep "^/.*python" loadcast-doctor/runs/$run-traced-1.libraries | sort >$run; done
    [ -s plain ]
    same plain everything
'
t 'a file or link that is there is not touched, and nothing is run' '
    cp report.tar before.tar
    rm -f ran
    code 2 loadcast doctor --bundle report.tar -- touch ran
    says "cannot create the bundle '\''report.tar'\'': File exists" err
    ln -s elsewhere link.tar
    code 2 loadcast doctor --bundle link.tar -- touch ran
    [ ! -e elsewhere ]
    [ ! -e ran ]
    cmp before.tar report.tar
'
t 'no bundle is left if the command could not be run' '
    code 2 loadcast doctor --bundle none.tar -- ./no-such-program
    [ ! -e none.tar ]
'
finish
