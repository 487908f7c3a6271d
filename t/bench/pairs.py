#!/usr/bin/env python3
"""pairs.py ROUNDS PLAIN OTHER [BEFORE]: time two shell commands in turn, in pairs; BEFORE is run before each, untimed.

Each pair runs both, the one or the other first in turn; after one pair that is not counted. Standard output and
exit status of both must be the same in every pair. Prints: median of OTHER/PLAIN, its upper 95 % bound, median of
OTHER-PLAIN in seconds, its upper 95 % bound, median seconds of PLAIN and of OTHER, and median of OTHER-PLAIN in
seconds of CPU of all processes that were waited for, with its upper 95 % bound: CPU is steadier where more processes run
than there are cores. The bounds are order statistics: no distribution is assumed.
"""
import math
import resource
import subprocess
import sys
import time


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command):
    began, used = time.perf_counter(), cpu()
    done = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    # A launcher may mix what its ranks print.
    return (time.perf_counter() - began, cpu() - used), sorted(done.stdout), done.returncode


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def upper(values):
    """The smallest value that is above the median with a chance of 97.5 % (the upper end of a 95 % interval)."""
    n, below = len(values), 0.0
    for k in range(n):
        below += math.comb(n, k) / 2.0**n
        if below >= 0.975:
            return sorted(values)[min(k, n - 1)]
    return max(values)


def main():
    rounds, commands, before = int(sys.argv[1]), sys.argv[2:4], sys.argv[4:5]
    times, used = [], []
    for i in range(-1, rounds):
        order = (0, 1) if i % 2 else (1, 0)
        got = {}
        for which in order:
            for command in before:
                run(command)
            got[which] = run(commands[which])
        if got[0][1:] != got[1][1:]:
            sys.exit("output or status differ: %s, %s" % tuple((bytes(out), code) for _, out, code in (got[0], got[1])))
        if i >= 0:
            times.append((got[0][0][0], got[1][0][0]))
            used.append(got[1][0][1] - got[0][0][1])
    ratios = [b / a for a, b in times]
    more = [b - a for a, b in times]
    print(*["%.4f" % figure for figure in (median(ratios), upper(ratios), median(more), upper(more),
                                           median([a for a, b in times]), median([b for a, b in times]),
                                           median(used), upper(used))])


main()
