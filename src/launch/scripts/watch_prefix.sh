# shellcheck shell=sh
# What stands before a rank's program in a line that is watched, as:
#   sh -c THIS LOADCAST RANKS HOW PROGRAM ARGUMENTS
# The first RANKS ranks start through LOADCAST --watched-rank HOW, if that can be run on this node; all others, and
# all where it cannot, as they are.
lc_rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-${PALS_RANKID:-${JSM_NAMESPACE_RANK:-${FLUX_TASK_RANK:-${SLURM_PROCID:-${ALPS_APP_PE:-none}}}}}}}}
lc_ranks=$1 lc_how=$2
shift 2
if [ "$lc_rank" -lt "$lc_ranks" ] 2>/dev/null && [ -x "$0" ] && "$0" --version >/dev/null 2>&1; then
    exec "$0" --watched-rank "$lc_how" "$@"
fi
exec "$@"
