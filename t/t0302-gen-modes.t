#!/bin/sh
# Every mode of the sheets, serially and under mpiexec, and what its output looks like to others.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"
needs_mpi

loadcast gen 9 25 -e -u 4 20 -n 30 --bigexe-size 3M --out made >gen.log 2>&1 || {
    sed 's/^/# /' gen.log
    skip_all 'gen failed'
}
# Nothing may depend on where it was made.
mkdir elsewhere && mv made elsewhere/w && w=$tmp/elsewhere/w

runs() { # FILE TASKS: it looks like a good run of that width
    says "with $2 MPI tasks" "$1"
    says "Pynamic: module test passed!" "$1"
    says "Pynamic: mpi test passed!" "$1"
    grep "^Pynamic-json: " "$1" | sed "s/^Pynamic-json: //" >j.json
    [ "$(grep -c ^Pynamic-json: "$1")" = 1 ]
    json j.json "j[\"tasks\"] == $2 and j[\"passed\"] is True"
    for phase in startup startup_without_mpi import visit fractal; do
        json j.json "0 < j[\"$phase\"][\"min_ns\"] <= j[\"$phase\"][\"median_ns\"] <= j[\"$phase\"][\"max_ns\"]"
        json j.json "j[\"$phase\"][\"ranks_ns\"][j[\"$phase\"][\"worst_rank\"]] == j[\"$phase\"][\"max_ns\"]"
        json j.json "len(j[\"$phase\"][\"ranks_ns\"]) == $2"
    done
    json j.json "j[\"startup_without_mpi\"][\"max_ns\"] < j[\"startup\"][\"max_ns\"]"
    json j.json "abs(j[\"sum\"] - sum(j[p][\"seconds\"] for p in (\"startup\", \"import\", \"visit\"))) < 1e-9"
}
for mode in pyMPI pynamic-pyMPI pynamic-sdb-pyMPI pynamic-bigexe; do
    t "$mode alone is one task" "
        cd $w
        ./$mode pynamic_driver.py \$(date +%s.%N) >$tmp/o
        cd $tmp && runs o 1
        json j.json 'j[\"mode\"] == \"$mode\"'
    "
    for n in 2 4; do
        t "$mode under mpiexec, $n tasks" "
            cd $w
            mpi $n ./$mode pynamic_driver.py \$(date +%s.%N) >$tmp/o
            cd $tmp && runs o $n
        "
    done
done
t 'mpi4py alone is one task' '
    $python -c "import mpi4py" || skip "no mpi4py"
    cd $w && $python pynamic_driver_mpi4py.py $(date +%s) >$tmp/o
    cd $tmp && runs o 1
'
for n in 1 2 4; do
    t "mpi4py under mpiexec, $n tasks" "
        $python -c 'import mpi4py' || skip 'no mpi4py'
        cd $w && mpi $n $python pynamic_driver_mpi4py.py \$(date +%s) >$tmp/o
        cd $tmp && runs o $n
    "
done
cload() { # FILE TASKS
    says "$2 MPI tasks" "$1"
    says "Cloadtest: test passed!" "$1"
    sed -n "s/^Cloadtest-json: //p" "$1" >j.json
    json j.json "j[\"tasks\"] == $2 and j[\"passed\"] and j[\"libraries\"] == 9"
    json j.json "0 < j[\"startup\"][\"max\"] < 30 and 0 < j[\"visit\"][\"min\"] <= j[\"visit\"][\"max\"]"
    json j.json "0 <= j[\"visit\"][\"worst_rank\"] < $2"
}
t 'cloadtest without MPI' '
    $w/cloadtest $(date +%s.%N) >o
    cload o 1
    $w/cloadtest >o && lacks startup o
    code 2 $w/cloadtest yesterday
'
for n in 1 2 4; do
    t "cloadtest with MPI, $n tasks" "
        mpi $n $w/cloadtest-mpi \$(date +%s.%N) >o
        cload o $n
    "
done
t 'cloadtest-mpi alone, and with every symbol bound at once' '
    $w/cloadtest-mpi $(date +%s) >o
    cload o 1
    LD_BIND_NOW=1 $w/cloadtest $(date +%s) >o
    cload o 1
'
t 'the four lines of the CORAL sheet, mpiexec for srun' '
    cd $w
    ln -sf "$(command -v $python)" "$tmp/python" && PATH=$tmp:$PATH
    srun() { mpi 2 "$@"; }
    srun ./pynamic-pyMPI pynamic_driver.py `date +%s` >$tmp/l1
    srun ./pynamic-bigexe pynamic_driver.py `date +%s` >$tmp/l2
    srun ./pyMPI pynamic_driver.py `date +%s` >$tmp/l3
    for f in l1 l2 l3; do says "mpi test passed!" $tmp/$f; done
    $python -c "import mpi4py" || skip "no mpi4py for the fourth"
    srun python pynamic_driver_mpi4py.py `date +%s` >$tmp/l4
    says "mpi test passed!" $tmp/l4
