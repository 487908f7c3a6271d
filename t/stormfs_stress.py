"""Eight processes that make, rename, link, list, read and remove the same few names.

stormfs_stress.py SECONDS DIR...: the DIRs are the same tree, seen through several mounts and on
the disk behind them. Calls may fail as names come and go; no call may fail as if the file system
were broken. Status 0: none did.
"""
import errno
import os
import random
import sys
import time

end = time.monotonic() + float(sys.argv[1])
dirs = sys.argv[2:]
BROKEN = (errno.EIO, errno.ENOTCONN, errno.ECONNABORTED, errno.EFAULT, errno.ENOSYS)


def step(r, held):
    base = r.choice(dirs)

    def name():
        return "%s/%sf%d" % (base, r.choice(["", "d1/", "d2/", "d1/x/"]), r.randrange(12))

    def put():
        with open(name(), "w") as f:
            f.write("x" * r.randrange(5000))

    def get():
        with open(name()) as f:
            f.read()

    def let_go():
        fd = held.pop(r.randrange(len(held)))
        try:
            os.pread(fd, 100, 0)
            os.fstat(fd)
        finally:
            os.close(fd)

    ways = [
        put,
        get,
        lambda: os.rename(name(), name()),
        lambda: os.unlink(name()),
        lambda: os.link(name(), name()),
        lambda: os.symlink("f1", name()),
        lambda: os.listdir(base + r.choice(["", "/d1", "/d2"])),
        lambda: os.stat(name()),
        lambda: os.truncate(name(), r.randrange(10000)),
        lambda: os.mkdir(base + "/d1/x"),
        lambda: os.rmdir(base + "/d1/x"),
        lambda: os.rename(base + "/d1", base + "/d2/y"),
        lambda: os.rename(base + "/d2/y", base + "/d1"),
        lambda: held.append(os.open(name(), os.O_RDWR)) if len(held) < 20 else let_go(),
        lambda: let_go() if held else None,
    ]
    r.choice(ways)()


def work(seed):
    r, held = random.Random(seed), []
    while time.monotonic() < end:
        try:
            step(r, held)
        except OSError as e:
            if e.errno in BROKEN:
                print("process %d: %s" % (seed, e))
                os._exit(1)
    os._exit(0)


pids = []
for seed in range(8):
    pid = os.fork()
    if pid == 0:
        work(seed)
    pids.append(pid)
sys.exit(any([os.waitpid(p, 0)[1] for p in pids]))
