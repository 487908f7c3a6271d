/* SPDX-License-Identifier: MIT */
/* clean.c - loadcast clean: remove staged images from this node's memory */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "launch/run.h"
#include "stage/clean.h"
#include "stage/nodedir.h"
#include "stage/session_dir.h"
#include "stage/users.h"
#include "util/cli.h"
#include "util/human.h"

static struct {
    const char *dir;
    bool all, quiet;
} opt;

static const struct lc_opt options[] = {
    {0, "all", LC_OPT_FLAG, &opt.all, NULL,
     "also images of your other jobs, unless a process uses them"},
    {0, "dir", LC_OPT_STRING, &opt.dir, "DIR", "look in DIR and nowhere else"},
    {'q', "quiet", LC_OPT_FLAG, &opt.quiet, NULL, "do not say what was removed and what was left"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast clean",
    .usage = "[options]",
    .summary = "Remove your images from this node's memory: this job's, and those of jobs that are "
               "over.",
    .notes = "An image that a process uses is left where it is.\n"
             "Exit status: 0 done, 1 something could not be removed, or is in use, 2 usage.\n",
    .opts = options,
};

/* The totals of a clean-up. */
struct result {
    unsigned removed, left, failed;
    unsigned long long bytes;
};

static void fate_print(void *arg, const char *path, enum lc_clean_fate fate,
                       const struct lc_users *users, unsigned long long bytes)
{
    struct result *r = arg;

    if (fate == LC_CLEAN_REMOVED) {
        r->removed++;
        r->bytes += bytes;
        if (!opt.quiet)
            printf("removed    %s (%s)\n", path, lc_human_bytes(bytes).s);
    } else if (fate == LC_CLEAN_FAILED) {
        r->failed++;
        fprintf(stderr, "loadcast clean: cannot remove '%s': %s\n", path, strerror(errno));
    } else if (fate == LC_CLEAN_OTHER_JOB) {
        if (!opt.quiet)
            printf("left       %s: job %s may still want it; --all removes it\n", path, users->job);
    } else if (fate == LC_CLEAN_IN_USE) {
        r->left++;
        if (!opt.quiet && users->processes > 0)
            printf("left       %s: in use by %s process%s, such as %ld\n", path,
                   lc_human_count(users->processes).s, users->processes == 1 ? "" : "es",
                   (long)users->one);
        else if (!opt.quiet)
            printf("left       %s: it is being staged\n", path);
    }
}

/* Within a job the user's directory stays even if it is empty: if it were removed, another user
 * could create a directory of that name while processes of the job still look there. */
static void user_clean(void *arg, int user, const char *user_path)
{
    char job[64];

    lc_clean_user(user, user_path, opt.all ? LC_CLEAN_ALL : LC_CLEAN_JOB, NULL, fate_print, arg);
    lc_users_job(job, sizeof(job));
    if (!job[0])
        rmdir(user_path);
}

static void refusals_print(void *arg, const struct lc_error *why)
{
    (void)arg;
    fprintf(stderr, "loadcast clean: %s; left alone\n", why->text);
}

int lc_cmd_clean(int argc, char **argv)
{
    struct result r = {0};
    struct lc_error err;
    char dir[PATH_MAX];
    int rc = lc_cli_parse_options(&cli, argc, argv, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    if (opt.dir || lc_staging_name_dir(NULL, dir, &err) == 0)
        lc_cleaning_wait(opt.dir ? opt.dir : dir);
    lc_session_dir_sweep(opt.dir, fate_print, &r);
    lc_nodedir_each_user(opt.dir, user_clean, refusals_print, &r);
    if (!opt.quiet && r.removed + r.left + r.failed == 0)
        printf("nothing to remove\n");
    return r.failed || r.left ? LC_EXIT_FAILED : LC_EXIT_OK;
}
