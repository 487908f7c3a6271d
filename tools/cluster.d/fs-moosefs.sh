# SPDX-License-Identifier: MIT
# fs-moosefs.sh - a real network file system: MooseFS from Debian, master and chunkserver on head.
# The shared tree is copied in. Calls: see fs-none.sh.
moosefs=$data/moosefs

fs_check() {
    need_program mfsmaster moosefs-master
    need_program mfschunkserver moosefs-chunkserver
    need_program mfsmount moosefs-client
    [ -c /dev/fuse ] || fail 4 "no /dev/fuse here"
    [ -z "$throttle" ] || [ -n "$(cpu_controller)" ] || fail 4 "no cgroup CPU controller to throttle with"
}

moosefs_configure() {
    mkdir -m 700 "$data" || fail 1 "cannot make $data"
    mkdir -p "$moosefs/master" "$moosefs/chunk" "$moosefs/disk"
    printf 'MFSM NEW' >"$moosefs/master/metadata.mfs"
    echo '* / rw,alldirs,maproot=0:0' >"$moosefs/exports"
    echo "$moosefs/disk" >"$moosefs/disks"
    : >"$moosefs/topology"
    cat >"$moosefs/master.cfg" <<END
WORKING_USER = root
WORKING_GROUP = root
DATA_PATH = $moosefs/master
EXPORTS_FILENAME = $moosefs/exports
TOPOLOGY_FILENAME = $moosefs/topology
NICE_LEVEL = 0
LOCK_MEMORY = 0
END
    cat >"$moosefs/chunk.cfg" <<END
WORKING_USER = root
WORKING_GROUP = root
DATA_PATH = $moosefs/chunk
HDD_CONF_FILENAME = $moosefs/disks
HDD_LEAVE_SPACE_DEFAULT = 64MiB
MASTER_HOST = head
MASTER_RECONNECTION_DELAY = 1
NICE_LEVEL = 0
LOCK_MEMORY = 0
END
}

fs_start_server() { moosefs_configure; }

# On head, before its own mount: the servers. They listen on the private network only.
moosefs_start() {
    mfsmaster -c "$moosefs/master.cfg" start
    mfschunkserver -c "$moosefs/chunk.cfg" start
}
fs_mount() {
    [ "$1" != head ] || [ -e "$moosefs/master/.mfsmaster.lock" ] || moosefs_start
    # shellcheck disable=SC2086
    mfsmount "$dir/nodes/$1/fs" -H head $fs_options
}
fs_unmount() { umount "$dir/nodes/$1/fs"; }

fs_fill() {
    wait_for 20 moosefs_has_disk || fail 1 "MooseFS's chunkserver does not connect"
    on head sh -c 'mfssetgoal -r 1 "$2" >/dev/null && cp -a "$1/." "$2/"' sh \
        "$dir/nodes/head/source" "$dir/nodes/head/fs" || fail 1 "cannot copy '$source' into MooseFS"
    [ -z "$throttle" ] || throttle_master
}
moosefs_has_disk() {
    # shellcheck disable=SC2016
    on head sh -c 'echo >"$1/.ready" && [ "$(cat "$1/.ready")" = "" ] && rm "$1/.ready"' sh \
        "$dir/nodes/head/fs" 2>/dev/null
}

# Where CPU time can be limited: "2 DIR" or "1 DIR" by cgroup version.
cpu_controller() {
    if grep -qw cpu "$group_root/cgroup.controllers"; then
        echo "2 $group_root"
    else
        awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print 1, $2; exit }' /proc/mounts
    fi
}
# 1 ms of CPU in every 100/PERCENT ms: the smallest steps the kernel takes.
throttle_master() {
    pid=$(moosefs_master)
    period=$((100000 / throttle))
    case $(cpu_controller) in
    2*)
        { grep -qw cpu "$group/cgroup.controllers" || echo +cpu >"$group_root/cgroup.subtree_control"; } &&
            echo +cpu >"$group/cgroup.subtree_control" &&
            mkdir "$group/master" && echo "1000 $period" >"$group/master/cpu.max" &&
            echo "$pid" >"$group/master/cgroup.procs" || fail 1 "cannot throttle the master"
        ;;
    *)
        limit=$(cpu_controller | cut -d ' ' -f 2)/loadcast-cluster-$name
        mkdir "$limit" && echo $period >"$limit/cpu.cfs_period_us" && echo 1000 >"$limit/cpu.cfs_quota_us" &&
            echo "$pid" >"$limit/cgroup.procs" || fail 1 "cannot throttle the master"
        ;;
    esac
}

moosefs_master() { sed 's/[^0-9]//g' "$moosefs/master/.mfsmaster.lock"; }
fs_freeze() { kill -STOP "$(moosefs_master)"; }
fs_thaw() { kill -CONT "$(moosefs_master)"; }

# mfsmount counts the calls of its own mount in a hidden file: one line per node, zeros left out.
fs_stats() {
    [ "${1:-}" != --json ] || usage_error "stats: --json is for --fs stormfs"
    for node in $(usable_nodes); do
        on "$node" cat "$dir/nodes/$node/fs/.stats" | awk -v node="$node" '
            /^fuse_ops:/ { line = node " " $2 " operations" }
            /^fuse_ops\.[a-z+]+:/ && $2 > 0 { sub(/^fuse_ops\./, ""); sub(/:$/, "", $1); line = line ", " $1 " " $2 }
            END { print line }'
    done
}
fs_reset() {
    for node in $(usable_nodes); do
        # shellcheck disable=SC2016
        on "$node" sh -c 'echo >"$1"' sh "$dir/nodes/$node/fs/.stats" || return 1
    done
}
