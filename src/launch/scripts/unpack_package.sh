# shellcheck shell=sh
# Unpack the node package into node memory. Arguments:
#   DIR       the directory for images
#   PACKAGE   its file; "-" if it is in the words after the next, "+" if it is in variables; "=NAME": the words are
#             not a package, but the one program NAME
#   COUNT     how many words after this are the package, in base64
# $lc_arch is the architecture that the package was built for. Sets $lc_at to the directory it was unpacked
# into, or to "" with the reasons in $lc_reasons, and $lc_machine to this node's architecture. The words are
# shifted away. $lc_library_path keeps LD_LIBRARY_PATH: neither that nor PATH may lead the node's own tools
# to the shared file system, so both are changed here.
#
# shellcheck disable=SC2086,SC2231,SC2295 # numbers
# shellcheck disable=SC2030,SC2031 # lc_k counts in a subshell of its own
# shellcheck disable=SC3067 # test -O: dash, bash and busybox have it
# shellcheck disable=SC2034,SC2154 # variables that the scripts that use this file read or set
umask 077
lc_dir=$1 lc_package=$2 lc_count=$3
shift 3
PATH=/usr/bin:/bin:$PATH lc_library_path=${LD_LIBRARY_PATH-}
unset LD_LIBRARY_PATH
# The second number is the effective one. No process is started for what the kernel tells.
while read -r lc_a lc_b lc_uid lc_c; do [ "$lc_a" != Uid: ] || break; done 2>/dev/null </proc/self/status
[ -n "${lc_uid:-}" ] || lc_uid=$(id -u)
# shellcheck source=trusted_path.sh
. ./trusted_path.sh
# shellcheck source=forget_package.sh
. ./forget_package.sh

# package_unpack WORDS: into $lc_at
package_unpack() {
    case $lc_package in
    =*) package_decode "$@" >"$lc_at/${lc_package#=}" && chmod 700 "$lc_at/${lc_package#=}" ;;
    *) package_decode "$@" | tar xzf - -C "$lc_at" ;;
    esac
}
package_decode() {
    lc_k=0
    case $lc_package in
    [-=]*) for lc_word do [ $lc_k -lt $lc_count ] || break; printf %s "$lc_word"; lc_k=$((lc_k + 1)); done | base64 -d ;;
    +)
        while [ $lc_k -lt $LOADCAST_KITS ]; do
            lc_k=$((lc_k + 1))
            eval "printf %s \"\$LOADCAST_KIT$lc_k\""
        done | base64 -d
        ;;
    *) cat "$lc_package" ;;
    esac
}

# package_try DIR WORDS: unpack below DIR and see whether the stager can be started from there. What dead
# processes have left in DIR is removed first.
package_try() {
    lc_tried=$1
    case $lc_reasons in *"; $lc_tried: "*) return 1 ;; esac
    lc_real=$(trusted_path "$1") || {
        lc_reasons="$lc_reasons; $lc_tried: not there, or others can change it"
        return 1
    }
    shift
    for lc_old in "$lc_real"/.loadcast-kit.$lc_uid.*; do
        lc_pid=${lc_old##*/.loadcast-kit.$lc_uid.}
        lc_pid=${lc_pid%%.*}
        [ ! -O "$lc_old" ] || kill -0 "$lc_pid" 2>/dev/null || rm -rf "$lc_old"
    done
    lc_at=$(mktemp -d "$lc_real/.loadcast-kit.$lc_uid.$$.XXXXXX" 2>/dev/null) || {
        lc_error=$(LC_ALL=C mkdir "$lc_real/.loadcast-kit.$lc_uid.$$.0" 2>&1)
        lc_reasons="$lc_reasons; $lc_tried: ${lc_error##*: }"
        return 1
    }
    lc_error=$({
        LC_ALL=C
        export LC_ALL
        package_unpack "$@" && { [ ! -f "$lc_at/stager" ] || "$lc_at/stager" probe; } &&
            { [ ! -f "$lc_at/stage-mpi" ] || [ -x "$lc_at/stage-mpi" ]; }
    } 2>&1) && return
    case $lc_error in
    *'No space left'* | *'quota exceeded'*) lc_error='no room' ;;
    '' | *'Permission denied'*) lc_error='mounted noexec' ;;
    *GLIBC_*) lc_error="this Loadcast needs a newer C library: GLIBC_${lc_error##*GLIBC_}" ;;
    *) lc_error=${lc_error##*: } ;;
    esac
    lc_reasons="$lc_reasons; $lc_tried: $lc_error"
    rm -rf "$lc_at"
    lc_at=
    return 1
}
lc_machine=$(uname -m)
lc_at='' lc_reasons=''
[ "$lc_machine" != "$lc_arch" ] || package_try "$lc_dir" "$@" || package_try /dev/shm "$@" ||
    package_try "${TMPDIR:-/tmp}" "$@" || package_try /tmp "$@" || lc_at=
while [ $lc_count -gt 0 ]; do
    shift
    lc_count=$((lc_count - 1))
done
package_forget
