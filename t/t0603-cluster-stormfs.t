#!/bin/sh
# The nodes' shared disk: one stormfs server, a client on each node, counted, made cold, frozen.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
need_cluster

mkdir -p tree/dir
echo content >tree/file
for k in $(seq 50); do echo "$k" >"tree/dir/$k"; done
# operations NODE: how many its client has counted; all: n1 to n4 together
operations() {
    cluster stats | awk -v node="$1" '(node == "all" && $1 ~ /^n[0-9]/) || $1 == node { n += $2 } END { print n }'
}
# within PERCENT NUMBER...: do they differ by no more?
within() {
    percent=$1
    shift
    echo "counts: $*"
    echo "$@" | tr ' ' '\n' | sort -n | awk -v p="$percent" 'NR == 1 { min = $1 } { max = $1 }
        END { exit !(min > 0 && (max - min) * 100 <= p * min) }'
}

t 'every node has its own client at the same path' '
    code 0 cluster up 4 --profile none --shared "$tmp/tree"
    for node in n1 n2 n3 n4 head; do
        cluster node $node -- grep " $tmp/tree fuse.stormfs " /proc/self/mounts
        [ "$(cluster node $node -- cat "$tmp/tree/file")" = content ]
    done >mounts
    [ "$(cut -d " " -f 1-2 mounts | wc -l)" = 5 ]
    lacks "$tmp/tree" /proc/self/mounts
'
t 'the shared disk is read only unless --rw' '
    code 2 cluster node n1 -- sh -c "echo x >$tmp/tree/new"
    says "Read-only file system" err
'
t 'stats: each node'\''s operations, and one server that saw them all' '
    code 0 cluster stats --reset
    before=$(operations n2)
    cluster node n1 -- sh -c "cat $tmp/tree/dir/*" >/dev/null
    [ "$(operations n1)" -ge 100 ]
    [ "$(operations n2)" = "$before" ]
    cluster stats | grep -q "^server: [1-9][0-9,]* metadata requests"
    cluster stats --json | $python -c "
import json, sys
nodes = json.load(sys.stdin)
assert set(nodes) == {\"head\", \"n1\", \"n2\", \"n3\", \"n4\"}
assert len({n[\"server\"][\"requests\"] for n in nodes.values()}) == 1
assert nodes[\"n1\"][\"total\"][\"operations\"][\"OPEN\"][\"ok\"] >= 50"
'
t 'cold: what was cached is asked again, and counted from zero' '
    code 0 cluster cold
    [ "$(operations all)" = 0 ]
    cluster node n1 -- cat "$tmp/tree/dir/7"
    first=$(operations n1)
    cluster node n1 -- cat "$tmp/tree/dir/7"
    [ "$(operations n1)" -lt $((2 * first)) ]
    code 0 cluster cold
    cluster node n1 -- cat "$tmp/tree/dir/7"
    [ "$(operations n1)" = "$first" ]
'
t 'a killed node takes its client along; the others go on; heal mounts again' '
    cluster fault n3 kill
    [ "$(cluster node n1 -- cat "$tmp/tree/dir/9")" = 9 ]
    code 0 cluster stats
    lacks "n3 " out
    cluster fault n3 heal
    [ "$(cluster node n3 -- cat "$tmp/tree/dir/9")" = 9 ]
'
t 'fault server freeze: no node gets an answer until heal' '
    code 0 cluster cold
    code 0 cluster fault server freeze
    cluster status | grep -q "stormfs (frozen)"
    for node in n1 n4; do
        "$src/tools/cluster" --name $name node $node -- sh -c "echo \$\$ >&2; exec cat $tmp/tree/dir/1$((${node#n}))" >$node.out 2>$node.pid &
    done
    wait_until eval "asking \$(cat n1.pid) \$(cat n4.pid)"
    [ ! -s n1.out ] && [ ! -s n4.out ]
    code 0 cluster fault server heal
    wait
    [ "$(cat n1.out n4.out | tr "\n" " ")" = "11 14 " ]
'
t 'down, while the server is frozen and asked, leaves nothing' '
    cluster cold
    cluster fault server freeze
    "$src/tools/cluster" --name $name node n2 -- sh -c "echo \$\$ >&2; exec cat $tmp/tree/dir/20" 2>n2.pid &
    wait_until eval "asking \$(cat n2.pid)"
    down_leaves_nothing
'
t 'nodes write to one disk with --rw' '
    code 0 cluster up 2 --profile none --rw --shared "$tmp/tree"
    cluster node n1 -- sh -c "echo from n1 >$tmp/tree/new"
    [ "$(cluster node n2 -- cat "$tmp/tree/new")" = "from n1" ]
    [ "$(cat tree/new)" = "from n1" ]
    code 0 cluster down
    rm tree/new
'
t 'options of stormfs that it does not know stop up, with its reason' '
    code 1 cluster up 2 --fs-options --frobnicate --shared "$tmp/tree"
    says frobnicate err
    nothing_left
'
t 'import numpy over 4 nodes × 8 ranks: counts repeat within 1 %' '
    need_package mpiexec.openmpi
    library=$($python -c "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))") ||
        skip "python3-numpy is not installed"
    code 0 cluster up 4 --profile lustre --shared "$library"
    counts=
    for round in 1 2 3; do
        code 0 cluster cold
        code 0 timeout 120 "$src/tools/cluster" --name $name run -- mpiexec.openmpi -n 32 $python -c "import numpy"
        counts="$counts $(operations all)"
    done
    code 0 cluster down
    within 1 $counts
'
finish
