# SPDX-License-Identifier: MIT
# Packages, modules, extensions, namespace packages, zip files: where they say they come from.
import importlib, sys, zipfile
import package, package.module, package.inner.leaf, plain
import spread.left, spread.right
for m in (package, package.module, package.inner.leaf, plain, spread.left, spread.right):
    print(m.__name__, m.__file__, m.__cached__, type(m.__loader__).__name__, m.__spec__.origin)
print(list(spread.__path__), spread.__spec__.submodule_search_locations is not None)
for name in ("absent", "package.absent", "plain.absent", "broken", "raises"):
    try:
        importlib.import_module(name)
    except BaseException as e:
        print(name, type(e).__name__, e)
sys.path.insert(0, "python/archive.zip")
import zipped
print(zipped.__file__, zipped.value, type(zipped.__loader__).__name__)
print(package.module.where())
