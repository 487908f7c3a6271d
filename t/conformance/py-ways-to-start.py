# SPDX-License-Identifier: MIT
# -c, -m, a script, a directory, a zip file, standard input: sys.path[0] and __file__ of each.
import subprocess, sys
def run(*a, **k):
    r = subprocess.run([sys.executable, *a], capture_output=True, text=True, **k)
    print(a, r.returncode, r.stdout, r.stderr)
show = "import sys; print(sys.path[0], globals().get('__file__'), __name__)"
run("-c", show)
run("-m", "package.run")
run("-m", "package")
run("python/script.py")
run("python/app")
run("python/archive.zip")
run("-", input=show)
run("-I", "-c", show)
run("-S", "-c", show)
run("-m", "absent")
run("python/absent.py")
run("-B", "-c", "import package; print(package.__cached__)")
run("-OO", "-c", "import package.module; print(package.module.where.__doc__, package.module.__cached__)")
