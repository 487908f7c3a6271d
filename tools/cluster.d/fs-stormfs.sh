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

stormfs_ctl() { on "$1" "$stormfs" ctl "$dir/nodes/$1/fs" "$2" ${3:+"$3"}; }
fs_stats() {
    case ${1:-} in
    --json) stormfs_json ;;
    *) stormfs_lines ;;
    esac
}
fs_reset() {
    for node in $(usable_nodes); do
        stormfs_ctl "$node" reset >/dev/null || return 1
    done
}
fs_freeze() { stormfs_ctl head freeze >/dev/null; }
fs_thaw() { stormfs_ctl head thaw >/dev/null; }
# {"head": {...}, "n1": {...}}: what stormfs itself says of each node.
stormfs_json() {
    comma='{'
    for node in $(usable_nodes); do
        printf '%s"%s": ' "$comma" "$node"
        stormfs_ctl "$node" stats --json || return 1
        comma=','
    done
    echo '}'
}
# One line per node, then the server's own. stormfs prints: OPERATION ok absent error
stormfs_lines() {
    for node in $(usable_nodes); do
        stormfs_ctl "$node" stats >"$dir/stats" || return 1
        awk -v node="$node" '
            NF == 4 && $1 ~ /^[A-Z_]+$/ {
                gsub(/,/, "")
                total += $2 + $3 + $4
                absent += $3
                list = list ", " $1 " " $2 + $3 + $4
            }
            END { printf "%s %d operations, %d absent%s\n", node, total, absent, list }' "$dir/stats"
    done
    sed -n '/^server:/p; /^waited:/p; /^FROZEN/p' "$dir/stats"
}