'
t 'a site script with its own regular expressions can read it' '
    cat >site.py <<EOF
import re, sys
text = open(sys.argv[1]).read()
startup = float(re.search(r"Pynamic: startup time = (\d+\.?\d*) secs", text).group(1))
imports = float(re.search(r"module import time\s*=\s*([0-9.eE+-]+)\s*secs", text).group(1))
visits = float(re.findall(r"^Pynamic: module visit time = (.*) secs$", text, re.M)[0])
fractal = float(re.search(r"fractal mpi time = (\S+) secs", text).group(1))
tasks = int(re.search(r"with (\d+) MPI tasks", text).group(1))
version = re.search(r"^Pynamic: Version (\S+)", text, re.M).group(1)
assert tasks == 2 and version.startswith("1.3.3"), (tasks, version)
assert 0 < startup < 60 and 0 < imports < 60 and 0 < visits < 60 and 0 < fractal < 60
assert re.search(r"run on \d\d/\d\d/\d\d \d\d:\d\d:\d\d with", text)
EOF
    $python site.py l3
    awk "/module import time/ { i = \$6 } /module visit time/ { v = \$6 } END { exit !(i > 0 && v > 0) }" l3
    sed "s/= [0-9.]* secs/= N secs/; s/alone [0-9.]* secs/alone N secs/; s/on .* with/on DATE with/; /^Pynamic-json/d; s/Version.*/Version/" l3 >got
    cat >want <<EOF
Pynamic: Version
Pynamic: run on DATE with 2 MPI tasks
Pynamic: startup time = N secs
Pynamic: startup without MPI_Init = N secs, of task 0 alone N secs
Pynamic: driver beginning... now importing modules
Pynamic: driver finished importing all modules... visiting all module functions
Pynamic: module import time = N secs
Pynamic: module visit time = N secs
Pynamic: module test passed!
Pynamic: testing mpi capability...
Pynamic: fractal mpi time = N secs
Pynamic: mpi test passed!
Pynamic: startup + import + visit = N secs
EOF
    same want got
'
t 'startup takes nanoseconds, and is left out when nothing is given' '
    cd $w
    start=$($python -c "import time; print(\"%.9f\" % (time.time() - 0.3))")
    ./pynamic-pyMPI pynamic_driver.py $start >$tmp/o
    sed -n "s/^Pynamic-json: //p" $tmp/o >$tmp/j.json
    json $tmp/j.json "0.3 < j[\"startup\"][\"seconds\"] < 20"
    ./pyMPI pynamic_driver.py >$tmp/o
    lacks "startup time" $tmp/o
    code 2 ./pyMPI pynamic_driver.py yesterday
    says "no output of" $tmp/err
'
t 'the picture is a picture' '
    [ "$(head -c 2 $w/pynamic_fractal.bmp)" = BM ]
    [ "$(wc -c <$w/pynamic_fractal.bmp)" = $((54 + 3 * 400 * 400)) ]
'
small_picture "$w" # the large one has been seen in every mode
t 'a read-only working directory does no harm' '
    mkdir ro && chmod 555 ro && cd ro
    $w/pyMPI $w/pynamic_driver.py >$tmp/o
    says "mpi test passed!" $tmp/o
'
copy() { rm -rf c && cp -r $w c; }
t 'another library under the same name is found out' '
    loadcast gen 9 25 -e -u 4 20 -n 30 --seed 2 --modes cloadtest --out other >/dev/null
    copy && cp other/libmodule3.so c/
    # Its calls have other signatures: wrong values or a crash, but no success.
    fails c/pyMPI c/pynamic_driver.py >o 2>e
    lacks "passed!" o
    fails c/cloadtest >o 2>e
    lacks "passed!" o
'
t 'a utility of the same shape with other values is found out' '
    [ "$(uname -m)" = x86_64 ] || skip "changes instructions of x86-64"
    # One constant of one function, changed in place: the structure stays as it was.
    copy
    $python - <<EOF
import re
data = bytearray(open("c/libutility2.so", "rb").read())
# every "movl \$start, -N(%rbp)" is c7 45/85; change the first initial value of each function
n = 0
for m in re.finditer(rb"\xc7\x45.(....)", bytes(data), re.S):
    value = int.from_bytes(m.group(1), "little")
    if value > 20000:
        data[m.start(1)] ^= 1
        n += 1
assert n > 5, n
open("c/libutility2.so", "wb").write(data)
EOF
    code 1 c/cloadtest
    says "returned" err
'
t 'a missing library, a missing manifest: non-zero, and said' '
    copy && rm c/libutility1.so
    code 1 c/pyMPI c/pynamic_driver.py
    says "libutility1.so" err
    says "Pynamic: module test FAILED!" out
    copy && rm c/manifest.json
    code 1 c/pyMPI c/pynamic_driver.py
    says "manifest" err
