# shellcheck shell=sh
# What stands before a rank's program where the ranks stage, as: sh -c THIS NODE/bin/launch, the arguments of
# unpack_package.sh, COUNT and so many words for the stager (options and the image), and the program with its
# arguments. The first rank of each node copies the image. The others give it two seconds, then each brings its
# own stager, which waits for the first one's lock. $lc_strict: without the image the rank fails.
#
# Neither PATH nor the variables of ld.so may lead the node's tools or the stager to the shared file system: they
# are put out of the way; the program gets them back.
#
# shellcheck disable=SC2154,SC2031 # variables of the scripts that are used here; PATH is changed in subshells only
# shellcheck disable=SC2086 # numbers
# shellcheck disable=SC2030,SC2034 # a subshell by intent; lc_strict is set by the line
# shellcheck source=find_launcher.sh
. ./find_launcher.sh
# shellcheck source=forget_package.sh
. ./forget_package.sh

# janitor_is_alive: for a directory that is to go with its last process ($lc_dir is the user's directory that
# launcher_find has found): is the process that removes it still there? Its file is t.PID.START.NAMESPACE; the start
# time is the 20th word behind the name in /proc/PID/stat.
janitor_is_alive() {
    lc_n=${0%/bin/launch}
    for lc_j in "$lc_dir/${lc_n##*/}"/users/t.*; do
        lc_j=${lc_j##*/t.}
        [ "$lc_j" != '*' ] || return 0
        { read -r lc_s <"/proc/${lc_j%%.*}/stat"; } 2>/dev/null || continue
        lc_s=${lc_s##*) }
        case $lc_s in [ZX]*) continue ;; esac
        for lc_k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do lc_s=${lc_s#* }; done
        lc_j=${lc_j#*.}
        [ "${lc_s%% *}" != "${lc_j%%.*}" ] || return 0
    done
    return 1
}
launcher_is_usable() { launcher_find 2>/dev/null && janitor_is_alive; }
# shellcheck disable=SC2120
rank_wait() {
    lc_k=0
    until launcher_is_usable; do
        lc_k=$((lc_k + 1))
        [ $lc_k -le 25 ] || return 1
        lc_t=0.1
        [ $lc_k -gt 5 ] || lc_t=0.02
        (unset LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT && PATH=/usr/bin:/bin sleep $lc_t)
    done
}
lc_local=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${SLURM_LOCALID:-0}}}
if launcher_is_usable || { [ "$lc_local" != 0 ] && rank_wait; }; then
    package_forget
    shift $(($3 + 3))
    shift $(($1 + 1))
    exec "$lc_launcher" "$@"
fi
lc_path=$PATH lc_umask=$(umask)
for lc_name in LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT; do
    eval "[ -z \"\${$lc_name+x}\" ] || { LOADCAST_OF_$lc_name=\$$lc_name; export LOADCAST_OF_$lc_name; unset $lc_name; }"
done
# shellcheck source=unpack_package.sh
. ./unpack_package.sh
lc_k=$1
shift
PATH=$lc_path
umask "$lc_umask"
if [ -n "$lc_at" ]; then
    lc_silent=
    [ "$lc_local" = 0 ] || lc_silent=--silent
    exec "$lc_at/stager" rank $lc_silent "$@"
fi
for lc_name in LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT; do
    eval "[ -z \"\${LOADCAST_OF_$lc_name+x}\" ] || { $lc_name=\$LOADCAST_OF_$lc_name; export $lc_name; unset LOADCAST_OF_$lc_name; }"
done
lc_why="cannot run the stager: ${lc_reasons#; }"
[ "$lc_machine" = "$lc_arch" ] || lc_why="its architecture is $lc_machine, that of this Loadcast $lc_arch"
[ "$lc_local" != 0 ] || { read -r lc_host </proc/sys/kernel/hostname && echo "loadcast: $lc_host runs without it: $lc_why" >&2; }
shift $lc_k
[ -z "$lc_strict" ] || exit 125
exec "$@"
