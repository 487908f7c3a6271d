# shellcheck shell=sh
# What stands before a rank's program in a line that is watched, as:
#   sh -c THIS LOADCAST RANKS OWNER BOOT:PID:FD HOW PROGRAM ARGUMENTS
# The first RANKS ranks start through LOADCAST --watched-rank HOW, if that can be run on this node; all others, and
# all where it cannot, as they are. On this node the path may lead to something else than where the line was started:
# nothing is run that anybody could have put there but this user, root and OWNER, who has installed Loadcast there.
# Where 'loadcast run' itself is seen (the process PID of the machine booted as BOOT, with 'loadcast' as its descriptor FD),
# has this process's mounts and root, and runs what the path leads to, no program is started to look.
# shellcheck source=trusted_path.sh
. ./trusted_path.sh
# shellcheck disable=SC2012,SC2034 # ls -n is POSIX, stat is not; unused fields of ls
watcher_find() (
    unset LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT
    PATH=/usr/bin:/bin
    lc_uid=$(id -u)
    dir=$(trusted_path "${0%/*}") && LC_ALL=C ls -ldn "$dir/${0##*/}" | {
        read -r mode links owner rest
        case $owner in 0 | "$lc_uid" | "$lc_owner") ;; *) exit 1 ;; esac
        case $mode in -????w* | -???????w* | [!-]*) exit 1 ;; esac
    } && "$dir/${0##*/}" --version >/dev/null && printf %s "$dir/${0##*/}"
)
# Where the front finds the program that does the work: see src/front/front.c.
# shellcheck disable=SC3013 # a shell without -ef takes the other way
is_that_of_run() {
    lc_run=${lc_place#*:} lc_boot='' lc_full=${0%/*}/loadcast-full
    lc_fd=${lc_run#*:} lc_run=/proc/${lc_run%:*}
    case ${0%/*} in */bin) lc_full=${0%/*}/../libexec/loadcast/loadcast-full ;; esac
    read -r lc_boot </proc/sys/kernel/random/boot_id && [ "$lc_boot" = "${lc_place%%:*}" ] &&
        [ /proc/self/ns/mnt -ef "$lc_run/ns/mnt" ] && [ /proc/self/root/. -ef "$lc_run/root/." ] &&
        [ "$0" -ef "$lc_run/fd/$lc_fd" ] && [ "$lc_full" -ef "$lc_run/exe" ]
}
lc_rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-${PALS_RANKID:-${JSM_NAMESPACE_RANK:-${FLUX_TASK_RANK:-${SLURM_PROCID:-${ALPS_APP_PE:-none}}}}}}}}
lc_ranks=$1 lc_owner=$2 lc_place=$3 lc_how=$4
shift 4
if [ "$lc_rank" -lt "$lc_ranks" ] 2>/dev/null; then
    if is_that_of_run 2>/dev/null; then
        exec "$0" --watched-rank "$lc_how" "$@"
    elif lc_found=$(watcher_find 2>/dev/null); then
        exec "$lc_found" --watched-rank "$lc_how" "$@"
    fi
fi
exec "$@"
