#!/usr/bin/env python3
"""Do 'loadcast trace' and 'strace -f' see the same calls?  strace_compare.py DIR CMD...

Each runs CMD in an empty directory DIR/work.  Compared thread by thread, in order: the call, the
path as the program gave it, and the result (but not mmap's address).  Exit status 0 if equal; else
the difference is printed.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def fresh(directory):
    work = os.path.join(directory, "work")
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work)
    return work


def result_of(call, text):
    if call == "mmap":
        return "-" if text.startswith("-") else "mapped"
    return text


def read_ours(log):
    """Our log → {tid: [(call, given, result)]}."""
    threads = {}
    for line in open(log, encoding="utf-8"):
        if line.startswith("#"):
            continue
        field = line.rstrip("\n").split("\t")
        given = field[3]
        named = [f[6:] for f in field[4:] if f.startswith("given=")]
        on_fd = field[1] in FD_CALLS
        if named:
            given = named[0]
        elif on_fd:
            given = ""
        if given == "?" and not named:
            given = ""
        threads.setdefault(field[0], []).append((field[1], given, result_of(field[1], field[2])))
    return threads


def read_strace(file):
    """strace's output → {tid: [(call, given, result)]}."""
    threads, unfinished = {}, {}
    for line in open(file, encoding="latin-1"):
        tid, rest = line.rstrip("\n").split(None, 1)
        if rest.startswith(("+++", "---")):
            continue
        if rest.endswith("<unfinished ...>"):
            unfinished[tid] = rest[: -len("<unfinished ...>")]
            continue
        resumed = re.match(r"<\.\.\. (\w+) resumed>(.*)", rest)
        if resumed:
            rest = unfinished.pop(tid) + resumed.group(2)
        match = re.match(r"(\w+)\((.*)\)\s+= (\S+)(?: (\w+))?", rest)
        if not match:
            raise SystemExit("cannot read strace line: " + line)
        call, args, number, error = match.groups()
        # A call newer than this strace: it cannot show the path.
        if call in SKIPPED or call.startswith("syscall_") or (call == "mmap" and "MAP_ANONYMOUS" in args):
            continue
        if number == "-1" or number == "?":
            number = "-" + error
        given = ""
        if call not in FD_CALLS:
            strings = STRING.findall(args)
            which = 1 if call.startswith("symlink") or call == "mount" else 0
            given = strings[which] if len(strings) > which else ""
            if re.match(r"((AT_FDCWD|\d+), )?NULL(,|$)", args) and call != "mount":
                given = ""
        threads.setdefault(tid, []).append((call, given, result_of(call, number)))
    return threads


FD_CALLS = set()
SKIPPED = {"io_uring_setup", "sched_getaffinity", "sched_setaffinity"}


def main():
    directory, command = sys.argv[1], sys.argv[2:]
    listing = subprocess.run(["loadcast", "trace", "--calls"], check=True, capture_output=True,
                             text=True).stdout.split("\n")
    names = [line.split()[0] for line in listing if line]
    FD_CALLS.update(line.split()[0] for line in listing if line.endswith("descriptor"))
    log, their_log = os.path.join(directory, "log"), os.path.join(directory, "strace")
    subprocess.run(["loadcast", "trace", "-o", os.devnull, "--log", log, "--"] + command,
                   cwd=fresh(directory), stdout=subprocess.DEVNULL)
    subprocess.run(["strace", "-f", "-s", "4096", "-o", their_log, "-e", "signal=none", "-e",
                    "trace=" + ",".join("?" + n for n in names), "--"] + command,
                   cwd=fresh(directory), stdout=subprocess.DEVNULL)
    theirs = read_strace(their_log).values()
    if "syscall_0x1c4" in open(their_log, encoding="latin-1").read():
        SKIPPED.add("fchmodat2")
    ours = [[c for c in calls if c[0] not in SKIPPED] for calls in read_ours(log).values()]
    ours, theirs = ([map("\t".join, calls) for calls in x] for x in (ours, theirs))
    ours, theirs = (sorted(list(t) for t in x) for x in (ours, theirs))
    flat = [[line for thread in x for line in ["thread"] + thread] for x in (theirs, ours)]
    diff = list(difflib.unified_diff(flat[0], flat[1], "strace", "loadcast", lineterm="", n=2))
    print("\n".join(diff[:60]))
    calls = sum(len(t) for t in ours)
    print("%d calls in %d threads compared" % (calls, len(ours)))
    return 1 if diff or calls < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
