# SPDX-License-Identifier: MIT
# nodes.sh - starting the switch and the nodes; 'up' and 'fault NODE heal' use it.

# The switch is a bridge in a network namespace of its own, without any way out.
start_switch() {
    mkdir -p "$group/switch" "$dir/nodes/switch"
    # shellcheck disable=SC2016
    in_group switch unshare -n sh -c '
        ip link set lo up && ip link add br0 type bridge && ip link set br0 up || exit 1
        setsid sleep infinity >/dev/null 2>&1 </dev/null &
        echo $! >"$1/pid"' sh "$dir/nodes/switch" 2>"$dir/nodes/switch/log" || fail 1 "cannot make the bridge"
}

# in_group NODE CMD...: a child in that cgroup.
in_group() {
    member=$group/$1/cgroup.procs
    shift
    # shellcheck disable=SC2016
    sh -c 'echo $$ >"$1" && shift && exec "$@"' sh "$member" "$@"
}

# start_node NODE: its namespaces, network and mounts are ready when this returns 0.
start_node() {
    mkdir -p "$group/$1" "$dir/nodes/$1/source" "$dir/nodes/$1/fs" "$dir/nodes/$1/sys" "$dir/nodes/$1/tmp"
    rm -f "$dir/nodes/$1/pid"
    in_group "$1" unshare -n -m -u -i --propagation private "$parts/boot" "$1" >"$dir/nodes/$1/log" 2>&1
}

start_all_nodes() {
    jobs=
    for node in $(all_nodes); do
        start_node "$node" &
        jobs="$jobs $node:$!"
    done
    for job in $jobs; do
        wait "${job#*:}" || failed="${failed:-} ${job%:*}"
    done
    [ -z "${failed:-}" ] || fail 1 "cannot start:$failed"
}
