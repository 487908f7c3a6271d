# SPDX-License-Identifier: MIT
# lib.sh - what the parts of tools/cluster share: names, places, messages, entering a node.
#
# $dir     /run/loadcast-cluster/NAME: everything the cluster writes, made before anything starts
# $data    /var/tmp/loadcast-cluster-NAME: bulk data (MooseFS chunks), not held in memory
# $group   the cgroup (version 2) holding every process, with one child per node
# Settings of 'up' are the shell variables in $dir/settings.
name=${LOADCAST_CLUSTER-default}
# Launchers start a process on every node through this file: it forks as little as it can.
parts=${parts:-$(cd "$(dirname "$(readlink -f "$0")")" && pwd)}
repository=${parts%/*/*}
PATH=$PATH:/usr/sbin:/sbin
network=10.199.0

fail() {
    code=$1
    shift
    echo "cluster: $*" >&2
    exit "$code"
}
usage_error() { fail 2 "$*; see tools/cluster --help"; }

case $name in
'' | *[!a-z0-9-]* | -*) fail 2 "'$name' is no cluster name: use lower-case letters, digits and '-'" ;;
esac
[ ${#name} -le 20 ] || fail 2 "'$name' is too long for a cluster name: 20 characters at most"
dir=/run/loadcast-cluster/$name
data=/var/tmp/loadcast-cluster-$name

# The mount points of the cgroup2 hierarchy (/sys/fs/cgroup, or /sys/fs/cgroup/unified beside version 1) and of the freezer of
# version 1, if they are there: Slurm's proctrack/cgroup keeps its steps in the freezer.
# shellcheck disable=SC1007 # empty values
group_root= freezer=
while read -r _ at type options _; do
    case $type:,$options, in
    cgroup2:*) group_root=${group_root:-$at} ;;
    cgroup:*,freezer,*) freezer=${freezer:-$at} ;;
    esac
done </proc/mounts
group=$group_root/loadcast-cluster-$name

need_root() { [ "$(id -u)" = 0 ] || fail 4 "needs root (namespaces, bridges, cgroups)"; }
need_program() {
    command -v "$1" >/dev/null 2>&1 || fail 4 "$1 is not installed (package $2); run: tools/deps check"
}
need_no_rest() {
    [ ! -d "$dir" ] && [ ! -d "$data" ] && [ ! -d "$group" ] ||
        fail 3 "'$name' is half up or half down; run: tools/cluster --name $name down"
}
need_up() {
    need_root
    [ -e "$dir/up" ] && return
    need_no_rest
    fail 3 "no cluster '$name' is up; run: tools/cluster --name $name up 4"
}
load_settings() {
    # shellcheck disable=SC1091
    . "$dir/settings"
}
all_nodes() { seq -f 'n%.0f' 1 "$nodes"; }
address() {
    case $1 in
    head) echo $network.254 ;;
    *) echo "$network.${1#n}" ;;
    esac
}
need_node() {
    case $1 in
    head) return ;;
    n[1-9] | n[1-9][0-9] | n[1-9][0-9][0-9]) [ "${1#n}" -gt "$nodes" ] || return 0 ;;
    esac
    fail 2 "there is no node '$1'; nodes are n1 to n$nodes, and head"
}
is_alive() { [ -s "$dir/nodes/$1/pid" ] && grep -qsxFf "$dir/nodes/$1/pid" "$group/$1/cgroup.procs"; }
is_frozen() { [ -e "$dir/nodes/$1/fault.freeze" ]; }
need_usable() {
    is_alive "$1" || fail 3 "node $1 is down; mend it with: tools/cluster --name $name fault $1 heal"
    ! is_frozen "$1" || fail 3 "node $1 is frozen; mend it with: tools/cluster --name $name fault $1 heal"
}
# Nodes that can be asked something without waiting for their mending.
usable_nodes() {
    for node in head $(all_nodes); do
        ! is_alive "$node" || is_frozen "$node" || echo "$node"
    done
}
is_number() { case $1 in '' | *[!0-9]* | 0?*) return 1 ;; *) [ ${#1} -le 9 ] ;; esac }

# become NODE CMD...: this process turns into CMD on that node, in the same directory if it is there.
# On a frozen node it stops right here, as a login would.
become() {
    node=$1
    shift
    is_alive "$node" || fail 3 "node $node is down"
    unset TMPDIR
    echo $$ >"$group/$node/cgroup.procs" || fail 1 "cannot enter the cgroup of $node"
    read -r member <"$dir/nodes/$node/pid" || fail 1 "cannot tell the process of $node"
    # shellcheck disable=SC2016
    exec nsenter -t "$member" -m -n -u -i -- \
        sh -c 'cd "$1" 2>/dev/null || cd "$2"; shift 2; exec "$@"' sh "$PWD" "$shared_path" "$@"
}
# on NODE CMD...: the same as a child.
on() { "$parts/enter" "$@"; }

# wait_for SECONDS CMD...: until it succeeds; fails when it has not by then.
wait_for() {
    tries=$(($1 * 50))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.02
    done
}
