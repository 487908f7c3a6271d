# run_job.sh - a job on tools/cluster whose software, Loadcast included, lies on the shared disk. Source
# it after lib.sh and cluster.sh, then 'job_tree [PACKAGE...]'.
#
#   $m            the shared disk: py/ (a Python of its own), inst/ (Loadcast), img/ (images)
#   $lc           Loadcast as installed there
#   record_on n1 IMAGE CMD...     on a node, with the job's environment; by $pilot_launcher, if that is set
#   openmpi OPTIONS -- LINE       loadcast run OPTIONS -- mpiexec.openmpi with the job's environment LINE
#   slurm_run N OPTIONS -- LINE   the same inside an allocation of N nodes, by srun
#   all_ranks N NODES out         what N ranks of a quiet app.py on so many nodes said
#   operations NODE               that the shared disk has seen from a node since 'cluster stats --reset'

job_tree() {
    m=$tmp/shared
    mkdir -p "$m/img"
    "$here/python_tree" "$m/py" "$@" || skip_all 'no Python to copy'
    DESTDIR=$m/inst meson install -C "$build" --no-rebuild --quiet >install.log 2>&1 || skip_all 'cannot install'
    lc=$(find "$m/inst" -path "*/bin/loadcast" -type f)
    environment="PYTHONHOME=$m/py PYTHONPATH=$m/py/lib/python3/dist-packages LD_LIBRARY_PATH=$m/py/lib PYTHONDONTWRITEBYTECODE=1 HOME=$m"
    # Ranks of srun are told to send nothing ("quiet"): Open MPI 4.1 crashes in MPI_Init when Slurm 22.05 lets
    # its ranks out of there one by one and the first send already, with or without Loadcast. "load" does not
    # even call it.
    cat >"$m/app.py" <<-"EOS"
	import os, sys
	import mpi4py, numpy
	how = sys.argv[1] if sys.argv[1:] else "send"
	mpi4py.rc.initialize = how != "load"
	from mpi4py import MPI
	w = MPI.COMM_WORLD
	if how == "send":
	    s = w.allreduce(int(numpy.arange(w.rank + 1).sum()))
	    hosts = w.gather(MPI.Get_processor_name())
	    if w.rank == 0:
	        print("ranks", w.size, "sum", s, "hosts", len(set(hosts)), numpy.__file__)
	else:
	    rank, size = (w.rank, w.size) if how == "quiet" else (os.environ["SLURM_PROCID"], int(os.environ["SLURM_NTASKS"]))
	    sys.stdout.write("rank %s of %d on %s, %s\n" % (rank, size, os.uname().nodename, numpy.__file__))
	EOS
}
# all_ranks N NODES FILE: what N ranks of a quiet app.py on so many nodes said
all_ranks() {
    [ "$(sed -n "s|^rank \([0-9]*\) of $1 on .*, $m/py/.*|\1|p" "$3" | sort -u | wc -l)" = "$1" ] || { cat "$3"; return 1; }
    [ "$(sed -n 's/^rank .* on \(.*\), .*/\1/p' "$3" | sort -u | wc -l)" = "$2" ] || { cat "$3"; return 1; }
}
record_on() {
    node=$1 image=$2
    shift 2
    (cd / && "$src/tools/cluster" --name "$name" node "$node" -- env $environment OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ${pilot_launcher:-} "$lc" record -o "$image" -- "$@") >record.out 2>&1 || { cat record.out; return 1; }
}
# Seconds; the machine may be shared.
patience=${patience:-200}
openmpi() {
    options=
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    pass=
    for variable in $environment; do pass="$pass -x $variable"; done
    (cd / && timeout "$patience" "$src/tools/cluster" --name "$name" run -- "$lc" run --wait 60s $options -- mpiexec.openmpi $pass "$@") || { status=$? && cleaned && return $status; }
    cleaned
}
plain_openmpi() {
    pass=
    for variable in $environment; do pass="$pass -x $variable"; done
    (cd / && timeout "$patience" "$src/tools/cluster" --name "$name" run -- mpiexec.openmpi $pass "$@")
}
slurm_run() {
    nodes=$1 options=
    shift
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    (cd / && timeout "$patience" "$src/tools/cluster" --name "$name" slurm -- salloc -Q -N"$nodes" "$lc" run --wait 60s $options -- \
        srun -N"$nodes" --export="ALL,$(echo "$environment" | tr ' ' ,)" "$@")
}
operations() { cluster stats 2>/dev/null | awk -v node="$1" '$1 == node { print $2 }'; }
opens() { cluster stats 2>/dev/null | awk -v node="$1" '$1 == node { n = 0; for (i = 1; i < NF; i++) if ($i == "OPEN") n = $(i + 1) + 0; print n }'; }
# Reads of data are left out: how many the kernel makes of one is a matter of timing. So are the questions of nodes, before each read, whether the file has
# changed: the node that sends an image reads ahead while it waits for the others.
all_operations() {
    cluster stats 2>/dev/null | awk '$1 == "head" || $1 ~ /^n[0-9]+$/ {
        n += $2
        for (i = 1; i < NF; i++)
            if ($i == "READ" || ($1 != "head" && $i == "GETATTR")) n -= $(i + 1)
    } END { print n + 0 }'
}
from_cold() { cluster cold && cluster stats --reset >/dev/null 2>&1; }
