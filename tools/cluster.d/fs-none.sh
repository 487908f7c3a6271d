# SPDX-License-Identifier: MIT
# fs-none.sh - no slow file system: nodes see the shared directory on the host's own disk. The control.
#
# Every fs-KIND.sh answers the same calls:
#   fs_check            can this machine do it? else fail 4
#   fs_start_server     before the nodes; after 'claim'
#   fs_fill             after head is up, before the nodes: put the shared tree there
#   fs_mount NODE       on the node: the shared tree appears at $dir/nodes/NODE/fs
#   fs_unmount NODE     on the node: and goes again
#   fs_stats [--json]   what it counted, node by node
#   fs_reset            and from zero again
#   fs_freeze, fs_thaw  its server stops answering anybody; and goes on
fs_check() { :; }
fs_start_server() { :; }
fs_fill() { :; }
fs_mount() { mount --bind "$dir/nodes/$1/source" "$dir/nodes/$1/fs"; }
fs_unmount() { umount "$dir/nodes/$1/fs"; }
fs_stats() { fail 4 "stats: the host's disk counts nothing; use --fs stormfs"; }
fs_reset() { :; }
fs_freeze() { fail 4 "fault: the host's disk cannot be frozen; use --fs stormfs"; }
fs_thaw() { :; }
