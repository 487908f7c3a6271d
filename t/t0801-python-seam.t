#!/bin/sh
# Python's imports from node memory: nothing a program can see is different.
. "$(dirname "$0")/lib.sh"
need_ptrace
. "$here/python/seam.sh"
"$here/python/make_app" "$APP" "$python" || exit 1
# What has no bytecode yet gets it now. Bytecode that only the image has is in t0802; 'python -v' tells of it in other words.
env -u PYTHONDONTWRITEBYTECODE "$python" "$here/python/look.py" >/dev/null 2>&1
recorded look "$python" "$here/python/look.py" || exit 1
cat "$tmp/recorded" >"$tmp/look"
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
    strace -f -o calls -e trace=file,desc env LOADCAST_NODE="$(node)" "$(node)/bin/launch" "$python" -I -c "import sys; sys.path.insert(0, \"$APP\"); import app.inner.leaf, json.decoder" || skip "no strace"
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
    both "$python" -c "import sys, threading, os; print(sorted(sys.modules), threading.active_count(), sorted(os.listdir(\"/proc/self/fd\")), sys.exc_info(), sys.builtin_module_names)"
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
    both "$python" -v -c "import json"
    both "$python" -vv -c "import json"
'
t 'python -m, a script, a script from standard input, a directory with __main__' '
    mkdir -p main; echo "import app; print(app.__file__, __file__, __spec__)" >main/__main__.py
    for c in "-m json.tool --help" "-m app.inner" "main" "-"; do
        echo "import app; print(app)" | PYTHONPATH=$APP "$python" $c 2>&1 | tidy >plain
        echo "import app; print(app)" | PYTHONPATH=$APP served "$python" $c 2>&1 | tidy >served
        same plain served
    done
'
t 'for a user without privileges too' '
    test "$(id -u)" = 0 || skip "all of this is run without privileges already"
    mkdir -p "$tmp/inst/bin" "$tmp/inst/libexec/loadcast" "$tmp/user"
    cp "$build/loadcast" "$tmp/inst/bin/"
    cp "$build/loadcast-full" "$build/launch" $(find "$build" -name "*.so") "$tmp/inst/libexec/loadcast/"
    chmod 755 "$tmp"; chown 65534 "$tmp/user"
    cd "$tmp/user"
    as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups env LOADCAST_DIR="$tmp/user" HOME="$tmp/user" PYTHONPATH="$APP" "$@"; }
    as_user "$tmp/inst/bin/loadcast" record -o a.lcast --manage /usr --manage "$APP" -- "$python" -c "import json, app.inner.leaf" 2>err || { cat err; exit 1; }
    script="import json, app.inner.leaf as l, importlib.machinery as m; print(l.__spec__, type(m.FileFinder.find_spec).__name__)"
    as_user "$tmp/inst/bin/loadcast" exec -q a.lcast -- "$python" -c "$script" | tidy >served
    says "method_descriptor" served
    as_user "$python" -c "$script" | sed "s/ function/ method_descriptor/" | tidy >plain
    same plain served
'
finish
