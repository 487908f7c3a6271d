#!/bin/sh
# A Python script in a shared directory that is also the working directory. The job may write a module there and
# import it on all ranks, so that the directory itself stays the disk's; the script and the modules beside it
# come from node memory.
. "$(dirname "$0")/../lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
mkdir -p tree/project
cat >tree/project/app.py <<'P'
import helper, json, decimal, argparse, email.message
try:
    import written
except ImportError:
    written = None
print(helper.value, written and written.value)
P
echo 'value = 7' >tree/project/helper.py
find tree -exec touch -d 2020-01-01 {} +
mkdir -p node mnt
disk_options=--rw
stormfs --profile none --cache-s 0 --rw "$tmp/tree" "$tmp/mnt" 2>err || skip_all "no FUSE: $(cat err)"
zero_names "$tmp/tree"
# In a job 'exec' does not check the image.
export COBALT_JOBID=1 PYTHONDONTWRITEBYTECODE=1
here_as_rank() { (cd "$m/project" && exec "$@"); }
image=$tmp/app.lcast
here_as_rank loadcast record -o "$image" --manage "$m" -- "$python" app.py >/dev/null 2>err || { cat err; exit 1; }
here_as_rank loadcast exec -q "$image" -- "$python" app.py >/dev/null

t 'what is left is asked of that directory alone: its time, once per import, and one listing' '
    stormfs ctl "$m" reset
    here_as_rank "$python" app.py >plain
    plain=$(requests)
    stormfs ctl "$m" reset
    here_as_rank loadcast exec -q --stats "$image" -- "$python" app.py >served 2>err
    asked=$(requests)
    same plain served
    # Paths on the disk that were passed through: the directory, nothing below it.
    sed -n "/asked of the file system most/,\$p" err | grep -o "$m[^ ]*" | sort -u >paths
    echo "$m/project" >expected
    same expected paths
    stormfs ctl "$m" stats >stats
    for operation in OPEN READ READLINK; do grep "^$operation " stats | nothing; done
    [ "$asked" -lt "$plain" ] || { echo "$asked requests, plain $plain"; exit 1; }
'
t 'a module that the job writes there is found by the next rank, and its edit too' '
    echo "value = 8" >"$m/project/written.py"
    code 0 here_as_rank loadcast exec -q "$image" -- "$python" app.py
    says "7 8" out
    rm "$m/project/written.py"
    code 0 here_as_rank loadcast exec -q "$image" -- "$python" app.py
    says "7 None" out
'
t 'called from elsewhere, it asks nothing, though it tries a module that is nowhere' '
    loadcast record -o far.lcast --manage "$m" -- "$python" "$m/project/app.py" >/dev/null 2>&1
    loadcast exec -q far.lcast -- "$python" "$m/project/app.py" >/dev/null
    stormfs ctl "$m" reset
    code 0 loadcast exec -q far.lcast -- "$python" "$m/project/app.py"
    says "7 None" out
    [ "$(requests)" = 0 ] || { stormfs ctl "$m" stats; exit 1; }
'
# A script that waits until it is told to import a module which the recording never tried. The other mount stands for another
# node, and a plain process writes there.
cat >tree/project/late.py <<'P'
import importlib, os, sys, time
import helper
for name in sys.argv[2:]:
    open(f"{sys.argv[1]}/ready.{os.getpid()}", "w").close()
    while not os.path.exists(f"{sys.argv[1]}/{name}.go"):
        time.sleep(0.01)
    try:
        print(name, importlib.import_module(name).value)
    except ModuleNotFoundError:
        print(name, None)
P
touch -d 2020-01-01 tree/project/late.py tree/project
mkdir -p other signals
stormfs --profile none --cache-s 0 --rw "$tmp/tree" "$tmp/other"
at_exit "stormfs ctl '$tmp/other' stop"
late() { loadcast exec -q late.lcast -- "$python" "$m/project/late.py" "$tmp/signals" "$@"; }
all_ready() { [ "$(ls signals | grep -c "^ready")" = "$1" ]; }
t 'a module that another node writes beside the script during the job is found by all ranks' '
    loadcast record -o late.lcast --manage "$m" -- "$python" "$m/project/late.py" "$tmp/signals" >/dev/null 2>&1
    for rank in 1 2 3; do late new package extension >rank.$rank & done
    wait_until all_ready 3
    echo "value = 21" >other/project/new.py
    touch signals/new.go
    mkdir other/project/package
    echo "value = 22" >other/project/package/__init__.py
    touch signals/package.go signals/extension.go
    wait
    printf "%s\n" "new 21" "package 22" "extension None" >expected
    for rank in 1 2 3; do same expected rank.$rank; done
'
t 'a rank that starts afterwards finds it too; what is asked is told' '
    code 0 loadcast exec -q --stats late.lcast -- "$python" "$m/project/late.py" "$tmp/signals" new
    says "new 21" out
    says "$m/project" err
    rm -r other/project/new.py other/project/package
'
t 'a name that neither the recording nor the disk has costs one look at the directory, and no listing' '
    touch -d 2020-01-01 tree/project
    loadcast clean --all --dir "$LOADCAST_DIR" >/dev/null
    late >out # stages
    stormfs ctl "$m" reset
    touch signals/nowhere.go
    late nowhere >out
    says "nowhere None" out
    stormfs ctl "$m" stats >stats
    [ "$(requests)" -le 3 ] || { cat stats; exit 1; } # one stat, without caches
    for operation in OPEN READ READLINK OPENDIR READDIR; do grep "^$operation " stats | nothing; done
'
finish
