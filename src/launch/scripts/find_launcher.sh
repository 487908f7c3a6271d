# shellcheck shell=sh
# launcher_find: set $lc_launcher to what is to be executed for $0 = NODE/bin/launch, or fail.
#
# Where staging failed, another user may have put something there, and may change it between a question and
# its use. So each step is opened, the descriptor is asked for its owner, and the same descriptor is
# executed: first the directory that holds all images of the user ("/." does not wait for the other end of a
# pipe), then, through it, the launcher, which judges the rest of the path itself. The descriptor is one
# that the program was not given. MPICH's launcher gives the program all descriptors that a shell can name;
# then the path is judged by ls. If the usual name is not the user's, the stager has chosen another
# (NAME.WORD). A user namespace that does not know this user shows him as the owner of everything.
#
# Variables begin with lc_, so that they do not change one of the program's.
#
# shellcheck disable=SC3067 # test -O: dash, bash and busybox have it
# shellcheck disable=SC2086 # descriptors and /proc paths have no blanks
# shellcheck disable=SC2034,SC2030,SC2031 # unused fields of uid_map; subshells by intent
# shellcheck source=trusted_path.sh
. ./trusted_path.sh
launcher_open() {
    eval "command exec ${lc_launcher##*/}<\"\$1/.\"" &&
        [ -O $lc_launcher ] &&
        eval "command exec ${lc_launcher##*/}<\"$lc_launcher/\${0#\"\${0%/*/*/*}\"/}\"" &&
        [ -x $lc_launcher ] && [ -f $lc_launcher ] && [ -O $lc_launcher ]
}
launcher_look() (
    unset LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT
    PATH=/usr/bin:/bin
    lc_uid=$(id -u)
    [ -O "$1" ] && lc_launcher=$(trusted_path "$1")/${0#"${0%/*/*/*}/"} && [ -x "$lc_launcher" ] &&
        printf %s "$lc_launcher"
)
launcher_find() {
    [ ! -O /proc/sys/kernel/overflowuid ] ||
        { read -r lc_a lc_b lc_c </proc/self/uid_map && [ "$lc_c" = 4294967295 ]; } || return 1
    [ -d /proc/self/fd ] || return 1
    for lc_fd in 9 8 7 6 5 4 3 -; do [ -e /proc/self/fd/$lc_fd ] || break; done
    for lc_dir in "${0%/*/*/*}" "${0%/*/*/*}".*; do
        lc_launcher=/proc/self/fd/$lc_fd
        case $lc_fd in
        -) lc_launcher=$(launcher_look "$lc_dir") && return 0 ;;
        *) launcher_open "$lc_dir" && return 0 ;;
        esac
    done
    [ $lc_fd = - ] || eval "exec $lc_fd<&-"
    return 1
}
