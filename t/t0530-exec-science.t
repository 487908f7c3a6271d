#!/bin/sh
# The promise for real scientific software: scipy, and GPAW with two ranks that compute an energy.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
"$here/python_tree" "$tmp/tree" gpaw ase || skip_all 'no Python to copy'
mkdir "$tmp/tree/setups" && cp /usr/share/gpaw-setups/H.* "$tmp/tree/setups/" 2>/dev/null
zero_disk "$tmp/tree"
# Threads of BLAS have no part in this; Open MPI wants to be told that root may.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1 \
    PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe GPAW_SETUP_PATH="$tmp/mnt/setups"

t 'import scipy with its large sub-packages, and results' '
    test -d tree/lib/python3/dist-packages/scipy || skip "no scipy"
    cat >tree/science.py <<P
import scipy, scipy.linalg, scipy.optimize, scipy.sparse.linalg, scipy.stats, scipy.fft
print(scipy.__file__, round(scipy.linalg.det([[1, 2], [3, 4]]), 9))
print(round(scipy.optimize.brentq(lambda x: x * x - 2, 0, 2), 9), scipy.stats.norm.cdf(0))
P
    zero "$m/bin/python3" "$m/science.py"
    says "$m/lib/python3/dist-packages/scipy/__init__.py -2.0" served
'
cat >tree/energy.py <<P
from ase import Atoms
from gpaw import GPAW, mpi
atoms = Atoms("H2", positions=[(0, 0, 0), (0, 0, 0.74)])
atoms.center(vacuum=2.0)
atoms.calc = GPAW(mode="lcao", basis="sz(dzp)", h=0.3, txt=None, nbands=1, symmetry="off",
                  convergence={"energy": 1e-3})
energy = atoms.get_potential_energy()
if mpi.rank == 0:
    print("%d ranks, energy %.6f eV, gpaw from %s" % (mpi.size, energy, mpi.__file__))
P
t 'GPAW: two ranks, one energy, equal to the plain one' '
    test -d tree/lib/python3/dist-packages/gpaw && command -v mpiexec >/dev/null || skip "no GPAW"
    mpiexec --version | grep -q "Open MPI\|OpenRTE" || skip "GPAW here is built for Open MPI"
    cd "$tmp/work"
    # mpiexec is the node'\''s own and must not search the slow disk: variables for the ranks alone.
    ranks() {
        mpiexec -n 2 -x HOME="$m" -x PYTHONHOME="$m" -x PYTHONPATH="$m/lib/python3/dist-packages" \
            -x LD_LIBRARY_PATH="$m/lib" -x PYTHONHASHSEED=0 -x PYTHONDONTWRITEBYTECODE=1 "$@" "$m/bin/python3" "$m/energy.py"
    }
    ranks "$loadcast" record -o "$disk/images/g.lcast" --manage "$m" -- >recorded 2>record.err || { cat record.err; exit 1; }
    says "2 ranks, energy -3." recorded
    "$loadcast" exec "$m/images/g.lcast" -- true
    node=$(ls -td "$tmp"/node/loadcast-*/*/ | head -1)
    node=${node%/}
    stormfs ctl "$m" reset
    ranks >plain
    test "$(requests)" -gt 5000
    stormfs ctl "$m" reset
    ranks "$node/bin/launch" >served
    asked=$(requests)
    test "$asked" = 0 || { echo "$asked requests instead of 0"; stormfs ctl "$m" stats; loadcast status; exit 1; }
    same plain served
    same recorded served
    stormfs ctl "$m" freeze
    ranks "$node/bin/launch" >frozen &
    ends_within 60 $! || { kill -KILL $!; stormfs ctl "$m" thaw; echo "hangs when frozen"; exit 1; }
    stormfs ctl "$m" thaw
    same plain frozen
'
finish
