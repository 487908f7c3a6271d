# SPDX-License-Identifier: MIT
# Build a relocatable Python environment: make_env.py OUT PACKAGE...
# Run by the interpreter that is to be copied (Debian's, a virtual environment's, conda's, pyenv's).
#
# OUT/bin/python3 finds its library beside itself, so that the environment runs wherever it is moved;
# libraries that packages need from outside the C library and MPI are in OUT/lib, which OUT/bin/activate
# (it finds itself, too) and 'loadcast bench' put in LD_LIBRARY_PATH. No bytecode: that is made where
# it will stand. Prints one line of JSON about what was made.
import json
import os
import shutil
import subprocess
import sys
import sysconfig

OUT = os.path.abspath(sys.argv[1])
PACKAGES = sys.argv[2:]
VERSION = "python%d.%d" % sys.version_info[:2]
# The C library belongs to the node's kernel and loader; MPI to its network and launcher.
STAYS = ("ld-", "libc.so", "libc-", "libm.so", "libm-", "libdl", "libpthread", "librt.so", "librt-", "libresolv",
         "libutil", "libnss", "libmpi", "libopen-", "libpmi", "libucp", "libuct", "libucs", "libucm", "libfabric",
         "libpsm", "libibverbs", "librdmacm", "libnl-", "libhwloc", "libevent", "libmunge", "libslurm",
         "libcuda", "libnvidia", "liblustre")
ACTIVATE = """# source this file: it works wherever the environment was moved to. bash and zsh know where that is;
# for other shells set VIRTUAL_ENV first.
[ -z "${BASH_SOURCE:-}${ZSH_VERSION:-}" ] || VIRTUAL_ENV=$(cd "$(dirname "${BASH_SOURCE:-$0}")/.." && pwd)
PATH=$VIRTUAL_ENV/bin:$PATH
LD_LIBRARY_PATH=$VIRTUAL_ENV/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export VIRTUAL_ENV PATH LD_LIBRARY_PATH
"""
LOADED = """
import sys
for name in sys.argv[1:]:
    __import__(name)
roots = set(name.partition(".")[0] for name in sys.modules)
for name in sorted(roots):
    module = sys.modules.get(name)
    path = getattr(module, "__file__", None) or (list(getattr(module, "__path__", [])) or [None])[0]
    if path:
        print("module", name, path)
for line in open("/proc/self/maps"):
    fields = line.split(None, 5)
    if len(fields) == 6 and ".so" in fields[5]:
        print("object", "-", fields[5].strip())
"""


def copy_tree(source, target):
    copy_directory(source, target, shutil.ignore_patterns(
        "__pycache__", "*.pyc", "test", "tests", "idlelib", "turtledemo", "config-*", "site-packages", "dist-packages",
        "sitecustomize.py", "EXTERNALLY-MANAGED"))


def copy_package(source, target):
    copy_directory(source, target, shutil.ignore_patterns("__pycache__", "*.pyc"))


def copy_directory(source, target, ignore):
    """Links inside the tree stay links; of those that lead out of it, what they lead to is copied."""
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=ignore)
    top = os.path.realpath(source) + os.sep
    for directory, folders, names in os.walk(target):
        for name in folders + names:
            link = os.path.join(directory, name)
            origin = os.path.join(source, os.path.relpath(link, target))
            if os.path.islink(link) and leads_out(origin, top):
                replace_link(link, origin, ignore)


def leads_out(link, top):
    to = os.readlink(link)
    return os.path.isabs(to) or not os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(link)), to)).startswith(top)


def replace_link(link, origin, ignore):
    if not os.path.exists(origin):
        return  # it leads nowhere, there and here
    os.unlink(link)
    if os.path.isdir(origin):
        shutil.copytree(os.path.realpath(origin), link, symlinks=False, ignore=ignore, ignore_dangling_symlinks=True)
    else:
        shutil.copy2(origin, link)


