# SPDX-License-Identifier: MIT
# Tools that look into other processes: gdb and perf on a served program, /proc of a child.
# What they print of paths is known to differ (the manual says so): only their results count.
if command -v gdb >/dev/null; then
    gdb -q -batch -ex 'break main' -ex run -ex 'print 6*7' -ex kill --args bin/by-rpath 2>&1 | grep -E '^(Breakpoint 1,|\$1)' | sed 's/ 0x[0-9a-f]*//'
    gdb -q -batch -ex run -ex 'info sharedlibrary libname' --args bin/by-rpath 2>&1 | grep -cE '^one$'
fi
if perf stat -x, -e task-clock true >/dev/null 2>&1; then
    perf stat -x, -e task-clock bin/by-rpath 2>&1 | sed 's/^[0-9.]*,.*task-clock.*/counted/'
fi
