#!/bin/sh
# Random programs that make loaded libraries global, also past our dlopen: each call finds the same function as
# without Loadcast. LOADCAST_SEEDS says how many; a seed that differs is printed with its words.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace
t "random programs whose libraries define the same functions: ${LOADCAST_SEEDS:-60} seeds" '
    "$python" "$here/exam/random_scopes.py" --build "$build" --cc "$cc" --work "$tmp/work" --first 140 --seeds ${LOADCAST_SEEDS:-60} >out || {
        cut -c1-600 out
        exit 1
    }
'
finish
