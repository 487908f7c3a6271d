/* SPDX-License-Identifier: MIT */
/* choose_image.c - which image belongs to a launch line, and is it still true? */
#include "launch/job_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "launch/line_key.h"
#include "record/check.h"
#include "record/overlay.h"
#include "stage/users.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/path.h"

enum { CHECK_THREADS = 32 };

/* Is it an interpreter, "python3.11" for one? */
static bool is_python(const char *name)
{
    return strncmp(name, "python", 6) == 0;
}

/* "app" of "python3 -u dir/app.py", "prog" of "./prog". */
static void image_name_of(char *const *program, char *out, size_t size)
{
    const char *name = lc_path_base(program[0]);

    for (char *const *p = program + 1; is_python(lc_path_base(program[0])) && *p; p++)
        if (strlen(*p) > 3 && strcmp(*p + strlen(*p) - 3, ".py") == 0) {
            name = lc_path_base(*p);
            break;
        }
    size_t n = strlen(name);
    n -= n > 3 && strcmp(name + n - 3, ".py") == 0 ? 3 : 0;
    snprintf(out, size, "%.*s.lcast", (int)n, name);
}

/* Set run->image. A name that begins with a dash would be an option in the steps that are printed
 * or started. 0, or -1 with err filled if it is too long. */
static int image_set(struct lc_job_run *run, const char *name, struct lc_error *err)
{
    if (snprintf(run->image, sizeof(run->image), "%s%s", name[0] == '-' ? "./" : "", name) <
        (int)sizeof(run->image))
        return 0;
    errno = ENAMETOOLONG;
    return lc_error_set(err, "the image's name is too long: '%s'", name);
}

bool lc_job_run_has_program(const struct lc_job_run *run)
{
    char path[PATH_MAX];

    if (access(run->use, F_OK) < 0) /* a dry run before the recording: assume that it will be */
        return run->line.programs > 0;
    struct lc_walk *walk = malloc(sizeof(*walk));
    struct lc_image *image = walk ? lc_image_open(run->use, NULL) : NULL;
    bool all = image && run->line.programs > 0;

    for (int i = 0; all && i < run->line.programs; i++) {
        const char *name = run->argv[run->line.program[i]];
        char full[PATH_MAX], here[PATH_MAX];
        all = lc_path_find_program(path, sizeof(path), name, NULL) == 0 &&
              getcwd(here, sizeof(here)) && lc_path_resolve(full, sizeof(full), here, path) == 0;
        struct lc_found found = {0};
        if (all)
            found = lc_look_walk(&image->look, full, strlen(full), 0, walk);
        all = all && found.answer == LC_ANSWER_FOUND &&
              image->look.entry[found.entry].kind == LC_KIND_FILE;
    }
    lc_image_close(image);
    free(walk);
    return all;
}

/* The batch system's name of this job, if there is one, and this process: lines of one job may
 * check the same image at the same time, and each uses what it has checked. */
static void line_name(char *out, size_t size)
{
    char job[64];

    lc_users_job(job, sizeof(job));
    snprintf(out, size, "%s%s%ld", job, job[0] ? "-" : "", (long)getpid());
}

/* Nodes do not see /tmp and $TMPDIR of this machine: if the image cannot be written, what changed
 * goes to the home directory. False if the image can be written, or there is no home. */
bool lc_job_run_name_overlay(const struct lc_job_run *run, char out[PATH_MAX])
{
    char path[PATH_MAX], line[96];
    const char *base = lc_path_base(run->image);

    if (!lc_overlay_is_needed(run->image) || lc_overlay_home_dir(path, sizeof(path)) < 0)
        return false;
    size_t len = strlen(path);
    line_name(line, sizeof(line));
    int n = snprintf(path + len, sizeof(path) - len, "/%s", base);
    return n > 0 && (size_t)n < sizeof(path) - len && lc_overlay_name_beside(path, line, out);
}

/* Changes to a large image that can be written: later jobs take them in anew, until it is
 * rewritten.
 */
static bool name_overlay_beside(const struct lc_job_run *run, char out[PATH_MAX])
{
    char line[96];

    line_name(line, sizeof(line));
    return lc_overlay_name_beside(run->image, line, out);
}

uint64_t lc_job_run_image_id(const struct lc_job_run *run)
{
    return run->image_id ? run->image_id : run->staging.id;
}

static int fail_without_image(char *image, struct lc_error *err)
{
    struct lc_buf quoted = {0};

    lc_words_quote(&quoted, (char *[]){image, NULL});
    lc_error_set(err,
                 "no image '%s'; make it once with: loadcast run --record --image %s -- ..., "
                 "or name another by --image",
                 image, lc_buf_text(&quoted));
    lc_buf_free(&quoted);
    return -1;
}

