# gen.sh - what tests of generated workloads share. Source it after lib.sh.
#
#   needs_mpi               skip the file where MPI or libpython cannot be compiled against
#   mpi N CMD...            CMD under mpiexec with N tasks
#   fails CMD...            CMD ends with any status but 0
#   small_picture DIR       the drivers in DIR draw 20 x 20 points instead of 400 x 400: a second of CPU less per run
#   json FILE EXPRESSION    evaluate Python on the JSON in FILE, named j; fails when it is false
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
unset CC MPICC PYTHONPATH PYTHONHOME
unset MALLOC_PERTURB_ # Open MPI 4.1 sometimes crashes in MPI_Init on Meson's pattern

needs_mpi() {
    command -v mpicc >/dev/null || skip_all 'no mpicc'
    command -v mpiexec >/dev/null || skip_all 'no mpiexec'
    echo '#include <Python.h>' >try.c
    # shellcheck disable=SC2046 # words
    mpicc -fsyntax-only $($python -c 'import sysconfig as s; print("-I" + s.get_path("include"))') try.c \
        2>/dev/null || skip_all 'no Python headers'
}
mpi() {
    tasks=$1
    shift
    timeout $((60 * ${PATIENCE:-1})) mpiexec -n "$tasks" --bind-to none "$@"
}
small_picture() {
    for driver in "$1"/pynamic_driver*.py; do
        picture_shrink "$driver" || return 1
    done
}
picture_shrink() {
    $python - "$1" <<-'P'
	import re, sys
	text = open(sys.argv[1]).read()
	text, found = re.subn(r"^PICTURE = 400\b", "PICTURE = 20", text, flags=re.M)
	constants = re.findall(r"^(?:PICTURE|TURNS|FAR) = .*$", text, re.M)
	drawing = re.search(r"^def step\(.*?(?=^def write_bitmap)", text, re.M | re.S).group(0)
	space = {"rank": 0, "size": 1, "reduce_sum": lambda rows: rows, "PICTURE_CHECK": None, "complain": lambda words: None}
	exec("\n".join(constants) + "\n" + drawing, space)
	picture = space["fractal"]()
	check = sum((place + 1) * sum(picture[place::251]) for place in range(251)) & 0xFFFFFF
	text, checked = re.subn(r"^PICTURE_CHECK = \w+", "PICTURE_CHECK = %#x" % check, text, flags=re.M)
	assert found == checked == 1 and len(constants) == 3
	open(sys.argv[1], "w").write(text)
	P
}
fails() {
    ! "$@" || { echo "succeeded: $*"; return 1; }
}
json() {
    $python -c 'import json, sys
j = json.load(open(sys.argv[1]))
value = eval(sys.argv[2])
if not value: sys.exit("false: %s" % sys.argv[2])' "$1" "$2"
}
