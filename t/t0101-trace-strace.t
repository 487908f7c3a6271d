#!/bin/sh
# trace counts what strace counts, call by call.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null 2>&1 || skip_all 'no strace'
need_ptrace
equal() { "$python" "$here/strace_compare.py" "$tmp" "$@"; }
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1

t 'every call we claim, succeeding and failing, is seen as strace sees it' '
    equal "$PROGRAMS/walk"
'
t 'the walk leaves out no call of the table' '
    mkdir w; cd w
    loadcast trace -o ../table --log ../log -- "$PROGRAMS/walk"
    grep -v "^#" ../log | cut -f 2 | sort -u >../seen
    loadcast trace --calls | cut -d " " -f 1 | sort -u >../claimed
    same ../claimed ../seen
'
t 'import numpy: the same calls, paths and results in the same order' '
    "$python" -c "import numpy" 2>/dev/null || skip "no numpy"
    equal "$python" -c "import numpy"
'
t 'threads: the same calls in each' '
    equal "$PROGRAMS/families" threads
'
t 'a shell pipeline: the same calls in every process' '
    equal sh -c "ls / | sort; for i in 1 2 3; do cat /etc/passwd; done"
'
finish
