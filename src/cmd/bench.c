/* SPDX-License-Identifier: MIT */
/* bench.c - loadcast bench: measure a suite, or the cases that the command line names */
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/copy.h"
#include "bench/pick.h"
#include "cmd/bench.h"
#include "cmd/cmd.h"
#include "results/results.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/json.h"

static struct lc_bench_words opt;
static const char *db, *pick, *submit, *work;
static bool json, dry_run, debug, resume;
static char *suite_key; /* what makes a suite the same as one that was interrupted; owned */

static const char *const kinds[] = {"python-import", "workload", "cloadtest",
                                    "command",       "dummy",    NULL};
static const char *const bytecodes[] = {"compile", "exclude", "keep", NULL};

static const struct lc_opt options[] = {
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "what to measure, without a suite"},
    {0, "case", LC_OPT_CHOICE, &opt.kind, "KIND",
     "python-import, workload, cloadtest, command or dummy (the harness itself)", .choices = kinds},
    {0, "package", LC_OPT_STRINGS, &opt.packages, "NAME",
     "python-import: the package; numpy if none is given (may be repeated)"},
    {0, "python", LC_OPT_STRING, &opt.python, "PYTHON",
     "python-import: build the environment from this interpreter"},
    {0, "env", LC_OPT_STRING, &opt.env, "DIR",
     "python-import: use this environment, made by 'loadcast bench env'"},
    {0, "mpi", LC_OPT_FLAG, &opt.mpi, NULL, "python-import: start MPI before importing"},
    {0, "workload", LC_OPT_STRING, &opt.workload, "DIR", "a workload made by 'loadcast gen'"},
    {0, "mode", LC_OPT_STRING, &opt.mode, "MODE", "which of the workload's modes"},
    {0, "command", LC_OPT_STRING, &opt.command, "WORDS",
     "any program; {target} is the directory on the target"},
    {0, "stage", LC_OPT_STRING, &opt.stage, "DIR", "command: copy DIR to the target first"},
    {0, "name", LC_OPT_STRING, &opt.name, "NAME", "the case's name in rows"},
    {0, "target", LC_OPT_STRINGS, &opt.targets, "DIR", "measure there (may be repeated)"},
    {0, "storm", LC_OPT_STRINGS, &opt.storms, "PROFILE[:SCALE]",
     "measure on a stormfs of that profile, mounted for the purpose (may be repeated)"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "how; with a suite these replace what it says"},
    {'w', "width", LC_OPT_STRING, &opt.widths, "LIST",
     "ranks, or RANKS@NODES, separated by commas; they go upward"},
    {0, "cache", LC_OPT_STRING, &opt.caches, "LIST",
     "cold, warm, found (as they are: nothing dropped, no warm-up), or several"},
    {0, "with", LC_OPT_STRING, &opt.with, "LIST",
     "arms to compare: plain, copy, squashfs, loadcast, loadcast-libs, spindle"},
    {0, "launcher", LC_OPT_STRING, &opt.launcher, "LINE",
     "auto, plain, mpiexec, srun, or a line with {ranks}, {nodes}, {per_node}"},
    {0, "precision", LC_OPT_STRING, &opt.precision, "SHARE",
     "repeat until the 95 % interval of the median is within this share of it, e.g. 0.05"},
    {0, "max-runs", LC_OPT_STRING, &opt.max_runs, "N", "but at most N times"},
    {0, "stop-above", LC_OPT_STRING, &opt.stop_above, "TIME",
     "do not go wider once a run took longer"},
    {0, "bystander-limit", LC_OPT_STRING, &opt.bystander_limit, "FACTOR",
     "do not go wider once another user's stat is so many times slower; 0: go on"},
    {0, "timeout", LC_OPT_STRING, &opt.timeout, "TIME", "end a run after this"},
    {0, "bytecode", LC_OPT_CHOICE, &opt.bytecode, "HOW",
     "Python's bytecode on the target: compile, exclude or keep", .choices = bytecodes},
    {0, "no-count", LC_OPT_FLAG, &opt.no_count, NULL, "do not count operations"},
    {0, "db", LC_OPT_STRING, &db, "FILE", "the results database"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "more"},
    {0, "pick", LC_OPT_STRING, &pick, "random:N",
     "only N pairs of case and target, chosen at random by their weights"},
    {0, "submit", LC_OPT_STRING, &submit, "LINE",
     "hand this command, without --submit, to the queue: LINE is 'sbatch' with its options"},
    {0, "work", LC_OPT_STRING, &work, "DIR",
     "where environments and stormfs's trees are kept; else the user's cache directory"},
    {0, "resume", LC_OPT_FLAG, &resume, NULL,
     "go on with this suite where it was interrupted; what was measured is not measured again"},
    {'n', "dry-run", LC_OPT_FLAG, &dry_run, NULL, "say what would be measured, and stop"},
    {0, "debug", LC_OPT_FLAG, &debug, NULL,
     "list the loaded modules, and keep them and the environment, except what looks like a "
     "credential, with every run"},
    {0, "json", LC_OPT_FLAG, &json, NULL, "the summary as JSON"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast bench",
    .usage = "[options] SUITE.yaml | [options] --case KIND --target DIR | env [options] DIR",
    .summary = "Measure how long programs take to load: cold and warm, narrow and wide, plain and "
               "with Loadcast.",
    .notes = "'loadcast bench env --help' builds a relocatable Python environment.\n"
             "Exit status: 0 everything was measured or stopped as asked, 1 a run failed or could "
             "not be\nkept, 2 usage or a suite that makes no sense, 4 cold was refused and not "
             "measured,\n128 + N ended by signal N.\n",
    .opts = options,
};

