/* SPDX-License-Identifier: MIT */
/* stored_image.c - a launch line's image in the user's store */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/job_run.h"
#include "launch/line_key.h"
#include "store/entry.h"
#include "store/list.h"
#include "util/human.h"

static int no_image(const char *name, struct lc_error *err)
{
    lc_error_set(err,
                 "no image of %s%s%s yet, so the line runs as always; to make one first: loadcast "
                 "run --record -- ...",
                 name ? "'" : "", name ? name : "this program", name ? "'" : "");
    return LC_NO_IMAGE;
}

/* Look for the key in the store. */
static int key_find(struct lc_job_run *run, const struct lc_store_dir *dir,
                    const struct lc_store_key *key, struct lc_error *err)
{
    bool is_there = lc_store_entry_has_image(dir, key->text);

    if (!is_there && errno != ENOENT)
        return lc_error_errno(err, "cannot use the image '%s' in the store '%s'", key->text,
                              dir->path);
    if (!is_there && lc_store_entry_has_nothing(dir, key, &run->is_described)) {
        lc_error_set(err, "'%s' was recorded, and asked nothing of shared file systems",
                     key->label);
        return LC_NO_IMAGE_NEEDED;
    }
    if (!is_there)
        return no_image(key->label, err);
    snprintf(run->key, sizeof(run->key), "%s", key->text);
    if (!run->options->dry_run)
        lc_store_entry_use(dir, run->key);
    return lc_store_entry_path(dir, run->key, run->image, err);
}

/* For whoever makes the image: to find the key costs requests to the program's disk. */
static void key_keep(struct lc_job_run *run, struct lc_store_key *key)
{
    lc_store_key_free(&run->missing);
    run->missing = *key;
    *key = (struct lc_store_key){.parts = NULL};
}

int lc_job_run_find_stored(struct lc_job_run *run, struct lc_error *err)
{
    struct lc_store_key key = {.parts = NULL};
    struct lc_store_dir dir;

    if (lc_store_dir_open(&dir, false, err) < 0)
        return errno == ENOENT ? no_image(NULL, err) : -1;
    struct lc_error why;
    int rc = LC_NO_IMAGE;
    if (lc_line_key_found(run->argv, &key, &run->all_found, &why) == 0)
        rc = key_find(run, &dir, &key, err);
    else
        lc_error_set(err, "%s; so the line runs as always, unless --image names an image",
                     why.text);
    if (rc == LC_NO_IMAGE && key.text[0])
        key_keep(run, &key);
    lc_store_key_free(&key);
    lc_store_dir_close(&dir);
    return rc;
}

/* Open the store for a new image. A dry run makes nothing. */
static int store_open(const struct lc_job_run *run, struct lc_store_dir *dir, struct lc_error *err)
{
    if (run->options->dry_run) {
        *dir = LC_STORE_DIR_NONE;
        return lc_store_dir_name(dir->path, err);
    }
    if (lc_store_dir_open(dir, true, err) < 0)
        return -1;
    if (faccessat(dir->fd, ".", W_OK | X_OK, AT_EACCESS) == 0)
        return 0;
    lc_error_errno(err, "cannot write to the store '%s'", dir->path);
    lc_store_dir_close(dir);
    return -1;
}

/* A directory for this run alone. With a launcher it must be one that other nodes see, which those
 * for temporary files are not. */
static int private_dir_make(struct lc_job_run *run, const struct lc_error *why,
                            struct lc_error *err)
{
    const char *tmp = getenv("TMPDIR");
    struct lc_launch_line line;
    char here[PATH_MAX - 32];

    lc_launch_line_find_programs(&line, run->argv);
    if (line.launcher == LC_LAUNCHER_NONE || !getcwd(here, sizeof(here)) || access(here, W_OK) < 0)
        snprintf(here, sizeof(here), "%s", tmp && tmp[0] == '/' ? tmp : "/tmp");
    snprintf(run->private_dir, sizeof(run->private_dir), "%s/.loadcast-XXXXXX", here);
    if (mkdtemp(run->private_dir)) {
        lc_job_run_tell(run, LC_MESSAGE_WARNING, "%s; the image is for this run alone", why->text);
        return 0;
    }
    lc_error_errno(err, "%s, and cannot make a directory in '%s'", why->text, here);
    run->private_dir[0] = '\0';
    return -1;
}

int lc_job_run_name_stored(struct lc_job_run *run, struct lc_error *err)
{
    struct lc_store_key key = {.parts = NULL};
    struct lc_store_dir dir = LC_STORE_DIR_NONE;
    struct lc_error why;
    int rc = lc_line_key(run->argv, &key, err);

    if (rc == 0 && store_open(run, &dir, &why) < 0) {
        rc = private_dir_make(run, &why, err);
        snprintf(dir.path, sizeof(dir.path), "%s", run->private_dir);
    } else if (rc == 0) {
        snprintf(run->key, sizeof(run->key), "%s", key.text);
    }
    if (rc == 0)
        rc = lc_store_entry_path(&dir, key.text, run->image, err);
    lc_store_key_free(&key);
    lc_store_dir_close(&dir);
    return rc;
}

void lc_job_run_keep_stored(struct lc_job_run *run)
{
    struct lc_store_key key = {.parts = NULL};
    struct lc_store_dir dir;
    size_t removed = 0;

    if (!run->key[0] || run->options->dry_run || lc_store_dir_open(&dir, false, NULL) < 0)
        return;
    if (lc_store_entry_has_image(&dir, run->key) && lc_line_key(run->argv, &key, NULL) == 0) {
        lc_store_entry_describe(&dir, &key, false);
        lc_store_entry_use(&dir, run->key);
        removed = lc_store_trim(&dir, lc_store_cap_bytes(), run->key);
    }
    if (removed > 0)
        lc_job_run_tell(run, LC_MESSAGE_NOTE,
                        "removed %zu image%s from the store, which holds at most %s", removed,
                        removed == 1 ? "" : "s", lc_human_bytes(lc_store_cap_bytes()).s);
    lc_store_key_free(&key);
    lc_store_dir_close(&dir);
}

/* The sum over nodes of what they let pass to managed disks. False: no node has told. */
static bool nodes_passed(const struct lc_staging_report *report, uint64_t *sum)
{
    const json_t *node;
    bool is_known = false;
    size_t i;

    *sum = 0;
    json_array_foreach(report->nodes, i, node)
    {
        const json_t *passed = json_object_get(node, "passed");
        is_known |= passed != NULL;
        *sum += (uint64_t)json_integer_value(passed);
    }
    return is_known;
}

void lc_job_run_count_misses(struct lc_job_run *run, const struct lc_staging_report *end)
{
    uint64_t before, passed;

    run->knows_passed = nodes_passed(end, &passed);
    nodes_passed(&run->before, &before);
    run->passed = passed > before ? passed - before : 0;
}

void lc_job_run_note_misses(const struct lc_job_run *run)
{
    struct lc_store_dir dir;

    if (!run->key[0] || !run->knows_passed || lc_store_dir_open(&dir, false, NULL) < 0)
        return;
    lc_store_entry_note_misses(&dir, run->key, run->passed);
    lc_store_dir_close(&dir);
}

void lc_job_run_drop_private(const struct lc_job_run *run)
{
    if (!run->private_dir[0])
        return;
    unlink(run->image);
    rmdir(run->private_dir);
}
