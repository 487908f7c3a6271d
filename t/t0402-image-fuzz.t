#!/bin/sh
# The reader of images under a seeded fuzzer: fifteen seconds, or as many executions as LOADCAST_FUZZ_RUNS.
. "$(dirname "$0")/lib.sh"
[ -x "$build/image-fuzz" ] || skip_all 'no clang with libFuzzer: the fuzz target was not built'

if [ -n "${LOADCAST_FUZZ_RUNS:-}" ]; then
    how="-runs=$LOADCAST_FUZZ_RUNS"
else
    how='-max_total_time=15'
fi
t "no input crashes the reader ($how)" '
    mkdir corpus
    cp "$here"/golden/index-v2.lcast corpus
    code 0 nice "$build/image-fuzz" $how -seed=6 -max_len=8192 -print_final_stats=1 -verbosity=0 corpus
    says "stat::number_of_executed_units" err
    sed -n "s/^stat::number_of_executed_units: /executions: /p" err
'
finish
