/* SPDX-License-Identifier: MIT */
/* entry.c - an image in the store, and what is known about it */
#include "store/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/suspect.h"
#include "util/clock.h"
#include "util/json.h"

enum { FORMAT = 1, FILE_NAME = LC_STORE_KEY + 16, MOST_LINES = 32, ISO_TIME = 32 };

static const uint64_t DAY_NS = 86400000000000;

int lc_store_entry_path(const struct lc_store_dir *dir, const char *key, char out[PATH_MAX],
                        struct lc_error *err)
{
    if (snprintf(out, PATH_MAX, "%s/%s" LC_STORE_IMAGE, dir->path, key) < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return lc_error_set(err, "the store's name is too long: '%s'", dir->path);
}

bool lc_store_entry_has_image(const struct lc_store_dir *dir, const char *key)
{
    char file[FILE_NAME];
    struct stat st;

    snprintf(file, sizeof(file), "%s" LC_STORE_IMAGE, key);
    if (fstatat(dir->fd, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    errno = EPERM;
    return S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

void lc_store_entry_use(const struct lc_store_dir *dir, const char *key)
{
    char file[FILE_NAME];

    snprintf(file, sizeof(file), "%s.used", key);
    int fd = openat(dir->fd, file,
                    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    ssize_t ignored = fd < 0 ? 0 : write(fd, ".", 1);
    (void)ignored;
    if (fd >= 0)
        close(fd);
}

static int about_put(const struct lc_store_dir *dir, const char *key, const json_t *about)
{
    char file[FILE_NAME];
    char *text = json_dumps(about, JSON_INDENT(1));

    snprintf(file, sizeof(file), "%s.json", key);
    int rc = text ? lc_store_dir_put(dir, file, text, strlen(text)) : (errno = ENOMEM, -1);
    free(text);
    return rc;
}

static void words_name(char out[24], const struct lc_store_key *key)
{
    snprintf(out, 24, "%016" PRIx64, key->words);
}

/* Less than a day ago? Clocks of machines differ. */
static bool is_fresh(const char *time)
{
    char oldest[ISO_TIME], newest[ISO_TIME];
    uint64_t now = lc_clock_wall_ns();

    lc_clock_iso(oldest, sizeof(oldest), now - DAY_NS);
    lc_clock_iso(newest, sizeof(newest), now + DAY_NS);
    return time && strcmp(time, oldest) > 0 && strcmp(time, newest) < 0;
}

/* The lines of the program that asked nothing: those known already, and this one. */
static json_t *lines_add(const json_t *about, const struct lc_store_key *key, const char *now)
{
    json_t *known = json_object_get(about, "nothing_for"), *lines = json_object(), *time;
    const char *name;
    char words[24];

    json_object_foreach(known, name, time)
    {
        if (is_fresh(json_string_value(time)) && json_object_size(lines) < MOST_LINES - 1)
            json_object_set(lines, name, time);
    }
    words_name(words, key);
    json_object_set_new(lines, words, json_string(now));
    return lines;
}

int lc_store_entry_describe(const struct lc_store_dir *dir, const struct lc_store_key *key,
                            bool has_nothing)
{
    char time[ISO_TIME];

    lc_clock_iso(time, sizeof(time), lc_clock_wall_ns());
    json_t *about =
        json_pack("{s:i, s:s, s:s, s:s, s:b, s:O}", "format", FORMAT, "key", key->text, "name",
                  key->label, "recorded", time, "has_nothing", has_nothing, "parts", key->parts);
    if (has_nothing) {
        json_t *before = lc_store_entry_about(dir, key->text);
        json_object_set_new(about, "nothing_for", lines_add(before, key, time));
        json_decref(before);
    }
    int rc = about_put(dir, key->text, about);
    json_decref(about);
    return rc;
}

json_t *lc_store_entry_about(const struct lc_store_dir *dir, const char *key)
{
    char file[FILE_NAME];

    snprintf(file, sizeof(file), "%s.json", key);
    json_t *about = lc_json_read(lc_store_dir_open_file(dir, file));
    if (json_integer_value(json_object_get(about, "format")) == FORMAT)
        return about;
    json_decref(about);
    return NULL;
}

/* When the line asked nothing. Version 0.2.0 kept no lines: then it was any. */
static const char *nothing_since(const json_t *about, const struct lc_store_key *key)
{
    const json_t *lines = json_object_get(about, "nothing_for");
    char words[24];

    if (!json_is_true(json_object_get(about, "has_nothing")))
        return NULL;
    words_name(words, key);
    return json_string_value(lines ? json_object_get(lines, words)
                                   : json_object_get(about, "recorded"));
}

bool lc_store_entry_has_nothing(const struct lc_store_dir *dir, const struct lc_store_key *key,
                                bool *is_described)
{
    json_t *about = lc_store_entry_about(dir, key->text);
    bool has_nothing = is_fresh(nothing_since(about, key));

    if (is_described)
        *is_described = about;
    json_decref(about);
    return has_nothing;
}

void lc_store_entry_note_misses(const struct lc_store_dir *dir, const char *key, uint64_t misses)
{
    json_t *about = lc_store_entry_about(dir, key);
    const json_t *known = json_object_get(about, "misses");

    if (about && (!json_is_integer(known) || (uint64_t)json_integer_value(known) != misses)) {
        json_object_set_new(about, "misses", json_integer((json_int_t)misses));
        about_put(dir, key, about);
    }
    json_decref(about);
}

int lc_store_entry_remove(const struct lc_store_dir *dir, const char *key)
{
    static const char *const ends[] = {".json", ".used", LC_STORE_IMAGE};
    char file[FILE_NAME];
    int rc = 0;

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        snprintf(file, sizeof(file), "%s%s", key, ends[i]);
        if (unlinkat(dir->fd, file, 0) < 0 && errno != ENOENT)
            rc = -1;
    }
    lc_suspect_forget(lc_suspect_id_of_key(key));
    return rc;
}
