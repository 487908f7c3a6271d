/* SPDX-License-Identifier: MIT */
/* ctl.c - 'stormfs ctl', the command that the user starts
 *
 * Nothing here accesses the mounted file system: it may be frozen, and each access would be
 * counted.
 */
#include "stormfs/ctl.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stormfs/control.h"
#include "stormfs/mountinfo.h"
#include "stormfs/stats.h"
#include "stormfs/pidfd.h"
#include "util/buf.h"
#include "util/cli.h"
#include "util/json.h"
#include "util/nearest.h"

enum { STOP_PATIENCE_MS = 10000 };

static const char *const commands[] = {"stats", "reset", "freeze", "thaw", "once", "stop", NULL};

static int command_check(const char *word, struct lc_error *err)
{
    for (const char *const *c = commands; *c; c++)
        if (strcmp(*c, word) == 0)
            return 0;
    const char *near = lc_nearest(word, commands);
    if (near)
        return lc_error_set(err, "no command '%s'; did you mean '%s'?", word, near);
    return lc_error_set(err, "no command '%s'; there are stats, reset, freeze, thaw, once and stop",
                        word);
}

/* Makes one line of the words after 'ctl': MOUNT COMMAND [PROGRAMS]. */
static int command_compose(char **word, int words, char *line, size_t size, struct lc_error *err)
{
    if (words < 2)
        return lc_error_set(err, "need a MOUNT and a command; try 'stormfs ctl --help'");
    if (command_check(word[1], err) < 0)
        return -1;
    bool needs_names = strcmp(word[1], "once") == 0;
    if (words != (needs_names ? 3 : 2))
        return lc_error_set(err, "%s; try 'stormfs ctl --help'",
                            needs_names ? "'once' needs PROGRAMS, names separated by commas"
                                        : "need a MOUNT and a command");
    if (snprintf(line, size, "%s%s%s", word[1], needs_names ? " " : "",
                 needs_names ? word[2] : "") >= (int)size)
        return lc_error_set(err, "too long a list of programs");
    return 0;
}

/* A stormfs that is killed resets the connections that it has not accepted yet. */
static int failure_explain(struct lc_error *err)
{
    if (errno == ECONNRESET || errno == EPIPE)
        return lc_error_set(err, "the stormfs does not answer; it crashed");
    return lc_error_errno(err, "cannot ask the stormfs");
}

/* Sends one command and reads the whole answer. -1 with err filled, also if the answer is an
 * error. */
static int command_send(int fd, const char *command, struct lc_buf *answer, struct lc_error *err)
{
    char line[LC_CTL_LINE], part[4096];
    ssize_t n;

    if (snprintf(line, sizeof(line), "%s\n", command) >= (int)sizeof(line))
        return lc_error_set(err, "too long a list of programs");
    if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
        return failure_explain(err);
    while ((n = read(fd, part, sizeof(part))) > 0)
        lc_buf_add(answer, part, (size_t)n);
    if (n < 0)
        return failure_explain(err);
    if (strncmp(lc_buf_text(answer), "error: ", 7) == 0)
        return lc_error_set(err, "%.*s", (int)strcspn(answer->data + 7, "\n"), answer->data + 7);
    return answer->len > 0 ? 0 : lc_error_set(err, "the stormfs ended without an answer");
}

/* After 'stop' was confirmed: waits until the stormfs process has ended. */
static void process_wait_end(pid_t pid)
{
    struct pollfd p = {.fd = lc_pidfd_open(pid), .events = POLLIN};

    if (p.fd < 0)
        return; /* it has ended, or the kernel has no pidfd_open */
    poll(&p, 1, STOP_PATIENCE_MS);
    close(p.fd);
}

static int stats_show(const struct lc_buf *answer, bool as_json, struct lc_error *err)
{
    json_t *stats = json_loads(lc_buf_text(answer), 0, NULL);
    int rc = 0;

    if (!stats)
        return lc_error_set(err, "the stormfs's answer is not JSON");
    if (as_json)
        rc = lc_json_write(stats, "-", err);
    else
        lc_stats_print(stats, stdout);
    json_decref(stats);
    return rc;
}

static int command_run(const char *path, const char *command, bool as_json, struct lc_error *err)
{
    char mount[PATH_MAX];
    struct lc_buf answer = {0};
    pid_t pid = 0;

    if (lc_mountinfo_path(mount, sizeof(mount), path) < 0)
        return lc_error_errno(err, "cannot find '%s'", path);
    int fd = lc_control_connect(mount, &pid, err);
    if (fd < 0)
        return -1;
    int rc = command_send(fd, command, &answer, err);
    close(fd);
    if (rc == 0 && strcmp(command, "stats") == 0)
        rc = stats_show(&answer, as_json, err);
    else if (rc == 0 && strcmp(command, "stop") == 0)
        process_wait_end(pid);
    lc_buf_free(&answer);
    return rc;
}

int lc_ctl_main(int argc, char **argv)
{
    bool as_json = false;
    const struct lc_opt opts[] = {{0, "json", LC_OPT_FLAG, &as_json, NULL, "statistics as JSON"},
                                  {0}};
    const struct lc_cli cli = {
        .name = "stormfs ctl",
        .usage = "MOUNT stats [--json] | reset | freeze | thaw | once PROGRAMS | stop",
        .summary = "Ask or direct the stormfs that is mounted on MOUNT.",
        .notes = "stats   requests by operation and result, bytes, the server's queue\n"
                 "reset   set all counters to zero\n"
                 "freeze  give no answer any more, to any client of the server\n"
                 "thaw    answer again\n"
                 "once    charge requests of these programs (names separated by commas) without\n"
                 "        --scale: they exist once per job\n"
                 "stop    unmount every mount of that stormfs and end it\n"
                 "\nExit status: 0 done; 1 failed; 2 bad usage.",
        .opts = opts};
    struct lc_error err;
    char command[LC_CTL_LINE];
    int first;
    int rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0 || command_compose(argv + first, argc - first, command, sizeof(command), &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    if (as_json && strcmp(argv[first + 1], "stats") != 0) {
        lc_error_set(&err, "--json belongs to stats");
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    }
    if (command_run(argv[first], command, as_json, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    return LC_EXIT_OK;
}
