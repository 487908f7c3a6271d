#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torn.py - cut, rewrite and replace an image while commands read it, again and again.

torn.py --loadcast BIN --starts BIN --work DIR [--rounds N] [--first SEED] [--files N] [--verbose]

Each round starts commands that read an image of 6,000 files, and meanwhile changes the image a few
times at random instants. Two outcomes are right. 'exec' ends with 0 and its program says 'right':
served, or without Loadcast after one line that says why. The other commands do their work, or end
with status 1 or 3 and say why; what 'unpack' could not finish is not there. Nothing ends by a signal.
One line per failed round; 'torn.py --first SEED --rounds 1 --verbose' repeats it.
"""
import argparse, os, random, shutil, signal, subprocess, sys, threading, time

from rounds import Bench, nodes, replaced

COMMANDS = ["exec", "exec", "exec", "stage", "check", "info", "unpack"]


class Large(Bench):
    def __init__(self, args):
        self.files = args.files
        super().__init__(args)
        self.other = self.record_other()

    def restore_source(self):
        super().restore_source()
        for i in range(self.files):
            path = "%s/many/%02d/%d" % (self.tree, i % 50, i)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(b"%d " % i * (1 + i % 900))

    def record_other(self):
        """The image after an update: larger, other content, as good as the first."""
        first, self.image = self.image, self.work + "/images/other.lcast"
        with open(self.tree + "/many/00/0", "wb") as f:
            f.write(b"edition 2\n" * 50000)
        good = self.good
        self.record()
        other, self.good = self.good, good
        os.unlink(self.image)
        self.image = first
        return other


def cut(b, r):
    os.truncate(b.image, r.choice([0, r.randrange(4096), r.randrange(len(b.good)), r.randrange(len(b.good))]))


def rewrite(b, r):
    """As a copy program does: from the start on, or somewhere in the middle."""
    new = r.choice([b.other, b.good])
    start = r.choice([0, r.randrange(len(new))])
    with open(b.image, "r+b") as f:
        f.seek(start)
        f.write(new[start:])


def scribble(b, r):
    at = r.choice([r.randrange(4096), r.randrange(len(b.good)), len(b.good) - 1 - r.randrange(min(len(b.good), 1 << 20))])
    with open(b.image, "r+b") as f:
        f.seek(at)
        f.write(r.randbytes(r.randint(1, 70000)))


def copy_over(b, r):
    with open(b.image, "wb") as f:  # cuts it to nothing first
        f.write(r.choice([b.other, b.good]))


def replace(b, r):
    replaced(b.image, r.choice([b.other, b.good, b.good[:r.randrange(len(b.good))], r.randbytes(9999)]))


ATTACKS = [cut, cut, rewrite, scribble, copy_over, replace]


def attack(bench, r, during_s):
    """A few changes at random instants; each is drawn before the first is made."""
    for pause, what, seed in sorted((r.random() * during_s, i, r.random()) for i in range(r.randint(1, 4))):
        yield pause, r.choice(ATTACKS), random.Random(seed)


def run_attack(bench, steps, began):
    for at, what, r in steps:
        time.sleep(max(0, began + at - time.monotonic()))
        try:
            what(bench, r)
        except FileNotFoundError:
            pass


def start(bench, command, room):
    line = {
        "exec": ["exec", bench.image, "--", bench.tree + "/starts", bench.tree],
        "stage": ["stage", "--quiet", bench.image],
        "check": ["check", bench.image],
        "info": ["info", "--verify", bench.image],
        "unpack": ["unpack", bench.image, room],
    }[command]
    return subprocess.Popen([bench.loadcast] + line, env=bench.tell, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)


def judge(command, p, out, err, room):
    text = err.decode(errors="replace").strip()
    if p.returncode < 0 or p.returncode > 127:
        return "%s: ended by signal %d: %s" % (command, abs(p.returncode), text[:200])
    if command == "exec":
        said = "running without it" in text
        ok = p.returncode == 0 and out == b"right\n" and (said or not text or "staged" in text or "updated" in text)
        return "" if ok else "exec: status %d: %s %s" % (p.returncode, out.decode().strip()[:200], text[:300])
    if p.returncode not in (0, 1, 3) or (p.returncode and not text.startswith("loadcast " + command + ": ")):
        return "%s: status %d: %s" % (command, p.returncode, text[:300])
    if command == "unpack" and p.returncode and os.path.isdir(room) and os.listdir(room):
        return "unpack: status %d left something behind: %s" % (p.returncode, text[:200])
    return ""


def finished(p):
    try:
        return p.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return b"", b"hangs"


def one_round(bench, seed):
    r = random.Random(seed)
    replaced(bench.image, bench.good)
    os.chmod(bench.image, 0o644)
    for n in os.listdir(bench.node):
        shutil.rmtree(bench.node + "/" + n, ignore_errors=True)
    commands = [r.choice(COMMANDS) for _ in range(3)]
    rooms = ["%s/room%d" % (bench.work, i) for i in range(3)]
    steps = list(attack(bench, r, bench.usual_s * 3))
    began = time.monotonic()
    attacker = threading.Thread(target=run_attack, args=(bench, steps, began))
    attacker.start()
    processes = [start(bench, c, d) for c, d in zip(commands, rooms)]
    ends = [finished(p) for p in processes]
    attacker.join()
    bad = [judge(c, p, out, err, d) for c, p, (out, err), d in zip(commands, processes, ends, rooms)]
    bad += ["left behind: " + n for n in nodes(bench) if ".stage." in n]
    bad += ["left behind: " + n for n in os.listdir(os.path.dirname(bench.image)) if n not in ("app.lcast", "app.lcast.x")]
    for n in os.listdir(os.path.dirname(bench.image)):
        os.unlink(os.path.join(os.path.dirname(bench.image), n))
    for d in rooms:
        shutil.rmtree(d, ignore_errors=True)
    what = "seed %d, %s while %s" % (seed, ", ".join("%s at %.0f ms" % (s[1].__name__, s[0] * 1000) for s in steps), ", ".join(commands))
    refused = sum(b"refused" in err or b"running without" in err or p.returncode != 0 for p, (_, err) in zip(processes, ends))
    return what, [b for b in bad if b], refused


def main():
    a = argparse.ArgumentParser()
    for name in ("loadcast", "starts", "work"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--rounds", type=int, default=30)
    a.add_argument("--first", type=int, default=1)
    a.add_argument("--files", type=int, default=6000)
    a.add_argument("--verbose", action="store_true")
    args = a.parse_args()
    os.makedirs(args.work, exist_ok=True)
    # In memory, where it can be had: disks are slow at small files.
    subprocess.run(["mount", "-t", "tmpfs", "none", args.work], capture_output=True)
    bench = Large(args)
    began = time.monotonic()
    out, err = start(bench, "exec", "").communicate()
    bench.usual_s = time.monotonic() - began
    assert out == b"right\n" and b"staged" in err, err
    failed = refused = 0
    for seed in range(args.first, args.first + args.rounds):
        what, bad, count = one_round(bench, seed)
        failed += bool(bad)
        refused += count
        if bad or args.verbose:
            print(what + ":", "; ".join(bad) or "right", flush=True)
    print("%d rounds of 3 commands on an image of %d files: %d failed; %d commands said why they could not use it"
          % (args.rounds, args.files, failed, refused))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
