/* SPDX-License-Identifier: MIT */
/* report.c - loadcast report: tables, comparisons and a page of the measured runs */
#include "report/report.h"

#include <limits.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/results.h"
#include "report/compare.h"
#include "results/exchange.h"
#include "util/cli.h"
#include "util/output.h"
#include "util/date.h"

static struct {
    const char *db, *since, *until, *html;
    struct lc_run_filter filter;
    bool json, compare;
    double alpha, threshold;
} opt = {.alpha = 0.05, .threshold = 5};

static const char *const caches[] = {"cold", "warm", "found", NULL};

static const struct lc_opt options[] = {
    {0, "db", LC_OPT_STRING, &opt.db, "FILE",
     "the database; without it $LOADCAST_DB, or loadcast/results.db in your data directory"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "which runs"},
    {0, "suite", LC_OPT_STRING, &opt.filter.suite, "NAME", "of this suite"},
    {0, "case", LC_OPT_STRING, &opt.filter.name, "NAME", "of this case"},
    {0, "mode", LC_OPT_STRING, &opt.filter.mode, "NAME", "loading in this way"},
    {0, "target", LC_OPT_STRING, &opt.filter.target, "NAME", "on this target"},
    {0, "cache", LC_OPT_CHOICE, &opt.filter.cache, "CACHE", "cold or warm", 0, 0, caches},
    {0, "since", LC_OPT_STRING, &opt.since, "WHEN",
     "started at or after a date (UTC), or so long ago: 2026-01-31, 12h, 7d"},
    {0, "until", LC_OPT_STRING, &opt.until, "WHEN", "started before"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "how"},
    {0, "html", LC_OPT_STRING, &opt.html, "FILE",
     "write a page for a browser instead; - is standard output"},
    {0, "json", LC_OPT_FLAG, &opt.json, NULL, "the same figures as JSON"},
    {0, "compare", LC_OPT_FLAG, &opt.compare, NULL,
     "is B slower than A? Each is a database, or a choice such as version=0.2 or suite=a,host=b; "
     "since=2026-01-31 alone compares the runs since then with those before"},
    {0, "alpha", LC_OPT_DOUBLE, &opt.alpha, "P", "with --compare: how sure it must be", 1e-9, 0.5},
    {0, "threshold", LC_OPT_DOUBLE, &opt.threshold, "PERCENT",
     "with --compare: smaller differences do not count", 0, 1000},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast report",
    .usage = "[options] | [options] --compare A B | [options] --compare since=DATE",
    .summary = "Show what the measured runs say: scaling, phases, plain against Loadcast.",
    .notes =
        "Exit status: 0 shown, 1 could not be shown, 2 usage, 3 with --compare: B is slower.\n",
    .opts = options,
};

static int failure_print(const struct lc_error *err)
{
    return lc_cli_fail(&cli, LC_EXIT_FAILED, err);
}

static int comparison_exit_code(const struct lc_comparison *c, const char *name_a,
                                const char *name_b)
{
    struct lc_error err;

    if (c->runs_a == 0 || c->runs_b == 0) {
        lc_error_set(&err, "nothing to compare: there are no runs of '%s'",
                     c->runs_a == 0 ? name_a : name_b);
        return failure_print(&err);
    }
    if (c->slower + c->faster + c->same + c->too_few == 0) {
        lc_error_set(&err, "nothing to compare: A and B have no point in common");
        return failure_print(&err);
    }
    return c->slower > 0 ? LC_EXIT_SLOWER : LC_EXIT_OK;
}

static int sets_compare(const char *name_a, const char *name_b)
{
    struct lc_choice a = {0}, b = {0};
    struct lc_comparison c;
    struct lc_error err;
    int code = LC_EXIT_OK;

    if (lc_choice_parse(name_a, &a, &err) < 0 || lc_choice_parse(name_b, &b, &err) < 0)
        code = lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    else if (lc_compare(opt.db, &opt.filter, &a, &b, opt.alpha, opt.threshold / 100, &c, &err) < 0)
        code = failure_print(&err);
    if (code == LC_EXIT_OK) {
        if (!opt.json)
            lc_comparison_print(&c, name_a, name_b, stdout);
        else if (lc_comparison_json(&c, name_a, name_b, stdout, &err) < 0)
            code = failure_print(&err);
        if (code == LC_EXIT_OK)
            code = comparison_exit_code(&c, name_a, name_b);
        lc_comparison_free(&c);
    }
    lc_choice_free(&a);
    lc_choice_free(&b);
    return code;
}

/* Compare two sets that are named, or, for one argument that is a date, the runs before that day
 * with those since. */
static int arguments_compare(char **word, int words)
{
    struct lc_choice since = {0};
    struct lc_error err;
    char *before = words == 1 ? lc_choice_before(word[0]) : NULL;
    int code;

    if (words == 2)
        code = sets_compare(word[0], word[1]);
    else if (before && lc_choice_parse(word[0], &since, &err) < 0)
        code = lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    else if (before)
        code = sets_compare(before, word[0]);
    else {
        lc_error_set(&err,
                     "--compare takes two databases or choices, or one with since=DATE; got %d",
                     words);
        code = lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    }
    lc_choice_free(&since);
    free(before);
    return code;
}

static struct lc_report *report_load(struct lc_error *err)
{
    struct lc_results *results = lc_results_open(opt.db, LC_RESULTS_READ, err);
    struct lc_report *report = results ? lc_report_load(results, &opt.filter, err) : NULL;

    lc_results_close(results);
    if (lc_results_waiting(opt.db) > 0)
        fprintf(stderr,
                "loadcast report: runs wait in '%s.spool'; bring them in: loadcast results "
                "merge --db '%s'\n",
                opt.db, opt.db);
    return report;
}

static int report_show(void)
{
    struct lc_error err;
    struct lc_report *report = report_load(&err);
    int rc = -1;

    if (report)
        rc = opt.json ? lc_report_json(report, stdout, &err)
                      : lc_report_terminal(report, stdout, &err);
    lc_report_free(report);
    return rc < 0 ? failure_print(&err) : LC_EXIT_OK;
}

static int page_write(void)
{
    struct lc_error err;
    struct lc_output out;
    struct lc_report *report = report_load(&err);
    int rc = report ? lc_output_open(&out, opt.html, &err) : -1;

    if (rc == 0) {
        rc = lc_report_html(report, opt.db, out.stream, &err);
        if (lc_output_close(&out, rc == 0, &err) < 0)
            rc = -1;
    }
    lc_report_free(report);
    return rc < 0 ? failure_print(&err) : LC_EXIT_OK;
}

static int arguments_check(int words, struct lc_error *err)
{
    if (!opt.compare && words != 0)
        return lc_error_set(err, "takes no arguments without --compare");
    if (opt.html && (opt.json || opt.compare))
        return lc_error_set(err, "--html goes with neither --json nor --compare");
    if (opt.since && lc_parse_date("--since", opt.since, &opt.filter.since_ns, err) < 0)
        return -1;
    return opt.until ? lc_parse_date("--until", opt.until, &opt.filter.until_ns, err) : 0;
}

int lc_cmd_report(int argc, char **argv)
{
    char db[PATH_MAX];
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    lc_output_ignore_sigxfsz();
    if (rc == 0)
        rc = arguments_check(argc - first, &err);
    if (rc == 0 && !opt.db) {
        rc = lc_results_default(db, sizeof(db), &err);
        opt.db = db;
    }
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    return opt.compare ? arguments_compare(argv + first, argc - first)
           : opt.html  ? page_write()
                       : report_show();
}
