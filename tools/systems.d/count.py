"""count - what became of the tests: count.py testlog.json; prints one line for doc/tested.md

Counts from what the tests printed themselves (TAP), because Meson before 0.57 writes other totals. A file that
ended badly without a failed case counts as one.
"""
import json
import re
import sys


def cases(test):
    """Passed, failed and skipped cases of one file."""
    lines = test.get("stdout", "").splitlines()
    failed = sum(line.startswith("not ok ") for line in lines)
    skipped = sum(bool(re.match(r"(ok \d+.*|1\.\.0.*)# SKIP", line, re.I)) for line in lines)
    passed = sum(line.startswith("ok ") and not re.search("# SKIP", line, re.I) for line in lines)
    if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL") and not failed:
        failed = 1
    return passed, failed, skipped


def main():
    with open(sys.argv[1], encoding="utf-8") as log:
        tests = [json.loads(line) for line in log]
    counts = [cases(test) for test in tests]
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    bad = sorted(test["name"].split(" / ")[-1] for test, count in zip(tests, counts) if count[1])
    print(f"{len(tests)} files: {passed} passed, {failed} failed, {skipped} skipped" + (": failed " + ", ".join(bad) if bad else ""))


main()
