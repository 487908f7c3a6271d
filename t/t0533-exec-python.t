#!/bin/sh
# Pythons as people have them: relocated, in environments and views, behind links, with all the ways to
# find a module and to start a child. Same output as plain, nothing asked of the slow disk.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
"$here/python_tree" "$tmp/tree" || skip_all 'no Python to copy'
version=$(basename "$tmp"/tree/lib/python3.*)
cc=${CC:-cc}
# Nothing but numpy is needed of the packages, and that only once.
rm -rf tree/lib/python3/dist-packages/scipy tree/lib/python3/dist-packages/mpi4py
mkdir tree/home
disk_options=--rw
zero_disk "$tmp/tree"
# No variables: a Python finds its own home. $job_variables are a test's own.
job() { (cd "$tmp/work" && exec env HOME="$m/home" PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 ${job_variables:-} "$@"); }
# script NAME <<P: a program on the slow disk; its directory is not software, so it is asked for by name
script() {
    mkdir -p "tree/scripts/$1"
    cat >"tree/scripts/$1/run.py"
}
compile() { "$m/bin/python3" -m compileall -q "$@" >/dev/null 2>&1; }

t 'a static libpython in a prefix of its own, found from where it stands' '
    zero "$m/bin/python3" -c "import sys, json, os, ctypes; print(sys.prefix, sys.executable, json.__file__, sys.path)"
    says "$m $m/bin/python3" served
'
t 'the same prefix copied to another place' '
    mkdir tree/moved && cp -al tree/bin tree/lib tree/moved/
    zero "$m/moved/bin/python3" -c "import sys, json, sysconfig; print(sys.prefix, json.__file__, sysconfig.get_path(\"stdlib\"))"
    says "$m/moved/lib/$version/json" served
