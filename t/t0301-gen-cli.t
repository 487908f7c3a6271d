#!/bin/sh
# What gen accepts, refuses and says. Nothing large is built here.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"

small="--modes cloadtest"

t 'the words of the sheets are accepted as printed' '
    # Refused only because the directory is not empty: the line itself was understood.
    mkdir full && touch full/mine
    code 1 loadcast gen 900 1250 -e -u 350 1250 -n 150 --out full
    says "is not empty" err
    code 1 loadcast gen 496 1850 -e -u 215 1850 -n 100 -t --out full
    says "is not empty" err
    code 1 loadcast gen 496 1850 –e –u 215 1850 –n 100 –t --out full
    says "is not empty" err
    [ "$(ls full)" = mine ]
'
t 'all options of the original are understood' '
    code 1 loadcast gen 9 9 -e -u 3 9 -d 5 -n 5 -p -s 7 -b -i /usr/include -j 2 --with-cc=cc \
        --with-python=python3 --with-mpi4py --with-pympi --out full -c --with-prompt-nl CC=gcc
    says "is not empty" err
    says "ignored" err
'
t 'without counts it says what to type' '
    code 2 loadcast gen
    says "how many files" err
    code 2 loadcast gen 12
    says "--total-size" err
'
refuse() { # TEXT ARGS...
    text=$1
    shift
    code 2 loadcast gen --out none "$@"
    says "$text" err
    [ ! -e none ]
}
t 'counts that make no sense are refused before anything is made' '
    refuse "from 1 to" 0 100
    refuse "cannot be negative" -5 100
    refuse "cannot be negative" 5 -100
    refuse "from 1 to" 5 0
    refuse "from 1 to" 1000000 100
    refuse "from 1 to" 10 10000000
    refuse "is not a" ten 100
    refuse "functions in all" 20000 100000
    refuse "only FILES and FUNCTIONS" 10 10 10
    refuse "depth" 10 10 -d 0
    refuse "search directories" 10 10 --search-dirs 100000
    refuse "-j: 5000 is out of range" 10 10 -j 5000
'
t 'utilities must leave a module' '
    refuse "leave no module" 10 10 -u 10 10
    refuse "leave no module" 10 10 -u 11 10
    refuse "functions per utility" 10 10 -u 5 0
    refuse "number of utilities" 10 10 -u 1000000 10
    refuse "cannot be negative" 10 10 -u -1 10
'
t 'names that tools choke on are refused' '
    refuse "length of names" 10 10 -n 100000
    refuse "cannot be negative" 10 10 -n -1
'
t 'modes and presets that do not exist are named' '
    refuse "none of pyMPI" 10 10 --modes pympi
    refuse "coral, sierra, juropa, archer, small" --preset corral
    refuse "did you mean" 10 10 --total-sise 5M
'
t 'Python gets as many search directories as the linker, unless told otherwise' '
    for n in -1 0 3; do
        code 0 loadcast gen 2 2 --search-dirs 2 --python-dirs $n $small --force --out dirs
        json dirs/manifest.json "j[\"config\"][\"python_dirs\"] == {-1: 2}.get($n, $n)"
    done
    [ "$(ls dirs/search | wc -l)" = 3 ]
'
t 'help shows live defaults' '
    code 0 loadcast gen --help
    says "200.0" out
    says "default: 10" out
    says "exit codes: 0" out
'
t 'a library cannot be smaller than its headers' '
    code 1 loadcast gen 20 --total-size 10k --out none $small
    says "take at least" err
    [ ! -e none ]
'
t 'a size is met within five percent' '
    code 0 loadcast gen 12 --total-size 1M -u 4 10 -n 30 --out sized $small
    bytes=$(cat sized/lib*[0-9].so | wc -c)
    echo "$bytes"
    [ "$bytes" -gt 950000 ] && [ "$bytes" -lt 1050000 ]
'
t 'presets are accepted, and other options change them' '
    for p in coral sierra juropa archer small; do
        code 1 loadcast gen --preset $p --out full
        says "is not empty" err
    done
    refuse "leave no module" --preset small -u 20 10
    refuse "length of names" --preset coral -n 5000
