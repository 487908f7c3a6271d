# seam.sh - record, stage and run Python programs of Debian's /usr and $APP: source it after lib.sh
export LOADCAST_DIR="$tmp/node" APP="$tmp/app" PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
unset LOADCAST LOADCAST_NODE LOADCAST_PYTHON PYTHONPATH PYTHONHOME
mkdir "$tmp/node" "$tmp/work"
cd "$tmp/work" || exit 1

# recorded NAME COMMAND...: record what COMMAND does, and stage it
recorded() {
    image=$tmp/$1.lcast
    shift
    loadcast record -o "$image" --manage /usr --manage "$APP" ${record_options:-} -- "$@" >"$tmp/recorded" 2>"$tmp/record.err" ||
        { cat "$tmp/record.err"; return 1; }
    stage
}
# stage: $image anew; a test may do it too, which is a subshell: so the directory is looked for each time
stage() {
    loadcast clean -q --all >/dev/null 2>&1 || :
    loadcast exec -q "$image" -- true
}
node() { (cd "$tmp"/node/loadcast-*/[0-9a-f]*/ && pwd); }
served() { LOADCAST_NODE=$(node) "$(node)/bin/launch" "$@"; }
# How many modules' code came from node memory so far.
modules() {
    loadcast status --json | "$python" -c '
import json, sys
print([n["counts"]["code"] for n in json.load(sys.stdin) if n["path"] == sys.argv[1]][0])' "$(node)"
}
# The same output and status, plain and served.
both() {
    rc=0; "$@" >plain.raw 2>&1 || rc=$?
    got=0; served "$@" >served.raw 2>&1 || got=$?
    tidy <plain.raw >plain
    tidy <served.raw >served
    same plain served
    test $rc = $got || { echo "status $got instead of $rc"; return 1; }
}
tidy() { sed 's/0x[0-9a-f]*//g; s/\[GCC.*//'; }
