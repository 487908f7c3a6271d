#!/bin/sh
# Whatever a job writes, by whichever call, every process of the node sees at once what plain programs
# would see; and what it did not touch is served as before.
. "$(dirname "$0")/lib.sh"
need_ptrace
mkdir node -m 700
export LOADCAST_DIR=$tmp/node PYTHONDONTWRITEBYTECODE=1
change=$PROGRAMS/change

# Per kind a directory of its own, once for the plain program and once for Loadcast.
make_place() {
    mkdir -p "$1/dir" "$1/empty"
    echo old >"$1/file"
    echo other >"$1/other"
    echo inner >"$1/dir/inner"
    ln -s file "$1/link"
    ln -s dir "$1/dirlink"
    mkdir -p "$2"
    ln -s "$2" "$1/outside"
    ln -s "$1" "$2/back"
    find "$1" -exec touch -h -d "2020-02-02" {} +
}
for kind in $("$change" --list); do
    make_place "$tmp/plain/$kind" "$tmp/links/plain/$kind"
    make_place "$tmp/served/$kind" "$tmp/links/served/$kind"
done
# Looks at each place its input names, by all the questions there are, and at the end says so.
cat >watch.py <<'P'
import os, stat, sys, time
def attempt(f, *a):
    try:
        return f(*a)
    except OSError as e:
        return e.strerror
def show(st):
    # A time of the change itself tells nothing.
    when = st.st_mtime_ns if st.st_mtime < 1.6e9 else "now"
    return stat.filemode(st.st_mode), st.st_nlink, st.st_size if not stat.S_ISDIR(st.st_mode) else "", when
def seen(path):
    if not os.path.lexists(path) or not os.path.exists(path):
        return attempt(os.stat, path) if not os.path.lexists(path) else attempt(os.readlink, path)
    st, lst = os.stat(path), os.lstat(path)
    content = ""
    if stat.S_ISREG(st.st_mode):
        with open(path, "rb") as f:
            content = f.read(), show(os.fstat(f.fileno())) == show(st)
    listed = attempt(os.listdir, path) if stat.S_ISDIR(st.st_mode) else ""
    return sorted(listed), show(lst) if not stat.S_ISDIR(lst.st_mode) else "", show(st)[0::2], content, os.access(path, os.X_OK)
names = [""] + ("file other dir dir/inner dir/new dir/deep empty link dirlink dirlink/inner dirlink/new "
         "new new/deep new/deep/er new/inner made").split()
for line in sys.stdin:
    place = line.strip()
    if not place:
        break
    out = open(sys.argv[1], "w") if len(sys.argv) > 1 else sys.stdout
    for n in names:
        print(n or ".", seen(place + "/" + n), file=out)
    out.flush()
    print("end", flush=True)
P
ask_all() { for kind in $("$change" --list); do echo "$1/$kind"; done; }
ask_all "$tmp/served" >questions
code 0 loadcast record -o w.lcast --manage "$tmp/served" --add "$tmp/served" -- "$python" watch.py <questions || { cat err; exit 1; }
loadcast exec -q w.lcast -- true
node=$(ls -d "$tmp"/node/loadcast-*/*/)
node=${node%/}
launch() { LOADCAST_NODE=$node "$node/bin/launch" "$@"; }
off() { loadcast status --json | "$python" -c 'import json, sys; print(json.load(sys.stdin)[0]["off"])'; }

t 'a watcher is served, and nothing but it: directories complete, files in memory' '
    echo "$tmp/served/creat" >one
    loadcast exec --stats w.lcast -- "$python" watch.py <one >out 2>err
    "$python" watch.py <one >want
    same want out
    grep -qE "answered +[0-9]+: .*known to be absent.*directories listed" err
'
mkfifo to from
LOADCAST_NODE=$node "$node/bin/launch" "$python" watch.py got <to >from &
watcher=$!
at_exit "kill $watcher"
exec 8>to 9<from
# What it sees of a place, in 'got'.
asks_watcher() {
    echo "$1" >&8
    read -r _ <&9
}
for kind in $("$change" --list); do
    case $kind in rename_directory | rmdir | unlink_link | chmod_directory) continue ;; esac
    t "$kind: another process that runs already sees it" "
        (cd '$tmp/plain/$kind' && '$change' $kind)
        asks_watcher '$tmp/served/$kind'
        cp got before
        (cd '$tmp/served/$kind' && launch '$change' $kind)
        asks_watcher '$tmp/served/$kind'
        echo '$tmp/plain/$kind' | '$python' watch.py | grep -vx end >want
        same want got
        test \"\$(cat before)\" != \"\$(cat got)\" || echo $kind | grep -E 'fails|exists|setxattr|chown'
    "
done
t 'what was not touched is still served' '
    test "$(off)" = False
    before=$(loadcast status --json | "$python" -c "import json, sys; print(json.load(sys.stdin)[0][\"counts\"][\"list\"])")
    asks_watcher "$tmp/served/rmdir"
    after=$(loadcast status --json | "$python" -c "import json, sys; print(json.load(sys.stdin)[0][\"counts\"][\"list\"])")
    test "$after" -gt "$before"
'
t 'a new file of another node, in a directory that is not managed, is seen' '
    mkdir -p foreign/dir
    asks_watcher "$tmp/foreign"
    # Written by programs that know nothing of Loadcast.
    cp -a plain/fopen_w/. foreign/ && echo more >foreign/dir/new && mkdir foreign/new && echo deep >foreign/new/deep
    asks_watcher "$tmp/foreign"
    echo "$tmp/foreign" | "$python" watch.py | grep -vx end >want
    same want got
    says "new/deep" got
'
# Last: these change directories and links through which other paths lead.
for kind in rename_directory rmdir unlink_link chmod_directory; do
    t "$kind: all of it steps aside, for every process" "
        (cd '$tmp/plain/$kind' && '$change' $kind)
        (cd '$tmp/served/$kind' && launch '$change' $kind)
        asks_watcher '$tmp/served/$kind'
        echo '$tmp/plain/$kind' | '$python' watch.py | grep -vx end >want
        same want got
        test \"\$(off)\" = True
    "
done
finish
