/* SPDX-License-Identifier: MIT */
/* ctl_answer.c - the file system's end of 'stormfs ctl' */
#include "stormfs/ctl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stormfs/stats.h"
#include "stormfs/storm.h"

static void send_text(int fd, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n <= 0)
            return; /* they left */
        text += n;
        len -= (size_t)n;
    }
}

void lc_ctl_confirm(int fd)
{
    send_text(fd, "ok\n");
}

static int answer_stats(struct lc_storm *storm, int fd)
{
    json_t *stats = lc_stats_json(storm);
    char *text = json_dumps(stats, JSON_INDENT(2));

    send_text(fd, text ? text : "error: out of memory\n");
    free(text);
    json_decref(stats);
    return 0;
}

static int answer_reset(struct lc_storm *storm, int fd)
{
    for (size_t i = 0; i < storm->mounts; i++)
        lc_counters_reset(&storm->mount[i].counters);
    lc_server_reset_stats(&storm->server);
    lc_ctl_confirm(fd);
    return 0;
}

/* When this is confirmed no answer is on its way any more. */
static int answer_freeze(struct lc_storm *storm, int fd)
{
    const struct timespec moment = {0, 50 * 1000};
    int patience = 100000; /* moments: some seconds */

    lc_server_freeze(&storm->server);
    while (atomic_load(&storm->answering) > 0 && --patience > 0)
        nanosleep(&moment, NULL);
    if (patience > 0)
        lc_ctl_confirm(fd);
    else
        send_text(fd, "error: frozen, but an answer is still on its way\n");
    return 0;
}

static int answer_thaw(struct lc_storm *storm, int fd)
{
    lc_server_thaw(&storm->server);
    lc_ctl_confirm(fd);
    return 0;
}

static int answer_stop(struct lc_storm *storm, int fd)
{
    (void)storm;
    (void)fd;
    return 1;
}

int lc_ctl_answer(struct lc_storm *storm, int fd)
{
    static const struct {
        const char *command;
        int (*answer)(struct lc_storm *storm, int fd);
    } known[] = {
        {"stats\n", answer_stats}, {"reset\n", answer_reset}, {"freeze\n", answer_freeze},
        {"thaw\n", answer_thaw},   {"stop\n", answer_stop},
    };
    char line[64];
    ssize_t n = read(fd, line, sizeof(line) - 1);

    line[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(line, known[i].command) == 0)
            return known[i].answer(storm, fd);
    if (n > 0)
        send_text(fd, "error: unknown command\n");
    return 0;
}
