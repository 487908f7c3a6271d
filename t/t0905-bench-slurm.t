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
