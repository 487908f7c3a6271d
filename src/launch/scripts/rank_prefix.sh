# shellcheck shell=sh
# What stands before a rank's program, as: sh -c THIS NODE/bin/launch PROGRAM ARGUMENTS
# The program starts through the staged launcher if that is there and this user's; else as it is.
# shellcheck source=find_launcher.sh
. ./find_launcher.sh
if launcher_find 2>/dev/null; then exec "$lc_launcher" "$@"; fi
exec "$@"
