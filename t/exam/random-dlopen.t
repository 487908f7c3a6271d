#!/bin/sh
# Random programs that open libraries: what they print, which files they load and how they end is the
# same as without Loadcast. LOADCAST_SEEDS says how many; a seed that differs is printed with the command
# that runs it again.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace
t "random programs of 14 and 60 libraries: ${LOADCAST_SEEDS:-100} seeds" '
    "$python" "$here/exam/random_dlopen.py" --build "$build" --cc "$cc" --work "$tmp/work" --seeds ${LOADCAST_SEEDS:-100} >out || {
        cut -c1-600 out
        exit 1
    }
'
finish
