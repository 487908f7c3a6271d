/* SPDX-License-Identifier: MIT */
/* trial.c - one run of the command, plainly or with parts of the client */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor/doctor_private.h"
#include "node/format.h"
#include "util/json.h"
#include "util/run.h"

#define RECORDED "app.lcast"

enum { WATCHER_MS = 10000, PAUSE_MS = 20 };

static void words_of_record(const struct lc_doctor *d, struct lc_argv *words)
{
    lc_argv_add(words, d->front);
    lc_argv_words(words, d->is_launch_line ? "run -q --record --keep --dir" : "record");
    if (d->is_launch_line)
        lc_argv_add(words, d->memory.path);
    lc_argv_add(words, d->is_launch_line ? "--image" : "-o");
    lc_argv_printf(words, "%s/" RECORDED, d->own_dir);
    for (size_t i = 0; i < d->manage.count; i++) {
        lc_argv_add(words, "--manage");
        lc_argv_add(words, d->manage.item[i]);
    }
    lc_argv_add(words, "--");
}

/* A launch line goes through 'run', as in a job: the client is in the ranks, not in the launcher.
 */
static void words_of_client(const struct lc_doctor *d, struct lc_argv *words)
{
    lc_argv_add(words, d->front);
    lc_argv_words(words, d->is_launch_line ? "run -q --strict --keep --dir"
                                           : "exec -q --strict --no-check --dir");
    lc_argv_add(words, d->memory.path);
    if (d->is_launch_line)
        lc_argv_add(words, "--image");
    lc_argv_add(words, d->use);
    lc_argv_add(words, "--");
}

/* As the user's own line, while it has no image. */
static void words_of_watched(const struct lc_doctor *d, struct lc_argv *words)
{
    lc_argv_add(words, d->front);
    lc_argv_words(words, "run -q --watch 1 --dir");
    lc_argv_add(words, d->memory.path);
    lc_argv_add(words, "--");
}

static void words_compose(const struct lc_doctor *d, const struct lc_trial *t,
                          struct lc_argv *words)
{
    if (t->is_traced) {
        lc_argv_add(words, d->front);
        lc_argv_words(words, "trace -o /dev/null --log");
        lc_argv_add(words, t->log);
        lc_argv_add(words, "--");
    }
    if (t->kind == LC_TRIAL_RECORD)
        words_of_record(d, words);
    else if (t->kind == LC_TRIAL_WATCHED)
        words_of_watched(d, words);
    else if (t->kind != LC_TRIAL_PLAIN)
        words_of_client(d, words);
    lc_argv_add_all(words, d->argv);
}

/* What a run finds out must neither reach the user's store nor the next run: a crash would be
 * remembered, and files that were missed would be added to the image. */
static void variables_compose(const struct lc_doctor *d, const struct lc_trial *t,
                              struct lc_argv *set)
{
    if (t->kind == LC_TRIAL_PLAIN)
        return;
    lc_argv_printf(set, "LOADCAST_STORE=%s/%s.store", d->own_dir, t->key);
    lc_argv_words(set, t->kind == LC_TRIAL_WATCHED
                           ? "LOADCAST_LEARN=0 LOADCAST_WATCH=1 LOADCAST_IMAGE="
                           : "LOADCAST_LEARN=0 LOADCAST_WATCH=0");
    for (int part = 0; part < LC_SERVING_PARTS; part++)
        if (t->kind == LC_TRIAL_NO_PART ||
            (t->kind == LC_TRIAL_WITHOUT && (enum lc_client_part)part == t->without))
            lc_argv_add(set, lc_client_parts[part].off);
}

static int files_name(const struct lc_doctor *d, struct lc_trial *t, struct lc_error *err)
{
    int n = snprintf(t->output, sizeof(t->output), "%s/%s.out", d->own_dir, t->key);

    snprintf(t->errors, sizeof(t->errors), "%.4000s/%s.err", d->own_dir, t->key);
    snprintf(t->log, sizeof(t->log), "%.4000s/%s.log", d->own_dir, t->key);
    if (n < 4000)
        return 0;
    errno = ENAMETOOLONG;
    return lc_error_errno(err, "cannot use '%s'", d->own_dir);
}

/* The counters of what the run has staged; NULL: there are none. */
static json_t *counters_read(const struct lc_doctor *d)
{
    struct lc_argv words = {0};
    struct lc_buf text = {0};
    json_t *counters = NULL;

    lc_argv_add(&words, d->front);
    lc_argv_words(&words, "status --json --dir");
    lc_argv_add(&words, d->memory.path);
    if (lc_run_output_quiet(&words, &text, NULL) == 0)
        counters = json_loadb(lc_buf_text(&text), text.len, 0, NULL);
    lc_argv_free(&words);
    lc_buf_free(&text);
    return counters;
}

