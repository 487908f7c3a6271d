#!/bin/sh
# loadcast bench with a real MPI: generated workloads in their modes, and Python with mpi4py.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"
. "$here/bench.sh"
# Here the launcher may refuse more tasks than it has slots for.
unset OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy
command -v mpiexec >/dev/null || skip_all 'no mpiexec'
command -v mpicc >/dev/null || skip_all 'no MPI compiler'
mpiexec="mpiexec --oversubscribe -n {ranks}"
mpiexec --version 2>&1 | grep -Eq 'Open MPI|OpenRTE' || mpiexec="mpiexec -n {ranks}"
loadcast gen 8 30 -u 3 30 --out wl --bigexe-size 1M >/dev/null 2>gen.err || [ $? = 3 ] || skip_all "$(cat gen.err)"
small_picture wl

t 'a workload: every rank tells start, import and visit; linked and imported under one name' '
    cat >s.yaml <<-END
	cases:
	  - {name: pynamic, workload: wl, mode: pyMPI}
	  - {name: pynamic, workload: wl, mode: pynamic-pyMPI}
	targets: [{name: disk, path: target}]
	widths: [2]
	caches: [warm]
	launcher: $mpiexec
	max_runs: 1
	count: false
	END
    code 0 bench s.yaml
    line "[l[\"mode\"] for l in lines] == [\"pyMPI\", \"pynamic-pyMPI\"] and all(l[\"status\"] == \"done\" for l in lines)"
    rows "all(len(r[\"phases\"][p][\"samples_ns\"]) == 2 and r[\"phases\"][p][\"min_ns\"] > 0 for r in rows for p in (\"launch\", \"start\", \"import\", \"visit\", \"total\"))"
    rows "rows[-1][\"place\"][\"mpi\"] != \"\" and rows[-1][\"place\"][\"launcher\"].startswith(\"mpiexec\")"
    rows "all(r[\"phases\"][\"total\"][\"max_ns\"] >= r[\"phases\"][\"import\"][\"max_ns\"] + r[\"phases\"][\"visit\"][\"max_ns\"] for r in rows)"
'
t 'every mode of a workload: vanilla, linked, linked with sdb, bigexe, mpi4py, and without Python' '
    modes="pyMPI pynamic-pyMPI pynamic-sdb-pyMPI pynamic-bigexe cloadtest-mpi"
    if $python -c "import mpi4py" 2>/dev/null; then modes="$modes mpi4py"; fi
    for mode in $modes; do test "$mode" = mpi4py || test -x wl/$mode; done
    {
        echo "cases:"
        for mode in $modes; do echo "  - {name: pynamic, workload: wl, mode: $mode}"; done
        printf "%s\n" "targets: [{name: disk, path: target}]" "widths: [1, 3]" "caches: [warm]" "launcher: $mpiexec" "max_runs: 1"
    } >s.yaml
    rm -f r.db
    code 0 bench s.yaml
    line "[l[\"mode\"] for l in lines] == [m for m in \"$modes\".split() for _ in (1, 3)] and all(l[\"status\"] == \"done\" for l in lines)"
    rows "all(len(r[\"phases\"][p][\"samples_ns\"]) == r[\"ranks\"] for r in rows for p in (\"launch\", \"start\", \"import\", \"visit\", \"total\") if p != \"import\" or r[\"mode\"] != \"cloadtest-mpi\")"
    loadcast report --db r.db >report
    says "pynamic-bigexe" report
    # Tried in one process first: what it asks of the target is printed, one line for each.
    need_ptrace
    test "$(grep -c "operations of one process, on the target:" err)" = "$(echo $modes | wc -w)"
    rows "all(r[\"metrics\"][\"import_operations\"] > 20 for r in rows)"
'
t 'MPI and Loadcast: staged for the launcher'\''s nodes, taken out again' '
    need_ptrace
    export LOADCAST_DIR=$tmp/node
    mkdir -m 700 node
    # What lies in memory is never cold.
    caches=cold,warm
    [ "$(stat -f -c %T "$tmp")" != tmpfs ] || caches=warm
    code 0 bench --workload wl --mode pyMPI --target target --launcher "$mpiexec" --width 2 --with plain,loadcast --cache $caches --max-runs 1 --no-count
    line "all(l[\"status\"] == \"done\" for l in lines) and len(lines) >= 2"
    # A cold run is one line of loadcast run, which checks, stages and cleans; for warm ones bench keeps what it staged.
    rows "all((\"check_s\" in r[\"metrics\"]) == (r[\"cache\"] == \"warm\") for r in rows if r[\"with\"] == \"loadcast\")"
    find node -type f | nothing
