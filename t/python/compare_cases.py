"""compare_cases.py PLAIN PLAIN SERVED: results per test case of three runs (JUnit files of 'python -m test' or pytest).

Cases that differ between the two plain runs are flaky by themselves and are named, not judged. Ends with status 1
if another case has a result it has not in the plain runs."""
import sys
import xml.etree.ElementTree as tree


def results(path):
    found = {}
    for case in tree.parse(path).iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        kinds = sorted({child.tag for child in case if child.tag in ("error", "failure", "skipped")})
        found.setdefault(name.split(" (")[0], []).append(kinds[0] if kinds else "passed")
    return {name: sorted(kinds) for name, kinds in found.items()}


first, second, served = map(results, sys.argv[1:4])
flaky = {n for n in first.keys() | second.keys() if first.get(n) != second.get(n)}
names = first.keys() | second.keys() | served.keys()
different = sorted(n for n in names - flaky if first.get(n) != served.get(n))
for n in sorted(flaky):
    print(f"flaky by itself: {n}: {first.get(n)}, {second.get(n)}; served {served.get(n)}")
for n in different:
    print(f"different: {n}: plain {first.get(n)}, served {served.get(n)}")
print(f"{len(names)} cases, {len(flaky)} flaky by themselves, {len(different)} different")
sys.exit(1 if different or len(served) == 0 else 0)
