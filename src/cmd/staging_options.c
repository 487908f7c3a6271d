/* SPDX-License-Identifier: MIT */
/* staging_options.c - what 'stage' and 'run' share */
#include "cmd/staging_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stage/place.h"
#include "util/human.h"
#include "util/path.h"
#include "util/progress.h"

const char *const lc_cast_vias[] = {"auto", "mpi", "sbcast", "fs", NULL};

enum { MOST_NAMED = 8 };

/* The nodes' directory, from the root on. */
static int name_dir(struct lc_cast_options *o, struct lc_error *err)
{
    const char *variable = getenv("LOADCAST_DIR");
    const char *dir = o->dir ? o->dir : variable && *variable ? variable : "/dev/shm";
    char here[PATH_MAX] = "/";

    if ((dir[0] != '/' && !getcwd(here, sizeof(here))) ||
        lc_path_resolve(o->full, sizeof(o->full), here, dir) < 0)
        return lc_error_errno(err, "cannot use '%s'", dir);
    if (strlen(o->full) < LC_PLACE_LEN)
        return 0;
    errno = ENAMETOOLONG;
    return lc_error_set(err, "the path is too long for node memory: '%s'", dir);
}

int lc_cast_from_options(struct lc_cast *cast, struct lc_cast_options *o, const char *origin,
                         struct lc_error *err)
{
    if (name_dir(o, err) < 0)
        return -1;
    *cast = (struct lc_cast){
        .dir = o->full,
        .with = o->with,
        .helper = o->helper,
        .origin = origin,
        .patience_s = o->wait_s,
    };
    for (int i = 0; lc_cast_vias[i]; i++)
        if (strcmp(o->via, lc_cast_vias[i]) == 0)
            cast->via = (enum lc_via)i;
    return 0;
}

/* Of several nodes that read by themselves, the one that spoke last. */
static struct lc_progress bar;

static void show(uint64_t done, uint64_t total)
{
    if (bar.what && bar.total == total) {
        lc_progress_update(&bar, done);
        return;
    }
    lc_progress_end(&bar);
    lc_progress_begin(&bar, "staging", total);
    lc_progress_update(&bar, done);
}

void lc_cast_show_progress(struct lc_cast *cast)
{
    cast->progress = show;
}

static int stage_once(const struct lc_cast *cast, struct lc_cast_report *report,
                      struct lc_error *err)
{
    int rc = lc_cast_stage(cast, report, err), saved = errno;

    lc_progress_end(&bar);
    bar = (struct lc_progress){0};
    errno = saved;
    return rc;
}

int lc_cast_stage_anywhere(struct lc_cast *cast, struct lc_cast_report *report, const char *given,
                           struct lc_error *err)
{
    struct lc_cast_report first;
    struct lc_error why = {""};

    if (stage_once(cast, report, err) == 0)
        return 0;
    if (given || errno != ENOSPC || strcmp(cast->dir, LC_CAST_OTHER_DIR) == 0)
        return -1;
    first = *report;
    const char *dir = cast->dir;
    cast->dir = LC_CAST_OTHER_DIR;
    int rc = stage_once(cast, report, &why);
    if (rc == 0) {
        lc_cast_report_free(&first);
        return 0;
    }
    first.signal = report->signal;
    lc_cast_report_free(report); /* the first reason is the one to read */
    *report = first;
    if (!first.signal) /* else this is where something may be left */
        cast->dir = dir;
    return -1;
}

void lc_cast_print(const char *who, const struct lc_cast_report *report)
{
    fprintf(stderr, "%s: staged on %zu node%s by %s in %s", who, report->ok,
            report->ok == 1 ? "" : "s", lc_via_name(report->via),
            lc_human_seconds(report->seconds).s);
    if (report->fresh > 0)
        fprintf(stderr, "; takes %s of each, %s were sent\n", lc_human_bytes(report->bytes).s,
                lc_human_bytes(report->wire).s);
    else
        fprintf(stderr, "; all had it already\n");
}

void lc_cast_print_failed(const char *who, const struct lc_cast_report *report)
{
    size_t i, named = 0;
    json_t *node;

    json_array_foreach(report->nodes, i, node)
    {
        if (json_is_true(json_object_get(node, "ok")))
            continue;
        const char *host = json_string_value(json_object_get(node, "host"));
        const char *why = json_string_value(json_object_get(node, "error"));
        if (named++ < MOST_NAMED)
            fprintf(stderr, "%s: %s runs without it: %s\n", who, host ? host : "a node",
                    why ? why : "no reason was given");
    }
    if (named > MOST_NAMED)
        fprintf(stderr, "%s: and %zu nodes more\n", who, named - MOST_NAMED);
}

void lc_cast_print_said(const struct lc_cast_report *report)
{
    const char *at = lc_buf_text(&report->said);

    for (size_t n; *at; at += n + (at[n] == '\n')) {
        n = strcspn(at, "\n");
        if (n > 0)
            fprintf(stderr, "  %.*s\n", (int)n, at);
    }
}
