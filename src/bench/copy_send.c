/* SPDX-License-Identifier: MIT */
/* copy_send.c - bring the archive of the arm 'copy' to the memory of every node of a job */
#include "bench/copy_send.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/compose.h"
#include "util/path.h"

static bool has_sbcast(const struct lc_arm_job *job)
{
    char path[PATH_MAX];

    return strcmp(job->launcher, "srun") == 0 && lc_compose_slurm_nodes() > 0 &&
           lc_path_find_program(path, sizeof(path), "sbcast", NULL) == 0;
}

static bool is_broadcast(const struct lc_arm_job *job)
{
    return !has_sbcast(job) && strcmp(job->launcher, "plain") != 0 && job->width.nodes > 1;
}

/* An image that holds nothing but the archive. */
static int image_make(const struct lc_arm_setup *setup, const char *file, struct lc_error *err)
{
    const struct lc_packed_tree *packed = setup->own;
    struct lc_argv argv = {0};

    unlink(file);
    lc_argv_add(&argv, setup->c->programs->loadcast);
    lc_argv_words(&argv, "record --no-bindings --max-file 1000TB -o");
    lc_argv_add(&argv, file);
    lc_argv_add(&argv, "--manage");
    lc_argv_add(&argv, packed->seen);
    lc_argv_add(&argv, "--add");
    lc_argv_add(&argv, packed->seen);
    lc_argv_words(&argv, "-- true");
    int rc = lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    return rc;
}

int lc_copy_send_prepare(const struct lc_arm_setup *setup, const struct lc_arm_job *job,
                         struct lc_copy_sent *sent, struct lc_error *err)
{
    char file[PATH_MAX], seen[PATH_MAX];
    struct lc_error why;

    if (!is_broadcast(job) || sent->image[0])
        return 0;
    if (lc_arm_file_place(setup, ".tar.zst.lcast", file, seen, err) < 0)
        return -1;
    if (image_make(setup, file, &why) < 0)
        return lc_error_set(err, "cannot prepare the archive of '%s' for a broadcast: %s",
                            setup->c->spec->name, why.text);
    snprintf(sent->image, sizeof(sent->image), "%s", seen);
    return 0;
}

static int send_by_sbcast(const struct lc_packed_tree *packed, const struct lc_arm_job *job,
                          struct lc_copy_sent *sent, struct lc_error *err)
{
    struct lc_argv words = {0};
    int rc = lc_node_words(job, &sent->clean, err);

    snprintf(sent->path, sizeof(sent->path), "%.3900s.tar.zst", packed->own.path);
    snprintf(sent->garbage, sizeof(sent->garbage), "%s", sent->path);
    lc_argv_words(&sent->clean, "rm -f");
    lc_argv_add(&sent->clean, sent->path);
    lc_memory_guard_set_command(&packed->guard, &sent->clean);
    lc_argv_words(&words, "sbcast --force");
    lc_argv_add(&words, packed->seen);
    lc_argv_add(&words, sent->path);
    if (rc == 0)
        rc = lc_run(&words, NULL, err);
    lc_argv_free(&words);
    return rc;
}

static void stage_words(const struct lc_arm_setup *setup, const struct lc_copy_sent *sent,
                        const char *verb, const struct lc_argv *line, struct lc_argv *out)
{
    lc_argv_add(out, setup->c->programs->loadcast);
    lc_argv_words(out, verb);
    lc_argv_add(out, sent->image);
    lc_argv_add(out, "--");
    lc_argv_add_all(out, line->item);
}

static int send_by_broadcast(const struct lc_arm_setup *setup, const struct lc_arm_job *job,
                             struct lc_copy_sent *sent, struct lc_error *err)
{
    const struct lc_packed_tree *packed = setup->own;
    struct lc_argv line = {0}, words = {0};
    struct lc_buf node = {0};
    int rc = lc_arm_job_line(job, "true", &line, err);

    if (rc == 0) {
        stage_words(setup, sent, "stage -q --clean", &line, &sent->clean);
        lc_memory_guard_set_command(&packed->guard, &sent->clean);
        stage_words(setup, sent, "stage -q", &line, &words);
        rc = lc_run_output_quiet(&words, &node, err);
    }
    if (rc == 0) {
        int len = (int)strcspn(lc_buf_text(&node), "\n");
        snprintf(sent->garbage, sizeof(sent->garbage), "%.*s", len, lc_buf_text(&node));
        snprintf(sent->path, sizeof(sent->path), "%.3900s/files%.4000s", sent->garbage,
                 packed->seen);
    }
    lc_argv_free(&line);
    lc_argv_free(&words);
    lc_buf_free(&node);
    return rc;
}

int lc_copy_send(const struct lc_arm_setup *setup, const struct lc_arm_job *job,
                 struct lc_copy_sent *sent, struct lc_error *err)
{
    lc_copy_send_end(setup, sent);
    int rc = has_sbcast(job)     ? send_by_sbcast(setup->own, job, sent, err)
             : is_broadcast(job) ? send_by_broadcast(setup, job, sent, err)
                                 : 0;
    if (rc < 0)
        lc_copy_send_end(setup, sent);
    return rc;
}

void lc_copy_send_end(const struct lc_arm_setup *setup, struct lc_copy_sent *sent)
{
    const struct lc_packed_tree *packed = setup->own;
    struct lc_error ignored;

    if (sent->clean.count > 0)
        lc_run(&sent->clean, NULL, &ignored);
    lc_memory_guard_set_command(&packed->guard, NULL);
    lc_argv_free(&sent->clean);
    sent->path[0] = sent->garbage[0] = '\0';
}
