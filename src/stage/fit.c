/* SPDX-License-Identifier: MIT */
/* fit.c - was the image recorded for what runs here? */
#include "stage/fit.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/path.h"

/* The provenance as an object, {} if there is none; the caller owns it. */
static json_t *provenance(const struct lc_look *look)
{
    const struct lc_section *s = lc_look_section(look, LC_SECTION_PROVENANCE);
    json_t *p = s ? json_loadb((const char *)look->base + s->offset, s->length, 0, NULL) : NULL;

    return p ? p : json_object();
}

int lc_fit_glibc(const struct lc_look *look, struct lc_error *err)
{
    json_t *p = provenance(look);
    const char *then = json_string_value(json_object_get(p, "glibc")),
               *now = gnu_get_libc_version();
    int rc = 0;

    if (then && strcmp(then, now) != 0) {
        errno = EBADMSG;
        rc = lc_error_set(err, "the image was recorded with glibc %s, this machine has %s", then,
                          now);
    }
    json_decref(p);
    return rc;
}

/* "3.11" in ".../python3.11"; NULL if it names no Python, "" if no version. */
static const char *python_version(const char *path)
{
    const char *base = lc_path_base(path);

    if (strncmp(base, "python", 6) != 0 || base[6 + strspn(base + 6, "0123456789.")])
        return NULL;
    return base + 6;
}

static bool is_recorded(const struct lc_look *look, const char *path)
{
    struct lc_walk walk;
    struct lc_found found = lc_look_walk(look, path, strlen(path), 0, &walk);

    return found.answer == LC_ANSWER_FOUND;
}

/* Does a recorded interpreter have this version? True too if none was recorded: nothing to say. */
static bool has_version(json_t *pythons, const char *version)
{
    size_t i, n = strlen(version);
    json_t *one;

    json_array_foreach(pythons, i, one)
    {
        const char *is = json_string_value(json_object_get(one, "version"));
        if (is && strncmp(is, version, n) == 0 && (is[n] == '.' || !is[n]))
            return true;
    }
    return json_array_size(pythons) == 0;
}

int lc_fit_python(const struct lc_look *look, const char *command, struct lc_error *err)
{
    char path[PATH_MAX], real[PATH_MAX];
    struct lc_error ignored;
    int rc = 0;

    if (!python_version(command) ||
        lc_path_find_program(path, sizeof(path), command, &ignored) < 0 ||
        is_recorded(look, path) || !realpath(path, real))
        return 0;
    const char *version = python_version(real);
    json_t *p = provenance(look), *pythons = json_object_get(p, "python");
    if (version && strchr(version, '.') && !has_version(pythons, version)) {
        json_t *first = json_array_get(pythons, 0);
        const char *then = json_string_value(json_object_get(first, "version"));
        errno = EBADMSG;
        rc = lc_error_set(err, "the image was recorded with Python %s, '%s' is Python %s",
                          then ? then : "?", real, version);
    }
    json_decref(p);
    return rc;
}
