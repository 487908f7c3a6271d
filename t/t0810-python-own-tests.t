#!/bin/sh
# CPython's own tests, and numpy's and scipy's, give the same result per case from node memory as plain;
# two plain runs tell which cases are flaky by themselves. LOADCAST_LONG=1: all of them.
. "$(dirname "$0")/lib.sh"
need_ptrace
"$python" -c 'import test.test_importlib' 2>/dev/null || skip_all "no tests of Python's installed (libpython3-testsuite)"
. "$here/python/seam.sh"
unset PYTHONDONTWRITEBYTECODE PYTHONHASHSEED
mkdir "$APP"
quick='test_import test_zipimport test_pkgutil test_posix test_pathlib test_glob test_tempfile test_runpy test_site'
long='test_importlib test_os test_shutil test_subprocess test_compileall test_venv test_multiprocessing_spawn test_multiprocessing_forkserver'
all=$quick
[ -z "${LOADCAST_LONG:-}" ] || all="$quick $long"

# compared COMMAND...: COMMAND, which writes results to the file that its last argument names, three times
compared() {
    "$@" plain1.xml >plain1.log 2>&1 || :
    "$@" plain2.xml >plain2.log 2>&1 || :
    served "$@" served.xml >served.log 2>&1 || :
    test -s served.xml || { tail -40 served.log; return 1; }
    "$python" "$here/python/compare_cases.py" plain1.xml plain2.xml served.xml || { tail -60 served.log; return 1; }
}
recorded cases "$python" -m test --list-cases $all || exit 1
for name in $all; do
    t "CPython: $name" '
        compared "$python" -m test "$name" --junit-xml
    '
done
for package in numpy/core/tests/test_scalarmath.py numpy/_core/tests/test_scalarmath.py numpy/lib/tests/test_io.py numpy/tests numpy/distutils/tests \
    scipy/special/tests/test_basic.py scipy/io/tests scipy/linalg/tests/test_basic.py; do
    [ -n "${LOADCAST_LONG:-}" ] || break
    t "${package%%/*}: ${package#*/}" '
        "$python" -c "import pytest, hypothesis" 2>/dev/null || skip "no pytest, or no hypothesis"
        at=$("$python" -c "import ${package%%/*} as m; print(m.__path__[0])")/${package#*/}
        test -e "$at" || skip "not installed"
        record_options=
        recorded pytest "$python" -m pytest -q --collect-only -p no:cacheprovider "$at"
        compared "$python" -m pytest -q -p no:cacheprovider "$at" --junit-xml
    '
done
finish
