/* SPDX-License-Identifier: MIT */
/* run.c - loadcast run: one word in front of a launch line */
#include "launch/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/run_statistics.h"
#include "cmd/staging_options.h"
#include "launch/job_run.h"
#include "launch/words.h"
#include "node/format.h"
#include "util/human.h"
#include "util/process.h"
#include "util/site_conf.h"

enum { MOST_WATCHED = 1000 };

static struct {
    struct lc_staging_options staging;
    const char *image, *pilot, *wrap, *prune;
    struct lc_strings manage;
    double for_s;
    long watch;
    bool no_watch, record, dry_run, stats, strict, no_learn, keep, quiet;
} opt = {.staging = LC_STAGING_DEFAULTS, .wrap = "auto", .prune = "auto", .for_s = 60};

static const char *const prunes[] = {"auto", "off", NULL};

static const struct lc_opt options[] = {
    {0, "image", LC_OPT_STRING, &opt.image, "IMAGE",
     "the image; else $LOADCAST_IMAGE, else the line's own in the store (loadcast images), else "
     "app.lcast for 'python app.py', prog.lcast for './prog'"},
    {0, "dry-run", LC_OPT_FLAG, &opt.dry_run, NULL,
     "print every step as a command for a job script, run nothing"},
    {0, "stats", LC_OPT_FLAG, &opt.stats, NULL,
     "at the end: time of check, stage and launch line, operations saved, what was not answered"},
    {0, "strict", LC_OPT_FLAG, &opt.strict, NULL,
     "if the image cannot be used, fail instead of running without it"},
    {0, "keep", LC_OPT_FLAG, &opt.keep, NULL,
     "outside a scheduler's job: leave the image in the nodes' memory"},
    {0, "no-learn", LC_OPT_FLAG, &opt.no_learn, NULL,
     "do not add what ranks still ask of shared disks to the image in the store"},
    {0, "wrap", LC_OPT_CHOICE, &opt.wrap, "WHEN",
     "put the staged launcher before the program: if that lies in the image (auto), always, never",
     .choices = lc_wrap_names},
    {0, "prune", LC_OPT_CHOICE, &opt.prune, "WHEN",
     "hide needed names from ld.so where that is known to change nothing (auto), or never (off)",
     .choices = prunes},
    {'q', "quiet", LC_OPT_FLAG, &opt.quiet, NULL, "report failures only"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "Without an image"},
    {0, "watch", LC_OPT_LONG, &opt.watch, "N",
     "the line runs as it is, and its first N ranks are watched for an image in the store", 0,
     MOST_WATCHED},
    {0, "no-watch", LC_OPT_FLAG, &opt.no_watch, NULL, "the line runs as it is, and that is all"},
    {0, "record", LC_OPT_FLAG, &opt.record, NULL,
     "record it first, in a pilot with one task; without --image for the store"},
    {0, "pilot", LC_OPT_STRING, &opt.pilot, "LINE", "the pilot's own launch line: 'srun -n 1 ...'"},
    {0, "for", LC_OPT_SECONDS, &opt.for_s, "TIME",
     "end the pilot after TIME, or sooner when it has loaded nothing new for 10 s", 0.01, 1e7},
    {0, "manage", LC_OPT_STRINGS, &opt.manage, "PREFIX",
     "record what lies below PREFIX, whatever file system it is on (may be repeated)"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "Staging"},
    LC_STAGING_OPTIONS(opt.staging),
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast run",
    .usage = "[options] -- LAUNCH LINE",
    .summary = "Check, stage and run a launch line with the client in every rank.",
    .notes =
        "LOADCAST=0 in the environment runs the line as if Loadcast were not there.\n"
        "Exit status: the launch line's own; 125 if run itself failed, 126 if the launcher cannot\n"
        "be executed, 127 if it does not exist.\n",
    .opts = options,
    .stop_at_word = true,
    .example = "loadcast run -- srun -n 4 python3 app.py",
};

