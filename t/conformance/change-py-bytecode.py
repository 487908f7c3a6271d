# SPDX-License-Identifier: MIT
# Bytecode: compiled, found stale, written elsewhere.
import compileall, importlib.util, os, py_compile, subprocess, sys
print(compileall.compile_dir("python/package", quiet=2, force=True))
print(sorted(os.listdir("python/package/__pycache__")))
run = lambda code, **env: print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **env}))
run("import package.module; print(package.module.value)")
open("python/package/module.py", "a").write("value = 'second'\n")
run("import package.module; print(package.module.value)")
run("import plain; print(plain.__cached__)", PYTHONPYCACHEPREFIX=os.path.abspath("data/prefix"))
print(os.path.isdir("data/prefix"))
os.remove(importlib.util.cache_from_source("python/package/module.py"))
run("import package.module; print(package.module.value)")
print(sorted(os.listdir("python/package/__pycache__")))
