#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rounds.py - break something while programs start, again and again.

rounds.py --loadcast BIN --starts BIN --work DIR [--rounds N] [--first SEED] [--verbose]

Each round starts 16 processes under 'loadcast exec' within a few milliseconds, and when some of them
have been started, how many is drawn from its seed, does one thing to the image, the node directory, the staging process, the memory or the
source. Every process must print 'right' and end with 0 within 5 s (but those that the round itself
killed), and nothing may be left: no process, no half-made directory, no file beside the image.
One thing is forgiven, and counted: ld.so opens a library after it has been told where. If somebody
removes it from the node directory by hand between these two steps, loading fails as it does when a
library is removed from a disk. 'loadcast clean' never removes what is in use.
One line per failed round; 'rounds.py --first SEED --rounds 1 --verbose' repeats it.
"""
import argparse, inspect, os, random, shutil, signal, subprocess, sys, time

WIDTH, PATIENCE_S, LIBRARIES, FILES = 16, 60.0, 8, 20


class Bench:
    """The tree, its image, and how to make both anew."""

    def __init__(self, args):
        self.work, self.loadcast = os.path.abspath(args.work), args.loadcast
        self.tree, self.spare = self.work + "/tree", self.work + "/spare"
        self.node, self.image = self.work + "/node", self.work + "/images/app.lcast"
        for d in (self.tree + "/lib", self.tree + "/data", self.spare, self.node, self.work + "/images"):
            os.makedirs(d, exist_ok=True)
        shutil.copy(args.starts, self.tree + "/starts")
        source = self.spare + "/number.c"
        with open(source, "w") as f:
            f.write("int number(void); int number(void) { return N; }\n")
        for edition in (1, 2):
            for i in range(LIBRARIES):
                subprocess.check_call(["cc", "-shared", "-fPIC", "-DN=%d" % (edition * 100 + i), "-o",
                                       "%s/lib%d.so.%d" % (self.spare, i, edition), source])
        self.restore_source()
        self.tell = {"PATH": os.environ["PATH"], "LOADCAST_DIR": self.node, "HOME": self.work}
        self.record()

    def restore_source(self):
        for i in range(LIBRARIES):
            self.put_library(i, 1)
        for i in range(FILES):
            self.put_file(i, 1)

    def put_library(self, i, edition):
        self.put("%s/lib/lib%d.so" % (self.tree, i), open("%s/lib%d.so.%d" % (self.spare, i, edition), "rb").read())

    def put_file(self, i, edition):
        self.put("%s/data/%d" % (self.tree, i), b"edition %d of file %d\n" % (edition, i))

    def put(self, path, content):
        """As an installer would: beside it, then in its place."""
        with open(self.spare + "/new", "wb") as f:
            f.write(content)
        os.chmod(self.spare + "/new", 0o755)
        os.rename(self.spare + "/new", path)

    def record(self):
        subprocess.check_call([self.loadcast, "record", "-o", self.image, "--manage", self.tree, "--add", self.tree],
                              env=self.tell, stderr=subprocess.DEVNULL)
        self.good = open(self.image, "rb").read()

    def start(self):
        return subprocess.Popen([self.loadcast, "exec", "--quiet", "--wait", "600s", self.image, "--", self.tree + "/starts", self.tree],
                                env=self.tell, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def nodes(bench):
    top = "%s/loadcast-%d" % (bench.node, os.getuid())
    return [top + "/" + n for n in os.listdir(top)] if os.path.isdir(top) else []


def in_nodes(bench, name):
    return [n + "/" + name for n in nodes(bench) if os.path.exists(n + "/" + name)]


def write_image(bench, content):
    with open(bench.image, "r+b") as f:
        f.truncate(0)
        f.write(content)


def replaced(path, content):
    with open(path + ".x", "wb") as f:
        f.write(content)
    os.chmod(path + ".x", 0o400)
    os.rename(path + ".x", path)


# Each fault: (bench, processes so far, random). Returns the processes it killed; one that yields ends
# when all have been started.
def kill_one(b, p, r):
    victim = r.choice(p)
    victim.kill()
    return [victim]


def kill_half(b, p, r):
    victims = r.sample(p, len(p) // 2)
    for v in victims:
        v.kill()
    return victims


def stop_one(b, p, r):
    victim = r.choice(p)
    victim.send_signal(signal.SIGSTOP)
    yield r.random() * 0.3
    victim.send_signal(signal.SIGCONT)
    yield []


def freeze_and_kill(b, p, r):
    victim = r.choice(p)
    victim.send_signal(signal.SIGSTOP)
    yield r.random() * 0.3
    victim.kill()
    yield [victim]


def image_gone(b, p, r):
    os.unlink(b.image)


def image_cut(b, p, r):
    os.truncate(b.image, r.randrange(len(b.good)))


def image_flip(b, p, r):
    with open(b.image, "r+b") as f:
        for _ in range(r.randint(1, 20)):
            f.seek(r.randrange(len(b.good)))
            f.write(bytes([r.randrange(256)]))


def image_other_version(b, p, r):
    replaced(b.image, b.good[:8] + bytes([99]) + b.good[9:])


def image_garbage(b, p, r):
    replaced(b.image, r.randbytes(r.randrange(200000)))


def node_gone(b, p, r):
    for n in nodes(b):
        shutil.rmtree(n, ignore_errors=True)


def node_open_to_all(b, p, r):
    for n in nodes(b):
        os.chmod(n, 0o777)


def node_part_gone(b, p, r):
    for n in in_nodes(b, r.choice(["index", "state", "live", "bin/launch", "bin/preload.so", "bin/audit.so", "files"])):
        shutil.rmtree(n) if os.path.isdir(n) else os.unlink(n)


def node_part_replaced(b, p, r):
    for n in in_nodes(b, r.choice(["index", "state"])):
        content = bytearray(open(n, "rb").read())
        how = r.randrange(3)
        if how == 0:
            content = content[:r.randrange(len(content))]
        elif how == 1:
            content[r.randrange(min(64, len(content)))] ^= 1 << r.randrange(8)
        else:
            content = bytearray(r.randbytes(r.randrange(10000)))
        replaced(n, content)


def staged_file_gone(b, p, r):
    for n in in_nodes(b, "files" + b.tree + r.choice(["/lib/lib%d.so" % r.randrange(LIBRARIES), "/data/%d" % r.randrange(FILES), "/starts"])):
        os.unlink(n)


def memory_full(b, p, r):
    """Everything that is left, taken; given back a moment later."""
    try:
        with open(b.node + "/ballast", "wb") as f:
            while True:
                f.write(bytes(1 << 20))
                f.flush()
    except OSError:
        pass
    yield r.random() * 0.1
    os.unlink(b.node + "/ballast")
    yield []


def source_library(b, p, r):
    b.put_library(r.randrange(LIBRARIES), 2)


def source_file(b, p, r):
    for i in r.sample(range(FILES), 5):
        b.put_file(i, 2)


def nothing(b, p, r):
    pass


FAULTS = [kill_one, kill_half, stop_one, freeze_and_kill, image_gone, image_cut, image_flip, image_other_version, image_garbage,
          node_gone, node_open_to_all, node_part_gone, node_part_replaced, staged_file_gone, memory_full,
          source_library, source_file, nothing]


TAKES_LIBRARIES = [node_gone, node_part_gone, staged_file_gone]


def clean_up(bench):
    """Back to the beginning; what should not have been there is returned."""
    subprocess.run([bench.loadcast, "clean"], env=bench.tell, capture_output=True)
    left = ["node: " + n for n in os.listdir(bench.node) if not n.startswith("loadcast-")]
    left += ["node: " + n for n in nodes(bench) if not n.split("/")[-1].isalnum() or len(n.split("/")[-1]) != 16]
    left += ["image: " + n for n in os.listdir(bench.work + "/images") if n not in ("app.lcast", "app.lcast.x")]
    for n in os.listdir(bench.node):
        shutil.rmtree(bench.node + "/" + n, ignore_errors=True)
    return left


def mount_memory(bench, r):
    """Node memory of a size that may be too small."""
    size = r.choice(["64m", "64m", "64m", "300k", "600k"])
    subprocess.check_call(["mount", "-t", "tmpfs", "-o", "size=" + size, "none", bench.node])


def one_round(bench, seed):
    r = random.Random(seed)
    fault, before, wait_s = r.choice(FAULTS), r.randint(1, WIDTH), r.random() ** 2 * 0.03
    was_staged = r.random() < 0.5
    if bench.has_mounts:
        mount_memory(bench, r)
    write_image(bench, bench.good) if os.path.exists(bench.image) else replaced(bench.image, bench.good)
    os.chmod(bench.image, 0o644)
    if was_staged:
        bench.start().communicate()
    began = time.monotonic()
    processes = [bench.start() for _ in range(before)]
    time.sleep(wait_s)
    try:
        done = fault(bench, processes, r) or []
    except FileNotFoundError:  # a stager was quicker
        done = []
    lasting = next(done) if inspect.isgenerator(done) else 0
    processes += [bench.start() for _ in range(WIDTH - before)]
    time.sleep(lasting)
    killed = next(done) if inspect.isgenerator(done) else done
    what = "seed %d, %s %.0f ms after process %d, %s" % (
        seed, fault.__name__, wait_s * 1000, before, "staged before" if was_staged else "not staged")
    bad = judge(bench, fault, processes, killed, began)
    bad += ["left behind: " + n for n in clean_up(bench)]
    if fault in (source_library, source_file):
        bench.restore_source()
        os.unlink(bench.image)
        bench.record()
    if bench.has_mounts:
        subprocess.check_call(["umount", bench.node])
    return what, bad


def judge(bench, fault, processes, killed, began):
    bad = []
    for p in processes:
        try:
            out, err = p.communicate(timeout=max(0.1, PATIENCE_S - (time.monotonic() - began)))
        except subprocess.TimeoutExpired:
            bad.append("hangs")
            os.killpg(p.pid, signal.SIGKILL)
            p.communicate()
            continue
        if p in killed and p.returncode == -signal.SIGKILL:
            continue
        if fault in TAKES_LIBRARIES and b"cannot open shared object" in out:  # dlerror() tells the path as it was given
            bench.torn += 1
            continue
        if p.returncode != 0 or out != b"right\n":
            bad.append("status %d: %s %s" % (p.returncode, out.decode().strip()[:200], err.decode().strip()[:300]))
    return bad


def main():
    a = argparse.ArgumentParser()
    for name in ("loadcast", "starts", "work"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--rounds", type=int, default=200)
    a.add_argument("--first", type=int, default=1)
    a.add_argument("--verbose", action="store_true")
    args = a.parse_args()
    bench = Bench(args)
    bench.has_mounts = subprocess.run(["mount", "-t", "tmpfs", "none", bench.node], capture_output=True).returncode == 0
    if bench.has_mounts:
        subprocess.check_call(["umount", bench.node])
    else:
        FAULTS.remove(memory_full)
    failed = bench.torn = 0
    for seed in range(args.first, args.first + args.rounds):
        what, bad = one_round(bench, seed)
        failed += bool(bad)
        if bad or args.verbose:
            print(what + ":", "; ".join(sorted(set(bad))[:4]) or "right", flush=True)
    print("%d rounds of %d processes, %d failed; a library taken away by hand at the wrong instant: %d times" % (
        args.rounds, WIDTH, failed, bench.torn))
    return failed > 0 or bench.torn > 1 + args.rounds / 200


if __name__ == "__main__":
    sys.exit(main())