static void message_print(const char *text)
{
    fprintf(stderr, "%sloadcast bench: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

static void line_add(const struct lc_bench_line *line, void *arg)
{
    lc_bench_summary_add(arg, line);
}

static int default_work(char *out, size_t size, struct lc_error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (work)
        snprintf(out, size, "%s", work);
    else if (cache && *cache)
        snprintf(out, size, "%s/loadcast/bench", cache);
    else if (home && *home == '/' && access(home, W_OK) == 0)
        snprintf(out, size, "%s/.cache/loadcast/bench", home);
    else
        snprintf(out, size, "/tmp/loadcast-bench-%u", (unsigned)getuid());
    return lc_make_dirs(out, err);
}

static struct lc_results *open_results(const struct lc_suite *suite, struct lc_error *err)
{
    char file[PATH_MAX], text[PATH_MAX + 100];

    if (db || suite->db)
        snprintf(file, sizeof(file), "%s", db ? db : suite->db);
    else if (lc_results_default(file, sizeof(file), err) < 0)
        return NULL;
    struct lc_results *results = lc_results_open(file, LC_RESULTS_WRITE, err);
    if (results && lc_results_spool(results)) {
        snprintf(text, sizeof(text),
                 "'%s' is on a network file system: runs go to '%s'; 'loadcast results merge' "
                 "brings them in",
                 file, lc_results_spool(results));
        message_print(text);
    }
    return results;
}

/* Run it, and say how to go on if it was interrupted. */
static long suite_run(struct lc_bench *bench, struct lc_error *err)
{
    if (resume && !bench->resume.is_on)
        message_print("nothing of this suite was interrupted: all of it is measured");
    long failed = lc_bench_run(bench, err);
    if (lc_interrupted())
        message_print("interrupted; the same command with --resume goes on");
    else if (failed >= 0)
        lc_resume_end(&bench->resume);
    return failed;
}

static int suite_measure(const struct lc_suite *suite, struct lc_error *err)
{
    struct lc_bench_summary summary = {0};
    char place[PATH_MAX];

    if (default_work(place, sizeof(place), err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, err);
    struct lc_results *results = open_results(suite, err);
    if (!results)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, err);
    lc_interrupt_catch();
    struct lc_bench bench = {.suite = suite,
                             .results = results,
                             .work = place,
                             .pick = pick,
                             .say = message_print,
                             .tell = line_add,
                             .arg = &summary};
    long failed = lc_resume_begin(&bench.resume, place, suite_key, resume, err);
    if (failed == 0)
        failed = suite_run(&bench, err);
    lc_results_close(results);
    struct lc_error unprinted;
    if (!json)
        lc_bench_summary_print(&summary, stdout);
    else if (lc_bench_summary_json(&summary, &unprinted) < 0 && failed >= 0) {
        *err = unprinted;
        failed = -1;
    }
    lc_bench_summary_free(&summary);
    if (failed < 0)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, err);
    if (bench.refused > 0)
        message_print("not everything was measured: cold was refused where it could not be had");
    return lc_interrupted()    ? 128 + lc_interrupted()
           : failed            ? LC_EXIT_FAILED
           : bench.refused > 0 ? LC_EXIT_REFUSED
                               : LC_EXIT_OK;
}

/* With --pick another draw than the measuring one, but of the same kind. */
static int plan_print(const struct lc_suite *suite, struct lc_error *err)
{
    struct lc_picks picks;

    if (lc_picks_make(&picks, suite, pick, err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, err);
    lc_bench_plan_print(suite, &picks, stdout);
    lc_picks_free(&picks);
    return LC_EXIT_OK;
}

int lc_cmd_bench(int argc, char **argv)
{
    struct lc_error err;
    int first;

    if (argc > 1 && strcmp(argv[1], "env") == 0)
        return lc_cmd_bench_env(argc - 1, argv + 1);
    char **whole = lc_bench_copy_words(argc, argv);
    int rc = lc_cli_parse(&cli, argc, argv, &first, &err);
    if (rc == LC_CLI_DONE)
        return free(whole), LC_EXIT_OK;
    if (rc == 0 && argc - first > 1)
        rc = lc_error_set(&err, "takes one suite");
    if (rc == 0 && resume && pick)
        rc = lc_error_set(&err, "--resume and --pick: a new draw cannot go on with an old one");
    struct lc_suite *suite =
        rc == 0 ? lc_bench_suite(first < argc ? argv[first] : NULL, &opt, whole, &err) : NULL;
    suite_key = strdup(suite && suite->text ? suite->text : "");
    if (suite && debug)
        lc_bench_note_environment(suite, message_print);
    int code = !suite    ? lc_cli_fail(&cli, LC_EXIT_USAGE, &err)
               : dry_run ? plan_print(suite, &err)
               : submit  ? lc_bench_submit(&cli, submit, whole)
                         : suite_measure(suite, &err);
    lc_suite_free(suite);
    free(suite_key);
    free(whole);
    return code;
}
