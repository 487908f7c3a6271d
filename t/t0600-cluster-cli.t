#!/bin/sh
# What tools/cluster says to wrong words, and where it can do nothing. Nothing is started here.
. "$(dirname "$0")/lib.sh"
cluster="$src/tools/cluster"
LOADCAST_CLUSTER=never-up
export LOADCAST_CLUSTER

t '--help lists every word on standard output' '
    code 0 "$cluster" --help
    for word in up status down node run slurm fault stats cold; do says "  $word " out; done
'
t 'no word: the same on standard error, status 2' '
    code 2 "$cluster"
    says usage: err
'
t 'an unknown word gets the list of words' '
    code 2 "$cluster" upp
    says "unknown word '\''upp'\''; the words are: up down" err
'
t 'numbers of nodes that are none, zero, negative or absurd' '
    for n in "" x 0 -3 1.5 201 99999999999; do
        code 2 "$cluster" up $n
        grep -q "^cluster: up: " err
    done
'
t 'bad values of options are named' '
    for option in "--slots 0" "--memory lots" "--rate fast" "--fs nfs4" "--throttle 5" "--proctrack pgid" "--shared /nowhere" \
        "--shared /" "--shared /usr:relative" "--shared /usr:/not/there" "--keep /nowhere" "--frob 1" "--rate"; do
        code 2 "$cluster" up 2 $option
        grep -q "^cluster: up: .*--help" err
        [ "$(wc -l <err)" = 1 ]
    done
'
t 'bad cluster names are refused' '
    for name in "" ../x A_B -x aaaaaaaaaaaaaaaaaaaaaaaaaaa; do
        code 2 "$cluster" --name "$name" status
        [ "$(wc -l <err)" = 1 ]
    done
    code 2 "$cluster" --name
'
t 'run, slurm and node want -- before the command' '
    code 2 "$cluster" run mpiexec -n 2 true
    code 2 "$cluster" slurm
    code 2 "$cluster" node n1 true
    code 2 "$cluster" node
    says "see tools/cluster --help" err
'
t 'an unknown fault is named with the known ones' '
    code 2 "$cluster" fault n1 explode
    says "kill, fillmem, cut, freeze, heal" err
'
t 'a cluster that is not up: status 3 and the next step' '
    [ "$(id -u)" = 0 ] || skip "needs root"
    for word in status stats cold "node n1" "run -- true" "slurm -- true" "fault n1 kill"; do
        code 3 "$cluster" $word
        says "no cluster '\''never-up'\'' is up; run: tools/cluster --name never-up up 4" err
    done
    code 3 "$cluster" down
    says "no cluster '\''never-up'\'' is up" err
'
t 'what the cluster itself runs on cannot be shared at its own place' '
    [ "$(id -u)" = 0 ] || skip "needs root"
    for shared in "$src" /usr; do
        code 2 "$cluster" up 2 --fs none --shared "$shared" ||
            { says namespaces err && skip "no namespaces here"; }
        says "which the cluster itself runs" err
    done
'
t 'without cgroup2: one line, status 4' '
    mount=$(awk "\$3 == \"cgroup2\" { print \$2; exit }" /proc/mounts)
    unshare -m umount -l "$mount" 2>/dev/null || skip "cannot hide the hierarchy here"
    code 4 unshare -m sh -c "umount -l $mount && exec \"\$0\" up 2 --fs none" "$cluster"
    says "no cgroup2 hierarchy is mounted" err
'
t 'without root: one line, status 4' '
    cp -r "$src/tools" .
    chmod -R go+rX "$tmp"
    set -- tools/cluster
    [ "$(id -u)" != 0 ] || set -- setpriv --reuid 65534 --regid 65534 --clear-groups tools/cluster
    code 4 "$@" up 2
    says "needs root" err
    code 4 "$@" down
'
finish