/* By the user's variable, else by the site. */
static bool is_off(void)
{
    const char *off = getenv(LC_NODE_OFF);

    return off && *off ? strcmp(off, "0") == 0 : lc_site_conf()->off;
}

static void take_site_defaults(int argc, char **argv)
{
    const char *quiet = getenv("LOADCAST_QUIET"), *watch = getenv("LOADCAST_WATCH"),
               *learn = getenv("LOADCAST_LEARN");

    lc_staging_take_site_defaults(&opt.staging, cli.name, argc, argv);
    opt.no_learn = learn && *learn ? strcmp(learn, "0") == 0 : lc_site_conf()->no_learn;
    opt.quiet = quiet && *quiet ? strcmp(quiet, "0") != 0 : lc_site_conf()->quiet;
    opt.watch = lc_site_conf()->no_watch ? 0 : 1;
    if (watch && *watch)
        lc_parse_long("LOADCAST_WATCH", watch, 0, MOST_WATCHED, &opt.watch, NULL);
}

/* --dry-run without an image: only the line itself would run. */
static int print_plain_line(char **argv)
{
    struct lc_buf text = {0};

    lc_words_quote(&text, argv);
    printf("%s\n", lc_buf_text(&text));
    lc_buf_free(&text);
    return LC_EXIT_OK;
}

/* Execute the line as if Loadcast were not there. */
static int run_plainly(char **argv)
{
    struct lc_error err;

    if (opt.dry_run)
        return print_plain_line(argv);
    execvp(argv[0], argv);
    int code = lc_exit_of_start(errno);
    lc_error_errno(&err, "cannot execute '%s'", argv[0]);
    return lc_cli_fail(&cli, code, &err);
}

static enum lc_wrap chosen_wrap(void)
{
    int i = 0;

    while (lc_wrap_names[i] && strcmp(opt.wrap, lc_wrap_names[i]) != 0)
        i++;
    return (enum lc_wrap)i;
}

static int run_job(char **argv)
{
    struct lc_staging_display display = {.who = cli.name, .quiet = opt.quiet};
    struct lc_run_options how = {
        .staging = lc_staging_from_options(&opt.staging, &display),
        .dir = opt.staging.dir,
        .image = opt.image,
        .pilot = opt.pilot,
        .pilot_for_s = opt.for_s,
        .manage = opt.manage,
        .wrap = chosen_wrap(),
        .no_prune = strcmp(opt.prune, "off") == 0,
        .watch = opt.no_watch ? 0 : opt.watch,
        .watched_rank = lc_watched_child,
        .record = opt.record,
        .dry_run = opt.dry_run,
        .stats = opt.stats,
        .strict = opt.strict,
        .no_learn = opt.no_learn,
        .keep = opt.keep,
        .quiet = opt.quiet,
    };
    struct lc_run_outcome outcome;

    lc_run_job(&how, argv, &outcome);
    if (outcome.has_statistics)
        lc_run_statistics_print(&outcome.statistics);
    lc_run_outcome_free(&outcome);
    switch (outcome.end) {
    case LC_RUN_PLAINLY:
        return run_plainly(argv);
    case LC_RUN_PRINTED:
        return LC_EXIT_OK;
    case LC_RUN_FAILED:
        return LC_EXIT_SELF;
    case LC_RUN_ENDED:
        break;
    }
    lc_process_end_as(outcome.status);
}

int lc_cmd_run(int argc, char **argv)
{
    struct lc_line_signals callers;
    struct lc_error err;
    int first;

    lc_line_signals_take(&callers); /* what the site's file says may be complained of */
    take_site_defaults(argc, argv);
    int rc = lc_cli_parse(&cli, argc, argv, &first, &err);
    lc_line_signals_restore(&callers);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && first == argc)
        rc = lc_error_set(&err,
                          "no launch line given; try: loadcast run -- srun -n 4 python3 app.py");
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    lc_nested_leave_outer();
    return is_off() ? run_plainly(argv + first) : run_job(argv + first);
}
