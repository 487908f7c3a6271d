# SPDX-License-Identifier: MIT
# Data beside code: importlib.resources, pkgutil, inspect, linecache, tracebacks.
import importlib.resources, inspect, pkgutil, traceback
import package, package.module, package.inner.leaf
print(importlib.resources.files("package").joinpath("data.txt").read_text())
with importlib.resources.as_file(importlib.resources.files(package) / "data.txt") as p:
    print(p)
print(sorted(t.name for t in importlib.resources.files(package).iterdir() if t.name != "__pycache__"))
print(pkgutil.get_data("package", "data.txt"))
print(sorted((m.name, m.ispkg) for m in pkgutil.walk_packages(["python"])  if m.name not in ("raises",)))
print(inspect.getsource(package.module.where), inspect.getsourcefile(package.inner.leaf))
try:
    package.module.fails()
except ValueError:
    print(traceback.format_exc())
