# SPDX-License-Identifier: MIT
# A virtual environment made and used; .pth files and editable installs.
import os, subprocess, sys
subprocess.check_call([sys.executable, "-m", "venv", "--without-pip", "venv"])
py = os.path.abspath("venv/bin/python3")
run = lambda *a: print(subprocess.run([py, *a], capture_output=True, text=True))
run("-c", "import sys; print(sys.prefix, sys.base_prefix != sys.prefix)")
site = subprocess.check_output([py, "-c", "import site; print(site.getsitepackages()[0])"], text=True).strip()
os.mkdir("elsewhere"); open("elsewhere/editable.py", "w").write("print('editable', __file__)\n")
open(site + "/editable.pth", "w").write(os.path.abspath("elsewhere") + "\nimport sys; sys.marked = 1\n")
run("-c", "import editable, sys; print(sys.marked)")
