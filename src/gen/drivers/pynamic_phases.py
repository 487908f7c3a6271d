# What both drivers do: startup, import, visit, the MPI test. Nothing is imported inside or before the
# timed phases that the interpreter has not loaded already, and only rank 0 reads the manifest.
ARRIVED_NS = time.time_ns()
MARKS = os.environ.get("LOADCAST_MARKS") == "1"  # asked for by 'loadcast bench', on every task
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["libmodule%d" % i for i in range(MODULES)]
PICTURE = 400  # rows and columns of the fractal
TURNS = 64  # iterations at most: five million in all, as much work as the original's
FAR = 9  # square of the distance at which a point is lost
PICTURE_CHECK = 0x73BAF9  # what the picture must add up to


def say(text):
    if rank == 0:
        print("Pynamic: " + text, flush=True)


def mark(name):
    """A phase ends here. Only the descriptor: nothing of Python's streams is in the way."""
    if MARKS:
        os.write(1, b"LOADCAST_MARK=%s %d\n" % (name, time.monotonic_ns()))


def complain(text):
    print("Pynamic: task %d: %s" % (rank, text), file=sys.stderr, flush=True)


def nanoseconds(text):
    """'date +%s' or 'date +%s.%N', exactly."""
    whole, _, fraction = text.partition(".")
    if not whole.isdigit() or (fraction and not fraction.isdigit()):
        raise ValueError(text)
    return int(whole) * 10**9 + int((fraction + "0" * 9)[:9])


