/* SPDX-License-Identifier: MIT */
/* arm_spindle.c - the arm 'spindle': the launch line runs in a session of Spindle
 * (https://github.com/hpc/Spindle), where it is installed
 *
 * The session's daemons keep what they have read. Each run gets a session of its own, so that no
 * run finds what another one has read; starting it is part of the run, as unpacking is for others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/arm_packed.h"
#include "util/clock.h"

struct session {
    struct lc_session_dir own;    /* the directory in memory; the same path on every node */
    struct lc_memory_guard guard; /* ends the session if bench is killed */
    char id[64];                  /* "": there is no session */
    bool has_launcher;            /* the ranks are not plain processes of this node */
};

static int spindle_possible(struct lc_error *err)
{
    static const char *const programs[] = {"spindle", "timeout", NULL};

    return lc_packed_needs(programs, err);
}

static struct session *session_open(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct session *session = setup->own;

    if (session)
        return session;
    session = calloc(1, sizeof(*session));
    if (!session || lc_arm_memory_make(&session->own, err) < 0) {
        if (!session)
            lc_error_set(err, "out of memory");
        free(session);
        return NULL;
    }
    lc_memory_guard_begin(&session->guard, &session->own);
    return setup->own = session;
}

/* A session that cannot start or end may wait for ever. */
static void words_begin(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    lc_argv_add(words, "timeout");
    lc_argv_printf(words, "%.0f", setup->c->spec->timeout_s + 1);
    lc_argv_add(words, "spindle");
}

static void end_words(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct session *session = setup->own;

    words_begin(setup, words);
    lc_argv_add(words, "--end-session");
    lc_argv_add(words, session->id);
}

static void start_words(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct session *session = setup->own;

    words_begin(setup, words);
    if (!session->has_launcher)
        lc_argv_add(words, "--no-mpi");
    lc_argv_printf(words, "--location=%s", session->own.path);
    lc_argv_printf(words, "--python-prefix=%s/%s", setup->c->target->root, setup->c->place);
    lc_argv_add(words, "--start-session");
}

static int session_start(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct session *session = setup->own;
    struct lc_argv start = {0}, end = {0};
    struct lc_buf out = {0};

    start_words(setup, &start);
    int rc = lc_run_output_quiet(&start, &out, err);
    const char *id = lc_buf_text(&out);
    size_t len = strcspn(id, " \n");
    if (rc == 0 && (len == 0 || len >= sizeof(session->id)))
        rc = lc_error_set(err, "'spindle --start-session' named no session");
    if (rc == 0) {
        snprintf(session->id, sizeof(session->id), "%.*s", (int)len, id);
        end_words(setup, &end);
        lc_memory_guard_set_command(&session->guard, &end);
    }
    lc_argv_free(&start);
    lc_argv_free(&end);
    lc_buf_free(&out);
    return rc;
}

static int spindle_end(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct session *session = setup->own;
    struct lc_argv words = {0};

    if (!session || !session->id[0])
        return 0;
    end_words(setup, &words);
    session->id[0] = '\0';
    int rc = lc_run(&words, NULL, err);
    if (rc == 0)
        lc_memory_guard_set_command(&session->guard, NULL);
    lc_argv_free(&words);
    return rc;
}

static int spindle_begin(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                         struct lc_arm_times *times, struct lc_error *err)
{
    struct session *session = session_open(setup, err);

    if (!session || spindle_end(setup, err) < 0)
        return -1;
    session->has_launcher = strcmp(job->launcher, "plain") != 0;
    uint64_t start = lc_clock_ns();
    int rc = session_start(setup, err);
    times->stage_s = (double)(lc_clock_ns() - start) / 1e9;
    return rc;
}

static void spindle_close(struct lc_arm_setup *setup)
{
    struct session *session = setup->own;
    struct lc_error ignored;

    if (!session)
        return;
    spindle_end(setup, &ignored);
    lc_remove_tree(session->own.path, &ignored);
    lc_memory_guard_end(&session->guard);
    close(session->own.lock);
    free(session);
}

static int spindle_program(const struct lc_arm_setup *setup, struct lc_rank_program *program,
                           struct lc_error *err)
{
    return lc_case_program(setup->c, setup->c->target->root, program, err);
}

static void spindle_prefix(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct session *session = setup->own;

    lc_argv_words(words, "spindle --run-in-session");
    lc_argv_add(words, session->id);
    if (!session->has_launcher)
        lc_argv_add(words, "--no-mpi");
}

/* What the daemons keep, and what is read past them. */
static void spindle_memory(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct session *session = setup->own;

    lc_argv_printf(words, "held:%s", session->own.path);
    lc_argv_printf(words, "cached:%s/%s", setup->c->target->root, setup->c->place);
}

const struct lc_arm_ops lc_arm_spindle = {
    .name = "spindle",
    .possible = spindle_possible,
    .close = spindle_close,
    .begin = spindle_begin,
    .end = spindle_end,
    .is_per_run = true,
    .program = spindle_program,
    .prefix = spindle_prefix,
    .has_no_vfork = true, /* its wrapper of vfork() crashes the caller (Spindle 0.13, glibc 2.36) */
    .memory = spindle_memory,
};
