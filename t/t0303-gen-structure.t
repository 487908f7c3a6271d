#!/bin/sh
# What is inside the generated files: the model's structure, no paths, the same bytes every time.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"

only="--modes cloadtest,mpi4py"
loadcast gen 11 30 -e -u 4 25 -n 40 $only --out w >gen.log 2>&1 || {
    cat gen.log
    exit 1
}
loadcast gen --describe w --json >w.json

# On some machines the start files' own calls go by jump slots, too.
echo 'int nothing;' >nothing.c
"${CC:-cc}" -shared -fPIC nothing.c -o nothing.so
own_slots=$(readelf -W -r nothing.so | grep -cE 'JU?MP_SLO')
export own_slots
t 'every library holds what the model says' '
    cat >check.py <<EOF
import json, os, sys
j, own_slots = json.load(open("w.json")), int(os.environ["own_slots"])
for lib in j["libraries"]:
    e, module = lib["elf"], lib["kind"] == "module"
    # the start files add a few undefined names; libc is needed, too
    assert e["exports"] == lib["exports"], (lib["name"], e["exports"], lib["exports"])
    assert e["jump_slots"] == lib["jump_slots"] + own_slots, (lib["name"], e["jump_slots"])
    assert e["needed"] - lib["needed"] == 1, (lib["name"], e["needed"])
    python = 2 if module else 0
    assert 0 <= e["undefined"] - lib["imports"] - python <= 4, (lib["name"], e["undefined"])
    assert e["relocations"] < 20
functions = [l["functions"] for l in j["libraries"] if l["kind"] == "module"]
assert all(15 <= f <= 45 for f in functions), functions
EOF
    $python check.py
'
t 'readelf, an independent reader, agrees' '
    $python - <<EOF
import json, os, re, subprocess
j, own_slots = json.load(open("w.json")), int(os.environ["own_slots"])
run = lambda *a: subprocess.run(a, capture_output=True, text=True, check=True).stdout
for lib in j["libraries"]:
    path = "w/%s.so" % lib["name"]
    symbols = run("readelf", "-W", "--dyn-syms", path)
    defined = re.findall(r"FUNC +GLOBAL +DEFAULT +\d+ (\S+)", symbols)
    pad = "0123456789" * 4
    numbered = [s for s in defined if s.endswith(pad)]
    assert sorted(numbered) == sorted("%s_fun%d%s" % (lib["name"], i, pad) for i in range(lib["functions"]))
    assert len(defined) == lib["exports"]
    slots = re.findall(r"JU?MP_SLO", run("readelf", "-W", "-r", path))
    assert len(slots) == lib["jump_slots"] + own_slots, lib["name"]
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-W", "-d", path))
    utilities = ["libutility%d.so" % i for i in range(4)]
    assert [n for n in needed if "utility" in n] == (utilities if lib["kind"] == "module" else [])
begin = re.findall(r"NEEDED.*\[(libm.*)\]", run("readelf", "-W", "-d", "w/libmodulebegin.so"))
assert begin == ["libmodule%d.so" % i for i in range(7)], begin
EOF
'
t 'no soname, lazy binding, search by \$ORIGIN' '
    readelf -W -d w/libmodule1.so >d
    lacks SONAME d
    lacks BIND_NOW d
    grep -q "R.*PATH.*\[\$ORIGIN\]" d
    readelf -W -d w/cloadtest | grep -q "R.*PATH.*\[\$ORIGIN\]"
    [ "$(readelf -W -d w/cloadtest | grep -c "NEEDED.*lib[mu][ot][di].*[0-9].so")" = 11 ]
