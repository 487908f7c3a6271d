# stormfs.sh - what the benchmarks of stormfs share; source it after lib.sh.
{ : <>/dev/fuse; } 2>/dev/null || { echo "no /dev/fuse that this user may open" >&2; exit 1; }
STORMFS_DIR=$tmp/ctl
export STORMFS_DIR
mkdir -m 700 "$tmp/ctl"
mkdir "$tmp/src" "$tmp/m"
at_exit 'for m in "$tmp"/m*; do stormfs ctl "$m" stop; umount -l "$m"; done'
# figure EXPRESSION: from the statistics of the stormfs on $tmp/m, 's' in Python.
figure() { stormfs ctl "$tmp/m" stats --json | "$python" -c "import json, sys; s = json.load(sys.stdin); print($1)"; }
# tree: 100,000 files in 1,000 directories below $tmp/src.
tree() {
    "$python" -c "
import os, sys
for d in range(1000):
    os.mkdir('%s/d%03d' % (sys.argv[1], d))
    for f in range(100):
        os.close(os.open('%s/d%03d/file-%03d' % (sys.argv[1], d, f), os.O_CREAT | os.O_WRONLY))" "$tmp/src"
}