'
t 'MPI and Loadcast: recorded under the launcher, so a wider job replays all symbol bindings' '
    need_ptrace
    $python -c "import mpi4py" 2>/dev/null || skip "no mpi4py"
    code 0 bench --workload wl --mode mpi4py --target target --launcher "$mpiexec" --width 3 --with loadcast --cache warm --max-runs 1 --no-count
    line "lines[0][\"status\"] == \"done\""
    image=$(find target -name "*mpi4py.lcast") driver=$(find "$tmp/target" -name pynamic_driver_mpi4py.py)
    line_of_3=$(echo "$mpiexec" | sed "s/{ranks}/3/")
    code 0 env LOADCAST_MARKS=1 $line_of_3 loadcast exec -q --stats --no-check "$image" -- $python "$driver" 0
    says "; 0 groups refused" err
    grep "groups refused" err | grep -v "; 0 groups refused" | nothing
'
t 'cloadtest runs as plain processes, chosen automatically' '
    code 0 bench --case cloadtest --workload wl --target target --width 2 --cache warm --max-runs 1 --no-count
    rows "rows[-1][\"mode\"] == \"cloadtest\" and rows[-1][\"place\"][\"launcher\"] == \"plain\" and rows[-1][\"phases\"][\"visit\"][\"max_ns\"] > 0"
'
t 'what is counted or recorded once is what ranks run: nothing is drawn where bench was started' '
    need_ptrace
    $python -c "import mpi4py" 2>/dev/null || skip "no mpi4py"
    mkdir started && cd started
    code 0 bench --workload ../wl --mode mpi4py --target ../target --launcher "$mpiexec" --width 2 --with loadcast --cache warm --max-runs 1
    rows "rows[-1][\"status\"] == \"done\" and metric(rows[-1], \"import_operations\") > 0"
    find . -type f | nothing
'
t 'an import after the start of MPI' '
    $python -c "import mpi4py" 2>/dev/null || skip "no mpi4py"
    code 0 bench --case python-import --package json --mpi --python "$python" --target target --launcher "$mpiexec" --width 2 --cache warm --max-runs 1 --no-count
    rows "rows[-1][\"phases\"][\"start\"][\"min_ns\"] > rows[-1][\"phases\"][\"import\"][\"min_ns\"]"
'
t 'more ranks than mpiexec has slots for: the row says so in the launcher'\''s words' '
    mpiexec --version 2>&1 | grep -Eq "Open MPI|OpenRTE" || skip "others have no slots"
    code 1 bench --workload wl --mode pyMPI --target target --launcher "mpiexec --host localhost:2 -n {ranks}" --width 3 --cache warm --max-runs 1 --no-count
    line "\"only 0 of 3 ranks came: There are not enough slots\" in lines[0][\"reason\"]"
'
t 'a clean by the same user between staging and run takes nothing from bench' '
    need_ptrace
    mkdir -p cleaning
    cat >cleaning/mpiexec <<-END
	#!/bin/sh
	case "\$*" in *bench-rank*) loadcast clean --all --dir "$LOADCAST_DIR" >>"$tmp/cleaned" 2>&1 ;; esac
	exec $(command -v mpiexec) "\$@"
	END
    chmod +x cleaning/mpiexec
    code 0 bench --workload wl --mode pyMPI --target target --launcher "$tmp/cleaning/$mpiexec" --width 2 --with loadcast --cache warm --max-runs 1 --no-count
    line "lines[0][\"status\"] == \"done\""
    says "in use" cleaned
'
t 'a launcher that fails before a cold run has failed; nobody refused cold' '
    mpiexec --version 2>&1 | grep -Eq "Open MPI|OpenRTE" || skip "others have no slots"
    code 1 bench --workload wl --mode pyMPI --target target --launcher "mpiexec --host localhost:2 -n {ranks}" --width 3 --cache cold --max-runs 1 --no-count
    line "lines[0][\"status\"] == \"failed\" and \"There are not enough slots\" in lines[0][\"reason\"]"
    line "\"---\" not in lines[0][\"reason\"]"
    lacks "cold was refused" err
'
t 'mpiexec on one machine takes more ranks than it has cores' '
    mpiexec --version 2>&1 | grep -Eq "Open MPI|OpenRTE" || skip "others have no slots"
    code 0 bench --workload wl --mode pyMPI --target target --launcher mpiexec --width $(($(nproc) + 2)) --cache warm --max-runs 1 --no-count
    line "lines[0][\"status\"] == \"done\""
'
t 'a mode that was not made, a directory that is no workload' '
    code 1 bench --workload wl --mode pynamic-small --target target
    says "it has: pyMPI" err
    code 1 bench --workload target --target target
    says "loadcast gen" err
'
finish
