# SPDX-License-Identifier: MIT
# fs-stormfs.sh - the project's own slow disk: one stormfs per node, all sharing one server.
# A node's client dies with the node; the server's state is a file. Calls: see fs-none.sh.
export STORMFS_DIR="$dir/stormfs"

fs_check() {
    for stormfs in "${LOADCAST_BUILD:-$repository/build}/stormfs" "$(command -v stormfs)"; do
        [ ! -x "$stormfs" ] || break
    done
    [ -x "$stormfs" ] || fail 4 "stormfs is not built; run: make (or choose --fs none)"
    stormfs=$(readlink -f "$stormfs")
    keep="$keep$(dirname "$stormfs")
"
    [ -c /dev/fuse ] || fail 4 "no /dev/fuse here"
}
fs_start_server() { mkdir -m 700 "$STORMFS_DIR"; }
fs_fill() { :; }

fs_mount() {
    set -- "$1" --profile "$profile" --server "$STORMFS_DIR/server"
    [ "$rw" = no ] || set -- "$@" --rw
    node=$1
    shift
    # shellcheck disable=SC2086
    "$stormfs" "$@" $fs_options "$dir/nodes/$node/source" "$dir/nodes/$node/fs"
}
fs_unmount() { "$stormfs" ctl "$dir/nodes/$1/fs" stop; }

fs_stats() {
    case ${1:-} in
    --json) stormfs_json ;;
    --reset) for node in $(usable_nodes); do stormfs_ctl "$node" reset; done ;;
    *) for node in $(usable_nodes); do stormfs_line "$node"; done ;;
    esac
}
stormfs_ctl() { on "$1" "$stormfs" ctl "$dir/nodes/$1/fs" "$2" ${3:+"$3"}; }
