#!/bin/sh
# An audit hook (sys.addaudithook) hears of every file that an import opens, whether its bytecode was there or
# was compiled into the image; and bytecode that exists in the image only is not claimed to exist.
. "$(dirname "$0")/../lib.sh"
need_ptrace
export LOADCAST_DIR=$tmp/node PYTHONDONTWRITEBYTECODE=1
mkdir -p node app/package app/old
echo 'import package.part' >app/package/__init__.py
echo 'x = 1' >app/package/part.py
echo 'y = 1' >app/compiled.py
echo 'z = 1' >app/old/stale.py
(unset PYTHONDONTWRITEBYTECODE; cd app && "$python" -c 'import compiled; import old.stale')
echo 'z = 22' >app/old/stale.py
cat >hear.py <<'PY'
import os, sys
heard, deny = [], sys.argv[1:]
def hook(event, args):
    if event == "open" and not isinstance(args[0], int):
        heard.append(args)
        if deny and str(args[0]).endswith(deny[0]):
            raise RuntimeError("not this one")
sys.path.insert(0, "app")
sys.addaudithook(hook)
import compiled, package, old.stale
print(old.stale.z)
modules = [compiled, package, package.part, old.stale]
print(*heard, sep="\n")
print([os.path.exists(m.__cached__) for m in modules], [m.__spec__.cached for m in modules])
for m in modules:
    try:
        print(len(open(m.__cached__, "rb").read()) > 16, os.stat(m.__cached__).st_size > 16)
    except OSError as error:
        print(error)
    print(sorted(os.listdir(os.path.dirname(m.__cached__))) if os.path.isdir(os.path.dirname(m.__cached__)) else None)
PY
loadcast record -o app.lcast --manage "$tmp/app" -- "$python" hear.py >recorded 2>record.err

t 'the same opens, and the same files exist' '
    "$python" hear.py >plain 2>plain.err
    says "package/part.py" plain
    loadcast exec -q app.lcast -- "$python" hear.py >served 2>served.err
    same plain served
    same plain.err served.err
    says "3 modules had no good bytecode and were compiled" record.err
'
t 'a hook that forbids a source or its bytecode is obeyed' '
    for deny in /part.py /compiled.cpython-$("$python" -c "import sys; print(\"%d%d\" % sys.version_info[:2])").pyc /stale.py; do
        code 1 "$python" hear.py "$deny"
        grep -v "frozen importlib" err >plain
        code 1 loadcast exec -q app.lcast -- "$python" hear.py "$deny"
        grep -v "frozen importlib" err >served
        says "not this one" served
        same plain served
    done
'
t 'without the import seam modules are compiled as ever' '
    "$python" hear.py | grep -v stale >plain
    LOADCAST_PYTHON=0 loadcast exec -q app.lcast -- "$python" hear.py | grep -v stale >served
    same plain served
'
finish
