#!/bin/sh
# From a pilot to an image: what is recorded, what is not, and what is said.
. "$(dirname "$0")/lib.sh"
loadcast trace -- true >/dev/null 2>&1 || skip_all 'ptrace is not to be had here'
command -v "$python" >/dev/null || skip_all 'no python'

: "${PROGRAMS:=$build/t}"
# A tree of software of our own, and a working directory beside it.
mkdir -p sw/bin sw/lib sw/share py/pkg/sub work home/.cache
cat >sw/bin/tool <<'E'
#!/bin/sh
cat "$(dirname "$0")"/../share/data
E
chmod +x sw/bin/tool
echo data >sw/share/data
echo unread >sw/share/other
echo 'from . import b' >py/pkg/__init__.py
echo 'x = 1' >py/pkg/b.py
echo 'y = 2' >py/pkg/sub/__init__.py
echo input >work/input
cat >work/run.py <<'E'
import pkg, os
open("input").read()
open("output", "w").write("x")
E
mkdir own
export HOME="$tmp/home" PYTHONPATH="$tmp/py" TMPDIR="$tmp/own"
find sw py work home -exec touch -h -d '2020-01-01' {} +

t 'files read, links, absent paths and complete directories are recorded' '
    ln -s share/data sw/link
    touch -h -d 2020-01-01 sw/link sw
    code 0 loadcast record -o a.lcast --manage sw -- sh -c "sw/bin/tool; cat sw/link; test -e sw/lib/none; :"
    [ "$(cat out)" = "data
data" ]
    code 0 loadcast info --files --dirs --absent a.lcast
    says "file                    5  $tmp/sw/share/data" out
    says "$tmp/sw/link -> share/data" out
    says "ENOENT  $tmp/sw/lib/none" out
    grep -qE "complete +2  $tmp/sw/share$" out
    lacks "other" out
    code 0 loadcast info --verify a.lcast
'
t 'content is byte-identical' '
    code 0 loadcast unpack a.lcast unpacked
    same sw/share/data "unpacked$tmp/sw/share/data"
    cmp sw/bin/tool "unpacked$tmp/sw/bin/tool"
    [ "$(readlink "unpacked$tmp/sw/link")" = share/data ]
'
t 'local ancestors are steps on the way, not answers' '
    code 0 loadcast info --dirs a.lcast
    grep -qE "^route +0  /$" out
    grep -qE "^route +0  $tmp$" out
'
t 'Python modules are compiled into the image, not into the tree' '
    cd work
    code 0 loadcast record -o ../p.lcast --manage "$tmp" -- "$python" run.py
    cd ..
    [ -z "$(find py -name "*.pyc")" ]
    code 0 loadcast info --files --dirs p.lcast
    tag=$("$python" -c "import sys; print(sys.implementation.cache_tag)")
    grep -qE "^made .*/py/pkg/__pycache__/__init__.$tag.pyc$" out
    grep -qE "^made .*/py/pkg/__pycache__/b.$tag.pyc$" out
    lacks "__pycache__\$" out
    cp out files
    code 0 loadcast info p.lcast
    says "Python $("$python" -c "import platform; print(platform.python_version())")" out
'
t 'the made bytecode is what the interpreter accepts' '
    code 0 loadcast unpack p.lcast up
    tag=$("$python" -c "import sys; print(sys.implementation.cache_tag)")
    pyc=$(find up -name "b.$tag.pyc")
    "$python" - "$pyc" py/pkg/b.py <<E
import sys, os, importlib._bootstrap_external as x
data, st = open(sys.argv[1], "rb").read(), os.stat(sys.argv[2])
x._validate_timestamp_pyc(data, int(st.st_mtime), st.st_size, "b", {})
E
'
t 'good bytecode is found good without an interpreter, which may be gone' '
    mkdir -p gone/bin; cp "$(readlink -f "$(command -v "$python")")" gone/bin/python3
    cp -a py gone/py && "$python" -m compileall -q gone/py >/dev/null
    find gone -exec touch -h -d 2020-01-01 {} +
    "$python" -m compileall -q -f gone/py >/dev/null
    find gone/py -name "*.pyc" -exec touch -d 2020-01-01 {} +
    mkdir few && ln -s "$(command -v sh)" "$(command -v rm)" few
    PYTHONPATH=$tmp/gone/py PATH=$tmp/few code 0 "$build/loadcast" record -o good.lcast --manage "$tmp/gone/py" -- \
        sh -c "gone/bin/python3 -c \"import pkg\" && rm gone/bin/python3"
    lacks "not compiled" err
    code 0 loadcast info --files good.lcast
    grep -qE "^file .*/gone/py/pkg/__pycache__/b\..*pyc$" out
    lacks "^made" out
    code 0 loadcast info good.lcast
    says "Python 3." out
'
t 'who made good bytecode is told by no Python of another version' '
    mkdir -p odd/bin odd/py/__pycache__; cp "$(readlink -f "$(command -v "$python")")" odd/bin/python3.98
    echo "x = 1" >odd/py/m.py; touch -d 2020-01-01 odd/py/m.py
    "$python" -c "
import os, struct
s = os.stat(\"odd/py/m.py\")
open(\"odd/py/__pycache__/m.cpython-399.pyc\", \"wb\").write(struct.pack(\"<4sLLL\", b\"3399\", 0, int(s.st_mtime), s.st_size))"
    for version in 99 98; do
        [ $version = 99 ] || mv odd/py/__pycache__/m.cpython-399.pyc odd/py/__pycache__/m.cpython-398.pyc
        code 0 loadcast record -o odd.lcast --manage "$tmp/odd/py" -- \
            odd/bin/python3.98 -c "import os; os.stat(\"odd/py/m.py\"); open(\"odd/py/__pycache__/m.cpython-3$version.pyc\", \"rb\").read()"
        lacks "not compiled" err
        code 0 loadcast info odd.lcast
        cp out who-$version
    done
    lacks "Python 3.9" who-99
    says "Python 3.98" who-98
'
t 'one of the good files is compiled anew if only its source has another time' '
    cp "$(readlink -f "$(command -v "$python")")" gone/bin/python3
    touch -d 2020-01-02 gone/py/pkg/b.py
    PYTHONPATH=$tmp/gone/py code 0 loadcast record -o h.lcast --manage "$tmp/gone" -- gone/bin/python3 -c "import pkg"
    code 0 loadcast info --files h.lcast
    grep -qE "^file .*/gone/py/pkg/__pycache__/__init__\..*pyc$" out
    grep -qE "^made .*/gone/py/pkg/__pycache__/b\..*pyc$" out
'
t 'a file opened by the name of a descriptor is recorded under its own; its stat asks no server' '
    code 0 loadcast record -o fd.lcast --manage sw -- "$python" -c "
import os
fd = os.open(\"sw/share/data\", os.O_PATH)
for _ in range(500):
    os.fstat(fd)
open(\"/proc/self/fd/%d\" % fd).read()"
    code 0 loadcast info --files fd.lcast
    says "file                    5  $tmp/sw/share/data" out
    asked=$(grep -a -o "\"operations_asked\": [0-9]*" fd.lcast)
    [ "${asked##* }" -lt 100 ]
'
t 'optimised bytecode has its own entry' '
    cd work
    code 0 loadcast record -o ../o.lcast --manage "$tmp" -- "$python" -OO run.py
    cd ..
    code 0 loadcast info --files o.lcast
    says ".opt-2.pyc" out
'
t 'an outdated .pyc is replaced in the image and left alone in the tree' '
    cp -a py old && "$python" -m compileall -q old >/dev/null
    echo "x = 22" >old/pkg/b.py
    find old -exec touch -h -d 2021-01-01 {} +
    sum=$(find old -name "*.pyc" -exec cksum {} + | sort)
    cd work
    PYTHONPATH=$tmp/old code 0 loadcast record -o ../q.lcast --manage "$tmp/old" -- "$python" run.py
    cd ..
    [ "$sum" = "$(find old -name "*.pyc" -exec cksum {} + | sort)" ]
    code 0 loadcast info --files q.lcast
    grep -qE "^made .*/old/pkg/__pycache__/b\..*pyc$" out
'
t 'an unreadable .pyc is compiled into the image, as an unprivileged user' '
    mkdir -m 777 mine; mkdir mine/py bin; cp "$build"/loadcast "$build/loadcast-full" bin
    echo "z = 1" >mine/py/closed.py
    "$python" -m compileall -q mine/py >/dev/null
    chmod 000 mine/py/__pycache__/*
    chmod 755 "$tmp" bin
    run=
    if [ "$(id -u)" = 0 ]; then
        command -v setpriv >/dev/null || skip "no setpriv"
        run="setpriv --reuid 65534 --regid 65534 --clear-groups"
    fi
    cd mine
    PYTHONPATH=$tmp/mine/py code 0 $run "$tmp/bin/loadcast" record -o c.lcast --manage py -- "$python" -c "import closed"
    cd ..
    code 0 loadcast info --files mine/c.lcast
    grep -q "^made .*__pycache__/closed\." out
'
t 'data of the working directory and what is written stay out' '
    lacks "work/input" files
    lacks "work/output" files
    says "work/run.py" files
    lacks "$tmp/work" files || grep -v run.py files | lacks "$tmp/work/" /dev/stdin
    code 0 loadcast info --dirs p.lcast
    grep -qE "^route .*$tmp/work$" out
'
t '~/.cache, --exclude and --max-file are honoured; libraries are always whole' '
    mkdir -p sw/lib home/.cache
    head -c 5000 /dev/zero >sw/lib/libbig.so
    head -c 5000 /dev/zero >sw/share/big
    echo c >home/.cache/c
    find sw home -exec touch -h -d 2020-01-01 {} +
    code 0 loadcast record -o x.lcast --manage "$tmp" --max-file 4k --exclude "*/share/data" -- \
        cat sw/lib/libbig.so sw/share/big sw/share/data home/.cache/c
    says "above 4.0 kB" err
    code 0 loadcast info --files x.lcast
    grep -qE "^file +5000  .*libbig.so$" out
    grep -qE "^stat +5000  .*share/big$" out
    lacks "share/data" out
    lacks ".cache" out
'
t '--add takes paths and patterns, with a program or without' '
    code 0 loadcast record -o y.lcast --add "sw/share" --add "work/in*"
    code 0 loadcast info --files --dirs y.lcast
    says "$tmp/sw/share/other" out
    says "$tmp/work/input" out
    grep -qE "complete +3  $tmp/sw/share$" out
    code 1 loadcast record -o z.lcast --add nowhere/x
    says "no such file" err
    [ ! -e z.lcast ]
'
t 'recording onto an image adds to it' '
    code 0 loadcast record -o y.lcast --manage sw -- cat sw/bin/tool
    says "added to" err
    code 0 loadcast info --files y.lcast
    says "$tmp/sw/bin/tool" out
    says "$tmp/work/input" out
'
t '--from-trace records what a log says' '
    loadcast trace --log log -o /dev/null -- cat sw/share/data >/dev/null
    code 0 loadcast record -o f.lcast --manage sw --from-trace log
    code 0 loadcast info --files f.lcast
    says "sw/share/data" out
    code 1 loadcast record -o f2.lcast --from-trace sw/bin/tool
    [ ! -e f2.lcast ]
'
t '--for writes the image while the program goes on' '
    cat >slow <<E
#!/bin/sh
cat $tmp/sw/share/data >/dev/null
. $here/wait.sh
wait_until test -s $tmp/g.lcast && cat $tmp/sw/share/other >/dev/null && touch $tmp/went-on
exit 7
E
    chmod +x slow
    code 7 loadcast record --for 1s -o g.lcast --manage sw -- ./slow
    [ -e went-on ]
    code 0 loadcast info --files g.lcast
    says "share/data" out
    lacks "share/other" out
'
t 'a failing program keeps its status, and the image is written' '
    code 3 loadcast record -o h.lcast --manage sw -- sh -c "cat sw/share/data; exit 3"
    says "ended with status 3" err
    code 0 loadcast info h.lcast
    code 137 loadcast record -o k.lcast --manage sw -- sh -c "cat sw/share/data; kill -9 \$\$"
    code 0 loadcast info k.lcast
'
t 'nothing managed: which file systems were seen, how to choose, status 125' '
    stat -f -c %T . | grep -qE "ext|tmpfs|xfs|btrfs|overlay" || skip "the test directory is on a shared file system"
    code 125 loadcast record -o n.lcast -- true
    says "--manage PREFIX" err
    says "seen: " err
    [ ! -e n.lcast ]
    code 4 loadcast record -o n.lcast -- sh -c "exit 4"
'
t 'info --diff names what another recording has more' '
    code 1 loadcast info --diff y.lcast a.lcast
    grep -qE "^[+] +$tmp/work/input$" out
    code 1 loadcast info --json --diff y.lcast a.lcast
    says "added" out
    code 3 loadcast info --diff nowhere.lcast a.lcast
'
t 'bad input' '
    code 125 loadcast record --add sw
    says "give -o IMAGE" err
    code 125 loadcast record -o i.lcast
    says "no command given" err
    code 127 loadcast record -o i.lcast -- no-such-program
    code 126 loadcast record -o i.lcast -- ./work/input
    cp /bin/true busy; exec 7>>busy
    code 126 loadcast record -o i.lcast -- ./busy
    exec 7>&-
    code 125 loadcast record -o nowhere/i.lcast -- true
    says "cannot write '\''nowhere/i.lcast'\''" err
    echo junk >junk.lcast
    code 125 loadcast record -o junk.lcast -- true
    says "too short" err
    code 125 loadcast record -o i.lcast --manage nowhere -- touch ran
    says "nowhere" err
    [ ! -e i.lcast ] && [ ! -e ran ]
    code 1 loadcast record -o i.lcast --add nowhere
    [ ! -e i.lcast ]
'
t 'what cannot be added costs nothing of what the pilot saw' '
    code 125 loadcast record -o add.lcast --manage sw --add "sw/none*" --add sw/share -- cat sw/share/data
    says "sw/none" err
    loadcast info --files add.lcast >f && says sw/share/data f
'
t 'below another tracer it says so, and records from inside' '
    code 0 loadcast trace -o /dev/null -- env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" loadcast record -o np.lcast --manage sw -- cat sw/share/data
    says "ptrace is forbidden here" err
    says "recording through the client" err
    [ -e np.lcast ]
'
t 'an image inside the tree it records is still true at the next check' '
    code 0 loadcast record -o sw/share/in.lcast --manage sw -- cat sw/share/data
    code 0 loadcast check sw/share/in.lcast
    says "the image is true" out
    rm sw/share/in.lcast
'
t 'a directory in which somebody made a file meanwhile is not complete' '
    mkdir -p sw/shared; echo x >sw/shared/x; find sw/shared -exec touch -d 2020-01-01 {} +
    (wait_until test -e at-work; echo late >sw/shared/late) &
    code 0 loadcast record -o mw.lcast --manage sw -- sh -c "cat sw/shared/x; : >at-work; . $here/wait.sh; wait_until test -e sw/shared/late"
    wait
    code 0 loadcast info --dirs mw.lcast
    grep -qE "^route +0  $tmp/sw/shared$" out
'
t 'the interpreter of a script is recorded with the script' '
    cp /bin/sh sw/bin/mysh
    printf "#!%s/sw/bin/mysh -e\necho hello\n" "$tmp" >sw/bin/script
    chmod +x sw/bin/script
    find sw -exec touch -h -d 2020-01-01 {} +
    code 0 loadcast record -o sc.lcast --manage sw -- sw/bin/script
    code 0 loadcast info --files sc.lcast
    grep -qE "^file .*sw/bin/script$" out
    grep -qE "^file .*sw/bin/mysh$" out
'
t 'an image with a private file in it is private' '
    umask 022
    chmod 755 "$tmp"
    code 0 loadcast record -o public.lcast --manage sw -- cat sw/share/data
    [ "$(stat -c %a public.lcast)" = 644 ] || skip "the test directory is private"
    echo secret >sw/share/private; chmod 600 sw/share/private
    code 0 loadcast record -o without.lcast --manage sw -- cat sw/share/private
    [ "$(stat -c %a without.lcast)" = 644 ]
    for with in "--add sw/share/private" --private; do
        rm -f private.lcast
        code 0 loadcast record -o private.lcast --manage sw $with -- cat sw/share/private
        [ "$(stat -c %a private.lcast)" = 600 ]
    done
'
t 'what a second pilot writes leaves the image; its directory is no longer complete' '
    mkdir -p sw/two; echo 1 >sw/two/one; echo 2 >sw/two/two; find sw/two -exec touch -d 2020-01-01 {} +
    code 0 loadcast record -o w.lcast --manage sw -- cat sw/two/one sw/two/two
    code 0 loadcast info --dirs w.lcast
    grep -qE "^complete +2  $tmp/sw/two$" out
    code 0 loadcast record -o w.lcast --manage sw -- sh -c "echo new >sw/two/one; echo 3 >sw/two/three"
    code 0 loadcast info --dirs --files w.lcast
    grep -qE "^route +0  $tmp/sw/two$" out
    lacks "sw/two/one" out
    lacks "sw/two/three" out
    says "sw/two/two" out
'
t 'every path that a pilot asked for is answered, unless it leads out of what is managed' '
    cd work
    loadcast trace --log ../log -o /dev/null -- "$python" -c "import json, ctypes, xml.dom" >/dev/null
    code 0 loadcast record -o ../all.lcast --manage /usr --from-trace ../log
    cd ..
    awk -F "\t" "!/^#/ && \$4 ~ \"^/usr/\" { print \$4 }" log | sort -u >asked
    [ "$(wc -l <asked)" -gt 100 ]
    "$PROGRAMS/answers" all.lcast <asked >answers
    [ "$(grep -c "^found" answers)" -gt 50 ]
    [ "$(grep -c "^absent" answers)" -gt 10 ]
    for path in $(awk "/^unknown/ { print \$2 }" answers); do
        case $(readlink -m "$path") in /usr/*) echo "unknown: $path"; exit 1 ;; esac
    done
    # And the answers are true.
    for path in $(awk "/^absent/ { print \$2 }" answers); do [ ! -e "$path" ] || { echo "there: $path"; exit 1; }; done
    for path in $(awk "/^found/ { print \$2 }" answers); do [ -e "$path" ] || { echo "not there: $path"; exit 1; }; done
'
t 'disk full: no half image' '
    unshare -Urm true 2>/dev/null || skip "no user namespaces"
    mkdir tiny
    head -c 3000000 /dev/urandom >sw/share/random
    unshare -Urm sh -c "mount -t tmpfs -o size=1m tmpfs tiny && cd tiny &&
        { loadcast record -o full.lcast --add $tmp/sw/share/random; echo \$? >$tmp/status; ls -A >$tmp/left; }" 2>err
    [ "$(cat status)" = 1 ]
    says "No space left on device" err
    grep -qE "needs [0-9.]+ MB, [0-9.]+ [kM]B free" err
    [ ! -s left ]
'
t 'a limit on the size of files: said, no half image, the old one stays' '
    head -c 3000000 /dev/urandom >sw/share/random
    code 0 loadcast record -o lim.lcast --add sw/share/data
    cp lim.lcast before.lcast
    for with in "--add sw/share/random" "--manage sw -- cat sw/share/random"; do
        (ulimit -f 1000; loadcast record -o lim.lcast $with >out 2>err) && exit 1
        says "File too large" err
        same lim.lcast before.lcast
    done
    echo more >>sw/share/data
    (ulimit -f 8; loadcast check lim.lcast >out 2>err) && exit 1
    says "File too large" err
    same lim.lcast before.lcast
'
t 'nothing is left behind' '
    find . -name "*.tmp.*" -o -name "*.parts-*" | nothing
    # A program that was let go may take a moment longer to close its log.
    wait_until eval "ls -A \"\$TMPDIR\" | nothing"
'
finish