'
t 'a shared libpython behind $ORIGIN, embedded in a program' '
    config=$(command -v $version-config || command -v python3-config) || skip "no python3-config"
    shared=$(ls /usr/lib/*/lib$version.so.1.0 2>/dev/null) || skip "no shared libpython"
    cp "$shared" tree/lib/ && ln -sf lib$version.so.1.0 tree/lib/lib$version.so
    echo "#include <Python.h>
int main(int argc, char **argv) { return Py_BytesMain(argc, argv); }" >embed.c
    $cc $("$config" --includes) embed.c -o tree/bin/embed -Ltree/lib -l$version -Wl,-rpath,"\$ORIGIN/../lib"
    zero "$m/bin/embed" -c "import sys, json; print(sys.prefix, sys.executable, json.__file__)"
    says "$m/lib/$version/json" served
'
t 'a virtual environment, with a package of its own' '
    "$m/bin/python3" -m venv --without-pip "$m/venv"
    mkdir tree/venv/lib/$version/site-packages/mine
    echo "import json; here = __file__" >tree/venv/lib/$version/site-packages/mine/__init__.py
    compile "$m/venv/lib"
    zero "$m/venv/bin/python3" -c "import sys, mine; print(sys.prefix, sys.base_prefix, sys.executable, mine.here, sys.path)"
    says "$m/venv $m $m/venv/bin/python3" served
'
t 'editable installs: a path in a .pth file, and a finder' '
    mkdir -p tree/src/plain_project tree/src/found_project/found
    echo "here = __file__" >tree/src/plain_project/plain.py
    echo "here = __file__" >tree/src/found_project/found/__init__.py
    site=tree/venv/lib/$version/site-packages
    echo "$m/src/plain_project" >$site/plain.pth
    echo "import __editable___found_finder; __editable___found_finder.install()" >$site/__editable__.found.pth
    cat >$site/__editable___found_finder.py <<P
import sys
from importlib.util import spec_from_file_location
MAPPING = {"found": "$m/src/found_project/found"}
class Finder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            return spec_from_file_location(fullname, MAPPING[fullname] + "/__init__.py", submodule_search_locations=[MAPPING[fullname]])
def install():
    sys.meta_path.append(Finder)
P
    compile "$m/venv/lib" "$m/src"
    zero "$m/venv/bin/python3" -c "import plain, found; print(plain.here, found.here)"
    says "$m/src/plain_project/plain.py $m/src/found_project/found" served
'
t 'a view of links over separate prefixes' '
    mkdir -p tree/view/bin tree/view/lib/$version/site-packages tree/opt/tool-1.0/lib/$version/site-packages/tool
    echo "import tool.part; here = __file__" >tree/opt/tool-1.0/lib/$version/site-packages/tool/__init__.py
    : >tree/opt/tool-1.0/lib/$version/site-packages/tool/part.py
    ln -s "$m/bin/python3" tree/view/bin/python3
    for entry in tree/lib/$version/*; do ln -s "$m/lib/$version/$(basename $entry)" tree/view/lib/$version/ 2>/dev/null || :; done
    ln -s "$m/opt/tool-1.0/lib/$version/site-packages/tool" tree/view/lib/$version/site-packages/tool
    compile "$m/opt"
    job_variables="PYTHONHOME=$m/view PYTHONPATH=$m/view/lib/$version/site-packages"
    zero "$m/view/bin/python3" -c "import sys, tool, json, os; print(sys.prefix, tool.here, os.path.realpath(tool.here), json.__file__)"
    says "$m/view/lib/$version/site-packages/tool/__init__.py $m/opt/tool-1.0" served
'
t 'a prefix behind a link on its own disk' '
    ln -s . tree/alias
    zero "$m/alias/bin/python3" -c "import sys, json; print(sys.prefix, json.__file__)"
    says "$m/alias/lib/$version/json" served
'
t 'a prefix behind a link on another disk: the same answers' '
    ln -s "$m" soft
    record_and_stage "$tmp/soft.lcast" "$tmp/soft/bin/python3" -c "import json"
    job "$tmp/soft/bin/python3" -c "import sys, json; print(sys.prefix, json.__file__, sys.path)" >plain
    launch "$tmp/soft/bin/python3" -c "import sys, json; print(sys.prefix, json.__file__, sys.path)" >served
    same plain served
'
t 'namespace packages over two directories' '
    mkdir -p tree/portion1/space tree/portion2/space
    echo "here = __file__" | tee tree/portion1/space/one.py >tree/portion2/space/two.py
    compile "$m/portion1" "$m/portion2"
    job_variables="PYTHONPATH=$m/portion1:$m/portion2"
    zero "$m/bin/python3" -c "import space.one, space.two; print(space.one.here, space.two.here, list(space.__path__))"
    says "$m/portion2/space" served
'
t 'modules in a zip file, and a zip file as a program' '
    mkdir packed && echo "here = __file__" >packed/inzip.py && echo "import inzip; print(inzip.here)" >packed/__main__.py
    (cd packed && "$python" -m zipfile -c ../tree/lib/app.zip inzip.py __main__.py)
    job_variables="PYTHONPATH=$m/lib/app.zip"
    zero "$m/bin/python3" -c "import inzip, zipimport; print(inzip.here, type(inzip.__loader__))"
    job_variables=
    record_options="--add $m/lib/app.zip"
    zero "$m/bin/python3" "$m/lib/app.zip"
    says "$m/lib/app.zip/inzip.py" served
'
t 'importlib.resources and importlib.metadata' '
    mkdir -p tree/data/res/deep tree/data/res-1.0.dist-info
    : >tree/data/res/__init__.py; echo text >tree/data/res/file.txt; echo more >tree/data/res/deep/file.txt
    printf "Metadata-Version: 2.1\nName: res\nVersion: 1.0\n" >tree/data/res-1.0.dist-info/METADATA
    compile "$m/data"
    job_variables="PYTHONPATH=$m/data"
    zero "$m/bin/python3" -c "
import importlib.resources as r, importlib.metadata as d
f = r.files(\"res\")
print(f.joinpath(\"file.txt\").read_text(), (f / \"deep\" / \"file.txt\").read_bytes(), sorted(x.name for x in f.iterdir()))
with r.as_file(f / \"file.txt\") as p: print(p, p.stat().st_size)
print(d.version(\"res\"))"
    says "1.0" served
'
t 'os.walk, scandir, glob and pathlib over a whole package' '
    # What a pilot lists is complete; files whose content nobody read are known by name and stat.
    zero "$m/bin/python3" -c "
import glob, os, pathlib
top = \"$m/lib/$version/email\"
for d, s, f in sorted(os.walk(top)): print(d, sorted(s), sorted(f))
print(sorted((e.name, e.is_dir(), e.stat().st_size) for e in os.scandir(top)))
print(sorted(glob.glob(top + \"/**/*.py\", recursive=True)), sum(1 for p in pathlib.Path(top).rglob(\"*.py\") if p.is_file()))"
'
t 'a start in the tree, chdir and relative paths: the same answers' '
    mkdir -p tree/rel/sub && echo "here = __file__" >tree/rel/near.py && echo data >tree/rel/sub/file
    compile "$m/rel"
    cat >tree/rel/run.py <<P
import os, sys, near
print(os.getcwd(), near.here, open("sub/file").read(), sorted(os.listdir(".")), os.path.exists("none"))
os.chdir("sub")
print(os.getcwd(), open("file").read(), os.stat("../near.py").st_size, os.path.realpath("../near.py"))
print(sorted(os.listdir("..")), os.path.exists("../sub/../sub/none"), os.access("../../bin/python3", os.X_OK))
P
    job() { (cd "$m/rel" && exec env HOME="$m/home" PYTHONDONTWRITEBYTECODE=1 "$@"); }
    record_options="--add $m/rel"
    record_and_stage "$tmp/rel.lcast" "$m/bin/python3" run.py
    job "$m/bin/python3" run.py >plain
    launch "$m/bin/python3" run.py >served
    same plain served
    launch ../bin/python3 -c "import sys; print(sys.executable, sys.prefix)" >served
    job ../bin/python3 -c "import sys; print(sys.executable, sys.prefix)" >plain
    same plain served
'
t 'children: fork, exec, posix_spawn, subprocess with and without a shell, scripts' '
    printf "#!$m/bin/python3\nimport sys, json\nprint(sys.argv, sys.executable)\n" >tree/bin/tool && chmod +x tree/bin/tool
    script children <<P
import os, subprocess, sys
me = [sys.executable, "-c", "import sys, json; print(sys.executable, json.__file__, sys.argv)", "x"]
def run(f):
    sys.stdout.flush(); f()
def fork_exec():
    pid = os.fork()
    if not pid: os.execv(sys.executable, me)
    print(os.waitpid(pid, 0)[1])
def spawn(f, *a): print(os.waitpid(f(*a), 0)[1])
run(fork_exec)
run(lambda: spawn(os.posix_spawn, sys.executable, me, os.environ))
os.environ["PATH"] = "$m/bin:" + os.environ["PATH"]
run(lambda: spawn(os.posix_spawnp, "python3", me, os.environ))
run(lambda: print(subprocess.check_output(me)))
run(lambda: print(subprocess.check_output(["tool", "a b"], env=dict(os.environ, PATH="$m/bin"))))
run(lambda: print(subprocess.check_output(["$m/bin/tool", "1"], close_fds=False)))
run(lambda: print(subprocess.check_output("$m/bin/tool 2; echo \$?", shell=True)))
run(lambda: print(os.popen("$m/bin/tool 3").read(), os.system("$m/bin/tool 4")))
run(lambda: print(subprocess.run(["$m/bin/none"], env={}) if os.path.exists("$m/bin/none") else "none"))
P
    record_options="--add $m/scripts"
    zero "$m/bin/python3" "$m/scripts/children/run.py"
    test "$(grep -c "$m/bin/tool" served)" -ge 5
'
t 'a child with an environment of its own is left alone, and right' '
    script alone <<P
import subprocess
print(subprocess.check_output(["$m/bin/python3", "-c", "import os; print(sorted(k for k in os.environ if k != \"LC_CTYPE\"))"], env={"A": "b"}))
P
    record_options="--add $m/scripts"
    record_and_stage "$tmp/alone.lcast" "$m/bin/python3" "$m/scripts/alone/run.py"
    launch "$m/bin/python3" "$m/scripts/alone/run.py" >served
    says "b\"['\''A'\'']" served
'
for method in spawn fork forkserver; do
    t "multiprocessing by $method" "
        script $method <<P
import multiprocessing as mp, sys
def work(n):
    import json
    return n * n, json.__file__
if __name__ == '__main__':
    mp.set_start_method('$method')
    with mp.Pool(2) as pool:
        print(sorted(pool.map(work, range(4))))
    q = mp.get_context('$method').Queue()
    p = mp.get_context('$method').Process(target=q.put, args=(sys.version_info[0],))
    p.start(); print(q.get()); p.join(); print(p.exitcode)
P
        record_options=\"--add \$m/scripts\"
        zero \"\$m/bin/python3\" \"\$m/scripts/$method/run.py\"
        says \"(9, '\$m/lib/\$version/json\" served
    "
done
t 'isolated, without site, optimised; a module as a program' '
    zero "$m/bin/python3" -I -S -c "import sys; print(sys.flags, sys.path)"
    # The pilot makes the bytecode that is missing.
    zero "$m/bin/python3" -O -m json.tool --help
'
# LOADCAST_TEST_PYTHONS: prefixes of other Pythons, to be tried too
for prefix in ${LOADCAST_TEST_PYTHONS:-}; do
    t "$(basename "$prefix"), relocated" "
        rm -rf tree/other && mkdir tree/other
        cp -a --reflink=auto '$prefix/bin' '$prefix/lib' tree/other/
        rm -rf tree/other/lib/python3*/test
        tree/other/bin/python3 -m compileall -q tree/other/lib >/dev/null 2>&1 || :
        script other <<P
import sys, json, ctypes, subprocess, importlib.util, multiprocessing as mp
def work(n):
    return n * n
if __name__ == '__main__':
    print(sys.prefix, sys.executable, sys.version, json.__file__, sys.path)
    print(subprocess.check_output([sys.executable, '-c', 'import sys; print(sys.argv)', 'x']))
    with mp.get_context('spawn').Pool(1) as pool:
        print(pool.map(work, range(3)))
P
        record_options=\"--add \$m/scripts\"
        zero \"\$m/other/bin/python3\" \"\$m/scripts/other/run.py\"
        says \"\$m/other/lib/python3\" served
    "
done
finish
