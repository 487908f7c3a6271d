"""fit_cluster.py LOADCAST RANKS_PER_NODE SCALE CORES: judge 'loadcast predict' by measured runs on tools/cluster.

Reads in the working directory: 'control' (NODES SECONDS: without a slow disk), 'measured' (NODES PLAIN LOADCAST) and
'when.json' (a trace of one rank). Three numbers per curve are fitted, all on 1, 2 and 4 nodes:
- both curves: the start of a job and the CPU time of a rank, on the control runs;
- plain: the rate of the metadata server, since the ranks of a node share some of what its client caches, which one
  traced rank does not show;
- Loadcast: what each node adds to the start of a job (launch.per_node_ms), since all nodes share this machine's cores.
The error is that on wider jobs. Prints bars on standard output, a table for doc/figures.md on standard error."""
import json
import subprocess
import sys

loadcast = sys.argv[1]
per_node, scale, cores = map(int, sys.argv[2:])
FITTED_NODES = 4
ARMS = {"plain": "plain", "Loadcast": "loadcast-mpi"}


def rows(name):
    return [[None if word == "-" else float(word) for word in line.split()] for line in open(name)]


def line_fit(points):
    """base and slope of T = base + ranks * slope, by least squares."""
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    slope = (n * sum(x * y for x, y in points) - sx * sy) / (n * sum(x * x for x, _ in points) - sx * sx)
    return max(0, (sy - slope * sx) / n), max(0, slope)


base_s, cpu_slope = line_fit([(n * per_node, t) for n, t in rows("control") if t is not None])
measured = {int(n): dict(zip(ARMS, times)) for n, *times in rows("measured")}


def predict(rate_factor, per_node_ms):
    """{nodes: {arm: seconds}}"""
    rate, mb_s = rate_factor * 1e6 / 9.5 / scale, 10000 / scale
    with open("machine.yaml", "w") as out:
        out.write(f"""name: testbed
nodes: 16
ranks_per_node: {per_node}
metadata: {{lookups_per_s: {rate:.1f}, misses_per_s: {rate:.1f}, opens_per_s: {rate / 2:.1f}, latency_us: 140}}
data: {{server_mb_s: {mb_s:.3f}, total_mb_s: {mb_s:.3f}, node_mb_s: {mb_s:.3f}}}
network: {{link_mb_s: 1000, latency_us: 50}}
node: {{memory_mb_s: 1000, shared_cores: {cores}}}
launch: {{base_s: {base_s:.3f}, per_node_ms: {per_node_ms:.1f}}}
""")
    subprocess.run([loadcast, "predict", "--machine", "./machine.yaml", "--trace", "when.json", "--cpu", "%.3f" % (cpu_slope * cores),
                    "--ranks", ",".join(str(n * per_node) for n in measured), "--json", "p.json"], check=True, stdout=subprocess.DEVNULL)
    return {w["nodes"]: {name: w["with"][arm]["worst_s"] for name, arm in ARMS.items()} for w in json.load(open("p.json"))["widths"]}


def too_long(name, predicted):
    """Sum of the relative errors where a curve is fitted: positive if predictions are too long."""
    return sum(predicted[n][name] / t[name] - 1 for n, t in measured.items() if n <= FITTED_NODES and t[name])


def bisect(low, high, is_too_long):
    """The value between low and high up to which is_too_long(value) is false."""
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if is_too_long(middle) else (middle, high)
    return low


factor = 1 / bisect(0.1, 10, lambda slower: too_long("plain", predict(1 / slower, 0)) > 0)
node_ms = bisect(0, 10000, lambda ms: too_long("Loadcast", predict(1, ms)) > 0)
plain, cast = predict(factor, 0), predict(1, node_ms)
print(f"fitted on 1 to {FITTED_NODES} nodes: base {base_s:.2f} s, CPU {cpu_slope * cores:.2f} s per rank, server x {factor:.2f} (plain), "
      f"{node_ms:.0f} ms per node and start (Loadcast)", file=sys.stderr)
print("| nodes | plain | predicted | Loadcast | predicted |\n|---|---|---|---|---|", file=sys.stderr)
errors = {name: [] for name in ARMS}
for n, times in measured.items():
    for name, got in (("plain", plain), ("Loadcast", cast)):
        if times[name] and n > FITTED_NODES:
            errors[name].append(abs(got[n][name] / times[name] - 1))
    shown = ["-" if t is None else f"{t:.1f} s | {got[n][name]:.1f} s" for (name, t), got in zip(times.items(), (plain, cast))]
    print(f"| {n} |", " | ".join(shown), "|", file=sys.stderr)
for name, e in errors.items():
    if e:
        print(f"predict against the cluster, wider than {FITTED_NODES} nodes, {name}\t{100 * sum(e) / len(e):.1f}\t<=\t25\t%\tmean error, fitted on narrower jobs")
