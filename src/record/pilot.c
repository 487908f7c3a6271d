/* SPDX-License-Identifier: MIT */
/* pilot.c - run the program once and watch it */
#include "record/pilot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/path.h"

/* Where the audit object may be, from the directory of our own program: a build, an installation.
 */
static const char *const places[] = {"src/client/audit/loadcast-record.so",
                                     "../libexec/loadcast/loadcast-record.so"};

static void find_audit(struct lc_pilot *pilot)
{
    char self[2048];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    for (size_t i = 0; n > 0 && i < sizeof(places) / sizeof(*places); i++) {
        self[n] = '\0';
        snprintf(pilot->audit, sizeof(pilot->audit), "%.*s/%s", (int)lc_path_dir_len(self), self,
                 places[i]);
        if (access(pilot->audit, R_OK) == 0)
            return;
    }
    pilot->audit[0] = '\0';
}

/* A file of our own on a local disk; the pilot's processes append to it. */
static int make_search_log(struct lc_pilot *pilot)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(pilot->search, sizeof(pilot->search), "%s/loadcast-search.XXXXXX",
             tmp && *tmp == '/' ? tmp : "/tmp");
    int fd = mkstemp(pilot->search);
    if (fd < 0) {
        pilot->search[0] = '\0';
        return -1;
    }
    close(fd);
    return 0;
}

/* The user's own auditors stay, and come first. */
static void set_environment(const struct lc_pilot *pilot)
{
    const char *before = getenv("LD_AUDIT");
    char both[2 * 4096];

    /* Bytecode is compiled into the image; the user's tree is left alone. */
    setenv("PYTHONDONTWRITEBYTECODE", "1", 0);
    if (!pilot->audit[0] || !pilot->search[0])
        return;
    snprintf(both, sizeof(both), "%.4000s%s%s", before ? before : "", before && *before ? ":" : "",
             pilot->audit);
    setenv("LD_AUDIT", both, 1);
    setenv("LOADCAST_SEARCH_LOG", pilot->search, 1);
}

static void on_event(void *arg, const struct lc_trace_event *event)
{
    struct lc_pilot *pilot = arg;

    lc_seen_event(pilot->seen, event);
}

static void on_waiting(void *arg, unsigned threads)
{
    struct lc_pilot *pilot = arg;

    if (pilot->waiting)
        pilot->waiting(pilot->arg, threads);
}

int lc_pilot_run(struct lc_pilot *pilot, struct lc_error *err)
{
    struct lc_trace_options options = {
        .for_s = pilot->for_s, .group = pilot->group, .waiting = on_waiting};

    find_audit(pilot);
    if (pilot->audit[0])
        make_search_log(pilot);
    set_environment(pilot);
    pilot->seen->ours[0] = pilot->audit;
    pilot->seen->ours[1] = pilot->search;
    pilot->seen->start_ns = lc_clock_wall_ns();
    return lc_trace_run(&options, pilot->argv, STDOUT_FILENO, on_event, pilot, &pilot->outcome,
                        err);
}

void lc_pilot_take_searches(struct lc_pilot *pilot)
{
    if (!pilot->search[0])
        return;
    if (lc_seen_read_searches(pilot->seen, pilot->search) < 0)
        pilot->seen->failed = 1;
    unlink(pilot->search);
    pilot->search[0] = '\0';
}
