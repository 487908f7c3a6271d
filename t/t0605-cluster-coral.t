#!/bin/sh
# The four lines of the CORAL benchmark summary, as printed, under a real Slurm on a slow disk.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
. "$here/gen.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built'
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
loadcast --help | grep -q '^  gen ' || skip_all 'loadcast has no gen'
for program in munged slurmctld slurmd srun; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip_all "$program is not installed"
done
$python -c 'import mpi4py' 2>/dev/null || skip_all 'python3-mpi4py is not installed'
need_cluster

# On a busy machine plain programs of Open MPI 4.1.4 under srun with PMIx crashed in MPI_Init in 3 of 112 steps of eight ranks: its TCP driver
# gets a message of a rank that has finished MPI_Init while this one still waits for its first PMIx fence, and has no function for it yet. With messages
# by libfabric, as on networks of supercomputers, none of 168 steps did. But one of 48 such steps did not end, on a busy machine, after all it had to
# print: so each line of the job has a time within which it is ended. What it printed counts.
export OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi

# Site scripts call the interpreter 'python'.
mkdir bin
ln -s $python bin/python
PATH=$tmp/bin:$PATH
loadcast gen 12 20 -e -u 5 20 -n 10 --bigexe-size 2000000 --out workload >gen.out 2>&1 ||
    skip_all "no workload: $(tail -n 1 gen.out)"
small_picture workload
cat >lines <<'EOS'
srun ./pynamic-pyMPI pynamic_driver.py `date +%s`
srun ./pynamic-bigexe pynamic_driver.py `date +%s`
srun ./pyMPI pynamic_driver.py `date +%s`
srun python pynamic_driver_mpi4py.py `date +%s`
EOS
cluster up 4 --rw --shared "$tmp/workload" --keep "$tmp" >/dev/null || exit 1

# in_workload CMD...: with Slurm, called from the directory the sheet tells to go to
in_workload() { (cd "$tmp/workload" && exec timeout 100 "$src/tools/cluster" --name "$name" slurm -- "$@"); }
# passed TASKS: the driver in $tmp/out ran on so many and found nothing wrong
passed() {
    says "with $1 MPI tasks" "$tmp/out"
    says 'module test passed!' "$tmp/out"
    says 'mpi test passed!' "$tmp/out"
    grep -q '^Pynamic-json: .*"passed": true' "$tmp/out"
}

while read -r line; do
    t "one task: $line" '
        code 0 in_workload sh -c "$line"
        passed 1
    '
done <lines
t 'all four in one batch job on 4 nodes x 2 tasks' '
    { echo "#!/bin/sh"; sed "s/^/timeout -k 5 25 /" lines; echo "echo finished"; } >job
    code 0 in_workload sbatch -N4 -n8 -o "$tmp/job.out" "$tmp/job"
    wait_within 125 grep -qsx finished job.out || { cat job.out; exit 1; }
    test "$(grep -c "^Pynamic-json: .*\"tasks\": 8.*\"passed\": true" job.out)" = 4 || { cat job.out; exit 1; }
'
t 'every node asked the shared disk for the libraries' '
    cluster cold
    in_workload salloc -Q -N4 -n8 sh -c "timeout -k 5 25 $(sed -n 3p lines)" >out 2>&1 || :
    passed 8
    code 0 cluster stats
    for node in n1 n2 n3 n4; do
        [ "$(sed -n "s/^$node .* OPEN \([0-9]*\).*/\1/p" out)" -ge 12 ]
    done
'
t 'nothing is left' '
    down_leaves_nothing
'
finish
