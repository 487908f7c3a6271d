# SPDX-License-Identifier: MIT
# The arm 'squashfs' on one node: mount $IMAGE on $DIR/mount; or unmount it. A mount that ranks still use (bench was
# killed, and they have not ended yet) is taken out of the tree at once and ends with the last of them.
case $1 in
begin)
    mkdir "$DIR/mount" && squashfuse_ll "$IMAGE" "$DIR/mount"
    ;;
end)
    fusermount3 -u "$DIR/mount" 2>/dev/null || fusermount3 -u -z "$DIR/mount"
    rmdir "$DIR/mount"
    ;;
esac
