"""Compare every #include of src/ with the table in ARCHITECTURE.md; print what it does not allow.
usage: include_rule.py SOURCE_ROOT"""
import os
import re
import sys


def read_rules(path):
    """Room to {allowed room: set of header names, empty for all}."""
    rules = {}
    for line in open(path):
        row = re.match(r"\| `([a-z/]+)` \|[^|]*\|([^|]*)\|", line)
        if row:
            allowed = re.findall(r"([a-z_/]+)(?: \(([^)]*)\))?", row.group(2))
            rules[row.group(1)] = {room: set(names.split()) for room, names in allowed}
    return rules


def room_of(path, rules):
    folder = os.path.dirname(path)
    while folder and folder not in rules:
        folder = os.path.dirname(folder)
    return folder


def main():
    root = sys.argv[1]
    rules = read_rules(os.path.join(root, "ARCHITECTURE.md"))
    src = os.path.join(root, "src")
    for folder, _, names in sorted(os.walk(src)):
        if not names:
            continue
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), src)
            if not name.endswith((".c", ".h")):
                continue
            room = room_of(path, rules)
            if not room:
                print(f"{path}: its room is not in the table")
                continue
            for header in re.findall(r'^#include "([^"]+)"', open(os.path.join(src, path)).read(), re.M):
                if not os.path.exists(os.path.join(src, header)):
                    continue  # beside the file, or made by the build
                other = room_of(header, rules)
                if other == room or (header == "util/test.h" and name.endswith("_test.c")):
                    continue
                allowed = rules[room].get(other)
                if allowed is None or (allowed and os.path.basename(header) not in allowed):
                    print(f"{path}: may not include {header}")


main()