/* The pilot's line is made from the user's, so that must be understood first. */
static int image_record(struct lc_job_run *run, struct lc_error *err)
{
    lc_launch_line_parse(&run->line, run->argv, NULL);
    return lc_job_run_record(run, err);
}

static int given_find(struct lc_job_run *run, const char *name, struct lc_error *err)
{
    if (image_set(run, name, err) < 0)
        return -1;
    if (access(run->image, R_OK) == 0)
        return 0;
    if (errno == ENOENT && run->options->record)
        return image_record(run, err);
    if (errno != ENOENT)
        return lc_error_errno(err, "cannot read image '%s'", run->image);
    return fail_without_image(run->image, err);
}

/* "app.lcast" for "python3 app.py" in the working directory, as before there was a store. */
static bool named_find(struct lc_job_run *run)
{
    char name[NAME_MAX + 8] = "app.lcast";
    struct lc_launch_line line;

    lc_launch_line_find_programs(&line, run->argv);
    if (line.programs > 0)
        image_name_of(run->argv + line.program[0], name, sizeof(name));
    return access(name, R_OK) == 0 && image_set(run, name, NULL) == 0;
}

static const char *image_given(const struct lc_job_run *run)
{
    const char *variable = getenv("LOADCAST_IMAGE");

    return run->options->image ? run->options->image : variable && *variable ? variable : NULL;
}

int lc_job_run_find_image(struct lc_job_run *run, struct lc_error *err)
{
    const char *given = image_given(run);

    if (given)
        return given_find(run, given, err);
    int rc = lc_job_run_find_stored(run, err);
    if (rc == 0 || named_find(run))
        return 0;
    if (!run->options->record || (rc == LC_NO_IMAGE_NEEDED && run->options->manage.count == 0))
        return rc;
    if (lc_job_run_name_stored(run, err) < 0)
        return -1;
    if (image_record(run, err) == 0) {
        lc_job_run_keep_stored(run);
        return 0;
    }
    struct lc_error nothing;
    if (lc_job_run_find_stored(run, &nothing) != LC_NO_IMAGE_NEEDED)
        return -1;
    *err = nothing;
    return LC_NO_IMAGE_NEEDED;
}

/* An earlier run of this job may have staged in the other directory, when the first could not be
 * used. */
static bool note_read(struct lc_job_run *run)
{
    const char *dir = run->staging.dir;

    if (lc_job_note_read(run, &run->was_staged))
        return true;
    if (run->options->dir)
        return false;
    run->staging.dir = LC_STAGING_OTHER_DIR;
    if (lc_job_note_read(run, &run->was_staged) && run->was_staged)
        return true;
    run->staging.dir = dir;
    return false;
}

/* Compare the image with the file system, and use an overlay with what has changed. */
static int image_check(struct lc_job_run *run, struct lc_error *err)
{
    char overlay[PATH_MAX];
    struct lc_check how = {.jobs = CHECK_THREADS};
    struct lc_checked did = {0};
    uint64_t began = lc_clock_ns();

    if (lc_job_run_name_overlay(run, overlay))
        how.overlay = overlay;
    else if (!lc_overlay_is_needed(run->image) && name_overlay_beside(run, overlay))
        how.overlay_if_large = overlay;
    int rc = lc_check_image(run->image, &how, &did, err), saved = errno;
    if (rc == 0) {
        snprintf(run->use, sizeof(run->use), "%s", did.wrote[0] ? did.wrote : run->image);
        if (did.events > 0)
            lc_job_run_tell(
                run, LC_MESSAGE_NOTE, "%s of %s entries changed since '%s' was recorded; updated",
                lc_human_count(did.events).s, lc_human_count(did.entries).s, run->image);
    }
    run->entries = did.entries;
    run->is_overlay = rc == 0 && did.is_overlay && did.events > 0;
    lc_checked_free(&did);
    if (rc == 0)
        rc = lc_image_id(run->use, &run->staging.id, err);
    if (rc == 0 && run->is_overlay)
        rc = lc_image_id(run->image, &run->image_id, err);
    if (run->is_overlay)
        lc_overlay_remove_old(run->use);
    run->has_checked = true;
    run->check_s = (double)(lc_clock_ns() - began) / 1e9;
    errno = saved;
    return rc;
}

int lc_job_run_check(struct lc_job_run *run, struct lc_error *err)
{
    if (run->options->dry_run) {
        snprintf(run->use, sizeof(run->use), "%s", run->image);
        return access(run->use, R_OK) < 0 ? 0 : lc_image_id(run->use, &run->staging.id, err);
    }
    if (note_read(run))
        return 0;
    lc_job_run_begin_staging(run);
    return image_check(run, err);
}
