# wait.sh - the one way in which tests wait: for a condition, and for no longer than is said. lib.sh has it;
# programs that a test writes can source it, too.
#
#   wait_until CMD...             up to a minute for CMD to succeed; a busy machine needs some of it
#   wait_within SECONDS CMD...    the same with another limit
#   PATIENCE=N                    all limits are N times as long: for emulated machines
#   has_ended PID...              a condition: none of them runs, though perhaps nobody has waited for them yet
#   is_age SECONDS FILE           a condition: its last change, also of names and modes, is longer ago
wait_within() {
    tries_left=$(($1 * 50 * ${PATIENCE:-1}))
    shift
    until "$@"; do
        tries_left=$((tries_left - 1))
        [ "$tries_left" -gt 0 ] || { echo "still not: $*"; return 1; }
        sleep 0.02
    done
}
wait_until() { wait_within 60 "$@"; }
has_ended() { for p; do ! grep -q '^State:.[^ZX]' "/proc/$p/status" 2>/dev/null || return 1; done; }
is_age() { [ "$(($(date +%s) - $(stat -c %Z "$2")))" -gt "$1" ]; }
