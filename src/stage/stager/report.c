/* SPDX-License-Identifier: MIT */
/* report.c - lines of the stager for the first node, and what all of its commands share */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stage/clean.h"
#include "stage/counters.h"
#include "stage/nodedir.h"
#include "stage/stager/stager.h"
#include "util/clock.h"

static volatile sig_atomic_t asked; /* the signal that came; the handler gets no argument */

static void on_signal(int number)
{
    asked = number;
}

void lc_stager_watch(bool is_rank)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction act = {.sa_handler = on_signal}, was;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (sigaction(numbers[i], &act, &was) == 0 && is_rank && was.sa_handler == SIG_IGN)
            sigaction(numbers[i], &was, NULL);
    if (!is_rank)
        signal(SIGPIPE, SIG_IGN);
}

void lc_stager_end_if_asked(void)
{
    if (!asked)
        return;
    signal(asked, SIG_DFL);
    raise(asked);
}

bool lc_stager_is_asked_to_end(void)
{
    return asked;
}

/* A single write, so that lines of several processes do not mix. */
static void line_write(const char *text)
{
    char *line = NULL;
    int n = asprintf(&line, "%s%s\n", LC_STAGER_MARK, text);

    if (n > 0 && write(1, line, (size_t)n) < 0)
        asked = SIGPIPE; /* nobody reads our output any more: end */
    if (n >= 0)
        free(line);
}

void lc_report(json_t *more)
{
    char host[256] = "?";
    json_t *all = more ? more : json_object();

    gethostname(host, sizeof(host) - 1);
    json_object_set_new(all, "host", lc_json_text(host));
    char *text = json_dumps(all, JSON_COMPACT);
    if (text)
        line_write(text);
    free(text);
    json_decref(all);
}

void lc_report_error(const struct lc_error *err)
{
    lc_report(json_pack("{s:b, s:o}", "ok", 0, "error", lc_json_text(err->text)));
}

bool lc_stager_sees(const char *image)
{
    return access(image, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

json_t *lc_report_of_image(const char *image, const struct lc_error *err)
{
    return json_pack("{s:b, s:o, s:b}", "ok", 0, "error", lc_json_text(err->text), "unseen",
                     !lc_stager_sees(image));
}

void lc_report_staged(const struct lc_nodedir *node, const struct lc_stage_report *did,
                      uint64_t wire)
{
    struct lc_counts counts = lc_live_read(node->live);
    uint64_t answered = 0;

    for (int i = 0; i < LC_COUNTS; i++)
        answered += lc_count_is_answered(i) ? counts.count[i] : 0;
    lc_report(json_pack("{s:b, s:o, s:b, s:I, s:I, s:I, s:I, s:f, s:I, s:b}", "ok", 1, "node",
                        lc_json_text(node->path), "fresh", did->fresh, "files",
                        (json_int_t)did->files, "bytes", (json_int_t)did->bytes, "copied",
                        (json_int_t)did->copied, "wire", (json_int_t)wire, "seconds", did->seconds,
                        "answered", (json_int_t)answered, "no_exec",
                        (node->state->flags & LC_STATE_NO_EXEC) != 0));
}

static bool second_has_passed(void)
{
    static uint64_t last;
    uint64_t now = lc_clock_ns();

    if (now - last < 1000000000u)
        return false;
    last = now;
    return true;
}

void lc_report_beat(void)
{
    if (second_has_passed())
        line_write(".");
}

void lc_report_wait(void)
{
    if (second_has_passed())
        line_write("?");
}

void lc_report_progress(uint64_t done, uint64_t total)
{
    char text[64];

    if (!second_has_passed())
        return;
    snprintf(text, sizeof(text), "%% %" PRIu64 " %" PRIu64, done, total);
    line_write(text);
}

void lc_report_need(size_t at, const char *bits)
{
    char *text = NULL;

    if (asprintf(&text, "& %zu %s", at, bits) >= 0) {
        line_write(text);
        free(text);
    }
}

static void user_sweep(void *arg, int user, const char *user_path)
{
    const struct lc_stager *s = arg;

    lc_clean_user(user, user_path, LC_CLEAN_STALE, NULL, NULL, NULL);
    if (s->no_job)
        rmdir(user_path);
}

void lc_stager_sweep(const struct lc_stager *s)
{
    if (s->dir)
        lc_nodedir_each_user(s->dir, user_sweep, NULL, (void *)(uintptr_t)s);
}

int lc_stager_fill_files(struct lc_fill *fill, lc_fill_take *take, void *arg, struct lc_error *err)
{
    int rc = lc_fill_files_by(fill, take, arg, err);

    if (rc < 0 && errno == EBADMSG)
        lc_error_set(err, "what came of '%s' does not match its checksums", fill->image->file);
    return rc;
}

int lc_stager_options(const struct lc_stager *s, struct lc_stage_options *how, char *origin,
                      struct lc_error *err)
{
    *how = (struct lc_stage_options){
        .dir = s->dir,
        .only_libs = s->only_libs,
        .must_exec = true,
        .id = s->id,
        .patience_s = s->patience_s,
        .most_s = s->most_s,
        .origin = origin,
    };
    return lc_stage_origin(origin, 4096, err);
}
