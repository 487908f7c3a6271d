"""fit_cluster.py LOADCAST RANKS_PER_NODE SCALE CORES: judge 'loadcast predict' by measured runs on tools/cluster.

Reads in the working directory: 'runs' (ARM NODES SECONDS, and of all ranks on average: seconds in MPI_Init, CPU seconds before it
and in it), 'when.json' (a trace of one rank) and 'when.lcast' (its image). Arms: 'control' is plain without a slow disk, 'alone' one
rank with Loadcast, whose CPU time is what the model is told of the job. Three numbers per curve are fitted, all on 1 to 4 nodes:
- plain: the start of a job and the CPU time of a rank, on the control runs; and the rate of the metadata server, since the
  ranks of a node share some of what its client caches, which one traced rank does not show;
- Loadcast: the CPU time to start a rank and what a rank that waits takes of a core (launch.rank_cpu_ms, launch.waiting_cores), a line
  through the CPU times in MPI_Init over the time spent there; and launch.base_s.
All that asks the server with Loadcast runs once per job and is charged once, so that its server is the profile's, unscaled.
The error is that on wider jobs. Prints bars on standard output, a table for doc/figures.md on standard error."""
import json
import statistics
import subprocess
import sys

loadcast = sys.argv[1]
per_node, scale, cores = map(int, sys.argv[2:])
FITTED_NODES = 4
ARMS = {"plain": "plain", "ranks": "loadcast-ranks", "mpi": "loadcast-mpi"}

runs = {}  # {arm: {nodes: [(seconds, in MPI_Init, CPU before, CPU in it)]}}
for line in open("runs"):
    arm, n, *values = line.split()
    if values != ["-"]:
        runs.setdefault(arm, {}).setdefault(int(n), []).append([float(v) for v in values])
seconds = {arm: {n: statistics.median(v[0] for v in got) for n, got in of.items()} for arm, of in runs.items()}


def line_fit(points):
    """base and slope of y = base + x * slope, by least squares."""
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    slope = max(0, (n * sum(x * y for x, y in points) - sx * sy) / (n * sum(x * x for x, _ in points) - sx * sx))
    return max(0, (sy - slope * sx) / n), slope


def predict(arm, tasks, launch, cpu_s, rate_factor=1):
    """{nodes: seconds}; each process that asks stands for so many tasks"""
    rate, mb_s = rate_factor * 1e6 / 9.5 / tasks, 10000 / tasks
    with open("machine.yaml", "w") as out:
        out.write(f"""name: testbed
nodes: 16
ranks_per_node: {per_node}
metadata: {{lookups_per_s: {rate:.1f}, misses_per_s: {rate:.1f}, opens_per_s: {rate / 2:.1f}, latency_us: 140}}
data: {{server_mb_s: {mb_s:.3f}, total_mb_s: {mb_s:.3f}, node_mb_s: {min(1000, mb_s):.3f}}}
network: {{link_mb_s: 1000, latency_us: 50}}
node: {{memory_mb_s: 1000, shared_cores: {cores}}}
launch: {{{launch}}}
""")
    job = ["--trace", "when.json"] if arm == "plain" else ["--image", "when.lcast"]
    subprocess.run([loadcast, "predict", "--machine", "./machine.yaml", *job, "--cpu", "%.4f" % cpu_s,
                    "--ranks", ",".join(str(n * per_node) for n in seconds[arm]), "--json", "p.json"], check=True, stdout=subprocess.DEVNULL)
    return {w["nodes"]: w["with"][ARMS[arm]]["worst_s"] for w in json.load(open("p.json"))["widths"]}


def bisect(low, high, arm, predicted):
    """The value between low and high with which predicted(value) has no error on average where the curve is fitted."""
    for _ in range(20):
        middle = (low + high) / 2
        got = predicted(middle)
        too_long = sum(got[n] / t - 1 for n, t in seconds[arm].items() if n <= FITTED_NODES) > 0
        low, high = (low, middle) if too_long else (middle, high)
    return predicted(low), low


def plain_predict():
    base_s, slope = line_fit([(n * per_node, t) for n, t in seconds["control"].items()])
    got, slower = bisect(0.1, 10, "plain", lambda slower: predict("plain", scale, f"base_s: {base_s:.3f}", slope * cores, 1 / slower))
    print(f"plain: base {base_s:.2f} s, CPU {slope * cores:.3f} s per rank, server x {1 / slower:.2f}", file=sys.stderr)
    return got


def loadcast_predict(arm):
    narrow = [run for of in (runs["ranks"], runs["mpi"]) for n, got in of.items() if n <= FITTED_NODES for run in got]
    start_s, waiting = line_fit([(run[1], run[3]) for run in narrow])
    cpu_s = statistics.median(run[2] for run in runs["alone"][1])
    launch = f"rank_cpu_ms: {1e3 * start_s:.3f}, waiting_cores: {waiting:.5f}, base_s: "
    got, base_s = bisect(0, 10, arm, lambda base: predict(arm, 1, f"{launch}{base:.4f}", cpu_s))
    print(f"{arm}: {launch}{base_s:.2f}; CPU {cpu_s:.3f} s per rank", file=sys.stderr)
    return got


for arm in [a for a in ARMS if a in seconds]:
    got = plain_predict() if arm == "plain" else loadcast_predict(arm)
    print(f"| nodes | {arm} | predicted | error |\n|---|---|---|---|", file=sys.stderr)
    for n, t in seconds[arm].items():
        print(f"| {n} | {t:.1f} s | {got[n]:.1f} s | {100 * (got[n] / t - 1):+.0f} %{' (fitted)' if n <= FITTED_NODES else ''} |", file=sys.stderr)
    errors = [abs(got[n] / t - 1) for n, t in seconds[arm].items() if n > FITTED_NODES]
    if errors:
        print(f"predict against the cluster, wider than {FITTED_NODES} nodes, {ARMS[arm]}\t{100 * sum(errors) / len(errors):.1f}\t<=\t25\t%\tmean error, fitted on narrower jobs")
