/* SPDX-License-Identifier: MIT */
/* fit.c - was the image recorded for what runs here? */
#include "stage/fit.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image.h"
#include "node/audit_fit.h"
#include "node/glibc_versions.h"
#include "node/mounts.h"
#include "util/json.h"
#include "util/path.h"

/* The provenance as an object, {} if there is none; the caller owns it. */
static json_t *provenance_of(const struct lc_look *look)
{
    const struct lc_section *s = lc_look_section(look, LC_SECTION_PROVENANCE);
    json_t *p = s ? json_loadb((const char *)look->base + s->offset, s->length, 0, NULL) : NULL;

    return p ? p : json_object();
}

int lc_fit_glibc(const struct lc_look *look, struct lc_error *err)
{
    json_t *p = provenance_of(look);
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

uint32_t lc_fit_glibc_minor(const struct lc_look *look)
{
    json_t *p = provenance_of(look);
    const char *version = json_string_value(json_object_get(p, "glibc"));
    unsigned minor = version ? lc_glibc_minor(version) : 0;

    json_decref(p);
    return minor;
}

uint32_t lc_fit_tls_bytes(const struct lc_look *look)
{
    json_t *p = provenance_of(look);
    json_int_t bytes = json_integer_value(json_object_get(p, LC_PROVENANCE_TLS));

    json_decref(p);
    return bytes > 0 && bytes <= LC_FIT_MOST_FOR_OTHERS ? (uint32_t)bytes : 0;
}

/* "3.11" in ".../python3.11"; NULL if it names no Python, "" if no version. */
static const char *python_version(const char *path)
{
    const char *base = lc_path_base(path);

    if (strncmp(base, "python", 6) != 0 || base[6 + strspn(base + 6, "0123456789.")])
        return NULL;
    return base + 6;
}

/* Find 'command' along PATH, into 'out'. False if the image has it, or if a file system that the
 * image spares would have to be asked: then there is nothing to compare. */
static bool command_find_unmanaged(const struct lc_look *look, uint64_t held, const char *command,
                                   char *out)
{
    const char *path = strchr(command, '/') ? "" : getenv("PATH");
    char here[PATH_MAX], named[PATH_MAX];

    for (const char *dir = path ? path : "/bin:/usr/bin"; dir; dir = lc_path_list_next(dir)) {
        int n = (int)strcspn(dir, ":");
        struct lc_walk walk;
        if (snprintf(named, sizeof(named), "%.*s%s%s", n, dir, n ? "/" : "", command) >=
                (int)sizeof(named) ||
            !getcwd(here, sizeof(here)) || lc_path_absolute(out, PATH_MAX, here, named) < 0)
            return false;
        struct lc_found found = lc_look_walk(look, out, strlen(out), 0, &walk);
        if (found.answer == LC_ANSWER_ABSENT)
            continue;
        if (found.answer == LC_ANSWER_FOUND || lc_mounts_is_managed(look, held, out))
            return false;
        if (access(out, X_OK) == 0)
            return true;
    }
    return false;
}

/* Has a recorded interpreter this version? Also true if none was recorded. */
static bool pythons_have_version(json_t *pythons, const char *version)
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

int lc_fit_python(const struct lc_look *look, uint64_t held, const char *command,
                  struct lc_error *err)
{
    char path[PATH_MAX], real[PATH_MAX];
    int rc = 0;

    if (!python_version(command) || !command_find_unmanaged(look, held, command, path) ||
        !realpath(path, real))
        return 0;
    const char *version = python_version(real);
    json_t *p = provenance_of(look), *pythons = json_object_get(p, "python");
    if (version && strchr(version, '.') && !pythons_have_version(pythons, version)) {
        json_t *first = json_array_get(pythons, 0);
        const char *then = json_string_value(json_object_get(first, "version"));
        errno = EBADMSG;
        rc = lc_error_set(err, "the image was recorded with Python %s, '%s' is Python %s",
                          then ? then : "?", real, version);
    }
    json_decref(p);
    return rc;
}
