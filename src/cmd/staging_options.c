/* SPDX-License-Identifier: MIT */
/* staging_options.c - what 'stage' and 'run' share */
#include "cmd/staging_options.h"

#include <stdio.h>
#include <string.h>

#include "util/site_conf.h"

void lc_staging_take_site_defaults(struct lc_staging_options *o, const char *who, int argc,
                                   char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--help=", 7) == 0)
        return; /* for manuals and completions, which are made where the program is built */
    const struct lc_site_conf *site = lc_site_conf();
    const char *at = lc_buf_text(&site->complaints);
    for (size_t n; *at; at += n + 1) {
        n = strcspn(at, "\n");
        fprintf(stderr, "%s: %.*s\n", who, (int)n, at);
    }
    if (site->via)
        o->via = site->via;
    if (site->wait_s > 0)
        o->wait_s = site->wait_s;
}

static void message_show(void *arg, enum lc_message_kind kind, const char *text)
{
    const struct lc_staging_display *display = arg;

    switch (kind) {
    case LC_MESSAGE_NOTE:
        if (!display->quiet)
            fprintf(stderr, "%s: %s\n", display->who, text);
        break;
    case LC_MESSAGE_WARNING:
        fprintf(stderr, "%s: %s\n", display->who, text);
        break;
    case LC_MESSAGE_QUOTE:
        fprintf(stderr, "  %s\n", text);
        break;
    case LC_MESSAGE_OUTPUT:
        fprintf(stderr, "%s\n", text);
        break;
    case LC_MESSAGE_STEP:
        printf("%s\n", text);
        break;
    }
}

/* If several nodes read the image by themselves, the bar shows the one that reported last. */
static void progress_show(void *arg, uint64_t done, uint64_t total)
{
    struct lc_staging_display *display = arg;

    if (display->bar.what && display->bar.total != total) {
        lc_progress_end(&display->bar);
        display->bar = (struct lc_progress){0};
    }
    if (total == 0)
        return;
    if (!display->bar.what)
        lc_progress_begin(&display->bar, "staging", total);
    lc_progress_update(&display->bar, done);
}

struct lc_job_staging lc_staging_from_options(const struct lc_staging_options *o,
                                              struct lc_staging_display *display)
{
    struct lc_job_staging staging = {
        .with = o->with,
        .helper = o->helper,
        .patience_s = o->wait_s,
        .messages = {message_show, display},
        .progress = display->quiet ? NULL : progress_show,
    };

    for (int i = 0; lc_via_names[i]; i++)
        if (strcmp(o->via, lc_via_names[i]) == 0)
            staging.via = (enum lc_via)i;
    return staging;
}
