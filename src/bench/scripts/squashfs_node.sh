# SPDX-License-Identifier: MIT
# The arm 'squashfs' on one node: mount $IMAGE on $DIR/mount; or unmount it. A mount that ranks still use (bench was
# killed, and they have not ended yet) is taken out of the tree at once and ends with the last of them.
unmount() {
    fusermount3 -u "$1" 2>/dev/null || fusermount3 -u -z "$1" 2>/dev/null
    rmdir "$1"
}
case $1 in
begin)
    # Mounts without a server: it was killed together with its bench.
    for dead in "${DIR%/*}"/loadcast-bench.*; do
        if [ -O "$dead" ] && [ "$(ls -A "$dead")" = mount ] && [ ! -e "$dead/mount" ]; then
            unmount "$dead/mount" && rmdir "$dead"
        fi
    done
    mkdir "$DIR/mount" && squashfuse_ll "$IMAGE" "$DIR/mount"
    ;;
end)
    [ ! -d "$DIR" ] || [ -z "$(ls -A "$DIR")" ] || unmount "$DIR/mount"
    ;;
esac
