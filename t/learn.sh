# learn.sh - a program whose runs import different packages of a shared disk; source it after lib.sh and stormfs.sh.
#
#   learn_tree [DIR]       below src, which stormfs mounts, or DIR: app/app.py and site-packages with pkg0 to pkg3
#   learn_begin [options]  mount it, and record app.py with pkg0 into a new store
#   app [ARGUMENTS]        the line that is started; arguments are no part of an image's key
#   image                  the image's path
#   learn [ARGUMENTS]      a job with that line
#   staged_job CMD...      in a job of its own; the image stays on the node, and $node is its directory,
#   staged_job_end         until now
#   quiet_job [ARGUMENTS]  the same; then a rank on its node, as the launcher starts it, asks nothing of the disk
learn_tree() {
    below=${1:-src}
    mkdir -p "$below/app" "$below/site-packages"
    for i in 0 1 2 3; do
        package=$below/site-packages/pkg$i
        mkdir -p "$package/deep"
        printf 'import os\nfrom . import sub\nfrom .deep import down\ntable = open(os.path.join(os.path.dirname(__file__), "table.txt")).read()\n' \
            >"$package/__init__.py"
        echo "value = $i" >"$package/sub.py"
        : >"$package/deep/__init__.py"
        echo "down = $i" >"$package/deep/down.py"
        echo "table of $i" >"$package/table.txt"
    done
    cat >"$below/app/app.py" <<'EOS'
import importlib, os, sys
ranks = [os.environ[v] for v in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID") if v in os.environ]
numbers = sys.argv[1:] or ranks[:1] or ["0"]
if numbers[0] == "exec":
    exec(numbers[1])
    numbers = ["0"]
for number in numbers:
    package = importlib.import_module("pkg" + number)
    os.write(1, ("%s %d %s" % (package.__file__, package.sub.value, package.table)).encode()) # one line, one write
EOS
    find "$below" -exec touch -hd 2020-01-01 {} +
    "$python" -m compileall -q "$below" # bytecode holds the time of its source
    find "$below" -exec touch -hd 2020-01-01 {} +
    export PYTHONPATH=$tmp/m1/site-packages PYTHONDONTWRITEBYTECODE=1
}
learn_begin() {
    storm --rw --cache-s 0 "$@"
    rm -rf "$LOADCAST_STORE"
    app 0 >plain.0
    loadcast record -- "$python" "$tmp/m1/app/app.py" 0 >record.out 2>&1 || { cat record.out; return 1; }
}
app() { "$python" "$tmp/m1/app/app.py" "$@"; }
image() { ls "$LOADCAST_STORE"/*.lcast; }
learn() { code 0 loadcast run "$python" "$tmp/m1/app/app.py" "$@"; }
jobs_so_far=0
staged_job() {
    jobs_so_far=$((jobs_so_far + 1))
    export COBALT_JOBID=$$.$jobs_so_far
    "$@"
    cp out served
    node=$(ls -td "$LOADCAST_DIR"/loadcast-*/*/ | head -1)
    node=${node%/}
}
staged_job_end() {
    loadcast status >status.out 2>&1
    loadcast clean --all --dir "$LOADCAST_DIR" >/dev/null
    unset COBALT_JOBID
}
quiet_job() {
    staged_job learn "$@"
    stormfs ctl "$tmp/m1" reset
    LOADCAST_NODE=$node code 0 "$node/bin/launch" "$python" "$tmp/m1/app/app.py" "$@"
    asked=$(count requests)
    staged_job_end
    [ "$asked" = 0 ] || { echo "$asked requests instead of 0: $*"; cat stats.json status.out; return 1; }
    same served out
}
# learnt: how many entries, by all jobs
learnt() { loadcast images show --json app.py | "$python" -c 'import json, sys; print(sum(j["entries"] for j in json.load(sys.stdin)["learnt"]))'; }
has_learnt() { [ "$(learnt)" -gt "${1:-0}" ]; }
