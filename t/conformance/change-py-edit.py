# SPDX-License-Identifier: MIT
# A module edited, added, removed while the program runs.
import importlib, os, sys, time
sys.dont_write_bytecode = True
import plain
print(plain.value)
open("python/plain.py", "w").write("value = 'edited, and longer than before'\n")
importlib.invalidate_caches()
print(importlib.reload(plain).value)
try:
    import newcomer
except ImportError as e:
    print(e)
open("python/newcomer.py", "w").write("value = 'new'\n")
importlib.invalidate_caches()
import newcomer
print(newcomer.value, newcomer.__file__)
os.remove("python/package/inner/leaf.py")
importlib.invalidate_caches()
try:
    import package.inner.leaf
    print(package.inner.leaf.__file__)
except ImportError as e:
    print(e)
os.mkdir("python/fresh")
open("python/fresh/__init__.py", "w").write("value = 7\n")
importlib.invalidate_caches()
import fresh
print(fresh.value, sorted(n for n in os.listdir("python/fresh") if n != "__pycache__"))
