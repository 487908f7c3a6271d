# SPDX-License-Identifier: MIT
# shutil and tempfile in a served tree.
import filecmp, os, shutil, tempfile
os.chmod("data/closed", 0o700); os.chmod("data/unlisted", 0o700); os.chmod("data/unreadable", 0o600)
shutil.copytree("data", "copy", symlinks=True)
c = filecmp.dircmp("data", "copy")
print(sorted(c.left_list) == sorted(c.right_list), sorted(c.diff_files), sorted(c.funny_files))
shutil.move("data/sub", "data/moved")
print(os.path.exists("data/sub/deep/leaf"), os.path.exists("data/moved/deep/leaf"), sorted(os.listdir("data")))
shutil.rmtree("data/moved")
print(os.path.exists("data/moved"), os.path.exists("data/to-dir"), sorted(os.listdir("data")))
shutil.copyfile("copy/file", "data/file2"); shutil.copystat("copy/file", "data/file2")
print(open("data/file2").read(), os.stat("data/file2").st_mtime == os.stat("copy/file").st_mtime)
with tempfile.TemporaryDirectory(dir="data") as d:
    print(len(os.listdir("data")), os.listdir(d))
with tempfile.NamedTemporaryFile(dir="data") as f:
    print(os.path.exists(f.name))
print(len(os.listdir("data")))
shutil.make_archive("archive", "tar", "copy", "sub")
print(os.path.getsize("archive.tar") > 0)
