#!/bin/sh
# The benchmarks that Loadcast grew from, as their authors ran them. What is promised about them, and where it is tested:
#
#   NERSC's matrix: small and large apart, --pick, --dry-run --pick, bytecode by one process       here
#   rows on tmpfs; pip; the place "common" used in place                                           here
#   caches as found; hours of the day in local time; --debug: modules and environment              here
#   EPCC: the preset 'archer' has ten libraries, 9 MB in all                                       t0301; on four nodes: tools/bench build run-figures
#   EPCC: DL and DL + FM as arms, Figure 1 beside Figure 2                                         here (examples/epcc-figures.yaml); the same benchmark
#   CORAL: startup + import + visit is printed                                                     t0302
#   CORAL: sizes by section after building; -c in the help; debug sections are there, and how not  t0301
#   CORAL: its four lines under a real srun                                                        t0605
#   the acceptance example on a machine with two cores                                             here; more ranks than cores: t0904
#   a launcher's message is quoted by its first sentence; its failure is no refusal of "cold"      t0904
#   CLoadtest is called "linked (C)"                                                               here
#   environments: links that lead out are followed, every package is imported after the move       here
#   bench holds its image between warm-up and run                                                  t0904
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"
. "$here/bench.sh"
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # bench traces 'check' to count what it asks: see lib.sh
mkdir -p packages/tiny
echo 'from tiny import more; VALUE = more.VALUE' >packages/tiny/__init__.py
echo 'import json; VALUE = 42' >packages/tiny/more.py
PYTHONPATH=$tmp/packages loadcast bench env --package tiny "$tmp/common/tiny-env" >env.out 2>&1 || cat env.out

t 'the examples: small and large apart, each job measures one file system, of its own size' '
    for size in small large; do
        suite=$src/examples/nersc-$size.yaml
        for i in 1 2 3; do
            code 0 loadcast bench --dry-run --pick random:1 "$suite"
            test "$(wc -l <out)" = 1
            says "mpi4py-import-$size on" out
        done
        code 0 loadcast bench --dry-run "$suite"
        test "$(wc -l <out)" = 6
        says "common:" out
        # The ranks of the original found bytecode that one process had written on the target.
        grep -q "^bytecode: compile" "$suite"
        grep -q "^caches: \[found\]" "$suite"
        grep -q "nersc-$size.yaml" "$src/examples/bench.cron"
    done
    code 2 loadcast bench --dry-run --pick random "$src/examples/nersc-small.yaml"
'
t 'an environment in a memory file system is measured, with Loadcast too' '
    need_ptrace
    there=$(mktemp -d /dev/shm/loadcast-test.XXXXXX)
    at_exit "rm -rf $there"
    code 0 bench --env "$tmp/common/tiny-env" --package tiny --target "$there" --cache found --with plain,loadcast --max-runs 1
    line "[l[\"status\"] for l in lines] == [\"done\", \"done\"]"
    # What the ranks ask of it with Loadcast is nothing; the check asks.
    line "lines[1][\"operations\"] > 0"
    rm -rf "$there"
'
t 'found: nothing is dropped, nothing is warmed up, every run is a job that stages' '
    mkdir -p target
    echo "echo ran >>$tmp/ran" >ran.sh
    code 0 bench --command "sh $tmp/ran.sh" --target target --cache found --precision 0 --max-runs 3 --no-count
    line "lines[0][\"cache\"] == \"found\" and lines[0][\"how\"] == \"\" and lines[0][\"done\"] == 3"
    test "$(wc -l <ran)" = 3
    need_ptrace
    code 0 bench --env "$tmp/common/tiny-env" --package tiny --target target --cache found --with loadcast --precision 0 --max-runs 2 --no-count
    rows "all(r[\"metrics\"][\"stage_s\"] > 0 for r in rows[-2:]) and rows[-1][\"cache\"] == \"found\""
    code 0 loadcast report --db "$tmp/r.db" --cache found
    says found out
