#!/bin/sh
# A line without an image runs as it is and is watched; the next one has the image.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
. "$here/watch.sh"
command -v "$python" >/dev/null || skip_all 'no python'
watch_disk

t 'loadcast python3 ...: the first run is watched, the second asks the disk nothing' '
    test -d tree/lib/python3/dist-packages/numpy || skip "no numpy"
    watched "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
    says "no image of '\''python3'\'' yet: it runs as always and is watched" first.err
    [ "$(wc -l <first.err)" = 1 ]
    second_asks_nothing "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
'
t 'found by the next line, which is not watched any more' '
    code 0 job loadcast "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
    same plain out
    says "staged on 1 node" err
    lacks watched err
'
t 'symbols that ld.so bound at the first run are replayed in the second, and are what ld.so would find' '
    test -d tree/lib/python3/dist-packages/numpy || skip "no numpy"
    local_image=$(find "$store" -name "*.lcast")
    code 0 job loadcast exec --stats "$local_image" -- "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
    same plain out
    grep -E "^bindings +[1-9][0-9,.k]* replayed in [1-9][0-9]* groups; 0 groups refused" err || { cat err; exit 1; }
    code 0 job loadcast exec --verify-bindings --stats "$local_image" -- "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
    same plain out
    grep -E "^verified +[1-9].* bindings looked up again: 0 different" err || { cat err; exit 1; }
'
t 'the watched run asks the disk little more than a plain one: nothing is opened twice to see whether it can be watched' '
    if is_sanitized; then skip "a sanitized loadcast searches for libraries of its own along LD_LIBRARY_PATH"; fi
    asked="import json, subprocess; print(subprocess.check_output([\"stormfs\", \"ctl\", \"$m\", \"stats\", \"--json\"], env={\"PATH\": \"$PATH\"}).decode())"
    asked_by() {
        stormfs ctl "$m" reset
        job "$@" "$m/bin/python3" -c "$asked" | "$python" -c "import json, sys; print(json.load(sys.stdin)[\"total\"][\"requests\"])"
    }
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    for launcher in "" "mpiexec.openmpi -n 1"; do
        [ -z "$launcher" ] || command -v mpiexec.openmpi >/dev/null || continue
        asks_plain=$(asked_by $launcher)
        forget
        asks=$(asked_by loadcast run -q -- $launcher)
        echo "$launcher: plain $asks_plain, watched $asks"
        [ "$asks" -le $((asks_plain + 60)) ]
        wait_until is_stored
    done
'
t 'python that starts python; what an interpreter and its children load is one image' '
    watched "$m/bin/python3" -c "import subprocess, sys; print(subprocess.check_output([sys.executable, \"-c\", \"print(1)\"]))"
    second_asks_nothing "$m/bin/python3" -c "import subprocess, sys; print(subprocess.check_output([sys.executable, \"-c\", \"print(1)\"]))"
'
t 'a script on the disk, whose directory is searched first' '
    mkdir -p tree/app
    printf "import csv, json\ntry: import nonesuch\nexcept ImportError: print(json.dumps([1]))\n" >tree/app/main.py
    find tree/app -exec touch -d 2020-01-01 {} +
    watched "$m/bin/python3" "$m/app/main.py"
    second_asks_nothing "$m/bin/python3" "$m/app/main.py"
'
t 'through env, a shell, a wrapper script' '
    printf "#!$m/bin/sh\nLC_ALL=C\nexport LC_ALL\nexec $m/bin/python3 \"\$@\"\n" >wrapper
    chmod +x wrapper
    echo "import json; print(json.dumps([1]))" >app.py
    watched env A=1 nice -n 1 "$tmp/wrapper" "$tmp/app.py"
    second_asks_nothing env A=1 nice -n 1 "$tmp/wrapper" "$tmp/app.py"
    watched sh -c "$m/bin/python3 $tmp/app.py; exit 3"
    [ "$status" = 3 ]
'
t 'the program sees its own environment, in its order' '
    export LD_PRELOAD=libm.so.6 B=2 GLIBC_TUNABLES=glibc.malloc.check=0
    plain_and_watched env
    plain_and_watched "$python" -c "import os; print(os.environ, os.system(\"env\"))"
    plain_and_watched sh -c "env; exec env"
    unset LD_PRELOAD
    LD_PRELOAD= plain_and_watched env