'
t 'one task fails: all end, and not with 0' '
    copy
    sed "s/^def import_all():/def import_all():\n    if rank == 1: raise OSError(\"no luck\")/" \
        $w/pynamic_driver.py >c/pynamic_driver.py
    cd c
    fails mpi 3 ./pyMPI pynamic_driver.py >$tmp/o 2>$tmp/e
    says "no luck" $tmp/e
    says "module test FAILED!" $tmp/o
'
t 'tasks that a launcher started but MPI does not know say so and fail' '
    cd $w
    for v in PMI_SIZE=4 SLURM_STEP_NUM_TASKS=3; do
        code 1 env $v ./pyMPI pynamic_driver.py
        says "${v%%=*} is ${v#*=}" $tmp/err
        code 1 env $v ./cloadtest-mpi
        says "${v%%=*} says ${v#*=} tasks" $tmp/err
    done
    # One task by mpiexec, whose daemons Slurm started.
    code 0 env OMPI_COMM_WORLD_SIZE=1 SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2 ./cloadtest-mpi
    code 0 env PMI_SIZE=1 SLURM_STEP_NUM_TASKS=4 ./pyMPI pynamic_driver.py
    for v in OMPI_COMM_WORLD_SIZE=4 PMI_SIZE=4 PMIX_RANK=2 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=2; do
        code 1 env OMPI_MCA_ess=singleton OMPI_MCA_pmix=isolated $v \
            $python -c "
import sys, runpy
sys.argv = [\"pynamic_driver_mpi4py.py\"]
class Comm:
    def Get_rank(self): return 0
    def Get_size(self): return 1
    Barrier = bcast = gather = Abort = None
class MPI: COMM_WORLD = Comm()
import types
m = types.ModuleType(\"mpi4py\"); m.MPI = MPI; sys.modules[\"mpi4py\"] = m
runpy.run_path(\"pynamic_driver_mpi4py.py\", run_name=\"__main__\")"
        says "MPI found only 1 task" $tmp/err
        says "${v%%=*}" $tmp/err
    done
'
t 'the wrong interpreter is told which driver to use' '
    cd $w
    code 1 $python pynamic_driver.py
    says "pynamic_driver_mpi4py.py" $tmp/err
'
t 'the big executable is big with real functions' '
    text=$(size -A $w/pynamic-bigexe | awk "\$1 == \".text\" { print \$2 }")
    [ "$text" -gt 3000000 ] && [ "$text" -lt 3300000 ]
    $w/pynamic-bigexe -c "
import bigexe
assert bigexe.count > 5 and all(bigexe.visit(i) for i in range(bigexe.count))"
'
t 'whatever the linker leaves to gen, the big executable is whole and has its own build-id' '
    set -- 4 5 -u 1 5 --modes pynamic-bigexe --force --out big
    for with in gcc "gcc -fuse-ld=gold" "gcc -fuse-ld=lld"; do
        echo "int main(void) { return 0; }" >l.c && $with l.c -o l 2>/dev/null || continue
        export MPICC="mpicc ${with#gcc}"
        for size in 700k 900k; do
            code 0 loadcast gen "$@" --bigexe-size $size
            big/pynamic-bigexe -c "
import bigexe
assert bigexe.count > 3 and all(bigexe.visit(i) for i in range(bigexe.count))"
            readelf -n big/pynamic-bigexe | sed -n "s/.*Build ID: //p"
        done
    done >ids
    fails grep -v "^[0-9a-f]\{40\}$" ids
    fails grep "^0*$" ids
    [ "$(sort -u ids | wc -l)" = "$(wc -l <ids)" ] && [ -s ids ]
'
t 'the static program needs no library of the workload' '
    mkdir alone && cp $w/pynamic-sdb-pyMPI $w/pynamic_driver.py $w/manifest.json alone/
    cd alone && ./pynamic-sdb-pyMPI pynamic_driver.py >$tmp/o
    says "mpi test passed!" $tmp/o
'
t 'the static program names every function, and survives strip' '
    nm $w/pynamic-sdb-pyMPI >n
    expected=$($python -c "import json
print(sum(l[\"exports\"] for l in json.load(open(\"$w/manifest.json\"))[\"libraries\"]))")
    [ "$(grep -c " T .*lib\(module\|utility\)[0-9]" n)" = "$expected" ]
    readelf -W -a $w/pynamic-sdb-pyMPI 2>&1 >/dev/null | nothing
    cp $w/pynamic-sdb-pyMPI $w/pynamic_driver.py $w/manifest.json . && strip pynamic-sdb-pyMPI
    ./pynamic-sdb-pyMPI pynamic_driver.py >o
    says "mpi test passed!" o
'
t 'it runs for somebody else too' '
    [ "$(id -u)" = 0 ] || skip "not root: everything ran unprivileged already"
    chmod 755 "$tmp"
    cd / && setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp TMPDIR=/tmp \
        $w/pyMPI $w/pynamic_driver.py >$tmp/o
    says "mpi test passed!" $tmp/o
'
finish
