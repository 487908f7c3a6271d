#!/bin/sh
# Python's imports from node memory: what changes while a job runs, other interpreters, threads and
# processes, other people's hooks, and damage.
. "$(dirname "$0")/lib.sh"
need_ptrace
. "$here/python/seam.sh"
"$here/python/make_app" "$APP" "$python" || exit 1
export PYTHONPATH="$APP"
# Python 3.13 calls it otherwise.
sub=_xxsubinterpreters
"$python" -c 'import _interpreters' 2>/dev/null && sub=_interpreters
everything='import json.tool, app, app.inner.leaf, app.inner.other, hashed, multiprocessing.forkserver, multiprocessing.spawn, multiprocessing.popen_spawn_posix, multiprocessing.popen_forkserver, multiprocessing.pool, concurrent.futures.process, threading, ctypes, decimal, email.mime.text, '$sub
recorded life "$python" -c "$everything" || exit 1

t 'a module that the job writes anew is read anew: in this process and in others' '
    served "$python" -c "
import importlib, app.inner.leaf as leaf
assert leaf.value == \"leaf\"
open(leaf.__file__, \"w\").write(\"value = \\\"written\\\"\")
assert importlib.reload(leaf).value == \"written\", leaf.value"
    served "$python" -c "import app.inner.leaf as l; assert l.value == \"written\", l.value; import app.inner.other as o; assert o.value == \"other\""
'
t 'a module that appears is found, one that goes away is not' '
    served "$python" -c "
import os, app
open(os.path.dirname(app.__file__) + \"/fresh.py\", \"w\").write(\"x = 1\")
import app.fresh
os.remove(os.path.dirname(app.__file__) + \"/inner/other.py\")"
    served "$python" -c "import app.fresh"
    fails=0; served "$python" -c "import app.inner.other" 2>err || fails=1
    test $fails = 1
    says "ModuleNotFoundError" err
    rm -rf "$APP"; "$here/python/make_app" "$APP" "$python"; loadcast check "$image" >/dev/null 2>&1; stage
'
t 'bytecode that the job compiles anew is used' '
    served "$python" -c "
import py_compile, app.inner.leaf as l
open(l.__file__, \"w\").write(\"value = 2\")
py_compile.compile(l.__file__)"
    served "$python" -c "import app.inner.leaf as l; assert l.value == 2"
    rm -rf "$APP"; "$here/python/make_app" "$APP" "$python"; loadcast check "$image" >/dev/null 2>&1; stage
'
t 'a source changed before the job is seen after check' '
    echo "count = 5" >>"$APP/app/__init__.py"
    loadcast check "$image" >/dev/null 2>&1
    stage
    both "$python" -c "import app; print(app.count)"
    says 5 served
'
t 'bytecode that only the image has, compiled by record, is served' '
    mkdir -p "$APP/bare"; echo "value = \"bare\"" >"$APP/bare/__init__.py"; touch -d 2020-01-01 "$APP/bare/__init__.py"
    recorded bare "$python" -c "import bare"
    before=$(modules)
    LOADCAST_PYTHON=0 served "$python" -c "import bare"
    test "$(modules)" = "$before"
    loadcast status --json >status
    "$python" -c "import json; assert not [p for n in json.load(open(\"status\")) for p in n[\"passed_paths\"] if \"bare\" in p[\"path\"]]"
    both "$python" -c "import bare; print(bare.__cached__, bare.value)"
    test "$(modules)" -gt "$before"
    test ! -e "$APP/bare/__pycache__"
    rm -r "$APP/bare"
'
stage
t 'threads that import at once' '
    both "$python" -c "
import sys, threading, importlib
names = [\"json\", \"email.mime.text\", \"decimal\", \"app.inner.leaf\", \"hashed\", \"ctypes\"]
start = threading.Barrier(24)
def run(i):
    start.wait()
    for n in names[i % 6:] + names:
        importlib.import_module(n)
sys.setswitchinterval(1e-6)
ts = [threading.Thread(target=run, args=(i,)) for i in range(24)]
[t.start() for t in ts]; [t.join() for t in ts]
print([sys.modules[n].__file__ for n in names])"
'
t 'a daemon thread that is in a loader when the interpreter ends' '
    both "$python" -c "
import importlib.machinery, threading, time, app
class Loader(importlib.machinery.SourceFileLoader):
    def get_data(self, path):
        began.set()
        while True:
            time.sleep(0.0001)
began = threading.Event()
threading.Thread(target=lambda: Loader(\"app\", app.__file__).get_code(\"app\"), daemon=True).start()
began.wait()
print(\"end\")"
'
t 'multiprocessing: fork, spawn, forkserver' '
    cat >pool.py <<P
import multiprocessing, sys
def work(n):
    import app.inner.leaf
    return n * n, app.inner.leaf.value, type(app.__spec__.loader).__name__
if __name__ == "__main__":
    for how in "fork", "spawn", "forkserver":
        with multiprocessing.get_context(how).Pool(2) as pool:
            print(how, pool.map(work, range(4)))
P
    both "$python" pool.py
'
t 'interpreters within the interpreter' '
    both "$python" -c "
import $sub as i, json
for _ in range(3):
    s = i.create()
    i.run_string(s, \"import json, app, importlib.machinery as m; print(json.__file__, app.__spec__, json.dumps(1))\")
    i.destroy(s)
print(json.__spec__)"
'
t 'a Python inside another program, with modules of its own, started twice' '
    command -v python3-config >/dev/null || skip "no python3-config"
    cc -o embed "$here/python/embed.c" $(python3-config --embed --cflags --ldflags) 2>err || skip "no libpython to link"
    both ./embed
    before=$(modules); served ./embed >/dev/null; test "$(modules)" -gt "$before"
'
t 'who replaced a loader method, or the path of bytecode, is heard' '
    both "$python" -c "
import sys, importlib.machinery as m
old = m.SourceFileLoader.get_data
def get_data(self, path):
    print(\"get_data\", path)
    return old(self, path)
m.SourceFileLoader.get_data = get_data
import app.inner.leaf
m.SourceFileLoader.get_data = old
sys.pycache_prefix = \"/nowhere\"
import app.inner.other
print(app.inner.other.__cached__, app.inner.leaf.__cached__)
sys.pycache_prefix = None
import hashed
print(hashed.value)"
'
t 'audit hooks hear of each module as ever; one may forbid' '
    both "$python" -c "
import sys, importlib.util
def hook(event, args):
    if event in (\"open\", \"import\", \"marshal.loads\", \"exec\", \"compile\"):
        print(event, [a[:4] if isinstance(a, bytes) else a for a in args if not isinstance(a, list)])
        if event == \"open\" and \"other\" in str(args[0]):
            raise RuntimeError(\"forbidden\")
sys.addaudithook(hook)
import app.inner.leaf
try:
    import app.inner.other
except RuntimeError as e:
    print(e)"
'
t 'a tracing function, warnings as errors, a full recursion do not confuse it' '
    both "$python" -c "
import sys, importlib
sys.settrace(lambda *a: None)
import app.inner.leaf
sys.settrace(None)
def deep(n):
    try:
        deep(n + 1)
    except RecursionError:
        import app.inner.other
        raise
try:
    deep(0)
except RecursionError:
    print(\"deep\")
import app.inner.other
print(app.inner.other.value)"
'
t 'directories with names beyond ASCII, relative ones, links and unreadable ones' '
    mkdir -p "naïve" rel; echo "v = 1" >"naïve/mod_a.py"; echo "v = 2" >rel/mod_b.py; ln -sfn "$APP" linked
    both "$python" -c "
import sys
sys.path[:0] = [\"naïve\", \"rel\", \"linked\", \"linked/../app\", \"$APP//\", \"/dev/null\", b\"x\".decode(), \"\\udcff\"]
sys.path.remove(\"$APP\")
import mod_a, mod_b, app.inner
print(mod_a.__file__, mod_b.__file__, app.inner.__file__, app.__path__)"
'
t 'a virtual environment' '
    "$python" -m venv --without-pip env 2>err || skip "no venv"
    both env/bin/python -c "import sys, json, app; print(sys.prefix, sys.executable, json.__file__, app.__spec__.origin)"
'
for damage in missing empty cut garbage foreign open; do
    t "bytecode of the node $damage: read from its files instead" '
        stage
        node=$(node)
        chmod 644 "$node/code"
        case $damage in
        missing) rm "$node/code" ;;
        empty) : >"$node/code" ;;
        cut) head -c 1000 "$node/code" >c; cat c >"$node/code" ;;
        garbage) head -c 20000 /dev/urandom >"$node/code" ;;
        foreign) printf "LCCODE_1xxxxxxxx" | dd of="$node/code" conv=notrunc status=none ;;
        open) chmod 666 "$node/code" ;;
        esac
        before=$(modules)
        both "$python" -c "import json.tool, app.inner.leaf as l; print(l.value)"
        test "$(modules)" -gt "$before"
    '
done
t 'a directory that was moved switches it off' '
    stage
    served "$python" -c "
import os, app
d = os.path.dirname(app.__file__)
os.rename(d + \"/inner\", d + \"/moved\")
try:
    import app.inner.leaf
except ModuleNotFoundError:
    import app.moved.leaf
else:
    raise SystemExit(\"found\")"
'
finish
