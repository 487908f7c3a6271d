#!/bin/sh
# Each part of what is loaded into a program is switched off by a variable of its own, in exec, in run and in
# every rank.
. "$(dirname "$0")/lib.sh"
need_ptrace
unset LOADCAST LOADCAST_NODE LOADCAST_BINDINGS LOADCAST_PRUNE LOADCAST_PYTHON LOADCAST_AUDIT LOADCAST_PRELOAD
export PYTHONDONTWRITEBYTECODE=1
mkdir -m 700 app
cat >app/app.py <<'P'
import importlib.machinery as m, json, os, sys
maps = open("/proc/self/maps").read()
if len(sys.argv) > 1: # launchers mix what their ranks print
    sys.stdout = open("%s/%d" % (sys.argv[1], os.getpid()), "w")
print(*(name for name in ("audit", "preload") if "/bin/%s.so" % name in maps), *(["seam"] if type(m.FileFinder.find_spec).__name__ != "function" else []))
P
loadcast record -o app.lcast --manage /usr --manage "$tmp/app" -- "$python" app/app.py >/dev/null 2>&1 || exit 1
# all_ways EXPECTED: by exec, run, a script that starts it, and MPI
all_ways() {
    loadcast exec -q app.lcast -- "$python" app/app.py >out
    echo "$1" | same - out
    loadcast run -q --image app.lcast -- "$python" app/app.py >out
    echo "$1" | same - out
    loadcast exec -q app.lcast -- sh -c "$python app/app.py; true" >out
    echo "$1" | same - out
    command -v mpiexec >/dev/null || return 0
    for wrap in always never; do
        rm -rf ranks
        mkdir ranks
        loadcast run -q --wrap $wrap --image app.lcast -- mpiexec --allow-run-as-root --oversubscribe -n 2 "$python" app/app.py ranks
        cat ranks/* >out
        printf "%s\n" "$1" "$1" | same - out
    done
}
t 'all parts are there' 'all_ways "audit preload seam"'
t 'LOADCAST_AUDIT=0: no auditor' 'LOADCAST_AUDIT=0 all_ways "preload seam"'
t 'LOADCAST_PRELOAD=0: ld.so alone is answered, and there is no import seam' 'LOADCAST_PRELOAD=0 all_ways "audit"'
t 'LOADCAST_PYTHON=0: no import seam' 'LOADCAST_PYTHON=0 all_ways "audit preload"'
t 'auditor and preload off: nothing is left' 'LOADCAST_AUDIT=0 LOADCAST_PRELOAD=0 all_ways ""'
t 'LOADCAST=0: nothing' 'LOADCAST=0 all_ways ""'
t 'another value than 0 switches nothing off' 'LOADCAST_AUDIT=1 LOADCAST_PRELOAD= LOADCAST_PYTHON=no all_ways "audit preload seam"'
t 'without the auditor files are still answered' '
    LOADCAST_AUDIT=0 code 0 loadcast exec --stats app.lcast -- "$python" app/app.py
    says "modules" err
    grep -qE "^ *[1-9][0-9,]* +libraries mapped" err && exit 1 || :
'
t 'without the preload libraries still come from node memory' '
    LOADCAST_PRELOAD=0 code 0 loadcast exec --stats app.lcast -- "$python" app/app.py
    says "libraries mapped" err
    lacks "modules" err
'
t 'a variable reaches the ranks by the launcher, too' '
    LOADCAST_BINDINGS=0 LOADCAST_PYTHON=0 code 0 loadcast run -q --dry-run --image app.lcast -- mpiexec -n 2 "$python" app/app.py
    says "LOADCAST_BINDINGS=0" out
    says "LOADCAST_PYTHON=0" out
    lacks "LOADCAST_AUDIT" out
'
finish