'
t '--quiet, --no-watch, --watch 0, LOADCAST_WATCH, the site: nothing is said, or nothing is watched' '
    forget
    program="$m/bin/python3 -c import\ csv"
    eval code 0 job loadcast run -q -- $program
    [ ! -s err ]
    wait_until is_stored
    forget
    for off in --no-watch "--watch 0"; do
        eval code 0 job loadcast run $off -- $program
        says "so the line runs as always" err
    done
    LOADCAST_WATCH=0 eval code 0 job loadcast $program
    says "so the line runs as always" err
    echo "watch = no" >site.conf
    (unset LOADCAST_WATCH; export LOADCAST_CONF=$tmp/site.conf; eval code 0 job loadcast $program)
    says "so the line runs as always" err
    [ -z "$(ls "$store")" ]
    nothing_watches
'
t '--dry-run tells what would be watched, and watches nothing' '
    code 0 job loadcast run --dry-run -- "$m/bin/python3" -c pass
    says "would run as always and is watched" err
    says "python3 -c pass" out
    [ -z "$(ls "$store")" ]
'
t 'a line that asks little of shared disks is remembered, and not watched again for a day' '
    for program in "$m/bin/ls" ls; do
        forget
        code 0 loadcast $program -d "$m/bin"
        says "is watched" err
        wait_until is_stored
        find "$store" -name "*.lcast" | nothing
        code 0 loadcast $program -d "$m/bin"
        [ ! -s err ]
        code 0 loadcast images && says "nothing to keep" out
        code 0 loadcast $program -d "$m/lib"
        says "is watched" err
        wait_until nothing_watches
        for where in bin lib; do
            code 0 loadcast $program -d "$m/$where"
            [ ! -s err ]
        done
        sed -i "s/\"20[0-9-]*T[0-9:]*Z\"/\"2026-01-31T12:34:56Z\"/" "$store"/*.json
        code 0 loadcast $program -d "$m/bin"
        says "is watched" err
    done
'
t 'a description of version 0.2.0, without the lines, holds for all of them, for a day' '
    forget
    code 0 loadcast ls -d "$m/bin"
    wait_until nothing_watches
    "$python" - "$store"/*.json <<-"P"
	import json, sys
	about = json.load(open(sys.argv[1]))
	del about["nothing_for"]
	json.dump(about, open(sys.argv[1], "w"))
	P
    code 0 loadcast ls -d "$m/lib"
    [ ! -s err ]
    sed -i "s/\"20[0-9-]*T[0-9:]*Z\"/\"2026-01-31T12:34:56Z\"/" "$store"/*.json
    code 0 loadcast ls -d "$m/lib"
    says "is watched" err
'
t 'what --help asks decides nothing about the program: a heavy run is watched, and the next one has the image' '
    forget
    mkdir -p tree/tool/parts
    for i in 0 1 2 3 4 5 6 7 8 9; do echo "value = $i" >tree/tool/parts/part$i.py; done
    printf "import importlib, sys\nif sys.argv[1:] == [\"--help\"]: sys.exit(print(\"usage: tool.py\"))\n" >tree/tool/tool.py
    echo "print(sum(importlib.import_module(\"parts.part%d\" % i).value for i in range(10)))" >>tree/tool/tool.py
    find tree/tool -exec touch -d 2020-01-01 {} +
    tool() { code 0 loadcast "$python" -B "$m/tool/tool.py" "$@"; }
    tool --help
    says "is watched" err
    wait_until is_stored
    find "$store" -name "*.lcast" | nothing
    tool --help
    [ ! -s err ]
    tool
    [ "$(cat out)" = 45 ]
    says "is watched" err
    wait_until nothing_watches
    tool
    [ "$(cat out)" = 45 ]
    says "staged on 1 node" err
    lacks watched err
    tool --help
    says "usage: tool.py" out
    lacks watched err
'
t 'a gigabyte of data beside a module is not in the image' '
    mkdir -p tree/lib/python3/dist-packages/big
    echo "import json, os; print(os.path.getsize(open(os.path.join(os.path.dirname(__file__), \"data.h5\"), \"rb\").name))" \
        >tree/lib/python3/dist-packages/big/__init__.py
    truncate -s 1G tree/lib/python3/dist-packages/big/data.h5
    watched "$m/bin/python3" -c "import big; open(big.__path__[0] + \"/data.h5\", \"rb\").read(4096)"
    rm tree/lib/python3/dist-packages/big/data.h5
    [ "$(stat -c %s "$local_image")" -lt 100000000 ] || { ls -l "$local_image"; exit 1; }
    code 0 loadcast info --files "$local_image"
    grep -q "big/__init__" out
'
t 'a program that does not exist fails as without us' '
    code 127 loadcast run -- "$m/bin/nonesuch"
    code 127 loadcast run -- mpiexec.nonesuch -n 1 "$m/bin/ls"
'
t 'nothing is left behind' '
    wait_until nothing_watches
'
finish
