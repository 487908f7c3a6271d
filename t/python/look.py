"""What a program can see of its imports: printed, to be compared between a plain and a served run."""
import importlib
import importlib.machinery
import importlib.resources
import importlib.util
import inspect
import linecache
import os
import pkgutil
import sys
import traceback


def tell(*what):
    print(*what)



def look_at(name):
    module = importlib.import_module(name)
    spec = module.__spec__
    tell("module", name, getattr(module, "__file__", "-"), getattr(module, "__cached__", "-"),
         module.__package__, list(getattr(module, "__path__", [])))
    tell("  spec", spec.name, spec.origin, spec.cached, spec.has_location, spec.parent,
         None if spec.submodule_search_locations is None else list(spec.submodule_search_locations),
         sorted(k for k in spec.__dict__), spec.loader_state)
    tell("  attributes", [k for k in module.__dict__ if k.startswith("__")])
    loader = spec.loader
    tell("  loader", type(loader), type(loader) is importlib.machinery.SourceFileLoader,
         loader is module.__loader__, getattr(loader, "name", "-"), getattr(loader, "path", "-"))
    if isinstance(loader, importlib.machinery.SourceFileLoader):
        code = loader.get_code(name)
        tell("  code", code.co_filename, code.co_name, len(code.co_consts), loader.get_filename(name),
             loader.is_package(name), hash(loader.get_source(name)) == hash(open(loader.path, encoding="utf-8").read()))
        tell("  again", loader == type(loader)(name, loader.path), importlib.util.find_spec(name) == spec)


sys.path.insert(1, os.environ["APP"])
sys.path.append(os.environ["APP"] + "/inside.zip")
for each in ("json", "json.decoder", "email.mime.text", "xml", "ctypes", "app", "app.inner", "app.inner.leaf", "space", "space.part", "_json",
             "sourceless", "zipped", "hashed", "stale"):
    look_at(each)

tell("hooks", [getattr(h, "__qualname__", h) for h in sys.path_hooks], [getattr(f, "__name__", f) for f in sys.meta_path])
tell("cache", sorted((k, type(v).__name__) for k, v in sys.path_importer_cache.items() if not k.startswith(os.getcwd())))
tell("modules", sorted(sys.modules))
for absent in ("app.nothing", "nothing_at_all", "json.nothing", "app.in/ner", "app.", "app.sp ace", "app.inner.leaf.too"):
    try:
        tell("absent", absent, importlib.util.find_spec(absent))
    except Exception as e:
        tell("absent", absent, type(e), e)
    try:
        importlib.import_module(absent)
    except Exception as e:
        tell("import", absent, type(e), e, getattr(e, "name", "-"), getattr(e, "path", "-"))

finder = importlib.machinery.PathFinder
tell("direct", finder.find_spec("json").origin, finder.find_spec("app", [os.environ["APP"]]).origin,
     finder.find_spec("leaf", [os.environ["APP"] + "/app/inner"]).origin, finder.find_spec(fullname="json", path=None, target=None).origin,
     finder.find_spec("json", ["/nowhere"]), inspect.signature(finder.find_spec))
own = importlib.machinery.FileFinder(os.environ["APP"] + "/app", (importlib.machinery.SourceFileLoader, [".py"]))
tell("own", own.find_spec("inner").origin, own.find_spec(fullname="inner", target=None).name, own.find_spec("nothing"), own,
     inspect.signature(type(own).find_spec), inspect.signature(importlib.machinery.SourceFileLoader.get_code))
for wrong in (lambda: own.find_spec(), lambda: own.find_spec("a", "b", "c"), lambda: own.find_spec(3), lambda: finder.find_spec()):
    try:
        tell("wrong", wrong())
    except Exception as e:
        tell("wrong", type(e))
try:
    importlib.machinery.SourceFileLoader("app", os.environ["APP"] + "/app/__init__.py").get_code("other")
except ImportError as e:
    tell("name", e)
tell("pkgutil", [m.name for m in pkgutil.walk_packages([os.environ["APP"]])], pkgutil.get_data("app", "data.txt"))
try:
    tell("resource", importlib.resources.files("app").joinpath("data.txt").read_text())
except AttributeError:
    tell("resource", importlib.resources.read_text("app", "data.txt"))

import app

tell("source", inspect.getsource(app.fail), inspect.getsourcefile(app), inspect.getmodule(app.fail).__name__)
try:
    app.fail()
except ZeroDivisionError:
    tell("traceback", traceback.format_exc())
try:
    importlib.import_module("app.broken")
except ZeroDivisionError:
    tell("traceback", traceback.format_exc(), "app.broken" in sys.modules)
try:
    importlib.import_module("app.syntax")
except SyntaxError as e:
    tell("syntax", e, e.filename, e.lineno)
before = app.__dict__["count"]
app.count = 7
again = importlib.reload(app)
tell("reload", again is app, before, app.count, linecache.getline(app.__file__, 1))


class Loader(importlib.machinery.SourceFileLoader):
    def get_data(self, path):
        tell("loader asked for", path)
        return super().get_data(path)


tell("subclass", Loader("app", app.__file__).get_code("app").co_filename)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return importlib.machinery.ModuleSpec("made", None, is_package=True) if name == "made" else None


sys.meta_path.insert(0, Finder)
importlib.invalidate_caches()
import made
import app.inner.other

tell("meta", made.__path__, app.inner.other.__file__, sys.exc_info())
