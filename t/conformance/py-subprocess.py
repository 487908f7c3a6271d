# SPDX-License-Identifier: MIT
# Children: subprocess in its forms, environments, working directories, failures.
import os, subprocess, sys
run = lambda *a, **k: print(subprocess.run(*a, capture_output=True, text=True, **k))
run(["cat", "data/file"])
run("cat data/none 2>&1; ls data/sub", shell=True)
run([sys.executable, "-c", "import package; print(package.__file__)"])
run([sys.executable, "-c", "import os; print(sorted(os.listdir('.')))"], cwd="data/sub")
run(["data/program", "x"])
run(["./program", "x"], cwd="data")
run([sys.executable, "-Ic", "import os; print(os.path.exists('data/none'))"], env={})
run(["env"], env={"A": "1"})
for bad in (["data/none"], ["data/file"], ["data"], ["no-such-program"]):
    try:
        subprocess.run(bad)
    except OSError as e:
        print(type(e).__name__, e)
try:
    subprocess.run(["cat"], cwd="data/none")
except OSError as e:
    print(type(e).__name__, e)
print(os.system("test -f data/file"), os.popen("cat data/sub/n1.txt").read())
pid = os.posix_spawn("/bin/cat", ["cat", "data/file"], os.environ)
print(os.waitpid(pid, 0)[1])
