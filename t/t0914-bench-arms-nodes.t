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
targets: [{name: shared, path: $tmp/shared, cold_command: "'$src/tools/cluster' --name $name cold"}]
widths: ["8@4"]
caches: [cold, warm]
with: [plain, copy, squashfs, loadcast, loadcast-libs]
max_runs: 1
bystander_limit: 0
END
# nodes_clean: no node holds a tree or a mount, no process of theirs is left.
nodes_clean() {
    for node in n1 n2 n3 n4; do
        cluster node $node -- sh -c "ls -d /dev/shm/loadcast-bench.* /dev/shm/loadcast-[0-9]*/[0-9a-f]* 2>/dev/null; grep loadcast-bench. /proc/self/mounts || :" | nothing || return 1
    done
    pgrep -af "bench-rank hold .*$tmp" | nothing
}
all_held() { [ -e held ] && [ "$(wc -l <held)" = 4 ]; }
mounted_on() { cluster node "$1" -- grep -q "/dev/shm/loadcast-bench\..* fuse.squashfuse_ll" /proc/self/mounts; }
no_trace_on_nodes() { (nodes_clean) >/dev/null 2>&1; }
all_done() {
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(w, \"done\") for _ in (1, 2) for w in (\"plain\", \"copy\", \"squashfs\", \"loadcast\", \"loadcast-libs\")]"
    rows "all(r[\"nodes\"] == 4 for r in rows[-10:])"
    rows "all(r[\"metrics\"][\"memory_bytes\"] > 1e6 for r in rows[-10:] if r[\"with\"] != \"plain\")"
}
t 'mpiexec: each of four nodes holds its tree or mount; nothing of it stays' '
    need_ptrace
    code 0 timeout 300 "$src/tools/cluster" --name "$name" run -- loadcast bench --work "$work" --db "$tmp/r.db" --json --launcher mpiexec s.yaml
    all_done
    nodes_clean
'
t 'bench is killed while ranks run: no node keeps its tree or mount' '
    mkdir stage
    printf "#!/bin/sh\necho \$0 >>$tmp/held\nexec sleep 1000\n" >stage/wait
    chmod +x stage/wait
    for arm in copy squashfs; do
        rm -f held
        timeout 300 "$src/tools/cluster" --name "$name" run -- loadcast bench --work "$work" --db "$tmp/r.db" --launcher mpiexec \
            --command "{target}/wait" --stage "$tmp/stage" --target "$tmp/shared" --cache warm --width 4@4 --with $arm --max-runs 1 --no-count \
            >killed.out 2>killed.err &
        wait_until all_held || { cat killed.err; exit 1; }
        [ "$arm" = copy ] || mounted_on n3
        kill -KILL $(pgrep -f "bench --work $work .*--command")
        wait
        wait_until no_trace_on_nodes || { nodes_clean; exit 1; }
    done
'
opens() { cluster stats 2>/dev/null | awk -v node="$1" '$1 == node { n = 0; for (i = 1; i < NF; i++) if ($i == "OPEN") n = $(i + 1) + 0; print n }'; }
# nodes_open WITH: bench with one arm, cold; then $tmp/opens has how many files each node but the first opened on the shared disk
nodes_open() {
    sed "s/^with:.*/with: [$1]/; s/^caches:.*/caches: [found]/" s.yaml >one.yaml
    echo "count: false" >>one.yaml
    cluster stats --reset >/dev/null 2>&1
    code 0 timeout 300 "$src/tools/cluster" --name "$name" run -- loadcast bench --work "$work" --db "$tmp/r.db" --json --launcher mpiexec one.yaml
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"$1\", \"done\")]"
    for node in n2 n3 n4; do opens $node; done >opens
}
t 'loadcast by mpiexec: a cold run is one line of loadcast run, whose nodes open nothing but the image' '
    need_ptrace
    nodes_open plain
    [ "$(sort -n opens | head -n 1)" -gt 20 ] || { cluster stats; exit 1; }
    nodes_open loadcast
    [ "$(sort -n opens | tail -n 1)" -le 2 ] || { cluster stats; exit 1; }
    cleaned
    nodes_clean
'
t 'copy by mpiexec: the archive goes over our own broadcast; nodes but the first open nothing on the shared disk' '
    need_ptrace
    [ -x "$build/stage-mpi.openmpi" ] || skip "built without mpicc.openmpi"
    nodes_open copy
    [ "$(sort -n opens | tail -n 1)" = 0 ] || { cluster stats; exit 1; }
    nodes_clean
'
finish