'
t 'no path of the build inside' '
    grep -lF -e "$tmp" -e .loadcast-work w/* | nothing
'
identical() { # DIR DIR
    (cd "$1" && find . -type f | sort | xargs sha256sum) >a.sum
    (cd "$2" && find . -type f | sort | xargs sha256sum) >b.sum
    same a.sum b.sum
}
t 'the same seed gives the same bytes, whatever -j and the directory' '
    mkdir -p some/where/deep
    loadcast gen 11 30 -e -u 4 25 -n 40 $only -j 1 --out some/where/deep/w
    identical w some/where/deep/w
    loadcast gen 11 30 -e -u 4 25 -n 40 $only -j 7 --seed 1 --out w7
    identical w w7
'
t 'another seed gives other bytes' '
    loadcast gen 11 30 -e -u 4 25 -n 40 $only --seed 9 --out w9
    fails cmp -s w/libmodule0.so w9/libmodule0.so
    w9/cloadtest >o && says "passed!" o
'
t 'the programs are reproducible too' '
    command -v mpicc >/dev/null || skip "no mpicc"
    for d in p qq; do loadcast gen 4 5 -u 1 5 --bigexe-size 100k --out $d >/dev/null || [ $? = 3 ]; done
    identical p qq
    grep -lF "$tmp" p/* | nothing
'
t 'a directory with blanks and other signs in its name' '
    d="a b'\''s \$x=1"
    loadcast gen 4 5 -u 1 5 --search-dirs 1 --bigexe-size 10k --out "$d" >/dev/null || [ $? = 3 ]
    "$d"/cloadtest >o && says "passed!" o
    [ ! -e "$d/pyMPI" ] || { "$d/pyMPI" "$d/pynamic_driver.py" >o && says "mpi test passed!" o; }
    code 0 loadcast gen 3 5 $only --force --out "$d"
'
t 'debug information without paths, reproducible' '
    loadcast gen 3 5 -u 1 5 $only --out g1
    mkdir deeper && loadcast gen 3 5 -u 1 5 $only --out deeper/g1
    readelf -S g1/libmodule0.so | grep -q debug_info
    grep -lF "$tmp" g1/* | nothing
    identical g1 deeper/g1
    loadcast gen --describe g1 --json >g.json
    json g.json "j[\"totals\"][\"modules\"][\"sections\"][\"debug\"] > 1000"
'
t 'clang builds the same structure and the same results' '
    command -v clang >/dev/null || skip "no clang"
    loadcast gen 11 30 -e -u 4 25 -n 40 $only --emit=c --with-cc=clang --out wc
    wc/cloadtest >o && says "passed!" o
    loadcast gen --describe wc --json >w.json
    $python check.py
'
t 'optimised code computes the same' '
    loadcast gen 11 30 -e -u 4 25 $only --emit=c --with-cc="gcc -O2 -march=native" --out wo 2>err || skip "no gcc"
    wo/cloadtest >o && says "passed!" o
'
t 'every function prints with -p' '
    loadcast gen 2 6 -u 1 4 -p $only --out p1
    p1/cloadtest >o
    says libmodule0_fun0 o
    says libutility0_fun o
    says "passed!" o
'
t 'depth 1 has no chains; a deep one has a single chain' '
    loadcast gen 3 20 -u 1 20 -d 1 $only --out d1
    d1/cloadtest >o && says "passed!" o
    json d1/manifest.json "[l[\"jump_slots\"] for l in j[\"libraries\"] if l[\"kind\"] == \"utility\"] == [0]"
    loadcast gen 3 20 -u 1 20 -d 1000 $only --out d2
    d2/cloadtest >o && says "passed!" o
'
t 'more utilities than functions: all are visited all the same' '
    loadcast gen 14 1 -u 12 3 $only --out many
    many/cloadtest >o && says "passed!" o
    for i in 0 5 11; do
        LD_DEBUG=bindings many/cloadtest 2>&1 | grep -q "libutility$i.so.*libutility${i}_fun" ||
            { echo "utility $i unvisited"; false; }
    done
'
t 'names of the longest length still build and run' '
    loadcast gen 3 5 -u 1 5 -n 1000 $only --out long
    long/cloadtest >o && says "passed!" o
    nm -D long/libmodule0.so | grep -q "_fun0.\{1000\}$"
'
t 'search directories stand first in every search path, and are empty' '
    loadcast gen 6 5 -u 2 5 --search-dirs 3 $only --out sd
    [ "$(ls -d sd/search/*/ | wc -l)" = 3 ] && [ "$(find sd/search -type f | wc -l)" = 0 ]
    readelf -W -d sd/cloadtest sd/libmodule0.so sd/libmodulebegin.so |
        grep -c "\[\$ORIGIN/search/0:\$ORIGIN/search/1:\$ORIGIN/search/2:\$ORIGIN\]" | grep -qx 3
    sd/cloadtest >o && says "passed!" o
'
count() { # DIR CMD...: opens and stats on the directory's files, as the kernel saw them
    dir=$(realpath "$1")
    shift
    strace -f -qq -y -e trace=open,openat,stat,lstat,fstat,newfstatat,statx -o strace.out "$@" >/dev/null 2>&1
    sed "s/AT_FDCWD<[^>]*>//" strace.out | grep -F -e "$dir/" -e "\"$dir\"" -e "<$dir>" | awk "
        /open(at)?\(/ { opens++; if (/ = -1 /) failed++ }
        / ?(stat|lstat|fstat|newfstatat|statx)\(/ { stats++ }
        END { print opens + 0, failed + 0, stats + 0 }"
}
# The part that grows with the workload is what is predicted: the difference of two sizes.
grows() { # SEARCH_DIRS MODE CMD-WITHIN-DIR...
    dirs=$1 mode=$2
    shift 2
    for size in "6 2" "16 5"; do
        files=${size% *} x=x-$dirs-${size% *}
        [ -e $x ] || {
            loadcast gen $files 4 -u ${size#* } 4 --search-dirs $dirs --bigexe-size 10k --out $x >/dev/null 2>&1 || [ $? = 3 ]
            [ ! -e $x/pynamic_driver.py ] || small_picture $x
        }
        [ -e $x/"${1#./}" ] || skip "no $mode here"
        (cd $x && count . "$@") >seen.$files
        $python -c "import json; m = json.load(open(\"$x/manifest.json\"))[\"modes\"][\"$mode\"]
print(m[\"opens\"], m[\"failed_opens\"], m[\"stats\"])" >said.$files
    done
    paste -d" " seen.6 seen.16 said.6 said.16 >all
    cat all
    awk "{ exit !(\$4 - \$1 == \$10 - \$7 && \$5 - \$2 == \$11 - \$8 && \$6 - \$3 == \$12 - \$9) }" all
}
has_strace() { strace -o /dev/null true 2>/dev/null || skip "strace cannot trace here"; }
t 'expected operations, cloadtest: strace counts the same' '
    has_strace
    grows 0 cloadtest ./cloadtest
    grows 2 cloadtest ./cloadtest
'
t 'expected operations, imported: strace counts the same' '
    has_strace
    grows 0 pyMPI ./pyMPI pynamic_driver.py
    grows 2 pyMPI ./pyMPI pynamic_driver.py
'
t 'expected operations, linked: strace counts the same' '
    has_strace
    grows 2 pynamic-pyMPI ./pynamic-pyMPI pynamic_driver.py
    grows 2 pynamic-bigexe ./pynamic-bigexe pynamic_driver.py
'
t 'expected operations, static: strace counts the same' '
    has_strace
    grows 2 pynamic-sdb-pyMPI ./pynamic-sdb-pyMPI pynamic_driver.py
'
finish
