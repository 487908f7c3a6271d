#!/bin/sh
# loadcast bench on a cluster: srun inside a real Slurm, nodes of their own, a queue.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
. "$here/cluster.sh"
need_cluster
for program in munged slurmctld slurmd srun; do
    command -v $program >/dev/null || [ -x /usr/sbin/$program ] || skip_all "$program is not installed"
done
mkdir shared packages packages/tiny
echo 'import json' >packages/tiny/__init__.py
PYTHONPATH=$tmp/packages loadcast bench env --package tiny "$tmp/tiny-env" >/dev/null
"$src/tools/cluster" --name "$name" up 2 --profile lustre --shared "$tmp/shared" --rw --keep "$tmp" >up.out 2>&1 || skip_all "$(cat up.out)"

cat >s.yaml <<END
name: cluster
cases: [{kind: python-import, env: $tmp/tiny-env, packages: [tiny]}]
targets: [{name: shared, path: $tmp/shared, cold_command: "true"}]
widths: ["2@2", "4@2"]
caches: [warm]
with: [plain, loadcast]
max_runs: 1
count: false
bystander_limit: 0
END

t 'srun is chosen inside an allocation; ranks on two nodes, the clock between them measured' '
    code 0 timeout 200 "$src/tools/cluster" --name "$name" slurm -- salloc -N2 -n4 loadcast bench --work "$work" --db "$tmp/r.db" --json s.yaml
    line "[(l[\"ranks\"], l[\"status\"]) for l in lines] == [(2, \"done\")] * 2 + [(4, \"done\")] * 2"
    rows "all(r[\"place\"][\"launcher\"] == \"srun\" and r[\"place\"][\"job\"] != \"\" and r[\"nodes\"] == 2 for r in rows)"
    rows "all(abs(r[\"metrics\"][\"clock_offset_s\"]) < 1 and r[\"metrics\"][\"clock_error_s\"] < 1 for r in rows)"
    rows "[r for r in rows if r[\"with\"] == \"loadcast\"] != []"
'
# No node holds a tree, a mount or an image.
nodes_clean() {
    for node in n1 n2; do
        "$src/tools/cluster" --name "$name" node $node -- \
            sh -c "ls -d /dev/shm/loadcast-bench.* /dev/shm/loadcast-[0-9]*/[0-9a-f]* 2>/dev/null; grep loadcast-bench. /proc/self/mounts || :" | nothing || return 1
    done
    pgrep -af "bench-rank hold .*$tmp" | nothing
}
all_held() { [ -e held ] && [ "$(wc -l <held)" = 4 ]; }
no_trace_on_nodes() { (nodes_clean) >/dev/null 2>&1; }
t 'every arm by srun in one allocation, cold and warm: each node holds its tree, mount or image; nothing of it stays' '
    need_ptrace
    for program in tar zstd mksquashfs squashfuse_ll fusermount3 sbcast; do
        command -v $program >/dev/null || skip "$program is not installed"
    done
    arms=plain,copy,squashfs,loadcast,loadcast-libs
    grep -v "^count" s.yaml >arms.yaml # memory is counted, too
    code 0 timeout 300 "$src/tools/cluster" --name "$name" slurm -- salloc -N2 -n4 loadcast bench --work "$work" --db "$tmp/arms.db" --json \
        --width 4@2 --cache cold,warm --with $arms arms.yaml
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(w, \"done\") for _ in (1, 2) for w in \"$arms\".split(\",\")]"
    loadcast results export --json --db arms.db >arms.json
    "$python" -c "
import json
rows = json.load(open(\"arms.json\"))
assert all(r[\"place\"][\"launcher\"] == \"srun\" and r[\"nodes\"] == 2 for r in rows)
assert all(r[\"metrics\"][\"memory_bytes\"] > 1e6 for r in rows if r[\"with\"] != \"plain\")
assert all(r[\"metrics\"][\"stage_s\"] > 0 for r in rows if r[\"cache\"] == \"cold\" and r[\"with\"] in (\"copy\", \"squashfs\"))"
    nodes_clean
'
opens() { cluster stats 2>/dev/null | awk -v node="$1" '$1 == node { n = 0; for (i = 1; i < NF; i++) if ($i == "OPEN") n = $(i + 1) + 0; print n }'; }
t 'copy by srun: sbcast brings the archive; no node opens anything on the shared disk' '
    command -v sbcast >/dev/null || skip "sbcast is not installed"
    cluster stats --reset >/dev/null 2>&1
    code 0 timeout 200 "$src/tools/cluster" --name "$name" slurm -- salloc -N2 -n4 loadcast bench --work "$work" --db "$tmp/b.db" --json \
        --width 4@2 --cache found --with copy s.yaml
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"copy\", \"done\")]"
    for node in n1 n2; do [ "$(opens $node)" = 0 ] || { cluster stats; exit 1; }; done
'
t 'a job is cancelled while ranks run: no node keeps its tree or mount' '
    mkdir stage
    printf "#!/bin/sh\necho \$0 >>$tmp/held\nexec sleep 1000\n" >stage/wait
    chmod +x stage/wait
    for arm in copy squashfs; do
        rm -f held
        timeout 200 "$src/tools/cluster" --name "$name" slurm -- salloc -J arms -N2 -n4 loadcast bench --work "$work" --db "$tmp/c.db" \
            --command "{target}/wait" --stage "$tmp/stage" --target "$tmp/shared" --cache warm --width 4@2 --with $arm --max-runs 1 --no-count \
            >cancelled.out 2>cancelled.err &
        wait_until all_held || { cat cancelled.err; exit 1; }
        timeout 100 "$src/tools/cluster" --name "$name" slurm -- scancel -n arms
        wait
        wait_until no_trace_on_nodes || { cat cancelled.err; nodes_clean; exit 1; }
    done
'
t 'widths beyond the allocation: a clear line, a failed row, the others are measured' '
    code 1 timeout 200 "$src/tools/cluster" --name "$name" slurm -- salloc -N1 -n2 loadcast bench --work "$work" --db "$tmp/r.db" --json --width 2,64 --with plain s.yaml
    line "[l[\"status\"] for l in lines] == [\"done\", \"failed\"] and \"allocation\" in lines[1][\"reason\"]"
'
t 'through the queue from a login node' '
    code 0 timeout 200 "$src/tools/cluster" --name "$name" slurm -- loadcast bench --work "$work" --db "$tmp/q.db" --width 2@2 --with plain --submit "sbatch -W -N2 -n2 -o $tmp/job.out" s.yaml
    loadcast results list --db q.db >list || { cat job.out; exit 1; }
    grep -q done list
'
finish
