# cluster.sh - what the tests of tools/cluster share. Source it after lib.sh.
#
#   need_cluster            skip everything here where there can be no cluster, for its own reason
#   need_pmix               skip where the cluster's Slurm was built without what Open MPI's ranks need
#   cluster WORD ...        tools/cluster for this file's own cluster, $name
#   remember                note what the running cluster consists of
#   nothing_left            and none of it is there any more
#   down_leaves_nothing     the cluster goes down, and so it is
#
# Other clusters and other people's processes may come and go on the machine: only what this file's
# cluster owned is looked at.
# Meson fills freed memory with a pattern; Open MPI 4.1 sometimes crashes in MPI_Init on that, over
# PMIx, and its memory is not what we test.
unset MALLOC_PERTURB_
name=t$$
# Its processes have LOADCAST_CLUSTER=$name in their environment; the test itself has not.
unset LOADCAST_CLUSTER LOADCAST_DIR # each node has a /dev/shm of its own
cluster() { "$src/tools/cluster" --name "$name" "$@"; }
at_exit 'cluster down'

need_cluster() {
    status=0
    cluster up 1 --fs none >"$tmp/probe" 2>&1 || status=$?
    [ "$status" != 4 ] || skip_all "$(sed 's/^cluster: //' "$tmp/probe")"
    cluster down
}
need_package() {
    for program in "$@"; do
        command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || skip "$program is not installed"
    done
}
need_pmix() {
    cluster slurm -- true
    grep -qx MpiDefault=pmix "/run/loadcast-cluster/$name/slurm/slurm.conf" || skip 'this Slurm has no PMIx'
}

group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/loadcast-cluster-$name
# Empty for a process that has ended, although its new parent may not have noticed yet.
start_time() { sed 's/.*) //; /^[ZX]/d' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

remember() {
    rm -f "$tmp/pids" "$tmp/namespaces"
    # shellcheck disable=SC2044 # process numbers
    for pid in $(find "$group" -name cgroup.procs -exec cat {} +); do
        start=$(start_time "$pid")
        [ -n "$start" ] || continue
        echo "$pid $start" >>"$tmp/pids"
        readlink "/proc/$pid/ns/mnt" "/proc/$pid/ns/net" "/proc/$pid/ns/uts" "/proc/$pid/ns/ipc" >>"$tmp/namespaces" || :
    done
    # The switch shares all but its network with the machine.
    readlink /proc/self/ns/* >"$tmp/own"
    sort -u "$tmp/namespaces" | grep -vxFf "$tmp/own" >"$tmp/nodes"
    [ -s "$tmp/pids" ] && [ -s "$tmp/nodes" ]
}
no_process_left() {
    while read -r pid start; do
        [ "$(start_time "$pid")" != "$start" ] || { echo "process $pid is left"; return 1; }
    done <"$tmp/pids"
    ! grep -lzsx "LOADCAST_CLUSTER=$name" /proc/[0-9]*/environ || { echo "(processes are left)"; return 1; }
}
# A number may be given to somebody's new namespace: then its processes are not from our cluster.
no_namespace_left() {
    lsns -n -o NS,TYPE,PID | while read -r number type pid; do
        ! grep -qxF "$type:[$number]" "$tmp/nodes" || ! grep -qzsx "LOADCAST_CLUSTER=$name" "/proc/$pid/environ" || {
            echo "namespace $type:[$number] is left, with process $pid"
            return 1
        }
    done
}
no_mount_left() {
    ! grep -ls "loadcast-cluster[-/]$name" /proc/[0-9]*/mountinfo || { echo "(mounts are left)"; return 1; }
}
no_file_left() {
    for file in "/run/loadcast-cluster/$name" "/var/tmp/loadcast-cluster-$name" /sys/fs/cgroup/*/"loadcast-cluster-$name" \
        "/sys/fs/cgroup/loadcast-cluster-$name" /dev/shm/*"$name"*; do
        [ ! -e "$file" ] || { echo "$file is left"; return 1; }
    done
}
nothing_left() { no_process_left && no_namespace_left && no_mount_left && no_file_left; }
down_leaves_nothing() {
    remember
    code 0 cluster down
    nothing_left
}
# cleaned [DIR]: waits until nodes are cleaned behind each 'loadcast run' of the head that has returned
cleaned() {
    for place in ${1:-} /dev/shm /tmp; do
        "$src/tools/cluster" --name "$name" run -- "$build/loadcast" clean -q --dir "$place" >/dev/null 2>&1 || :
    done
}
