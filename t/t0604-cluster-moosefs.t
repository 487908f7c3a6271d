#!/bin/sh
# The shared file system can be a real one: MooseFS, with its metadata server slowed down on request.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
for program in mfsmaster mfschunkserver mfsmount; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip_all "$program is not installed"
done
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster

mkdir -p tree/package
for k in 1 2 3 4 5 6 7 8; do echo "value = $k" >"tree/package/m$k.py"; done
: >tree/package/__init__.py
import="import sys; sys.path.insert(0, '$tmp/tree'); from package import m1, m2, m3, m4, m5, m6, m7, m8; print(m8.value)"
# operations NODE: how many its client has counted
operations() { cluster stats | sed -n "s/^$1 \([0-9]*\) operations.*/\1/p"; }

t 'the tree is on all nodes, by MooseFS' '
    code 0 cluster up 3 --fs moosefs --shared "$tmp/tree"
    for k in 1 2 3; do
        cluster node n$k -- sh -c "stat -f -c %T $tmp/tree; cat $tmp/tree/package/m3.py" >seen
        says fuse seen
        says "value = 3" seen
    done
    cluster node n1 -- grep -q "^mfs.043head:9421 $tmp/tree fuse" /proc/self/mounts
'
t 'what one node writes another one reads' '
    cluster node n1 -- sh -c "echo from n1 >$tmp/tree/note"
    [ "$(cluster node n2 -- cat "$tmp/tree/note")" = "from n1" ]
    [ ! -e tree/note ]
'
t 'stats counts each node for itself' '
    before=$(operations n1) other=$(operations n2)
    [ "$(cluster node n1 -- env PYTHONDONTWRITEBYTECODE=1 $python -c "$import")" = 8 ]
    [ "$(operations n1)" -gt $((before + 20)) ]
    [ "$(operations n2)" -lt $((other + 20)) ]
'
t 'cold mounts afresh and counts from zero' '
    code 0 cluster cold
    [ "$(operations n1)" -lt 20 ]
    [ "$(cluster node n1 -- cat "$tmp/tree/note")" = "from n1" ]
    cluster node n2 -- sh -c "cd $tmp/tree && exec sleep 1000.$$" &
    wait_until cluster node n2 -- pgrep -f "^sleep 1000.$$"
    code 1 cluster cold
    says "still uses the shared file system on: n2" err
    cluster fault n2 kill
    cluster fault n2 heal
    [ "$(cluster node n2 -- cat "$tmp/tree/note")" = "from n1" ]
'
t 'nothing is left' '
    down_leaves_nothing
'
t 'a throttled master runs out of its share' '
    code 0 cluster up 1 --fs moosefs --throttle 1 --shared "$tmp/tree" ||
        { grep -q "CPU controller" err && skip "no cgroup CPU controller"; }
    cluster node n1 -- $python -c "import os
for k in range(500): os.path.exists(\"$tmp/tree/absent%d\" % k)"
    cat "$group/master/cpu.stat" /sys/fs/cgroup/cpu*/loadcast-cluster-$name/cpu.stat >stat 2>/dev/null || :
    grep -q "^nr_throttled [1-9]" stat || { cat stat; exit 1; }
    down_leaves_nothing
'
finish
