# SPDX-License-Identifier: MIT
# open, io, os.open, mmap, fileinput, shelve-like reading.
import fileinput, io, mmap, os
print(open("data/file").read(), open("data/file", "rb").read(3), io.open("data/empty").read() == "")
with open("data/big", "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
    print(len(m), m[1000:1010], m.find(b"19999"))
fd = os.open("data/file", os.O_RDONLY)
print(os.get_inheritable(fd), os.read(fd, 3), os.lseek(fd, 0, os.SEEK_CUR), os.fstat(fd).st_size, os.pread(fd, 3, 4))
data = os.open("data", os.O_RDONLY)
print(open("file", opener=lambda p, f: os.open(p, f, dir_fd=data)).read())
print(sum(1 for _ in fileinput.input(["data/big", "data/file"])))
for mode in ("x", "r", "rU"):
    try:
        print(mode, open("data/file", mode).name)
    except (OSError, ValueError) as e:
        print(mode, type(e).__name__, e)
print(os.sendfile(os.open("/dev/null", os.O_WRONLY), fd, 0, 10), os.path.getmtime("data/file"))
