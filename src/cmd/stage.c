/* SPDX-License-Identifier: MIT */
/* stage.c - loadcast stage: an image onto every node of a job */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/staging_options.h"
#include "image/image.h"
#include "launch/run.h"
#include "stage/stage.h"
#include "util/cli.h"
#include "util/json.h"

enum { SOME_LACK_IT = 4 };

static struct {
    struct lc_staging_options staging;
    const char *only;
    bool verify, clean, json, quiet;
} opt = {.staging = LC_STAGING_DEFAULTS, .only = "all"};

static const char *const kinds[] = {"all", "libs", NULL};

static const struct lc_opt options[] = {
    LC_STAGING_OPTIONS(opt.staging),
    {0, "only", LC_OPT_CHOICE, &opt.only, "WHAT",
     "stage programs and libraries alone (libs), or everything (all)", .choices = kinds},
    {0, "verify", LC_OPT_FLAG, &opt.verify, NULL,
     "compare what stands on the nodes with its checksums; stage nothing"},
    {0, "clean", LC_OPT_FLAG, &opt.clean, NULL, "take the image out of the nodes' memory again"},
    {0, "json", LC_OPT_FLAG, &opt.json, NULL, "report every node as JSON"},
    {'q', "quiet", LC_OPT_FLAG, &opt.quiet, NULL, "report failures only, on standard error"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast stage",
    .usage = "[options] IMAGE [-- LAUNCH LINE]",
    .summary = "Put an image into the memory of every node of a job; print the node directory.",
    .notes = "The nodes are those of the launch line, else of the allocation, else this machine.\n"
             "Exit status: 0 every node has it, 1 none has, 2 usage, 3 the image cannot be used,\n"
             "4 some nodes lack it: they are named, and their ranks will run without it.\n",
    .opts = options,
    .stop_at_word = true,
};

static int report_json(const struct lc_staging_report *report, struct lc_error *err)
{
    json_t *all = json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:O}", "node", report->node, "via",
                            lc_via_names[report->via], "ok", (json_int_t)report->ok, "failed",
                            (json_int_t)report->failed, "bytes", (json_int_t)report->bytes,
                            "seconds", report->seconds, "nodes", report->nodes);
    int rc = lc_json_write(all, "-", err);

    json_decref(all);
    return rc;
}

/* Where it was staged if the usual place could not be used. */
static void look_elsewhere(const struct lc_job_staging *staging, struct lc_staging_report *report)
{
    struct lc_job_staging there = *staging;
    struct lc_staging_report other;
    struct lc_error err;

    there.dir = LC_STAGING_OTHER_DIR;
    bool has =
        lc_nodes_visit(&there, false, opt.verify, opt.clean, &other, &err) == 0 && other.ok > 0;
    lc_staging_report_free(has ? report : &other);
    if (has)
        *report = other;
}

static int look_again(const struct lc_job_staging *staging, struct lc_staging_report *report,
                      struct lc_error *err)
{
    int rc = lc_nodes_visit(staging, false, opt.verify, opt.clean, report, err);
    if (rc == 0 && report->ok == 0 && !opt.staging.dir)
        look_elsewhere(staging, report);
    if (rc == 0 && !opt.quiet)
        fprintf(stderr, "loadcast stage: %s on %zu of %zu nodes\n",
                opt.clean ? "removed" : "verified", report->ok, report->ok + report->failed);
    return rc;
}

/* What the nodes reported, for people and for scripts; the exit code. */
static int tell(const struct lc_staging_report *report, const struct lc_messages *messages, int rc,
                bool again)
{
    struct lc_error err;
    int code = rc < 0 || report->ok == 0 ? LC_EXIT_FAILED
               : report->failed > 0      ? SOME_LACK_IT
                                         : LC_EXIT_OK;

    lc_staging_tell_failed(report, messages);
    if (rc == 0 && !again)
        lc_staging_tell_summary(report, messages);
    lc_staging_tell_said(report, messages);
    if (rc == 0 && opt.json && report_json(report, &err) < 0)
        code = lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    if (rc == 0 && !opt.json && !again)
        printf("%s\n", report->node);
    return code;
}

static int run(const char *image, char **line)
{
    struct lc_staging_display display = {.who = cli.name, .quiet = opt.quiet};
    struct lc_job_staging staging = lc_staging_from_options(&opt.staging, &display);
    struct lc_staging_report report = {0};
    struct lc_launch_line parsed;
    struct lc_error err;
    char origin[PATH_MAX], dir[PATH_MAX];

    signal(SIGCHLD, SIG_DFL); /* a process that ignores it never learns how a child ended */
    if (lc_stage_origin(origin, sizeof(origin), &err) < 0 ||
        lc_staging_name_dir(opt.staging.dir, dir, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    lc_cleaning_wait(dir);
    staging.origin = origin;
    staging.dir = dir;
    staging.image = image;
    staging.cleans_all = true;
    staging.only_libs = strcmp(opt.only, "libs") == 0;
    if (lc_image_id(image, &staging.id, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_IMAGE, &err);
    if (*line) {
        lc_launch_line_parse(&parsed, line, NULL);
        staging.line = &parsed;
    }
    bool again = opt.verify || opt.clean;
    int rc = again ? look_again(&staging, &report, &err)
                   : lc_nodes_stage_anywhere(&staging, &report, opt.staging.dir, &err);
    if (rc < 0)
        lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    int code = tell(&report, &staging.messages, rc, again);
    lc_staging_report_free(&report);
    return code;
}

int lc_cmd_stage(int argc, char **argv)
{
    struct lc_error err;
    int first, second = 0, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && first == argc)
        rc = lc_error_set(&err, "no image given; try: loadcast stage app.lcast");
    if (rc == 0) /* options may also follow the image */
        rc = lc_cli_parse(&cli, argc - first, argv + first, &second, &err);
    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    return run(argv[first], argv + first + second);
}
