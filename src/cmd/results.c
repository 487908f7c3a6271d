/* SPDX-License-Identifier: MIT */
/* results.c - loadcast results: list, show, exchange and prune measured runs */
#include "cmd/results.h"

#include <limits.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/verbs.h"
#include "results/exchange.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/date.h"

static struct lc_results_view view;
static struct {
    const char *since, *until;
    bool dry, salvage;
} opt;

static const char *const statuses[] = {"started", "done", "failed", "timeout", "stopped", NULL};
static const char *const withs[] = {"plain", "loadcast", NULL};
static const char *const caches[] = {"cold", "warm", "found", NULL};

static const struct lc_opt options[] = {
    {0, "db", LC_OPT_STRING, &view.db, "FILE",
     "the database; without it $LOADCAST_DB, or loadcast/results.db in your data directory"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "which runs"},
    {0, "suite", LC_OPT_STRING, &view.filter.suite, "NAME", "of this suite"},
    {0, "case", LC_OPT_STRING, &view.filter.name, "NAME", "of this case"},
    {0, "mode", LC_OPT_STRING, &view.filter.mode, "NAME", "loading in this way"},
    {0, "target", LC_OPT_STRING, &view.filter.target, "NAME", "on this target"},
    {0, "ranks", LC_OPT_LONG, &view.filter.ranks, "N", "of this width", 0, INT_MAX},
    {0, "with", LC_OPT_CHOICE, &view.filter.with, "WITH", "plain or with Loadcast", 0, 0, withs},
    {0, "cache", LC_OPT_CHOICE, &view.filter.cache, "CACHE", "cold or warm", 0, 0, caches},
    {0, "status", LC_OPT_CHOICE, &view.filter.status, "STATUS", "that ended like this", 0, 0,
     statuses},
    {0, "since", LC_OPT_STRING, &opt.since, "WHEN",
     "started at or after a date (UTC), or so long ago: 2026-01-31, 12h, 7d"},
    {0, "until", LC_OPT_STRING, &opt.until, "WHEN", "started before"},
    {0, "last", LC_OPT_LONG, &view.filter.last, "N", "of those the newest N", 0, INT_MAX},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "how"},
    {0, "json", LC_OPT_FLAG, &view.json, NULL, "list, show, export: as JSON"},
    {0, "csv", LC_OPT_FLAG, &view.csv, NULL, "export: as CSV, one line per run"},
    {'o', "output", LC_OPT_STRING, &view.output, "FILE", "export: write to FILE"},
    {0, "salvage", LC_OPT_FLAG, &opt.salvage, NULL,
     "merge: take what can be read of a damaged database"},
    {'n', "dry-run", LC_OPT_FLAG, &opt.dry, NULL, "prune: only say how many"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast results",
    .usage = "[options] list | show ID | export | import FILE... | merge [FROM...] | prune",
    .summary = "Look at measured runs, carry them from database to database, remove them.",
    .notes = "Exit status: 0 done, 1 could not be done (nothing is changed then), 2 usage.\n",
    .opts = options,
};

static int usage_fail(const struct lc_error *err)
{
    return lc_cli_fail(&cli, LC_EXIT_USAGE, err);
}

static int failure_print(const struct lc_error *err)
{
    return lc_cli_fail(&cli, LC_EXIT_FAILED, err);
}

/* Tell the user about runs that are in the spool and not yet in the database. */
static void waiting_print(void)
{
    long waiting = lc_results_waiting(view.db);

    if (waiting > 0)
        fprintf(stderr,
                "loadcast results: %s more run%s in '%s.spool'; bring them in: loadcast results "
                "merge --db '%s'\n",
                lc_human_count((uint64_t)waiting).s, waiting == 1 ? " is" : "s are", view.db,
                view.db);
}

static int results_print(int (*print)(const struct lc_results *, const struct lc_results_view *,
                                      struct lc_error *))
{
    struct lc_error err;
    struct lc_results *results = lc_results_open(view.db, LC_RESULTS_READ, &err);
    int rc = results ? print(results, &view, &err) : -1;

    lc_results_close(results);
    waiting_print();
    return rc < 0 ? failure_print(&err) : LC_EXIT_OK;
}

static int run_list(int argc, char **argv)
{
    struct lc_error err;

    if (argc > 0) {
        lc_error_set(&err, "list takes no arguments, got '%s'", argv[0]);
        return usage_fail(&err);
    }
    return results_print(lc_results_list);
}

