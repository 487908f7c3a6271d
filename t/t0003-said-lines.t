#!/bin/sh
# What the documentation and the examples tell people to type is taken by the commands as they are.
. "$(dirname "$0")/lib.sh"
"$python" "$here/said_lines.py" "$src"/README.md "$src"/doc/*.md "$src"/doc/man/*.scd "$src"/examples/*.sh "$src"/examples/bench.cron \
    "$src"/examples/*.service "$src"/examples/modulefile "$src"/examples/modulefile.lua >lines || exit 1

# taken FILE:LINE WORD...: its options are read with their values before --help ends it
taken() {
    where=$1
    shift
    loadcast "$@" --help >out 2>err || { echo "$where: loadcast $*"; cat err; return 1; }
    [ -s out ]
}
tab=$(printf '\t')
t 'every command, option and value that is shown exists' '
    [ "$(wc -l <lines)" -ge 60 ]
    for file in README.md for-users.md for-centres.md slurm-job.sh slurm-steps.sh pbs-job.sh flux-job.sh lsf-job.sh loadcast-run.1.scd; do says "/$file:" lines; done
    bad=0
    while read -r line; do
        IFS=$tab
        set -f -- $line
        unset IFS
        taken "$@" || bad=1
    done <lines
    [ $bad = 0 ]
'
t 'so does every option of run that stands alone in the page for users' '
    loadcast run --help >help
    grep -o "\`--[a-z][^\` =]*" "$src/doc/for-users.md" | tr -d "\`" | sort -u | grep -vx -e --export >options
    [ "$(wc -l <options)" -ge 6 ]
    while read -r option; do grep -q -e "$option\b" help || { echo "$option"; exit 1; }; done <options
'
t 'every variable that the pages name is one that something reads' '
    cat "$src"/doc/for-*.md "$src"/examples/*.sh "$src"/doc/man/loadcast-run.1.scd "$src"/doc/man/loadcast-stage.1.scd | grep -o "LOADCAST_[A-Z_]*" | sort -u >variables
    [ "$(wc -l <variables)" -ge 4 ]
    while read -r name; do
        grep -rqw "$name" "$src/src" || grep -qF "\${$name" "$src"/examples/*.sh || { echo "$name"; exit 1; }
    done <variables
'
finish
