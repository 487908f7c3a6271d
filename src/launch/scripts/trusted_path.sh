# shellcheck shell=sh
# trusted_path DIR: print DIR without symbolic links, if nobody but this user ($lc_uid), root and, where it is set,
# $lc_owner can put another directory in its place; else fail. stage/owned.c judges the same way.
#
# Every step is listed from the root on: once a step is seen to be safe, nobody can change it. A user
# namespace that does not know root shows root's directories with the owner of "/", and those of
# strangers too, so that owner is accepted for the system's own directories only. Where this user himself
# has the number that strangers show (65534), nothing can be told.
#
# shellcheck disable=SC2086 # $real is split at slashes; $lc_steps is a number
# shellcheck disable=SC2154 # lc_uid is set by the script that uses this file
# shellcheck disable=SC2034,SC2015,SC2030,SC2012 # unused fields of ls; "a && b || exit"; a subshell by intent; ls -n is POSIX, stat is not
trusted_path() (
    [ "$lc_uid" != 65534 ] || { read -r a b c </proc/self/uid_map && [ "$c" = 4294967295 ]; } || exit 1
    cd -P "$1" 2>/dev/null && real=$(pwd -P) || exit 1
    set -f
    IFS=/
    set -- $real
    IFS=' '
    lc_steps=$# at=
    for step do [ -z "$step" ] || { at=$at/$step; set -- "$@" "$at"; }; done
    shift $lc_steps
    LC_ALL=C ls -ldn / "$@" 2>/dev/null | {
        set -- / "$@"
        root=
        while read -r mode links owner rest; do
            root=${root:-$owner}
            case $owner in
            0 | "$lc_uid" | "${lc_owner:-0}") ;;
            "$root") case $1 in / | /dev | /dev/shm | /tmp | /var | /var/tmp) ;; *) exit 1 ;; esac ;;
            *) exit 1 ;;
            esac
            case $mode in
            d????????[tT]*) ;;
            d????w* | d???????w*) exit 1 ;;
            d*) ;;
            *) exit 1 ;;
            esac
            shift
        done
        [ $# = 0 ]
    } && printf '%s\n' "$real"
)
