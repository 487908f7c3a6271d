#!/bin/sh
# Real stacks with their bindings replayed, and every one looked up again: no difference.
. "$(dirname "$0")/lib.sh"
need_ptrace
mkdir -m 700 node
HOME=$tmp MPLCONFIGDIR=$tmp
export HOME MPLCONFIGDIR

# agrees COMMAND...: recorded, then verified; the same output, something replayed, nothing different
agrees() {
    "$@" >plain
    code 0 loadcast record --manage /usr --manage /lib -o app.lcast -- "$@"
    code 0 loadcast exec -q --dir "$tmp/node" --verify-bindings app.lcast -- "$@"
    same plain out
    grep -E "^verified +[0-9,]+ bindings looked up again: 0 different" err
    grep -E "^bindings +[1-9][0-9,]* replayed in [0-9,]+ groups; 0 groups refused" err
    code 0 loadcast exec -q --dir "$tmp/node" app.lcast -- "$@"
    same plain out
    rm -rf app.lcast "$tmp/node/loadcast-"*
}
has() { $python -c "import $1" 2>/dev/null || skip "no $1"; }

t 'numpy' '
    has numpy
    agrees $python -c "import numpy.random, numpy.linalg; print(numpy.linalg.det(numpy.eye(3)))"
'
t 'scipy' '
    has scipy
    agrees $python -c "import scipy.linalg, scipy.sparse, scipy.stats; print(scipy.linalg.det([[1, 2], [3, 5]]))"
'
t 'GPAW' '
    has gpaw
    agrees $python -c "import gpaw; print(gpaw.__version__)"
'
t 'matplotlib' '
    has matplotlib
    agrees $python -c "
import matplotlib
matplotlib.use(\"Agg\")
import matplotlib.pyplot as p
p.plot([1, 2]); p.savefig(\"/dev/null\", format=\"png\"); print(len(p.gca().lines))"
'
t 'mpi4py, whose components are opened and closed by the dozen' '
    has mpi4py
    agrees $python -c "from mpi4py import MPI; print(MPI.COMM_WORLD.size)"
'
t 'clang, a large C++ program' '
    command -v clang >/dev/null || skip "no clang"
    echo "int f(int n) { return n * 3; }" >f.c
    agrees clang -O2 -S -o - f.c
'
# As ld.so itself logs it, in the program and those it starts, but for our own objects.
log_of() { sed -n 's/.*calling \(init\|fini\): \([^ ]*\).*/\1 \2/p' "$1".* | grep -v -e preload.so -e audit.so -e /proc/self/; }
t 'scipy with all names hidden that can be: nothing is initialised or finalised in another order' '
    has scipy
    set -- $python -c "import scipy.linalg, scipy.sparse.linalg, scipy.stats; print(scipy.linalg.det([[1, 2], [3, 5]]))"
    python_itself=$($python -c "import sys; print(sys.executable)")
    shift
    env LD_DEBUG=files LD_DEBUG_OUTPUT="$tmp/plain.log" "$python_itself" "$@" >plain
    code 0 loadcast record --manage /usr --manage /lib -o app.lcast -- "$python_itself" "$@"
    LOADCAST_PRUNE=small code 0 loadcast exec -q --dir "$tmp/node" app.lcast -- \
        env LD_DEBUG=files LD_DEBUG_OUTPUT="$tmp/pruned.log" "$python_itself" "$@"
    same plain out
    log_of "$tmp/plain.log" >plain.order
    log_of "$tmp/pruned.log" >pruned.order
    [ -s plain.order ]
    same plain.order pruned.order
'
finish