static int run_show(int argc, char **argv)
{
    struct lc_error err;

    if (argc != 1) {
        lc_error_set(&err, "show takes the number of a run; 'loadcast results list' names them");
        return usage_fail(&err);
    }
    if (lc_parse_long("show", argv[0], 1, LONG_MAX, &view.filter.id, &err) < 0)
        return usage_fail(&err);
    return results_print(lc_results_show);
}

static int run_export(int argc, char **argv)
{
    struct lc_error err;

    (void)argv;
    if (argc > 0 || view.csv == view.json) {
        lc_error_set(&err, argc > 0 ? "export takes no arguments; name a file with --output"
                                    : "export needs one of --csv, --json");
        return usage_fail(&err);
    }
    return results_print(lc_results_export);
}

static void warning_print(const char *text)
{
    fprintf(stderr, "loadcast results: %s\n", text);
}

static void count_print(const struct lc_exchange *count)
{
    printf("%s added, %s completed, %s known before\n", lc_human_count((uint64_t)count->added).s,
           lc_human_count((uint64_t)count->updated).s, lc_human_count((uint64_t)count->known).s);
}

static void backup_print(const struct lc_results *results)
{
    if (lc_results_backup(results))
        fprintf(stderr, "loadcast results: '%s' was upgraded; the old one is '%s'\n", view.db,
                lc_results_backup(results));
}

static int run_import(int argc, char **argv)
{
    struct lc_error err;
    struct lc_exchange count = {.warn = warning_print};

    if (argc == 0) {
        lc_error_set(&err, "import needs a file made by 'loadcast results export --json', or -");
        return usage_fail(&err);
    }
    struct lc_results *results = lc_results_open(view.db, LC_RESULTS_WRITE, &err);
    int rc = results ? 0 : -1;
    for (int i = 0; rc == 0 && i < argc; i++)
        rc = lc_results_import(results, argv[i], &count, &err);
    if (rc == 0) {
        backup_print(results);
        count_print(&count);
    }
    lc_results_close(results);
    return rc < 0 ? failure_print(&err) : LC_EXIT_OK;
}

static int run_merge(int argc, char **argv)
{
    struct lc_error err;
    struct lc_exchange count = {.warn = warning_print, .salvage = opt.salvage};

    if (lc_results_merge(view.db, (const char *const *)argv, (size_t)argc, &count, &err) < 0)
        return failure_print(&err);
    count_print(&count);
    return count.refused ? LC_EXIT_FAILED : LC_EXIT_OK;
}

static bool is_restricted(const struct lc_run_filter *f)
{
    return f->suite || f->name || f->mode || f->target || f->with || f->cache || f->status ||
           f->ranks || f->since_ns || f->until_ns || f->last;
}

static int run_prune(int argc, char **argv)
{
    struct lc_error err;
    long count;

    (void)argv;
    if (argc > 0 || !is_restricted(&view.filter)) {
        lc_error_set(&err, argc > 0 ? "prune takes no arguments"
                                    : "prune needs to be told which runs, such as --until 365d; "
                                      "remove the file to remove all");
        return usage_fail(&err);
    }
    if (lc_results_prune(view.db, &view.filter, opt.dry, &count, &err) < 0)
        return failure_print(&err);
    printf("%s run%s %s removed\n", lc_human_count((uint64_t)count).s, count == 1 ? "" : "s",
           opt.dry ? "would be" : (count == 1 ? "was" : "were"));
    return LC_EXIT_OK;
}

static const struct lc_verb verbs[] = {
    {"list", run_list},
    {"show", run_show},
    {"export", run_export},
    {"import", run_import},
    {"merge", run_merge},
    {"prune", run_prune},
    {0},
};

static int options_complete(char *db, size_t size, struct lc_error *err)
{
    if (opt.since && lc_parse_date("--since", opt.since, &view.filter.since_ns, err) < 0)
        return -1;
    if (opt.until && lc_parse_date("--until", opt.until, &view.filter.until_ns, err) < 0)
        return -1;
    if (!view.db) {
        view.db = db;
        return lc_results_default(db, size, err);
    }
    return 0;
}

int lc_cmd_results(int argc, char **argv)
{
    char db[PATH_MAX];
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && first == argc)
        rc = lc_error_set(&err, "needs one of list, show, export, import, merge, prune");
    if (rc == 0)
        rc = options_complete(db, sizeof(db), &err);
    if (rc < 0)
        return usage_fail(&err);
    const struct lc_verb *verb = lc_verb_find(verbs, argv[first], &err);
    return verb ? verb->run(argc - first - 1, argv + first + 1) : usage_fail(&err);
}
