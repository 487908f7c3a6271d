# shellcheck shell=sh
# What stands before a rank's program where the ranks stage, as: sh -c THIS NODE/bin/launch, the arguments of
# unpack_package.sh, ID and IMAGE, and the program with its arguments. The first rank of each node copies the
# image.
#
# shellcheck disable=SC2154,SC2031 # variables of unpack_package.sh; PATH is changed in subshells only
# shellcheck source=find_launcher.sh
. ./find_launcher.sh
if launcher_find 2>/dev/null; then
    lc_k=$(($3 + 5))
    while [ $lc_k -gt 0 ]; do
        shift
        lc_k=$((lc_k - 1))
    done
    exec "$lc_launcher" "$@"
fi
lc_path=$PATH
# shellcheck source=unpack_package.sh
. ./unpack_package.sh
lc_id=$1 lc_image=$2
shift 2
[ -z "$lc_library_path" ] || export LD_LIBRARY_PATH="$lc_library_path"
PATH=$lc_path
[ "$lc_machine" = "$lc_arch" ] || [ "${SLURM_LOCALID:-0}" != 0 ] ||
    echo "loadcast: $(uname -n) runs without it: its architecture is $lc_machine, that of this Loadcast $lc_arch" >&2
[ -n "$lc_at" ] || exec "$@"
exec "$lc_at/stager" rank --dir "$lc_dir" --id "$lc_id" "$lc_image" "$@"
