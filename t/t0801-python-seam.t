#!/bin/sh
# Python's imports from node memory: nothing a program can see is different.
. "$(dirname "$0")/lib.sh"
need_ptrace
export LOADCAST_DIR="$tmp/node"
mkdir node work
"$here/python/make_app" "$tmp/app" "$python" || exit 1
export APP="$tmp/app" PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
unset LOADCAST LOADCAST_NODE LOADCAST_PYTHON PYTHONPATH PYTHONHOME
cd work

# recorded NAME COMMAND...: record what COMMAND does, and stage it; $node is the directory
recorded() {
    image=$tmp/$1.lcast
    shift
    loadcast record -o "$image" --manage /usr --manage "$tmp/app" -- "$@" >"$tmp/recorded" 2>"$tmp/record.err" || { cat "$tmp/record.err"; return 1; }
    loadcast exec -q "$image" -- true
    node=$(ls -td "$tmp"/node/loadcast-*/*/ | head -1)
    node=${node%/}
}
served() { LOADCAST_NODE=$node "$node/bin/launch" "$@"; }
modules() { loadcast status --json | "$python" -c "
import json, sys
print([n[\"counts\"][\"code\"] for n in json.load(sys.stdin) if n[\"path\"] == \"$node\"][0])"; }
recorded look "$python" "$here/python/look.py" || exit 1
cat "$tmp/recorded" >"$tmp/look"
tidy() { sed 's/0x[0-9a-f]*//g; s/\[GCC.*//'; }
is_on='import importlib.machinery as m; print(type(m.FileFinder.find_spec).__name__, type(m.PathFinder.__dict__["find_spec"]).__name__, type(m.SourceFileLoader.get_code).__name__)'

t 'it is there, and LOADCAST_PYTHON=0 switches it off' '
    served "$python" -c "$is_on" >on
    echo "method_descriptor classmethod_descriptor method_descriptor" | diff - on
    LOADCAST_PYTHON=0 served "$python" -c "$is_on" >off
    "$python" -c "$is_on" | diff - off
'
t 'modules come from node memory' '
    before=$(modules)
    PYTHONPATH=$APP served "$python" -c "import json, app.inner.leaf"
    test "$(modules)" -ge $((before + 4))
'
t 'no file of a served module is opened, listed or looked at' '
    strace -f -o calls -e trace=file,desc env LOADCAST_NODE="$node" "$node/bin/launch" "$python" -I -c "import sys; sys.path.insert(0, \"$APP\"); import app.inner.leaf, json.decoder" || skip "no strace"
    grep -E "$APP/|/json/|getdents" calls | nothing
'
t 'a program sees nothing of it: specs, loaders, files, code, tracebacks, reload, resources, hooks' '
    # One intended difference: methods in C show the mark for positional arguments in their signature.
    "$python" "$here/python/look.py" 2>plain.err | tidy >plain
    served "$python" "$here/python/look.py" 2>served.err | sed "s,(self\, /\, ,(self\, ,g" | tidy >served
    same plain served
    same plain.err served.err
    tidy <"$tmp/look" >recorded
    same recorded served
'
t 'no further module, thread, descriptor or exception is left in the interpreter' '
    script="import sys, threading, os; print(sorted(sys.modules), threading.active_count(), sorted(os.listdir(\"/proc/self/fd\")), sys.exc_info(), sys.builtin_module_names)"
    "$python" -c "$script" >plain
    served "$python" -c "$script" >served
    same plain served
'
for options in -S -I -E -O -OO -B -s "-X importtime" "-X dev" "-W error" -bb -q -u; do
    t "python $options" '
        script="import json, sys, importlib.util; print(json.__file__, json.__cached__, sys.flags, sys.path)"
        "$python" $options -c "$script" >plain 2>plain.err
        served "$python" $options -c "$script" >served 2>served.err
        same plain served
        test "$options" = "-X importtime" || same plain.err served.err
        cut -d "|" -f 3 plain.err >plain.names; cut -d "|" -f 3 served.err >served.names
        same plain.names served.names
    '
done
t 'python -v tells of every file as ever, -vv too' '
    for v in -v -vv; do
        "$python" $v -c "import json" 2>&1 >/dev/null | tidy >plain
        served "$python" $v -c "import json" 2>&1 >/dev/null | tidy >served
        same plain served
    done
'
t 'python -m, a script, a script from standard input, a directory with __main__' '
    mkdir -p main; echo "import app; print(app.__file__, __file__, __spec__)" >main/__main__.py
    for c in "-m json.tool --help" "-m app.inner" "main" "-"; do
        echo "import app; print(app)" | PYTHONPATH=$APP "$python" $c 2>&1 | tidy >plain
        echo "import app; print(app)" | PYTHONPATH=$APP served "$python" $c 2>&1 | tidy >served
        same plain served
    done
'
finish
