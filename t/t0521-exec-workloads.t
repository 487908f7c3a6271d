#!/bin/sh
# Every mode of the generated workloads asks the shared file system nothing, and still passes its own
# checks.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
needs_mpi
loadcast gen 9 25 -e -u 4 20 -n 30 --bigexe-size 3M --out tree >gen.log 2>&1 || skip_all "gen failed: $(tail -1 gen.log)"
small_picture tree
zero_disk "$tmp/tree"
# Python and MPI stay where they are; the workload lies on the slow disk.
job() { (cd "$tmp/work" && exec env OMPI_MCA_btl=self "$@"); }
# Times differ from run to run.
tidy() { grep -E "passed|checksum" | sed "s/{.*//"; }

t 'cloadtest: all libraries linked' '
    zero "$m/cloadtest"
'
t 'cloadtest-mpi' '
    zero "$m/cloadtest-mpi"
'
for mode in pyMPI pynamic-pyMPI pynamic-sdb-pyMPI pynamic-bigexe; do
    t "$mode, as the sheet has it" "
        zero $m/$mode $m/pynamic_driver.py 1
        says \"module test passed\" served
    "
done
t 'python with mpi4py' '
    "$python" -c "import mpi4py" 2>/dev/null || skip "no mpi4py"
    zero "$python" "$m/pynamic_driver_mpi4py.py" 1
    says "module test passed" served
'
finish
