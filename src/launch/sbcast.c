/* SPDX-License-Identifier: MIT */
/* sbcast.c - Slurm's own broadcast of the image file to every node of the allocation
 *
 * If nodes hold images of this user's, they are sent the index first and asked which contents they
 * lack; then a content batch (stage/content_batch.h) with the index and those contents is
 * broadcast.
 *
 * Other users must not see the copy, nor be able to replace it: it goes into the user's own
 * directory, which is made on every node first. */
#include "launch/node_step.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/compose.h"
#include "launch/launcher_errors.h"
#include "launch/node_package.h"
#include "launch/node_reports.h"
#include "launch/step.h"
#include "stage/content_batch.h"
#include "stage/readable_image.h"
#include "util/path.h"
#include "util/temporary.h"

/* Run a command of Slurm's to its end. */
static int slurm_run(double patience_s, char *const *argv, struct lc_node_reports *reports,
                     struct lc_error *err)
{
    const struct lc_step_environment *clean = reports->staging->clean;
    struct lc_step step = {.argv = argv,
                           .clean = clean ? clean->changes.item : NULL,
                           .patience_s = patience_s,
                           .take = lc_node_reports_take,
                           .arg = reports,
                           .said = reports->said};
    size_t begin = reports->said ? reports->said->len : 0;
    char sentence[LC_SENTENCE];
    int status = 0;

    if (lc_step_run(&step, &status, err) < 0) {
        if (errno == EINTR)
            reports->signal = status;
        return -1;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    errno = EIO;
    return lc_error_set(
        err, "'%s' failed (status %d)%s", argv[0],
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        lc_launcher_sentence(sentence, reports->said ? lc_buf_text(reports->said) + begin : ""));
}

/* Run a script of scripts/ on every node, with 'path' as its $0. */
static int script_run(const struct lc_job_staging *staging, const struct lc_argv *start,
                      const char *script, const char *path, struct lc_node_reports *reports,
                      struct lc_error *err)
{
    struct lc_argv words = {0};

    lc_argv_add_all(&words, start->item);
    lc_words_split(&words, "/bin/sh -c");
    lc_argv_add(&words, lc_embedded_text(lc_launch_scripts, script));
    lc_argv_add(&words, path);
    int rc = slurm_run(staging->patience_s, words.item, reports, err);
    lc_argv_free(&words);
    return rc;
}

void lc_sbcast_remove(const struct lc_job_staging *staging, const struct lc_argv *start,
                      const char *copy)
{
    json_t *none = json_array();
    struct lc_node_reports reports = {.staging = staging, .nodes = none};
    struct lc_error err;
    int saved = errno;

    script_run(staging, start, "remove_copy.sh", copy, &reports, &err);
    json_decref(none);
    errno = saved;
}

/* All nodes must be able to write: sbcast stops for all at the first that cannot. */
static int directories_make(const struct lc_job_staging *staging, const struct lc_argv *start,
                            const char *user, struct lc_node_reports *reports,
                            const struct lc_staging_report *report, struct lc_error *err)
{
    if (script_run(staging, start, "make_user_directory.sh", user, reports, err) < 0)
        return -1;
    json_t *unable = lc_staging_report_find(report, "ok", false);
    if (!unable)
        return 0;
    errno = EIO;
    return lc_error_set(err, "sbcast needs all nodes, and %s cannot take part: %s; try --via fs",
                        json_string_value(json_object_get(unable, "host")),
                        json_string_value(json_object_get(unable, "error")));
}

static int file_send(const struct lc_job_staging *staging, const char *file, const char *copy,
                     struct lc_node_reports *reports, struct lc_error *err)
{
    struct lc_argv words = {0};

