#!/bin/sh
# The promise: after staging, nothing is asked of the shared file system. Judged by the file system's
# own counters with all caching off, and by freezing it.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
"$here/python_tree" "$tmp/tree" || skip_all 'no Python to copy'
for program in bash perl git ls; do
    path=$(command -v $program) && cp -L "$path" tree/bin/
done
cp "$PROGRAMS/trees" tree/bin/
mkdir -p tree/forest/a/b/c tree/forest/empty
for i in 1 2 3 4 5 6 7 8; do echo $i >tree/forest/a/$i; echo $i >tree/forest/a/b/c/$i; done
ln -s ../a/b tree/forest/empty/../to-b
ln -s nowhere tree/forest/dangling
ln -s .. tree/forest/a/up
zero_disk "$tmp/tree"

t 'python -c pass' '
    zero "$m/bin/python3" -c pass
'
t 'import numpy, and a result' '
    test -d tree/lib/python3/dist-packages/numpy || skip "no numpy"
    zero "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
'
t 'import mpi4py without MPI started' '
    test -d tree/lib/python3/dist-packages/mpi4py || skip "no mpi4py"
    zero "$m/bin/python3" -c "import mpi4py; print(mpi4py.__file__)"
'
t 'bash, with its own children' '
    zero "$m/bin/bash" -c "echo hello; $m/bin/ls -d $m/bin; type ls >/dev/null"
'
t 'git' '
    test -x tree/bin/git || skip "no git"
    # Its settings are looked for at home, which is not software: asked for by name.
    record_options="--manage $m"
    zero "$m/bin/git" --version
'
t 'perl' '
    test -x tree/bin/perl || skip "no perl"
    zero "$m/bin/perl" -e "print 6 * 7"
'
t 'python that starts python' '
    zero "$m/bin/python3" -c "import subprocess, sys; print(subprocess.check_output([sys.executable, \"-c\", \"print(1)\"]))"
'
t 'listing, globbing, walking and real paths' '
    zero "$m/bin/python3" -c "
import glob, os
print(sorted(os.listdir(\"$m/bin\")), glob.glob(\"$m/bin/*\"), os.path.realpath(\"$m/bin/python3\"))
print(sum(len(f) for _, _, f in os.walk(\"$m/lib/python3.11/json\")) if os.path.isdir(\"$m/lib/python3.11/json\") else 0)"
'
t 'trees walked inside the C library: ftw, nftw, fts, glob' '
    record_options="--manage $m"
    zero "$m/bin/trees" "$m/forest"
    says "nftw down: 0, 24 names" served
    says "glob by functions of its own: 0, 11 names" served # and one call of them
'
t 'the same by a relative path, from a directory on the disk' '
    record_options="--manage $m"
    job() { (cd "$m" && LD_LIBRARY_PATH=$m/lib exec "$@"); }
    record_and_stage "$m/images/relative.lcast" "$m/bin/trees" forest
    stormfs ctl "$m" reset
    launch "$m/bin/trees" forest >relative
    asked=$(requests)
    same recorded relative
    test "$asked" -le 2 || { echo "$asked requests, where getting there takes 1"; stormfs ctl "$m" stats; return 1; }
'
t 'the counters tell one process, its bytes, and nothing of our own' '
    record_and_stage "$m/images/c.lcast" "$m/bin/python3" -c pass
    loadcast status --json | "$python" -c "
import json, sys
n = [n for n in json.load(sys.stdin) if n[\"path\"] == \"$node\"][0]
assert n[\"counts\"][\"processes\"] == 1, n[\"counts\"]
assert n[\"counts\"][\"open\"] + n[\"counts\"][\"code\"] > 2 and n[\"counts\"][\"exec\"] + n[\"counts\"][\"load\"] > 0, n[\"counts\"]
assert \"preload.so\" not in json.dumps(n[\"passed\"] if \"passed\" in n else n)"
    loadcast status | grep -q "opened.*[1-9].* in node memory"
'
# With matplotlib and its data: exam/umask-077, in make check-long.
t 'import numpy from a tree that only its owner may read, as under umask 077' '
    test -d tree/lib/python3/dist-packages/numpy || skip "no numpy"
    chmod -R go= tree
    zero "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
    lacks "left to the file system" record.err
    [ "$(stat -c %a "$written")" = 600 ]
'
finish
