#!/bin/sh
# The generated workloads check themselves: plain, replayed and verified, in every mode.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"
need_ptrace
mkdir -m 700 node
mpiexec=$(command -v mpiexec || :)

code 0 loadcast gen 12 60 -e -u 4 60 -n 20 --emit=elf --bigexe-size 1M --out w || code 3 true || :
small_picture w
has_mode() { $python -c "import json,sys; sys.exit(sys.argv[1] not in json.load(open('w/manifest.json'))['modes'])" "$1" || skip "no mode $1"; }
checksum() { grep -o '"checksum": [0-9]*' "$1" | sort -u; }

# agrees COMMAND...: passes by itself, recorded, replayed, verified; always the same checksum
agrees() {
    cd w
    "$@" >../plain
    code 0 loadcast record --manage "$tmp/w" -o ../app.lcast -- "$@"
    code 0 loadcast exec -q --stats --dir "$tmp/node" ../app.lcast -- "$@"
    says "passed" "$tmp/out"
    checksum ../plain >../want
    checksum "$tmp/out" | same ../want -
    grep -E "^bindings +[1-9][0-9,]* replayed in [0-9,]+ groups; 0 groups refused" "$tmp/err"
    code 0 loadcast exec -q --verify-bindings --dir "$tmp/node" ../app.lcast -- "$@"
    says "0 different" "$tmp/err"
    rm -rf ../app.lcast "$tmp/node/loadcast-"*
}

t 'cloadtest: one dlopen per library' 'has_mode cloadtest; agrees ./cloadtest'
t 'mpi4py: a plain Python imports' '
    has_mode mpi4py
    $python -c "import mpi4py" 2>/dev/null || skip "no mpi4py"
    agrees $python pynamic_driver_mpi4py.py'
for mode in pyMPI pynamic-pyMPI pynamic-sdb-pyMPI pynamic-bigexe; do
    t "$mode" 'has_mode $mode; agrees ./$mode pynamic_driver.py'
done
t 'two ranks of MPI' '
    has_mode mpi4py
    [ -n "$mpiexec" ] || skip "no mpiexec"
    cd w
    code 0 "$mpiexec" -n 2 loadcast record --manage "$tmp/w" -o ../mpi.lcast -- $python pynamic_driver_mpi4py.py
    code 0 "$mpiexec" -n 2 loadcast exec -q --dir "$tmp/node" ../mpi.lcast -- $python pynamic_driver_mpi4py.py
    says "passed" "$tmp/out"
    loadcast status --dir "$tmp/node" >../status
    grep -E "^bindings +[1-9]" ../status
    grep "^verified" ../status | nothing
    code 0 "$mpiexec" -n 2 loadcast exec -q --verify-ranks 1/2 --dir "$tmp/node" ../mpi.lcast -- $python pynamic_driver_mpi4py.py
    says "passed" "$tmp/out"
    [ "$(grep -c "^verified .*0 different" "$tmp/err")" = 1 ]
'
# Ranks that are not bound to cores, as of a job with more ranks than cores, open plugins of hwloc before the program's own
# libraries.
t 'a job of MPI whose ranks are not bound, recorded by ranks that were: only what these did not open is refused' '
    has_mode mpi4py
    [ -n "$mpiexec" ] && "$mpiexec" --version | grep -qi -e "open.*mpi" -e openrte || skip "no Open MPI"
    loadcast clean --all --dir "$tmp/node" >/dev/null
    cd w
    code 0 "$mpiexec" -n 2 --bind-to core:overload-allowed loadcast record --manage "$tmp/w" -o ../bound.lcast -- $python pynamic_driver_mpi4py.py
    code 0 "$mpiexec" -n 4 loadcast exec -q --dir "$tmp/node" ../bound.lcast -- $python pynamic_driver_mpi4py.py
    says "passed" "$tmp/out"
    loadcast status --dir "$tmp/node" --json >../status.json
    $python - ../status.json <<END
import json, sys
b = json.load(open(sys.argv[1]))[0]["bindings"]
print(b)
assert b["replayed"] > 6 * b["refused"]
END
'
finish