/* The last line of a text: where programs say why they failed. */
static const char *last_line(char *text)
{
    size_t n = strlen(text);

    while (n > 0 && text[n - 1] == '\n')
        text[--n] = '\0';
    char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* Did one of our own commands fail instead of the program? It says so in its own name. */
static int own_failure(const struct lc_trial *t, struct lc_error *err)
{
    char *text = lc_doctor_read_text(t->errors);
    int status = t->end.status;
    bool is_own = text && (t->kind != LC_TRIAL_PLAIN || t->is_traced) && WIFEXITED(status) &&
                  WEXITSTATUS(status) == LC_EXIT_SELF &&
                  strncmp(last_line(text), "loadcast ", strlen("loadcast ")) == 0;

    if (is_own)
        lc_error_set(err, "%s", last_line(text));
    free(text);
    return is_own ? -1 : 0;
}

/* Read the libraries of a traced run. If they are not known, d->no_compare tells why. */
static void libraries_take(struct lc_doctor *d, struct lc_trial *t)
{
    if (t->end.timed_out)
        lc_error_set(&d->no_compare, "a traced run did not end in time");
    else if (own_failure(t, &d->no_compare) == 0)
        lc_libraries_read(&t->libraries, t->log, d->memory.path, &d->no_compare);
}

static bool has_died(const struct lc_trial *t)
{
    return WIFSIGNALED(t->end.status) || WEXITSTATUS(t->end.status) > LC_EXIT_SELF;
}

/* If the program died of the recorder, it may also do so when it is watched: that is found out
 * without an image. */
static int image_take(struct lc_doctor *d, const struct lc_trial *t, struct lc_error *err)
{
    snprintf(d->found, sizeof(d->found), "%.4000s/" RECORDED, d->own_dir);
    if (access(d->found, R_OK) == 0)
        return 0;
    char *text = lc_doctor_read_text(t->errors);
    lc_error_set(&d->no_image, "no image could be recorded: %s",
                 text && *text ? last_line(text) : "the program asked for nothing that is managed");
    free(text);
    *err = d->no_image;
    return has_died(t) ? 0 : -1;
}

/* What follows a run, by its kind. */
static int result_take(struct lc_doctor *d, struct lc_trial *t, struct lc_error *err)
{
    if (t->kind == LC_TRIAL_RECORD)
        return image_take(d, t, err);
    if (t->is_traced) {
        libraries_take(d, t);
        return 0;
    }
    return own_failure(t, err);
}

/* A process beside the watched program may still pack what that has loaded: into our own directory,
 * which is removed at the end. */
static void watcher_wait(const struct lc_doctor *d)
{
    for (int waited_ms = 0; waited_ms < WATCHER_MS && lc_doctor_has_watcher(d);
         waited_ms += PAUSE_MS)
        usleep(PAUSE_MS * 1000);
}

/* What is left to do before the next run. */
static void run_finish(struct lc_doctor *d, struct lc_trial *t)
{
    if (t->kind == LC_TRIAL_WATCHED && !t->end.timed_out)
        watcher_wait(d);
    else if (t->kind != LC_TRIAL_WATCHED && t->kind != LC_TRIAL_PLAIN && t->kind != LC_TRIAL_RECORD)
        t->counters = counters_read(d);
}

int lc_trial_run(struct lc_doctor *d, struct lc_trial *t, struct lc_error *err)
{
    struct lc_argv words = {0}, set = {0};
    struct lc_timed_run run = {.input = d->input, .limit_s = d->limit_s};
    int rc = files_name(d, t, err);

    words_compose(d, t, &words);
    variables_compose(d, t, &set);
    if (rc == 0 && (words.failed || set.failed)) {
        errno = ENOMEM;
        rc = lc_error_errno(err, "cannot run '%s'", d->argv[0]);
    }
    run.argv = words.item;
    run.set = set.item;
    run.unset = t->kind == LC_TRIAL_PLAIN ? NULL : LC_NODE_OFF;
    run.output = t->output;
    run.errors = t->errors;
    if (rc == 0)
        rc = lc_timed_run(&run, &t->end, err);
    t->has_run = rc == 0;
    if (rc == 0)
        run_finish(d, t);
    lc_doctor_clean_memory(d);
    if (rc == 0)
        rc = result_take(d, t, err);
    lc_argv_free(&words);
    lc_argv_free(&set);
    return rc;
}

void lc_trial_ending(const struct lc_trial *t, char *out, size_t size)
{
    if (t->end.timed_out)
        snprintf(out, size, "did not end in time");
    else if (WIFSIGNALED(t->end.status))
        snprintf(out, size, "killed by signal %d (%s)", WTERMSIG(t->end.status),
                 strsignal(WTERMSIG(t->end.status)));
    else
        snprintf(out, size, "exit status %d", WEXITSTATUS(t->end.status));
}