'
t 'the preset archer is ten libraries of nine megabytes in all, as EPCC measured' '
    code 0 loadcast gen --preset archer --out archer $small
    [ "$(ls archer/lib*[0-9].so | wc -l)" = 10 ]
    bytes=$(cat archer/lib*[0-9].so | wc -c)
    [ "$bytes" -gt 8550000 ] && [ "$bytes" -lt 9450000 ] || { echo "$bytes"; exit 1; }
    rm -rf archer
'
t 'after a build: sizes by section as the original prints them, for each program that is linked with the libraries' '
    code 0 loadcast gen 6 20 -u 2 20 --out sections --modes pynamic-pyMPI || skip "no MPI or libpython"
    says "summary of pynamic-pyMPI executable and 6 shared libraries" out
    for what in total texts data "debug sections" "symbol tables" "string table size"; do
        grep -qE "^Size of aggregate $what of shared libraries: [0-9.]+[KM]?B$" out || { cat out; exit 1; }
    done
    total=$(sed -n "s/^Size of aggregate total .*: \(.*\)KB/\1/p" out)
    files=$(cat sections/libmodule[0-9]*.so sections/libutility*.so sections/pynamic-pyMPI | wc -c)
    awk -v t="$total" -v f="$files" "BEGIN { exit !(t * 1000 > f - 51 && t * 1000 < f + 51) }"
    rm -rf sections
'
t '-c is in the help, and is ignored with what follows' '
    code 0 loadcast gen --help
    grep -q "^  -c " out
'
t 'describe: what is there, by kind, by section, and what it will cost' '
    code 0 loadcast gen --describe sized
    says "modules" out
    says "jump_slots" out
    says "dynstr" out
    says "expected calls" out
    code 0 loadcast gen --describe sized --json
    json out "j[\"totals\"][\"modules\"][\"files\"] == 8"
    json out "j[\"totals\"][\"utilities\"][\"bytes\"] == sum(l[\"elf\"][\"bytes\"] for l in j[\"libraries\"] if l[\"kind\"] == \"utility\")"
    json out "sum(j[\"totals\"][\"modules\"][\"sections\"].values()) == j[\"totals\"][\"modules\"][\"bytes\"]"
    json out "j[\"modes\"][\"cloadtest\"] == {\"opens\": 12, \"failed_opens\": 0, \"stats\": 12}"
'
t 'describe: a directory that gen did not make, a damaged one' '
    code 1 loadcast gen --describe full
    says "is no workload" err
    cp -r sized damaged
    head -c 100 /dev/zero >damaged/libmodule0.so
    code 1 loadcast gen --describe damaged
    says "is no ELF file" err
    echo "{}" >damaged/manifest.json
    code 1 loadcast gen --describe damaged
    says "is something else" err
'
t 'the front writes into the current directory, beside other files' '
    mkdir front && cd front
    cp "$build/config_pynamic.py" . && ln -s "$build/loadcast" loadcast && touch mine
    code 0 ./config_pynamic.py 4 5 -u 1 5 --modes=cloadtest
    ./cloadtest >o && says "passed" o
    code 1 ./config_pynamic.py 4 5 -u 1 5 --modes=cloadtest
    says "holds a workload already" "$tmp/err"
    code 0 $python ./config_pynamic.py 6 5 -u 1 5 --modes=cloadtest --force
    [ -e mine ] && [ -e libmodule4.so ]
'
t 'the installed front works, with nothing but the installed files' '
    DESTDIR=$tmp/root meson install -C "$build" --no-rebuild >log
    front=$(find "$tmp/root" -name config_pynamic.py) && [ -x "$front" ]
    mkdir inst && cd inst
    code 0 env PATH=/usr/bin:/bin "$front" 3 5 -u 1 5 --modes=cloadtest
    ./cloadtest >o && says "passed" o
'
t 'the front refuses a name that is taken' '
    mkdir taken && touch taken/libmodule1.so && cd taken
    code 1 "$build/config_pynamic.py" 4 5 -u 1 5 --modes=cloadtest
    says "libmodule1.so" "$tmp/err"
    [ "$(ls)" = libmodule1.so ]
'
finish
