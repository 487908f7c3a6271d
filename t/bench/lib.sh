# lib.sh - what benchmarks share. A benchmark prints one line per bar with 'bar', and everything
# else on stderr; tools/bench compares and judges.
#
#   bar NAME FIGURE OPERATOR TARGET UNIT [NOTE]     OPERATOR is <= or >=
#   interleave ROUNDS CMD...                        see interleave.c
#   once_programs                                   for 'stormfs --once': what a job runs once, in every arm
#   once DISK CMD...                                run CMD, which must not be a program that ranks run,
#                                                   charged once by the stormfs on DISK
set -eu
here=$(cd "$(dirname "$0")" && pwd)
src=$(dirname "$(dirname "$here")")
build=${LOADCAST_BUILD:-$src/build}
# Not loadcast-bench.*, the name of what bench stages: a clean or bench elsewhere on the machine would remove it.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/loadcast-bars.XXXXXX")
PATH=$build:$PATH
LOADCAST_STORE=$tmp/store # the user's own store of images is not for benchmarks
export PATH LOADCAST_STORE
at_exit_commands=
at_exit() { at_exit_commands="$1; $at_exit_commands"; }
leave() {
    trap - EXIT
    eval "$at_exit_commands" >/dev/null 2>&1 || :
    rm -rf "$tmp"
}
trap leave EXIT
trap 'leave; exit 130' INT TERM

. "$src/t/wait.sh"
bar() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "${6:-}"; }
interleave() { "$build/interleave" "$@"; }
# Reads valgrind's output: the instructions of the program itself. Children that it forks report before it.
collected() { awk '/Collected/ { n = $4 } END { print n }'; }
once_programs=loadcast,loadcast-full,stager,stage-mpi.openmpi,stage-mpi.mpich,sbcast,find,tar,zstd,tail,mksquashfs,squashfuse_ll,bench-memory,spindle,spindle_be
once() {
    once_disk=$1
    shift
    stormfs ctl "$once_disk" once "${1##*/}" && "$@"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

python=/usr/bin/python3
[ -x $python ] || python=python3
