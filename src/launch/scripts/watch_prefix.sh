# shellcheck shell=sh
# What stands before a rank's program in a line that is watched, as:
#   sh -c THIS LOADCAST RANKS OWNER HOW PROGRAM ARGUMENTS
# The first RANKS ranks start through LOADCAST --watched-rank HOW, if that can be run on this node; all others, and
# all where it cannot, as they are. On this node the path may lead to something else than where the line was started:
# nothing is run that anybody could have put there but this user, root and OWNER, who has installed Loadcast there.
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
lc_rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-${PALS_RANKID:-${JSM_NAMESPACE_RANK:-${FLUX_TASK_RANK:-${SLURM_PROCID:-${ALPS_APP_PE:-none}}}}}}}}
lc_ranks=$1 lc_owner=$2 lc_how=$3
shift 3
if [ "$lc_rank" -lt "$lc_ranks" ] 2>/dev/null && lc_found=$(watcher_find 2>/dev/null); then
    exec "$lc_found" --watched-rank "$lc_how" "$@"
fi
exec "$@"
