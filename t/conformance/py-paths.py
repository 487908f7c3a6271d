# SPDX-License-Identifier: MIT
# os.path and pathlib on every kind of path.
import os, pathlib, stat
names = ["data/file", "data", "data/to-file", "data/to-dir/deep", "data/none", "data/dangling", "data/loop",
         "data/closed/inside", "data/unlisted", "data/file/below", "", "data/two words", "data/\u00e9"]
for n in names:
    print(n, os.path.exists(n), os.path.lexists(n), os.path.isfile(n), os.path.isdir(n), os.path.islink(n),
          os.path.realpath(n), os.access(n, os.R_OK), os.access(n, os.X_OK))
    for call in (os.stat, os.lstat, os.readlink, os.listdir, os.path.getsize, open):
        try:
            r = call(n)
            print(" ", call.__name__, oct(r.st_mode) if hasattr(r, "st_mode") else
                  sorted(r) if isinstance(r, list) else "stream" if hasattr(r, "read") else r if call is not os.path.getsize or not os.path.isdir(n) else "")
        except OSError as e:
            print(" ", call.__name__, type(e).__name__, e)
p = pathlib.Path("data")
print(sorted(map(str, p.rglob("*.txt"))), sorted(map(str, p.glob("*/deep/*"))), p.resolve(), (p / "to-dir").resolve())
print(os.path.samefile("data/file", "data/twin"), os.path.samefile("data/file", "data/to-file"))
print(stat.filemode(os.stat("data/unlisted").st_mode))
