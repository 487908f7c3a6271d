/* SPDX-License-Identifier: MIT */
/* sbcast.c - Slurm's own broadcast of the image file to every node of the allocation
 *
 * The copy must not be seen by others, and others must not be able to put something in its place:
 * it goes into the user's own directory, which is made on every node first. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/compose.h"
#include "launch/reports.h"
#include "launch/step.h"
#include "util/path.h"

static const char make[] = "umask 077; mkdir \"$0\" 2>/dev/null; if [ -d \"$0\" ] && [ ! -L \"$0\" "
                           "] && [ -O \"$0\" ]; then "
                           "chmod 700 \"$0\" && echo '@loadcast .'; else printf '@loadcast "
                           "{\"ok\":false,\"error\":\"%s is not "
                           "ours\",\"host\":\"%s\"}\\n' \"$0\" \"$(uname -n)\"; fi";

static int run(const struct lc_cast *cast, char *const *argv, json_t *nodes, struct lc_error *err)
{
    struct lc_reports reports = {.nodes = nodes};
    struct lc_step step = {.argv = argv, .take = lc_reports_take, .arg = &reports};
    int status = 0;

    /* sbcast says nothing while it works: its patience grows with what it has to move. */
    step.patience_s = cast->patience_s * 60;
    if (lc_step_run(&step, &status, err) < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    errno = EIO;
    return lc_error_set(err, "'%s' failed (status %d)", argv[0],
                        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int lc_sbcast(const struct lc_cast *cast, const struct lc_argv *start, const char *image,
              char copy[LC_CAST_PATH], struct lc_cast_report *report, struct lc_error *err)
{
    struct lc_argv words = {0};
    char user[LC_CAST_PATH - 32];
    int rc = 0;

    if (start->count == 0 || lc_compose_slurm_nodes() == 0) {
        errno = ENOENT;
        return lc_error_set(err, "sbcast works inside an allocation of Slurm's only; use salloc or "
                                 "sbatch");
    }
    snprintf(user, sizeof(user), "%s/loadcast-%lu", cast->dir, (unsigned long)geteuid());
    snprintf(copy, LC_CAST_PATH, "%s/.cast.%ld", user, (long)getpid());
    lc_argv_add_all(&words, start->item);
    lc_words_split(&words, "/bin/sh -c");
    lc_argv_add(&words, make);
    lc_argv_add(&words, user);
    rc = run(cast, words.item, report->nodes, err);
    lc_argv_free(&words);
    if (rc < 0)
        return -1;
    lc_words_split(&words, "sbcast --force");
    lc_argv_add(&words, image);
    lc_argv_add(&words, copy);
    rc = run(cast, words.item, report->nodes, err);
    lc_argv_free(&words);
    return rc;
}
