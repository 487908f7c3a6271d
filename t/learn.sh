# learn.sh - a program whose runs import different packages of a shared disk; source it after lib.sh and stormfs.sh.
#
#   learn_tree [DIR]       below src, which stormfs mounts, or DIR: app/app.py and site-packages with pkg0 to pkg3
#   learn_begin [options]  mount it, and record app.py with pkg0 into a new store
#   app [ARGUMENTS]        the line that is started; arguments are no part of an image's key
#   image                  the image's path
#   learn [ARGUMENTS]      a job with that line, and the end of what it learns
#   staged_job CMD...      in a job of its own; the image stays on the node, and $node is its directory,
#   staged_job_end         until now
#   quiet_job [ARGUMENTS]  the same; then a rank on its node, as the launcher starts it, asks nothing of the disk
#   writers_begin          count how often an image is written to the store,
#   writers                until now
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
# Learning may go on after the line has ended: no process of ours works for this store any more.
nothing_learns() {
    for comm in /proc/[0-9]*/comm; do
        pid=${comm#/proc/}
        pid=${pid%/comm}
        case $(cat "$comm") in loadcast | loadcast-learn) ;; *) continue ;; esac
        ! tr "\0" "\n" <"/proc/$pid/environ" | grep -qxF "LOADCAST_STORE=$LOADCAST_STORE" || return 1
    done 2>/dev/null
}
learn() {
    code 0 loadcast run "$python" "$tmp/m1/app/app.py" "$@"
    wait_until nothing_learns
}
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
writers_begin() {
    : >writers.count
    "$python" - "$LOADCAST_STORE" >writers.count <<'P' &
import ctypes, os, struct, sys
MOVED_TO, CREATE = 0x80, 0x100
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(0)
if fd < 0 or libc.inotify_add_watch(fd, sys.argv[1].encode(), MOVED_TO | CREATE) < 0:
    sys.exit("inotify: " + os.strerror(ctypes.get_errno()))
print("ready", flush=True)
count, is_over = 0, False
while not is_over:
    events = os.read(fd, 65536)
    while events:
        _, mask, _, size = struct.unpack_from("iIII", events)
        name = events[16:16 + size].rstrip(b"\0")
        events = events[16 + size:]
        count += mask == MOVED_TO and name.endswith(b".lcast")
        is_over |= name == b".over"
print(count)
P
    wait_until grep -q ready writers.count
}
writers() {
    : >"$LOADCAST_STORE/.over"
    wait_until grep -qx "[0-9][0-9]*" writers.count
    rm "$LOADCAST_STORE/.over"
    tail -n 1 writers.count
}
