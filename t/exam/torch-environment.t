#!/bin/sh
# An environment with torch, whose libraries Debian's package holds by links that lead out of it: built, moved, and measured
# as a case of a suite. Needs a package that only 'make check-long' installs.
. "$(dirname "$0")/../lib.sh"
. "$here/bench.sh"
"$python" -c 'import torch' 2>/dev/null || skip_all 'no python3-torch'
need_ptrace
mkdir -m 700 node
export LOADCAST_DIR="$tmp/node"

t 'torch can be imported in the environment that was built, where it was moved to' '
    code 0 loadcast bench env --python "$python" --package torch "$tmp/made"
    mv made moved
    LD_LIBRARY_PATH=$tmp/moved/lib moved/bin/python3 -B -c "import torch; print(torch.__file__, torch.eye(2).sum().item())" >out
    grep -q "^$tmp/moved/.* 2.0$" out || { cat out; exit 1; }
    find moved -type l | while read -r link; do
        case $(readlink -m "$link") in "$tmp/moved"/*) ;; *) echo "$link" ;; esac
    done | nothing
'
t 'as a case of a suite: plain and Loadcast are measured' '
    printf "%s\n" "cases: [{name: torch, packages: [torch], env: $tmp/moved}]" "targets: [{name: here, path: $tmp/target}]" \
        "widths: [2]" "with: [plain, loadcast]" "caches: [warm]" "max_runs: 1" "bystander_limit: 0" >torch.yaml
    code 0 bench torch.yaml
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"loadcast\", \"done\")]"
'
t 'symbol bindings are replayed in a rank of that case' '
    image=$(find target -name "*.lcast") there=$tmp/target/loadcast-bench/env-torch
    # As bench starts its ranks: bindings hold for this environment.
    code 0 env LD_LIBRARY_PATH="$there/lib" PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 PYTHONPATH= OPENBLAS_NUM_THREADS=1 \
        loadcast exec -q --stats --no-check "$image" -- "$there/bin/python3" "$there/import_rank.py" torch
    grep -E "^bindings +[1-9][0-9,]*,[0-9]{3} replayed in [0-9,]+ groups" err || { cat err; exit 1; }
'
finish
