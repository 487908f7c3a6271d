# SPDX-License-Identifier: MIT
# Modules that import each other, also from several threads; names taken from a package; a directory of sys.path that
# gets a module later; built-in and frozen modules.
import importlib, importlib.machinery, os, shutil, sys, tempfile, threading, _imp

top = tempfile.mkdtemp()
os.chdir(top)
sys.path.insert(0, "")

def write(name, text):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as f:
        f.write(text)

write("ring/__init__.py", "from . import one\nfrom .one import first\n__all__ = ['two', 'first']\nasked = []\n"
      "def __getattr__(name):\n    asked.append(name)\n    if name == 'made': return 7\n    raise AttributeError(name)\n")
write("ring/one.py", "from . import two\nimport ring.two\nfirst = 1\n")
write("ring/two.py", "import ring, ring.one\nfrom ring import one\nhas = hasattr(one, 'first')\n")
import ring
print(ring.one.first, ring.two.has, sorted(n for n in sys.modules if n.startswith("ring")))
from ring import made
print(made, ring.asked)
try:
    from ring import missing
except ImportError as e:
    print(e.name, str(e).split(" (")[0], ring.asked)
from ring import *
print(two is ring.two, first, ring.asked)
for bad in ((1,), ("two", 2), ("",)):
    try:
        print(__import__("ring", None, None, bad).__name__)
    except Exception as e:
        print(type(e).__name__, e)
print(__import__("ring", None, None, ["two"]).two is two, __import__("ring.two", None, None, ("has",)) is two)

# A module that appears, in the working directory and in one that was entered later.
for place in (".", "elsewhere"):
    os.makedirs(place, exist_ok=True)
    os.chdir(place)
    for name in ("later", "later_pkg"):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as e:
            print(e)
    write("later.py", "where = 'file'\n")
    write("later_pkg/__init__.py", "where = 'package'\n")
    os.utime(".", (1, 1))
    importlib.invalidate_caches()
    print(importlib.import_module("later").where, importlib.import_module("later_pkg").where)
    print(os.path.relpath(sys.modules["later"].__file__, top))
    del sys.modules["later"], sys.modules["later_pkg"]
os.chdir(top)

# Threads: each sees the whole module, whoever runs it; a cycle between two threads ends.
write("slow.py", "import time\ntime.sleep(0.1)\nvalue = 5\n")
write("left.py", "import time\ntime.sleep(0.05)\nimport right\nname = 'left'\n")
write("right.py", "import time\ntime.sleep(0.05)\nimport left\nname = 'right'\n")
importlib.invalidate_caches()
seen = []
threads = [threading.Thread(target=lambda: seen.append(importlib.import_module("slow").value)) for _ in range(8)]
threads += [threading.Thread(target=importlib.import_module, args=(n,)) for n in ("left", "right")]
[t.start() for t in threads]
[t.join() for t in threads]
print(seen, sys.modules["left"].name, sys.modules["right"].name, _imp.lock_held())

# The locks of modules: one for each import that runs, held by its thread, seen and forgotten; wherever the import ends.
boot = importlib._bootstrap
write("locked.py", "import importlib, threading\nlock = importlib._bootstrap._module_locks[__name__]()\n"
      "mine = lock.owner == threading.get_ident()\nkeys = list(vars(lock))\nwhat = (type(lock).__name__, lock.name, repr(lock)[:14])\n"
      "import again\n")
write("again.py", "import locked, importlib\nowned = locked.lock.owner is not None\nnames = sorted(importlib._bootstrap._module_locks)\n")
write("broken.py", "1 / 0\n")
importlib.invalidate_caches()
import locked
print(locked.mine, locked.what, locked.keys, locked.again.owned, locked.again.names, locked.lock.owner)
for name in ("broken", "locked.none", "nowhere"):
    try:
        importlib.import_module(name)
    except Exception as e:
        print(type(e).__name__, e)
del locked.lock
print(dict(boot._module_locks))
manager = boot._ModuleLockManager("some")
for way in ("once", "twice"):
    with manager as entered:
        print(way, entered, boot._module_locks["some"]() is manager._lock, manager._name)
        with boot._ModuleLockManager("some"):
            print(manager._lock.owner == threading.get_ident())
manager._lock = None
print(dict(boot._module_locks))

# A thread that comes while another imports waits, is let in, and finds the lock as its own.
held, order = threading.Event(), []
def waits():
    with boot._ModuleLockManager("some"):
        order.append("second")
with boot._ModuleLockManager("some") as nothing:
    lock = boot._module_locks["some"]()
    thread = threading.Thread(target=waits)
    thread.start()
    while not lock.waiters:
        pass
    order.append("first")
thread.join()
print(order, lock.owner, not lock.count, not lock.waiters)
del lock
print(dict(boot._module_locks))

# Functions of threads that somebody has replaced are called.
import _thread
calls, ident = [], _thread.get_ident
_thread.get_ident = lambda: calls.append(1) or ident()
with boot._ModuleLockManager("some"):
    pass
_thread.get_ident = ident
print(len(calls))

made = boot._new_module("fresh")
print(type(made), vars(made), made)
write("stars/__init__.py", "__all__ = ['here', 'part']\nhere = 1\n")
write("stars/part.py", "value = 2\n")
write("odd.py", "__all__ = ('x', 3)\nx = 1\n")
importlib.invalidate_caches()
from stars import *
print(here, part.value)
for package in ("stars", "odd", "ring", "os"):
    for names in (("*",), ["*"], ("*", "*"), [], ["here", "*"]):
        try:
            print(package, names, boot._handle_fromlist(importlib.import_module(package), names, __import__).__name__)
        except Exception as e:
            print(package, names, type(e).__name__, e)

Builtin, Frozen = importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter
for name in ("sys", "_frozen_importlib", "zipimport", "os", "none", "a.b"):
    for importer in (Builtin, Frozen):
        spec = importer.find_spec(name)
        print(name, importer.__name__, spec and (spec.name, spec.origin, spec.loader is importer))
print(Builtin.find_spec(fullname="sys", path=None).origin, Builtin.find_spec("none", path=["x"]))
for wrong in ((), (1,), ("a", "b", "c", "d", "e")):
    try:
        print(Frozen.find_spec(*wrong))
    except Exception as e:
        print(type(e).__name__)
with importlib._bootstrap._ImportLockContext() as entered:
    print(entered, _imp.lock_held())
print(_imp.lock_held())
os.chdir("/")
shutil.rmtree(top)
