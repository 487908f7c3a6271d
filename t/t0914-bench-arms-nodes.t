#!/bin/sh
# loadcast bench: arms on the nodes of a job, by mpiexec.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
. "$here/cluster.sh"
need_cluster
for program in tar zstd mksquashfs squashfuse_ll fusermount3; do
    command -v $program >/dev/null || skip_all "$program is not installed"
done
mkdir shared packages packages/tiny
echo 'import json' >packages/tiny/__init__.py
PYTHONPATH=$tmp/packages loadcast bench env --package tiny "$tmp/tiny-env" >/dev/null
"$src/tools/cluster" --name "$name" up 4 --profile none --shared "$tmp/shared" --rw --keep "$tmp" >up.out 2>&1 || skip_all "$(cat up.out)"
cluster() { "$src/tools/cluster" --name "$name" "$@"; }
cat >s.yaml <<END
name: cluster
cases: [{kind: python-import, env: $tmp/tiny-env, packages: [tiny]}]
targets: [{name: shared, path: $tmp/shared, cold_command: "true"}]
widths: ["8@4"]
caches: [cold, warm]
with: [plain, copy, squashfs, loadcast]
max_runs: 1
bystander_limit: 0
END
# nodes_clean: no node holds a tree or a mount, no process of theirs is left.
nodes_clean() {
    for node in n1 n2 n3 n4; do
        cluster node $node -- sh -c "ls -d /dev/shm/loadcast-bench.* 2>/dev/null; grep loadcast-bench. /proc/self/mounts || :" | nothing
    done
    test -z "$(pgrep -f "bench-rank hold .*loadcast-bench")"
}
all_done() {
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(w, \"done\") for _ in (1, 2) for w in (\"plain\", \"copy\", \"squashfs\", \"loadcast\")]"
    rows "all(r[\"nodes\"] == 4 for r in rows[-8:])"
    rows "all(r[\"metrics\"][\"memory_bytes\"] > 1e6 for r in rows[-8:] if r[\"with\"] in (\"copy\", \"loadcast\"))"
}
t 'mpiexec: each of four nodes holds its tree or mount; nothing of it stays' '
    need_ptrace
    code 0 timeout 300 "$src/tools/cluster" --name "$name" run -- loadcast bench --work "$work" --db "$tmp/r.db" --json --launcher mpiexec s.yaml
    all_done
    nodes_clean
'
finish
