#!/usr/bin/env python3
"""What one command takes longer than another: pairs.py PAIRS PLAIN OTHER

Both are shell command lines. They run in turn, the one that comes first changing from pair to pair, after one pair
that is not counted. Status and standard output of both must be the same in every pair. Prints, in milliseconds, the median of the
differences, its upper bound at 95 % (by ranks, no distribution assumed), and the medians of both commands."""
import math
import statistics
import subprocess
import sys
import time


def run(command):
    start = time.monotonic()
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # A launcher may mix what its ranks print.
    return 1000 * (time.monotonic() - start), (done.returncode, sorted(done.stdout))


def upper_bound(values):
    """The smallest value that the median exceeds with a probability of at most 5 %."""
    n, below = len(values), 0.0
    for k in range(n):
        below += math.comb(n, k) / 2**n
        if below >= 0.95:
            return sorted(values)[min(k + 1, n - 1)]
    return max(values)


def main():
    pairs, commands = int(sys.argv[1]), sys.argv[2:4]
    took = ([], [])
    for i in range(-1, pairs):
        said = {}
        for which in (0, 1) if i % 2 else (1, 0):
            ms, said[which] = run(commands[which])
            if i >= 0:
                took[which].append(ms)
        if said[0] != said[1]:
            sys.exit("'%s' gave %r, '%s' %r" % (commands[0], said[0], commands[1], said[1]))
    more = [b - a for a, b in zip(*took)]
    print("%.2f %.2f %.1f %.1f" % (statistics.median(more), upper_bound(more), *map(statistics.median, took)))


main()