'
t 'an environment on the target itself is used in place' '
    cat >s.yaml <<-END
	cases: [{name: tiny, env: $tmp/common/tiny-env, packages: [tiny]}]
	targets: [{name: common, path: $tmp/common, in_place: true}]
	caches: [found]
	max_runs: 1
	END
    find common -name "*.pyc" >before
    code 0 bench s.yaml
    line "lines[0][\"status\"] == \"done\""
    says "interpreter: $tmp/common/tiny-env/bin/python3" err
    says "staged 0 files" err
    find common -name "*.pyc" | same - before
    sed "s,$tmp/common/tiny-env,$tmp/packages," s.yaml >elsewhere.yaml
    code 1 bench elsewhere.yaml
    sed "s,path: $tmp/common,stormfs: {profile: none}," s.yaml >storm.yaml
    code 2 bench storm.yaml
    says "in_place needs a directory" err
'
t 'an environment has pip where its interpreter has, and all it names can be imported where it was moved' '
    "$python" -c "import pip" 2>/dev/null || skip "no pip here"
    mv common/tiny-env moved-env
    LD_LIBRARY_PATH=$tmp/moved-env/lib moved-env/bin/python3 -B -m pip --version >out
    says "$tmp/moved-env" out
    mv moved-env common/tiny-env
'
t 'links of a package that lead out of it are followed' '
    mkdir -p elsewhere/data linked/linky/lib
    echo "VALUE = 7" >elsewhere/outside.py
    echo "text" >elsewhere/data/file
    ln -s ../../../elsewhere/outside.py linked/linky/lib/outside.py
    ln -s "$tmp/elsewhere/data" linked/linky/data
    ln -s outside.py linked/linky/lib/inside.py
    ln -s /nowhere/at/all linked/linky/broken
    : >linked/linky/lib/__init__.py
    echo "from linky.lib import inside; from linky.lib import outside; VALUE = outside.VALUE" >linked/linky/__init__.py
    PYTHONPATH=$tmp/linked code 0 loadcast bench env --package linky "$tmp/linky-env"
    mv elsewhere gone
    site=$(dirname "$(find linky-env -name linky -type d)")
    test -f "$site/linky/lib/outside.py" -a ! -L "$site/linky/lib/outside.py"
    test -L "$site/linky/lib/inside.py"
    test "$(cat "$site/linky/data/file")" = text
    LD_LIBRARY_PATH=$tmp/linky-env/lib linky-env/bin/python3 -B -c "import linky; assert linky.VALUE == 7"
'
t 'a package that cannot be imported where it was moved is not called built' '
    mkdir -p tied/tied
    cat >tied/tied/__init__.py <<-END
	assert __file__.startswith("$tmp/tied/"), "moved"
	END
    PYTHONPATH=$tmp/tied code 1 loadcast bench env --package tied "$tmp/tied-env"
    says "cannot be imported in the copied environment" err
    ls -d tied-env* 2>/dev/null | nothing
'
t '--debug keeps modules and environment with the run, but no credentials' '
    LOADEDMODULES=gcc/12:python/3.11 MY_TOKEN=hidden SITE_NOTE=seen code 0 bench --debug --command true --target target --cache found --max-runs 1 --no-count
    says "modules: gcc/12:python/3.11" err
    rows "\"#   gcc/12:python/3.11\" in rows[-1][\"place\"][\"suite_text\"] and \"#   SITE_NOTE=seen\" in rows[-1][\"place\"][\"suite_text\"]"
    rows "\"hidden\" not in rows[-1][\"place\"][\"suite_text\"]"
    code 0 bench --command true --target target --cache found --max-runs 1 --no-count
    rows "\"SITE_NOTE\" not in rows[-1][\"place\"][\"suite_text\"]"
