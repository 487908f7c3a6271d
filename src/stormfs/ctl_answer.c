/* SPDX-License-Identifier: MIT */
/* ctl_answer.c - 'stormfs ctl', the part in the stormfs process: commands and their answers */
#include "stormfs/ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stormfs/stats.h"
#include "stormfs/storm.h"

static void answer_send(int fd, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n <= 0)
            return; /* the client closed the connection */
        text += n;
        len -= (size_t)n;
    }
}

void lc_ctl_confirm(int fd)
{
    answer_send(fd, "ok\n");
}

static int answer_stats(struct lc_storm *storm, int fd)
{
    json_t *stats = lc_stats_json(storm);
    char *text = json_dumps(stats, JSON_INDENT(2));

    answer_send(fd, text ? text : "error: out of memory\n");
    free(text);
    json_decref(stats);
    return 0;
}

static int answer_reset(struct lc_storm *storm, int fd)
{
    for (size_t i = 0; i < storm->mounts; i++) {
        lc_counters_reset(&storm->mount[i].counters);
        lc_histogram_reset(&storm->mount[i].server_time);
    }
    lc_server_reset_stats(&storm->server);
    lc_once_reset(&storm->once);
    lc_ctl_confirm(fd);
    return 0;
}

/* Confirms only when no thread is writing an answer to the kernel any more. */
static int answer_freeze(struct lc_storm *storm, int fd)
{
    const struct timespec pause = {0, 50 * 1000};
    int tries = 100000; /* 50 us each: at least 5 s */

    lc_server_freeze(&storm->server);
    while (atomic_load(&storm->answering) > 0 && --tries > 0)
        nanosleep(&pause, NULL);
    if (tries > 0)
        lc_ctl_confirm(fd);
    else
        answer_send(fd, "error: frozen, but an answer is still on its way\n");
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

static const char once_word[] = "once ";

static int answer_once(struct lc_storm *storm, int fd, char *names)
{
    struct lc_error err;
    char text[sizeof(err.text) + 16];

    names[strcspn(names, "\n")] = '\0';
    if (lc_once_add(&storm->once, names, &err) == 0) {
        lc_ctl_confirm(fd);
        return 0;
    }
    snprintf(text, sizeof(text), "error: %s\n", err.text);
    answer_send(fd, text);
    return 0;
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
    char line[LC_CTL_LINE];
    ssize_t n = read(fd, line, sizeof(line) - 1);

    line[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(line, known[i].command) == 0)
            return known[i].answer(storm, fd);
    if (strncmp(line, once_word, strlen(once_word)) == 0)
        return answer_once(storm, fd, line + strlen(once_word));
    if (n > 0)
        answer_send(fd, "error: unknown command\n");
    return 0;
}
