#!/bin/sh
# The page of 'make demo': 'import numpy' and a generated workload, plain, copied, by SquashFS and with Loadcast.
. "$(dirname "$0")/lib.sh"
need_ptrace
unset LOADCAST_DIR
# The demonstration writes beside the programs that it is given: here beside links to them.
mkdir links
for program in loadcast stormfs; do [ ! -e "$build/$program" ] || ln -s "$build/$program" links/; done
mkdir place
export TMPDIR="$tmp/place"

t 'it measures every arm, and the page compares them' '
    DEMO_WIDTHS=1,2 code 0 "$src/tools/demo-page" links
    # It ends with 0 where a run fails, too.
    case $(sed -n "s/^The page is left out: //p" out) in
    "") ;;
    *"could not be measured"*) cat err; exit 1 ;;
    *) skip "$(sed -n "s/^The page is left out: //p" out)" ;;
    esac
    says "The page: $tmp/links/demo.html" out
    loadcast results export --json --db links/demo.db >runs.json
    "$python" - runs.json >arms <<END
import json, sys
runs = json.load(open(sys.argv[1]))
done = {(r["case"], r["ranks"], r["with"]) for r in runs if r["status"] == "done"}
stopped = {r["with"] for r in runs if r["status"] == "stopped"}
for case in "a program of 80 libraries", "numpy":
    for ranks in 1, 2:
        assert {w for c, n, w in done if (c, n) == (case, ranks)} == {"plain", "copy", "squashfs", "loadcast"} - stopped, sorted(done)
assert stopped <= {"copy", "squashfs"}, stopped
assert not [r for r in runs if r["status"] not in ("done", "stopped")]
print(*sorted({"plain", "copy", "squashfs", "loadcast"} - stopped), sep="\n")
END
    sed "s/loadcast/Loadcast/" arms | while read -r arm; do says "<td>$arm</td>" links/demo.html; done
    says "What to tell your users: numpy" links/demo.html
'
t 'nothing of it is left' '
    grep "$tmp" /proc/self/mounts | nothing
    ls -A place | nothing
'
finish
