# stormfs.sh - what the tests of stormfs share; source it after lib.sh.
#
#   storm [options]      mount $tmp/src on $tmp/m1 (and what else is named in $mounts)
#   stop_stormfs         stop it
#   count OP [RESULT]    requests counted on all mounts: of one operation, or "requests"
#   stat_of EXPRESSION   a figure from the statistics, as a Python expression on 's'
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built here (no libfuse3)'
{ : <>/dev/fuse; } 2>/dev/null || skip_all 'no /dev/fuse that this user may open'
[ "$(id -u)" = 0 ] || command -v fusermount3 >/dev/null || skip_all 'no fusermount3'

PATH=${PROGRAMS:-$build/t}:$PATH
STORMFS_DIR=$tmp/ctl
export STORMFS_DIR
mkdir -m 700 ctl
mkdir src m1 m2
mounts=$tmp/m1
at_exit 'for m in "$tmp"/m*; do stormfs ctl "$m" stop; umount -l "$m"; fusermount3 -uzq "$m"; done'

storm() {
    stormfs ctl "$tmp/m1" stop 2>/dev/null || : # what a failed test left
    stormfs "$@" "$tmp/src" $mounts
}
stop_stormfs() { stormfs ctl "$tmp/m1" stop; }
stat_of() {
    stormfs ctl "$tmp/m1" stats --json >"$tmp/stats.json"
    "$python" -c "import json; s = json.load(open('$tmp/stats.json')); print($1)"
}
count() {
    if [ "$1" = requests ]; then
        stat_of "s['total']['requests']"
    else
        stat_of "s['total']['operations'].get('$1', {}).get('${2:-ok}', 0)"
    fi
}
# is VALUE EXPECTED
is() { [ "$1" = "$2" ] || { echo "is '$1', expected '$2'"; return 1; }; }
is_mounted() { grep -q " $1 fuse.stormfs " /proc/mounts; }
# A dead process that nobody has waited for yet is gone.
alive() { grep -q '^State:.[^ZX]' "/proc/$1/status"; }
unmounted() { ! is_mounted "$1"; }
# descriptors_below N: those that the server has open
descriptors_below() { [ "$(ls "/proc/$(stat_of "s['pid']")/fd" | wc -l)" -lt "$1" ]; }
