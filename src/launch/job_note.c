/* SPDX-License-Identifier: MIT */
/* job_note.c - a note for later runs of the same job, so that a job checks and stages once
 *
 * The note is DIR/loadcast-UID/.job.NAME on the machine where 'loadcast run' runs, as JSON; below
 * /dev/shm or /tmp if that machine has no DIR. Outside a scheduler's job there is no note, and
 * every run checks and stages. */
#include "launch/job_run.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/place.h"
#include "stage/user_dir.h"
#include "stage/users.h"
#include "util/json.h"

static int user_dir_open_in(const char *dir, bool make)
{
    char path[LC_USER_DIR_LEN];
    struct lc_stage_places all;

    lc_stage_places_begin(&all, dir, false);
    struct lc_stage_place *place = lc_stage_places_next(&all);
    int user = place && place->path[0] ? lc_user_dir_open(place, make, path, NULL) : -1;
    lc_stage_places_end(&all);
    return user;
}

/* The nodes' directory may be absent on this machine. */
static int user_dir_open(const struct lc_job_run *run, bool make)
{
    const char *const dir[] = {run->staging.dir, "/dev/shm", "/tmp"};
    int user = -1;

    for (size_t i = 0; user < 0 && i < sizeof(dir) / sizeof(*dir); i++)
        user = user_dir_open_in(dir[i], make);
    return user;
}

static bool note_name(char *out, size_t size)
{
    char job[64];

    lc_users_job(job, sizeof(job));
    snprintf(out, size, ".job.%s", job);
    return job[0];
}

char *lc_job_run_name_nodes(const struct lc_job_run *run)
{
    struct lc_argv words = {0};
    struct lc_buf text = {0};
    struct lc_error err;

    if (run->staging.with)
        lc_argv_add(&words, run->staging.with);
    else if (lc_compose_per_node(&run->line, &words, &err) < 0)
        lc_argv_add(&words, "?");
    lc_argv_add(&words, run->staging.dir);
    lc_words_quote(&text, words.item);
    lc_argv_free(&words);
    return text.data;
}

static json_t *note_describe(const struct lc_job_run *run)
{
    struct stat st = {0};
    char real[PATH_MAX];
    char *nodes = lc_job_run_name_nodes(run);
    const char *path = realpath(run->image, real) ? real : run->image;

    stat(path, &st);
    json_t *note =
        json_pack("{s:o, s:I, s:I, s:I, s:o}", "image", lc_json_text(path), "size",
                  (json_int_t)st.st_size, "mtime", (json_int_t)st.st_mtim.tv_sec, "mtime_ns",
                  (json_int_t)st.st_mtim.tv_nsec, "nodes", lc_json_text(nodes ? nodes : ""));
    free(nodes);
    return note;
}

static bool field_is_same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

bool lc_job_note_read(struct lc_job_run *run, bool *is_staged)
{
    char name[96];
    int user = note_name(name, sizeof(name)) ? user_dir_open(run, false) : -1;
    int fd = user < 0 ? -1 : openat(user, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    json_t *note = fd < 0 ? NULL : json_loadfd(fd, 0, NULL),
           *now = note ? note_describe(run) : NULL;
    const char *use = json_string_value(json_object_get(note, "use"));
    const char *id = json_string_value(json_object_get(note, "id"));
    const char *base = json_string_value(json_object_get(note, "base"));
    bool same = now && use && strlen(use) < sizeof(run->use) && id &&
                field_is_same(note, now, "image") && field_is_same(note, now, "size") &&
                field_is_same(note, now, "mtime") && field_is_same(note, now, "mtime_ns") &&
                access(use, R_OK) == 0; /* an overlay may have been removed */

    *is_staged =
        same && field_is_same(note, now, "nodes") && json_is_true(json_object_get(note, "staged"));
    if (same) {
        snprintf(run->use, sizeof(run->use), "%s", use);
        run->staging.id = strtoull(id, NULL, 16);
        run->image_id = base ? strtoull(base, NULL, 16) : 0;
        run->staged.failed = (size_t)json_integer_value(json_object_get(note, "lacking"));
        run->staging.plain_shell = json_is_true(json_object_get(note, "plain_shell"));
        run->staged.plain_shell = run->staging.plain_shell;
    }
    json_decref(note);
    json_decref(now);
    if (fd >= 0)
        close(fd);
    if (user >= 0)
        close(user);
    return same;
}

void lc_job_note_write(const struct lc_job_run *run)
{
    char name[96], temporary[128], id[24];
    int user = note_name(name, sizeof(name)) ? user_dir_open(run, true) : -1;

    if (user < 0)
        return;
    json_t *note = note_describe(run);
    json_object_set_new(note, "use", lc_json_text(run->use));
    snprintf(id, sizeof(id), "%016" PRIx64, run->staging.id);
    json_object_set_new(note, "id", json_string(id));
    snprintf(id, sizeof(id), "%016" PRIx64, run->image_id);
    json_object_set_new(note, "base", json_string(id));
    json_object_set_new(note, "staged", json_boolean(run->is_staged && !run->stages_itself));
    json_object_set_new(note, "plain_shell", json_boolean(run->staged.plain_shell));
    json_object_set_new(note, "lacking", json_integer((json_int_t)run->staged.failed));
    snprintf(temporary, sizeof(temporary), "%s.%ld", name, (long)getpid());
    int fd = openat(user, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && json_dumpfd(note, fd, 0) == 0)
        renameat(user, temporary, user, name);
    if (fd >= 0)
        close(fd);
    unlinkat(user, temporary, 0);
    close(user);
    json_decref(note);
}
