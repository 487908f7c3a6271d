"""json_members - does NEW have every member that OLD has, of the same type? json_members.py OLD NEW

Lists are compared by their elements taken together: a member that some element of OLD has must be in some
element of NEW. A null on either side says nothing about the type. The members of those in FREE are
names that differ from run to run (kinds of calls, phases): taken together as a list is.
"""
import argparse
import json
import sys

# Objects whose members are names of what was measured.
FREE = {"kinds", "environment", "metrics", "phases", "sections", "programs"}


def kind(value):
    if isinstance(value, bool):
        return "bool"
    return {int: "number", float: "number"}.get(type(value), type(value).__name__)


def merged(values):
    """One value that has every member that any of the values has."""
    values = [v for v in values if v is not None]
    if values and all(isinstance(v, dict) for v in values):
        names = {name for v in values for name in v}
        return {name: merged([v[name] for v in values if name in v]) for name in names}
    if values and all(isinstance(v, list) for v in values):
        return [merged([item for v in values for item in v])]
    return values[0] if values else None


def compare(old, new, path):
    if old is None or new is None:
        return
    if kind(old) != kind(new):
        yield f"{path}: was {kind(old)}, is {kind(new)}"
    elif isinstance(old, list):
        yield from compare(merged(old), merged(new), path + "[]")
    elif isinstance(old, dict) and path.rsplit(".", 1)[-1] in FREE:
        yield from compare(merged(list(old.values())), merged(list(new.values())), path + ".*")
    elif isinstance(old, dict):
        for name in sorted(old):
            if name not in new:
                yield f"{path}.{name}: is gone"
            else:
                yield from compare(old[name], new[name], f"{path}.{name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    args = parser.parse_args()
    with open(args.old, encoding="utf-8") as old, open(args.new, encoding="utf-8") as new:
        found = list(compare(json.load(old), json.load(new), ""))
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
