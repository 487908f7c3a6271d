# shellcheck shell=sh
# One process on each node: unpack the node package, run a program of it, and remove it again. Arguments as of
# unpack_package.sh, then the program's name and its arguments. Findings go to standard output, in the words
# of stage/stager/stager.h.
#
# shellcheck disable=SC2086 # process numbers
# shellcheck disable=SC2015 # "a && b || c": b cannot fail, or c is what is to be done then
# shellcheck disable=SC2154 # variables of unpack_package.sh
# shellcheck disable=SC1003 # a backslash in single quotes is meant
# shellcheck disable=SC2145 # "$lc_at/$@" is the program below $lc_at, then its arguments
read -r lc_host </proc/sys/kernel/hostname && printf '@loadcast . %s\n' "$lc_host" || printf '@loadcast .\n'
lc_child='' lc_at=''
# SIGKILL may be next: what lies in memory is removed first.
trap '[ -z "$lc_at" ] || rm -rf "$lc_at"; [ -n "$lc_child" ] && kill -TERM $lc_child 2>/dev/null || exit 143' TERM INT HUP
# shellcheck source=unpack_package.sh
. ./unpack_package.sh

# fail REASON: report it, and end
fail() {
    printf '@loadcast {"ok":false,"boot":false,"error":"%s","host":"%s"}\n' "$1" "$(uname -n)"
    [ -z "$lc_at" ] || rm -rf "$lc_at"
    exit 0
}
[ "$lc_machine" = "$lc_arch" ] || fail "its architecture is $lc_machine, that of this Loadcast $lc_arch"
[ -n "$lc_at" ] || fail "cannot run the stager: $(printf %s "${lc_reasons#; }" | tr -d '\n\t"\\')"

# has_libraries PROGRAM: can its libraries be found? $lc_found is what ld.so says.
has_libraries() {
    lc_found=$(LD_TRACE_LOADED_OBJECTS=1 "$lc_at/$1" 2>&1)
    case $lc_found in *'not found'* | *'error while'*) return 1 ;; esac
}
missing_library() {
    echo "$lc_found" | grep -e 'not found' -e 'error while' | head -n 1 | tr -d '\n\t"\\'
}
# Without LD_LIBRARY_PATH there is no choice: then a start that fails says as much.
[ -z "$lc_library_path" ] || has_libraries "$1" || {
    export LD_LIBRARY_PATH="$lc_library_path"
    has_libraries "$1"
} || fail "cannot start $1: $(missing_library)"
# What runs in the background has no standard input, unless it gets ours by another number.
for lc_fd in 9 8 7 6 5 4 3 -; do [ -e /proc/self/fd/$lc_fd ] || break; done
case $lc_fd in
-) "$lc_at/$@" & ;;
*) eval "exec $lc_fd<&0; \"\$lc_at/\$@\" <&$lc_fd $lc_fd<&- & exec $lc_fd<&-" ;;
esac
lc_child=$!
wait $lc_child
lc_status=$?
while kill -0 $lc_child 2>/dev/null; do
    wait $lc_child
    lc_status=$?
done
[ $lc_status != 127 ] || has_libraries "$1" || fail "cannot start $1: $(missing_library)"
[ ! -e "$lc_at" ] || rm -rf "$lc_at"
lc_fault=true
case $lc_status in 137 | 143) lc_fault=false ;; esac
[ $lc_status -le 128 ] || printf '@loadcast {"ok":false,"crashed":true,"fault":%s,"error":"the stager was killed","host":"%s"}\n' $lc_fault "$(uname -n)"
exit 0