def lost_by_launcher():
    """A launcher started several tasks, but MPI found only this one: why we know, or None. The first
    launcher that left a size decides: Slurm's may be that of the daemons of another."""
    if size > 1:
        return None
    sizes = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_SIZE", "FLUX_JOB_SIZE",
             "SLURM_STEP_NUM_TASKS"]
    if "SLURM_STEP_ID" in os.environ:  # else this may be the batch script's own environment
        sizes.append("SLURM_NTASKS")
    ranks = ["PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "ALPS_APP_PE"]
    for name in sizes:
        value = os.environ.get(name, "")
        if value.isdigit():
            return "%s is %s" % (name, value) if int(value) > 1 else None
    for name in ranks:
        if os.environ.get(name, "").isdigit() and int(os.environ[name]) > 0:
            return "%s is %s" % (name, os.environ[name])
    return None


class Phase:
    """Time of one step: on this task until it is done, and on rank 0 until all are."""

    def __init__(self, name=None):
        self.name = name

    def __enter__(self):
        self.error = None
        if self.name:
            mark(b"barrier")
        self.start = time.perf_counter_ns()
        return self

    def __exit__(self, kind, error, trace):
        self.own_ns = time.perf_counter_ns() - self.start
        if self.name:
            mark(self.name)
        if isinstance(error, Exception):
            self.error = error
            complain("%s: %s" % (kind.__name__, error))
        barrier()
        self.wall_ns = time.perf_counter_ns() - self.start
        return isinstance(error, Exception)


def everybody(is_well):
    """Is all well on every task?"""
    return bcast(reduce_sum(0 if is_well else 1)) == 0


def summary(own_ns, wall_ns):
    """min, median, max over tasks; on rank 0, None elsewhere."""
    all_ns = gather(own_ns)
    if rank != 0:
        return None
    order = sorted(all_ns)
    middle = (order[(size - 1) // 2] + order[size // 2]) // 2
    result = {"seconds": wall_ns / 1e9, "ns": wall_ns, "min_ns": order[0], "median_ns": middle,
              "max_ns": order[-1], "worst_rank": all_ns.index(order[-1])}
    if size <= 1024:
        result["ranks_ns"] = all_ns
    return result


def import_all():
    modules = [__import__("libmodulebegin")]
    for name in NAMES:
        modules.append(__import__(name))
    modules.append(__import__("libmodulefinal"))
    return modules


def visit_all(modules):
    modules[0].begin_break_here()
    values = [getattr(modules[i + 1], NAMES[i] + "_entry")() for i in range(MODULES)]
    modules[-1].break_here()
    return values


def expected_values():
    """From the manifest, read by rank 0 alone."""
    values = None
    if rank == 0:
        import json
        try:
            with open(os.path.join(HERE, "manifest.json")) as file:
                libraries = json.load(file)["libraries"]
            values = [lib["checksum"] for lib in libraries if lib["kind"] == "module"]
        except (OSError, ValueError, KeyError) as reason:
            complain("cannot read the manifest: %s" % reason)
    return bcast(values)


def check_values(values):
    expected = expected_values()
    if expected is None or len(expected) != len(values):
        complain("the manifest does not describe these %d modules" % len(values))
        return False
    for name, value, wanted in zip(NAMES, values, expected):
        if value != wanted:
            complain("%s returned %d, expected %d" % (name, value, wanted))
            return False
    return True


def step(x, y):
    """One turn of a Julia set; single operations only, so that every machine rounds alike."""
    return x * x - y * y - 0.8, 2 * x * y + 0.156


def turns_until_lost(start_x, start_y):
    x, y, turn = start_x, start_y, 0
    while turn < TURNS:
        across, up = x - start_x, y - start_y
        if across * across + up * up > FAR:
            break
        x, y = step(x, y)
        turn += 1
    return turn


def color(turn):
    """Blue, green, red."""
    share = turn / TURNS
    return int(40 + 215 * share), int(30 + 170 * share * share), int(20 + 60 * share)


def julia_row(row):
    line = bytearray()
    for column in range(PICTURE):
        line.extend(color(turns_until_lost(column / 280 - 0.7, row / 280 - 0.7)))
    return bytes(line)


def fractal():
    """Rows dealt to tasks, put together by a reduction: the picture on rank 0."""
    rows = [(row, julia_row(row)) for row in range(rank, PICTURE, size)]
    rows = reduce_sum(rows)
    return b"".join(line for _, line in sorted(rows)) if rank == 0 else None


def is_right(picture):
    total = sum((place + 1) * sum(picture[place::251]) for place in range(251)) & 0xFFFFFF
    if total != PICTURE_CHECK:
        complain("the picture adds up to %#x, expected %#x" % (total, PICTURE_CHECK))
    return total == PICTURE_CHECK


def write_bitmap(picture):
    """In the working directory; where that cannot be written, there is no picture to look at."""
    def little(value, size=4):
        return value.to_bytes(size, "little")
    heading = (b"BM" + little(54 + len(picture)) + little(0) + little(54) + little(40) +
               little(PICTURE) * 2 + little(1, 2) + little(24, 2) + little(0) +
               little(len(picture)) + little(0) * 4)
    try:
        with open("pynamic_fractal.bmp", "wb") as file:
            file.write(heading + picture)
    except OSError:
        return None
    return "pynamic_fractal.bmp"


def module_test(report):
    say("driver beginning... now importing modules")
    modules, values = None, None
    with Phase(b"import") as importing:
        modules = import_all()
    if not everybody(importing.error is None):
        return False
    say("driver finished importing all modules... visiting all module functions")
    with Phase(b"visit") as visiting:
        values = visit_all(modules)
    if not everybody(visiting.error is None):
        return False
    say("module import time = %.9f secs" % (importing.wall_ns / 1e9))
    say("module visit time = %.9f secs" % (visiting.wall_ns / 1e9))
    report["import"] = summary(importing.own_ns, importing.wall_ns)
    report["visit"] = summary(visiting.own_ns, visiting.wall_ns)
    report["checksum"] = sum(values)
    return everybody(check_values(values))


def mpi_test(report):
    picture = None
    with Phase() as drawing:
        picture = fractal()
    say("fractal mpi time = %.9f secs" % (drawing.wall_ns / 1e9))
    report["fractal"] = summary(drawing.own_ns, drawing.wall_ns)
    well = drawing.error is None and bcast(reduce_sum(1)) == size
    if rank == 0 and well:
        well = is_right(picture)
        report["bitmap"] = write_bitmap(picture)
    return everybody(well)


def finish(report, passed):
    report["passed"] = passed
    if rank == 0:
        import json
        phases = [report[name]["seconds"] for name in ("startup", "import", "visit")
                  if report.get(name)]
        report["sum"] = sum(phases)
        if len(phases) == 3:  # the benchmark's metric; loaders move time from one phase to another
            say("startup + import + visit = %.9f secs" % report["sum"])
        print("Pynamic-json: " + json.dumps(report), flush=True)
    return 0 if passed else 1


def start_time(arguments):
    """The launcher line's 'date', in nanoseconds; None when it was not given."""
    if not arguments:
        return None
    try:
        return nanoseconds(arguments[0])
    except ValueError:
        if rank == 0:
            complain("'%s' is no output of 'date +%%s' or 'date +%%s.%%N'" % arguments[0])
        sys.exit(2)


def report_startup(report, started_ns):
    """With MPI_Init in every mode, and without it: the original's own figure has it in some modes only,
    and is that of task 0 alone."""
    worst_ns = bcast(max(gather(ARRIVED_NS) or [0]))
    report["startup"] = summary(ARRIVED_NS - started_ns, worst_ns - started_ns)
    say("startup time = %.9f secs" % ((worst_ns - started_ns) / 1e9))
    worst_ns = bcast(max(gather(WITHOUT_MPI_NS) or [0]))
    report["startup_without_mpi"] = summary(WITHOUT_MPI_NS - started_ns, worst_ns - started_ns)
    say("startup without MPI_Init = %.9f secs, of task 0 alone %.9f secs" %
        ((worst_ns - started_ns) / 1e9, (WITHOUT_MPI_NS - started_ns) / 1e9))


def main():
    mark(b"start")
    lost = lost_by_launcher()
    if lost:
        complain("a launcher started this (%s), but MPI found only 1 task: the launcher and this "
                 "interpreter use different MPIs" % lost)
        return 1
    started_ns = start_time(sys.argv[1:])
    if HERE not in sys.path:  # python -P
        sys.path.insert(0, HERE)
    sys.path[:0] = [os.path.join(HERE, "search", str(i)) for i in range(PYTHON_DIRS)]
    report = {"version": VERSION, "mode": MODE, "tasks": size, "modules": MODULES,
              "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ARRIVED_NS // 10**9)),
              "host": os.uname().nodename, "python": sys.version.split()[0], "startup": None}
    say("Version " + VERSION)
    say("run on %s with %d MPI tasks" % (time.strftime("%x %X"), size))
    if started_ns is not None:
        report_startup(report, started_ns)
    passed = module_test(report)
    say("module test passed!" if passed else "module test FAILED!")
    if not passed:
        return finish(report, False)
    if MARKS:  # many runs, of which only the phases above are measured
        return finish(report, True)
    say("testing mpi capability...")
    passed = mpi_test(report)
    say("mpi test passed!" if passed else "mpi test FAILED!")
    return finish(report, passed)


try:
    code = main()
except Exception:
    sys.excepthook(*sys.exc_info())
    sys.stderr.flush()
    abort(1)
sys.exit(code)
