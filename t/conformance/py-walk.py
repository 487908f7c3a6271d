# SPDX-License-Identifier: MIT
# os.walk, fwalk, scandir and glob.
import glob, os
for top, dirs, files in os.walk("data"):
    dirs.sort()
    print(top, dirs, sorted(files))
for top, dirs, files in os.walk("data", topdown=False, followlinks=False):
    print(top, sorted(dirs), sorted(files))
for top, dirs, files, fd in os.fwalk("data/sub"):
    print(top, sorted(dirs), sorted(files), os.stat("deep", dir_fd=fd).st_mode if "deep" in dirs else "")
with os.scandir("data") as it:
    for e in sorted(it, key=lambda e: e.name):
        print(e.name, e.path, e.is_file(), e.is_dir(), e.is_symlink(), e.inode() == os.lstat(e.path).st_ino)
print(sorted(glob.glob("data/**/*.txt", recursive=True)), glob.glob("data/none*"), sorted(glob.glob("n*", root_dir="data/sub")))
print(sorted(os.listdir(os.open("data/sub", os.O_RDONLY))))