    lc_words_split(&words, "sbcast --force");
    lc_argv_add(&words, file);
    lc_argv_add(&words, copy);
    /* sbcast prints nothing while it works, so it gets a minute for each second of patience. */
    int rc = slurm_run(staging->patience_s * 60, words.item, reports, err);
    lc_argv_free(&words);
    return rc;
}

/* Write the batch to a file of this machine that nobody else can read, and send that. */
static int batch_send(const struct lc_job_staging *staging, const struct lc_content_batch *batch,
                      const uint8_t *need, const char *copy, struct lc_node_reports *reports,
                      struct lc_error *err)
{
    const char *tmp = getenv("TMPDIR");
    struct lc_temporary file;
    char prefix[LC_STAGING_PATH];

    snprintf(prefix, sizeof(prefix), "%s/loadcast-parcel", tmp && *tmp ? tmp : "/tmp");
    if (lc_temporary_open(&file, prefix) < 0)
        return lc_error_errno(err, "cannot make '%s'", prefix);
    int rc = lc_content_batch_write(batch, need, file.fd);
    if (rc < 0)
        lc_error_errno(err, "cannot write '%s'", file.path);
    else
        rc = file_send(staging, file.path, copy, reports, err);
    lc_temporary_discard(&file);
    return rc;
}

static int nodes_ask(const struct lc_job_staging *staging, const struct lc_argv *start,
                     const char *copy, struct lc_node_reports *reports, struct lc_error *err)
{
    struct lc_composed step = {0};

    lc_argv_add_all(&step.words, start->item);
    int rc = lc_node_step_add_stager(staging, &step, LC_LAUNCHER_SRUN, "need", copy, err);
    if (rc == 0)
        rc = slurm_run(staging->patience_s, step.words.item, reports, err);
    lc_composed_free(&step);
    return rc;
}

/* Send the index, ask the nodes which contents they lack, send those. */
static int difference_send(const struct lc_job_staging *staging, const struct lc_argv *start,
                           const char *image, const char *copy, struct lc_node_reports *reports,
                           struct lc_error *err)
{
    struct lc_content_batch batch;
    int rc = lc_content_batch_open(&batch, image, err);

    if (rc == 0) {
        reports->need_len = lc_contents_bitmap(&batch.contents);
        reports->need = calloc(reports->need_len + 1, 1);
        rc = reports->need ? batch_send(staging, &batch, NULL, copy, reports, err)
                           : lc_error_errno(err, "cannot ask the nodes");
    }
    if (rc == 0)
        rc = nodes_ask(staging, start, copy, reports, err);
    if (rc == 0)
        rc = batch_send(staging, &batch, reports->need, copy, reports, err);
    int saved = errno;
    free(reports->need);
    reports->need = NULL;
    lc_content_batch_close(&batch);
    errno = saved;
    return rc;
}

int lc_sbcast_send(const struct lc_job_staging *staging, const struct lc_argv *start,
                   const char *image, bool whole, char copy[LC_STAGING_PATH], const char **word,
                   struct lc_staging_report *report, struct lc_error *err)
{
    struct lc_node_reports reports = {
        .staging = staging, .nodes = report->nodes, .said = &report->said};
    char user[LC_STAGING_PATH - 32];

    if (start->count == 0 || lc_compose_slurm_nodes() == 0) {
        errno = ENOENT;
        return lc_error_set(err, "sbcast works inside an allocation of Slurm's only; use salloc or "
                                 "sbatch");
    }
    snprintf(user, sizeof(user), "%s/loadcast-%lu", staging->dir, (unsigned long)geteuid());
    snprintf(copy, LC_STAGING_PATH, "%s/.cast.%ld", user, (long)getpid());
    int rc = directories_make(staging, start, user, &reports, report, err);
    /* A whole copy of another user's image would be this user's own on the nodes, and would no
     * longer be limited (stage/readable_image.h). */
    bool differs = (reports.holds && !whole) || lc_image_file_is_foreign(image);
    *word = differs ? "parcel" : "local";
    if (rc == 0)
        rc = differs ? difference_send(staging, start, image, copy, &reports, err)
                     : file_send(staging, image, copy, &reports, err);
    report->signal = reports.signal;
    return rc;
}