def look():
    """Modules that importing PACKAGES loads, {root name: file}, and shared objects, in a process apart."""
    done = subprocess.run([sys.executable, "-c", LOADED] + PACKAGES, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit("%s cannot import them: %s" % (sys.executable, done.stderr.decode().strip().rpartition("\n")[2]))
    modules, objects = {}, set()
    for line in done.stdout.decode().splitlines():
        kind, name, path = line.split(" ", 2)
        if kind == "module":
            modules[name] = path
        else:
            objects.add(path)
    return modules, objects


def copy_interpreter():
    binary = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    os.makedirs(OUT + "/bin", exist_ok=True)
    shutil.copy2(binary, OUT + "/bin/python3")
    for name in ("python", VERSION):
        if not os.path.lexists(OUT + "/bin/" + name):
            os.symlink("python3", OUT + "/bin/" + name)
    copy_tree(sysconfig.get_path("stdlib"), OUT + "/lib/" + VERSION)
    platform = sysconfig.get_path("platstdlib")
    if platform != sysconfig.get_path("stdlib") and os.path.isdir(platform) and platform.startswith(sys.base_prefix):
        copy_tree(platform, OUT + "/lib/" + VERSION)
    with open(OUT + "/bin/activate", "w") as file:
        file.write(ACTIVATE)


def site_directory():
    """Where the copied interpreter looks for packages: distributions disagree."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    said = subprocess.run([OUT + "/bin/python3", "-B", "-c", "import site; print('\\n'.join(site.getsitepackages()))"],
                          check=True, stdout=subprocess.PIPE, env=dict(clean, LD_LIBRARY_PATH=OUT + "/lib"))
    inside = [line for line in said.stdout.decode().splitlines() if line.startswith(OUT + "/")]
    if not inside:
        sys.exit("the copied interpreter does not find itself in '%s'" % OUT)
    return [line for line in inside if "/local/" not in line][0]


def is_own(path):
    """Part of the standard library?"""
    return not ("site-packages" in path or "dist-packages" in path) and path.startswith(
        (sysconfig.get_path("stdlib") + "/", sysconfig.get_path("platstdlib") + "/"))


def copy_packages(modules, site):
    os.makedirs(site, exist_ok=True)
    for name, path in modules.items():
        if is_own(path) or path.startswith(OUT) or path == "<frozen>" or name == "__main__":
            continue
        directory = os.path.dirname(path)
        if os.path.basename(path).startswith("__init__.") or os.path.isdir(path):
            directory = path if os.path.isdir(path) else directory
            copy_package(directory, os.path.join(site, os.path.basename(directory)))
            directory = os.path.dirname(directory)
        elif os.path.isfile(path):
            shutil.copy2(path, site)
        copy_beside(name, directory, site)


def copy_beside(name, directory, site):
    """A wheel's own libraries and what importlib.metadata asks for."""
    plain = name.lower().replace("-", "_")
    for entry in os.listdir(directory):
        root = entry.lower().replace("-", "_").partition(".")[0].partition("_")[0]
        if entry.endswith((".dist-info", ".egg-info", ".libs")) and root == plain.partition("_")[0]:
            source = os.path.join(directory, entry)
            if os.path.isdir(source):
                copy_package(source, os.path.join(site, entry))
            else:
                shutil.copy2(source, site)


def copy_objects(objects):
    """Shared libraries from outside the copied trees, under the names the loader asks for."""
    os.makedirs(OUT + "/lib", exist_ok=True)
    for path in sorted(objects):
        name = os.path.basename(path)
        if name.startswith(STAYS) or "-packages/" in path or is_own(path) or not os.path.isfile(path):
            continue
        shutil.copy2(path, os.path.join(OUT, "lib", soname(path) or name))


def soname(path):
    said = subprocess.run(["readelf", "-d", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout \
        if shutil.which("readelf") else b""
    for line in said.decode(errors="replace").splitlines():
        if "(SONAME)" in line:
            return line.partition("[")[2].partition("]")[0]
    # Without readelf: libx.so.1.2.3 is asked for as libx.so.1.
    parts = os.path.basename(path).partition(".so.")
    return parts[0] + ".so." + parts[2].partition(".")[0] if parts[2] else None


def copy_pip(site):
    """pip, where the interpreter has it: an environment is for its user to add to."""
    said = subprocess.run([sys.executable, "-c", "import pip; print(pip.__file__)"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if said.returncode == 0:
        copy_packages({"pip": said.stdout.decode().strip()}, site)


def import_moved():
    """Every package must be importable where the environment stands now, which is not where it was made."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    moved = OUT + ".moved"
    os.rename(OUT, moved)
    try:
        for name in PACKAGES:
            done = subprocess.run([moved + "/bin/python3", "-B", "-c", "import sys; __import__(sys.argv[1])", name],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/",
                                  env=dict(clean, LD_LIBRARY_PATH=moved + "/lib", PYTHONNOUSERSITE="1"))
            if done.returncode:
                sys.exit("'%s' cannot be imported in the copied environment: %s" % (
                    name, done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or "status %d" % done.returncode))
    finally:
        os.rename(moved, OUT)


def main():
    modules, objects = look()
    copy_interpreter()
    copy_objects(objects)
    site = site_directory()
    copy_packages(modules, site)
    copy_pip(site)
    import_moved()
    files = sum(len(names) for _, _, names in os.walk(OUT))
    print(json.dumps({"python": sys.version.split()[0], "from": sys.executable, "packages": PACKAGES, "files": files,
                      "site": os.path.relpath(site, OUT)}))


main()
