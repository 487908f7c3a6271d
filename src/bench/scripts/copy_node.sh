# SPDX-License-Identifier: MIT
# The arm 'copy' on one node: unpack $ARCHIVE to $DIR/copy, the first of its $PARTS (directories), then the others at
# the same time; or remove that.
# $GARBAGE is not empty if the archive was sent to this node's memory: that is removed once it is unpacked.
garbage_remove() {
    [ -z "$GARBAGE" ] || [ ! -e "$GARBAGE" ] || { chmod -R u+w "$GARBAGE"; rm -rf "$GARBAGE"; }
}
part_unpack() {
    tail -c "+$((${1%:*} + 1))" "$ARCHIVE" 2>/dev/null | head -c "${1#*:}" | zstd -dcq | tar --extract --directory "$DIR/copy"
}
case $1 in
begin)
    [ -r "$ARCHIVE" ] || { echo "cannot read '$ARCHIVE'" >&2; exit 1; }
    mkdir "$DIR/copy" && part_unpack "${PARTS%% *}" || exit 1
    for part in ${PARTS#* }; do
        part_unpack "$part" &
        running="$running $!"
    done
    status=0
    for pid in $running; do wait "$pid" || status=1; done
    garbage_remove
    exit $status
    ;;
end)
    rm -rf "$DIR/copy"
    garbage_remove
    ;;
esac
