# lib.sh - what end-to-end tests share. Source it first; see t/README.md.
#
#   t 'name of the behaviour' 'shell code'   one test: fails when any command in the code fails
#   skip_all 'reason'                        nothing here can run on this machine
#   finish                                   last line: prints the plan
#
# Inside a test: code N CMD..., says TEXT FILE, lacks TEXT FILE, same A B, wait_until CMD..., skip 'reason'.
# $tmp is a fresh directory, removed at the end; programs of the build stand first in PATH.
set -u
# Some shells (dash before 0.5.11) do not give a variable that stands before a function to what it runs.
exports() { sh -c 'test "${LOADCAST_PROBE-}"'; }
LOADCAST_PROBE=1 exports || ! command -v bash >/dev/null || exec bash "$0" "$@"
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/lib.sh" ] || here=$(dirname "$here") # t/attack and t/exam
src=$(dirname "$here")
build=${LOADCAST_BUILD:-$src/build}
umask 022 # whatever that of the user is; what Loadcast does under others is for tests that set them
tmp=$(mktemp -d "${TMPDIR:-/tmp}/loadcast-test.XXXXXX")
PATH=$build:$PATH
LC_ALL=C.UTF-8
export PATH LC_ALL
# A sanitizer's complaint must fail the test, also where the exit status is the program's own, or where
# it comes from a process in the background, whose standard error nobody reads.
# Where a program of the sanitized leg is started under Loadcast, it is so all the same.
# Memory leaks fail a test, too. The search uses ptrace, so a sanitized program that something else traces is
# started by 'no_leak_check CMD...'. (That must not be contradicted by UBSAN_OPTIONS, which is read last.)
export ASAN_OPTIONS="verify_asan_link_order=0:exitcode=99:detect_leaks=1:log_path=$tmp/.sanitizer"
export UBSAN_OPTIONS="halt_on_error=1:exitcode=99:log_path=$tmp/.sanitizer"
no_leak_check() { ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$@"; }
# The user's own store of images is not for tests.
export LOADCAST_STORE="$tmp/.store"
unset LOADCAST_STORE_CAP
# Lines without an image are watched in tests of that only.
export LOADCAST_WATCH=0
cd "$tmp" || exit 1
# What is staged lies here and not in /dev/shm, where the tests of one user would meet.
mkdir -m 700 "$tmp/.memory"
export LOADCAST_DIR="$tmp/.memory"

number=0
cleanup_commands=
# at_exit CODE: run CODE when the file ends, last given first.
at_exit() { cleanup_commands="$1; $cleanup_commands"; }
leave() {
    trap - EXIT
    eval "$cleanup_commands" >/dev/null 2>&1
    cd / && rm -rf "$tmp"
}
trap leave EXIT
trap 'leave; exit 130' INT TERM

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
is_sanitized() { nm -D "$build/loadcast-full" 2>/dev/null | grep -q __asan_init; }
# libc_is_before 2.35: the C library here is glibc of an earlier version.
libc_is_before() {
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || return 1
    [ "${libc#glibc 2.}" -lt "${1#2.}" ]
}
# Only a machine that forbids ptrace may skip; any other failure is one.
# An emulated processor has no ptrace; there, with RECORD_INSIDE set, 'record' does without (tools/arm64).
need_ptrace() {
    [ -z "${RECORD_INSIDE:-}" ] || return 0
    loadcast trace -o /dev/null -- true 2>"$tmp/.ptrace" && return
    ! grep -q 'ptrace is forbidden' "$tmp/.ptrace" || skip_all "$(cat "$tmp/.ptrace")"
}
# The compiler is $cc.
need_compiler() {
    cc=${CC:-cc}
    command -v "$cc" >/dev/null || skip_all 'no compiler'
}
finish() { echo "1..$number"; }

# Exit status 77 inside a test means: skipped, for the reason left in $tmp/.skip.
t() {
    number=$((number + 1))
    rm -f "$tmp/.skip"
    (set -e; eval "$2") >"$tmp/.out" 2>&1 </dev/null
    got=$?
    for complaint in "$tmp"/.sanitizer.*; do
        # That no symbolizer is installed is no complaint.
        grep -qsv "WARNING: .*external symbolizer" "$complaint" || { rm -f "$complaint"; continue; }
        got=99
        head -60 "$complaint" >>"$tmp/.out"
        rm -f "$complaint"
    done
    case $got in
    0) echo "ok $number - $1" ;;
    77) echo "ok $number - $1 # SKIP $(cat "$tmp/.skip")" ;;
    *)
        echo "not ok $number - $1"
        sed 's/^/# /' "$tmp/.out"
        ;;
    esac
}
skip() { echo "$1" >"$tmp/.skip"; exit 77; }

# code N CMD...: the command ends with status N; its output goes to $tmp/out and $tmp/err.
code() {
    want=$1
    shift
    got=0
    "$@" >"$tmp/out" 2>"$tmp/err" || got=$?
    [ "$got" = "$want" ] && return 0
    echo "status $got, expected $want: $*"
    sed 's/^/out: /' "$tmp/out" | head -40
    sed 's/^/err: /' "$tmp/err" | head -40
    return 1
}
says() { grep -qF -e "$1" "$2" || { echo "'$1' is not in $2:"; head -60 "$2"; return 1; }; }
lacks() { ! grep -F -e "$1" "$2" || { echo "(should not be in $2)"; return 1; }; }
# CMD | nothing: fails if there is any output. (A bare '! CMD' does not end a test: the shell exempts
# it from 'set -e'.)
nothing() { ! grep . || { echo "(nothing was expected)"; return 1; }; }
same() { diff -u "$1" "$2" | head -60 >"$tmp/.diff"; [ ! -s "$tmp/.diff" ] || { cat "$tmp/.diff"; return 1; }; }
. "$here/wait.sh"
# is_prompt FILE: a program wrote the time (milliseconds since 1970) to FILE, its last act, at most so long ago that the line
# has not been held up for more than its second: the rest is for what else the machine does.
is_prompt() {
    late_ms=$(($(date +%s%N) / 1000000 - $(cat "$1")))
    [ $late_ms -le $((5000 * ${PATIENCE:-1})) ] || { echo "the line ended $late_ms ms after its program"; return 1; }
}
# asking PID...: all of them have asked the file system, and wait for its answer. (Where the kernel does not say
# what a process waits for: they sleep.)
asking() {
    [ $# -gt 0 ] || return 1
    for asker; do
        case $(cat "/proc/$asker/wchan" 2>/dev/null) in
        *fuse* | request_wait_answer) ;;
        0 | '') grep -q '^State:.[SD]' "/proc/$asker/status" || return 1 ;;
        *) return 1 ;;
        esac
    done
}
# A Python that has what the tests import: Debian's own rather than one put before it in PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3
