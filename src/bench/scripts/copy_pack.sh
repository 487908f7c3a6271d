# SPDX-License-Identifier: MIT
# Pack a directory for the arm 'copy': sh copy_pack.sh BASE PLACE ARCHIVE PARTS
# The archive is a row of PARTS tar files, each compressed by itself, so that all cores can pack and unpack it at
# the same time; 'zstd -d | tar -x --ignore-zeros' reads it as well. The first part holds the directories: two
# tars that make the same one at a time fail. Files are dealt out to the others by size. Prints OFFSET:LENGTH of each part.
set -eu
base=$1 place=$2 archive=$3 parts=$4
lists=$(mktemp -d "${TMPDIR:-/tmp}/loadcast-pack.XXXXXX")
trap 'rm -rf "$lists" "$archive".part.*' EXIT
trap 'exit 130' INT TERM HUP
cd "$base"
find "$place" ! -type d -printf '%s %p\n' | sort -rn | awk -v parts="$parts" -v lists="$lists" '
    { least = 1
      for (i = 2; i <= parts; i++) if (load[i] < load[least]) least = i
      load[least] += $1 + 4096
      sub(/^[0-9]+ /, "")
      print > (lists "/" sprintf("%02d", least)) }'
find "$place" -type d >"$lists/00"
for list in "$lists"/*; do
    part=$archive.part.${list##*/}
    { tar --create --mode=u+w --no-recursion --verbatim-files-from --files-from "$list" 2>"$list.err" || echo "$list" >"$lists/failed"; } |
        zstd -q -3 -o "$part" -f &
    running="${running-} $!"
done
for pid in $running; do wait "$pid"; done
if [ -e "$lists/failed" ]; then cat "$(cat "$lists/failed")".err >&2; exit 1; fi
offset=0
: >"$archive.part.whole"
for list in "$lists"/*[0-9]; do
    part=$archive.part.${list##*/}
    cat "$part" >>"$archive.part.whole"
    length=$(stat -c %s "$part")
    printf '%s ' "$offset:$length"
    offset=$((offset + length))
done
mv "$archive.part.whole" "$archive"