'
t 'CLoadtest, whose libraries are needed by its program, is called linked' '
    need_compiler
    code 0 loadcast gen 4 10 --modes cloadtest --out "$tmp/cload"
    code 0 loadcast bench --work "$work" --db "$tmp/c.db" --workload "$tmp/cload" --case cloadtest --mode cloadtest --target target --cache found --max-runs 1 --no-count
    code 0 loadcast report --db "$tmp/c.db" --html "$tmp/c.html"
    says "linked (C)" c.html
    lacks dlopen c.html
'
t 'the hours of the day are those of the place, and the zone is named' '
    "${PROGRAMS:-$build/t}/mkresults" hours.db 1600 3
    TZ=CET-1CEST code 0 loadcast report --db "$tmp/hours.db" --html "$tmp/local.html"
    says "hour (CET/CEST)" local.html
    TZ=UTC0 code 0 loadcast report --db "$tmp/hours.db" --html "$tmp/utc.html"
    says "hour (UTC)" utc.html
'
t 'the acceptance example: all its cases and widths, also on a machine with two cores' '
    need_compiler
    need_ptrace
    command -v mpiexec >/dev/null && "$python" -c "import mpi4py" 2>/dev/null || skip "no mpiexec or mpi4py"
    # As its head says, but small; the ranks are more than many machines have cores.
    sed -n "s/^#  *loadcast gen --preset coral/loadcast gen/p" "$src/examples/pynamic-acceptance.yaml" >make
    grep -q "gen --out pynamic-coral; mkdir pynamic-target" make
    code 0 loadcast gen 4 10 -u 2 10 -e --bigexe-size 500K --out pynamic-coral
    small_picture pynamic-coral
    mkdir pynamic-target
    unset OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy
    code 0 bench --max-runs 1 --cache warm --no-count "$src/examples/pynamic-acceptance.yaml"
    line "len(lines) == 4 * 4 * 2 and all(l[\"status\"] == \"done\" for l in lines)"
    line "sorted({l[\"ranks\"] for l in lines}) == [1, 2, 4, 8]"
'
t 'the figures of the EPCC paper: both cases, plain, DL, and DL + FM' '
    need_ptrace
    command -v stormfs >/dev/null && { : <>/dev/fuse; } 2>/dev/null || skip "no stormfs, or no /dev/fuse"
    command -v mpiexec >/dev/null && "$python" -c "import mpi4py" 2>/dev/null || skip "no mpiexec or mpi4py"
    mpiexec --version 2>&1 | grep -Eq "Open MPI|OpenRTE" || skip "others have no slots"
    # As its head says, but small, and another package in the place of GPAW.
    grep -q "loadcast gen --preset archer --modes mpi4py --out pynamic-archer" "$src/examples/epcc-figures.yaml"
    code 0 loadcast gen 10 5 -u 4 5 --modes mpi4py --out pynamic-archer
    small_picture pynamic-archer
    sed "s,packages: \[gpaw\]\, mpi: true,env: $tmp/common/tiny-env\, packages: [tiny]," "$src/examples/epcc-figures.yaml" >epcc.yaml
    grep -q "tiny-env" epcc.yaml
    code 0 bench --max-runs 1 --no-count --width 1,2 epcc.yaml
    line "[(l[\"case\"], l[\"ranks\"], l[\"with\"]) for l in lines] == [(c, r, w) for c in (\"figure-1-gpaw\", \"figure-2-pynamic\") for r in (1, 2) for w in (\"plain\", \"loadcast-libs\", \"loadcast\")]"
    line "all(l[\"status\"] == \"done\" for l in lines)"
'
t 'DL and DL + FM are arms of one suite' '
    need_ptrace
    code 0 bench --env "$tmp/common/tiny-env" --package tiny --target target --cache found --width 4 --with plain,loadcast-libs,loadcast --max-runs 1
    line "[l[\"status\"] for l in lines] == [\"done\"] * 3"
    # Modules are asked for by every rank if libraries alone are served, else by the check only.
    line "min(lines[0][\"operations\"], lines[1][\"operations\"]) > 2 * lines[2][\"operations\"]"
'
finish
