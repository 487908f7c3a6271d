# bench.sh - what the tests of 'loadcast bench' share; source it after lib.sh.
#
#   bench WORDS...         loadcast bench into this file's own database, summary in JSON to $tmp/out
#   line EXPRESSION        a Python expression on 'lines', the summary: must be true
#   rows EXPRESSION        the same on 'rows', the runs of the database, newest last
work=$tmp/work
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset MALLOC_PERTURB_ LOADCAST_DB # Open MPI 4.1 crashes on Meson's pattern now and then
mkdir -p target

# Nobody is protected unless a test asks for it: on a busy machine every stat is slow now and then.
bystander_limit=0
bench() { loadcast bench --work "$work" --db "$tmp/r.db" --json --bystander-limit "$bystander_limit" "$@"; }
line() { "$python" -c "
import json
lines = json.load(open('$tmp/out'))
assert $1, json.dumps(lines, indent=1)"; }
rows() {
    loadcast results export --json --db "$tmp/r.db" >"$tmp/rows.json"
    "$python" -c "
import json
rows = json.load(open('$tmp/rows.json'))
rows = rows.get('runs', rows) if isinstance(rows, dict) else rows
def phase(row, name):
    return {p['name']: p for p in row['phases']}[name]
def metric(row, name):
    return row['metrics'][name]
assert $1, json.dumps(rows[-3:], indent=1)"
}
