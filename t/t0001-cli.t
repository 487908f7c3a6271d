#!/bin/sh
# What the front door says.
. "$(dirname "$0")/lib.sh"

t 'no arguments: the list of commands, status 2' '
    code 2 loadcast
    says "commands:" err
'
t '--help goes to standard output' '
    code 0 loadcast --help
    says "trace" out
'
t '--version says name and version' '
    code 0 loadcast --version
    grep -Eqx "loadcast [0-9]+\.[0-9]+\.[0-9]+" out
'
t 'a typing error gets the nearest command' '
    code 2 loadcast trcae
    says "did you mean '\''trace'\''?" err
'
t 'nonsense gets a pointer to --help' '
    code 2 loadcast frobnicate
    says "loadcast --help" err
'
t 'what cannot be printed is a failure, and said' '
    [ -w /dev/full ] || skip "no /dev/full"
    for c in "--help" "--version" "gen --help" "record --help"; do
        status=0
        loadcast $c >/dev/full 2>err || status=$?
        [ $status = 1 ]
        says "cannot write to standard output" err
    done
'
finish
