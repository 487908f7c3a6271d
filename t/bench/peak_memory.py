#!/usr/bin/env python3
"""peak_memory.py CMD...: run it, and print the most memory (MiB) that it and its children held at one
time: their proportional shares, sampled every 20 ms. Ends with the command's status."""
import os
import subprocess
import sys
import time


def tree(pid):
    out = [pid]
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                for child in f.read().split():
                    out += tree(int(child))
    except OSError:
        pass
    return out


def share_kib(pid):
    try:
        with open("/proc/%d/smaps_rollup" % pid) as f:
            return next(int(line.split()[1]) for line in f if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


run, peak = subprocess.Popen(sys.argv[1:], stdout=sys.stderr), 0
while run.poll() is None:
    peak = max(peak, sum(map(share_kib, tree(run.pid))))
    time.sleep(0.02)
print("%.0f" % (peak / 1024))
sys.exit(run.returncode)
