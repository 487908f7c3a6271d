/* SPDX-License-Identifier: MIT */
/* rank_hold.c - bench-rank hold: hold something on this node until bench is gone
 *
 * usage: bench-rank hold HOSTS PORT TOKEN COUNT DIR SCRIPT [NAME=VALUE]...
 *
 * COUNT is the number of nodes; "?": the launcher's environment tells it. Signals that end a job
 * are ignored: bench gets them, too, and its end is the sign to clean up. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/rank.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/run.h"

/* How many processes the launcher started, or 1. */
static long own_count(void)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",     "PALS_SIZE", "JSM_NAMESPACE_SIZE", "FLUX_JOB_SIZE",
        "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", NULL};
    long count;

    for (size_t i = 0; names[i]; i++)
        if (getenv(names[i]) &&
            lc_parse_long(names[i], getenv(names[i]), 1, 1000000, &count, NULL) == 0)
            return count;
    return 1;
}

/* Makes the directory, or takes one that this user's bench has made, and locks it: what is not
 * locked was left by a dead bench. */
static int dir_take(const char *dir, struct lc_error *err)
{
    struct stat st;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return lc_error_errno(err, "cannot make '%s'", dir);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return lc_error_errno(err, "cannot open '%s'", dir);
    if (st.st_uid != geteuid())
        return lc_error_set(err, "'%s' belongs to another user", dir);
    flock(fd, LOCK_EX | LOCK_NB); /* fails where bench itself holds it; open until we end */
    return 0;
}

static int script_run(char **words, const char *verb, struct lc_error *err)
{
    struct lc_argv argv = {0};

    lc_argv_add(&argv, "env");
    lc_argv_printf(&argv, "DIR=%s", words[0]);
    lc_argv_add_all(&argv, words + 2);
    lc_argv_words(&argv, "sh -c");
    lc_argv_add(&argv, words[1]);
    lc_argv_add(&argv, "sh");
    lc_argv_add(&argv, verb);
    int rc = lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    return rc;
}

/* 'words' are DIR SCRIPT NAME=VALUE... */
static int hold(struct lc_link *link, char **words, struct lc_error *err)
{
    char line[64];

    if (dir_take(words[0], err) < 0 || script_run(words, "begin", err) < 0)
        return -1;
    if (lc_link_send(link, "barrier") == 0)
        while (lc_link_receive(link, line, sizeof(line)) == 0)
            ;
    return 0;
}

static void failure_send(struct lc_link *link, const struct lc_error *err)
{
    struct lc_buf text = {0};

    lc_buf_escape(&text, err->text, strlen(err->text));
    lc_link_send(link, "text %s", lc_buf_text(&text));
    lc_link_send(link, "end 1 0 0 0");
    lc_buf_free(&text);
}

int lc_rank_hold(char **words, long rank, struct lc_error *err)
{
    struct lc_link link;
    struct lc_error ignored;
    long count = 0;

    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (strcmp(words[3], "?") == 0)
        count = own_count();
    else if (lc_parse_long("the number of nodes", words[3], 1, 1000000, &count, err) < 0)
        return -1;
    if (lc_link_open(&link, words[0], words[1], words[2], rank, lc_clock_ns(), err) < 0)
        return -1;
    lc_link_send(&link, "size %ld", count);
    int rc = hold(&link, words + 4, err);
    script_run(words + 4, "end", &ignored);
    rmdir(words[4]);
    if (rc < 0)
        failure_send(&link, err);
    lc_link_close(&link);
    return rc;
}
