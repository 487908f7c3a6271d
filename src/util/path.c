/* SPDX-License-Identifier: MIT */
/* path.c - paths as text */
#include "util/path.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Append the components of 'path' to out[0..len); returns the new length or -1. With keep_dots a
 * ".." behind a named component stays. */
static ssize_t add_components(char *out, size_t len, size_t size, const char *path, bool keep_dots)
{
    bool named = false;

    while (*path) {
        size_t n = strcspn(path, "/");
        bool up = n == 2 && path[0] == '.' && path[1] == '.';
        if (up && !(keep_dots && named)) {
            while (len > 0 && out[--len] != '/')
                ;
        } else if (n > 0 && !(n == 1 && path[0] == '.')) {
            if (len + 1 + n + 1 > size)
                return -1;
            out[len++] = '/';
            memcpy(out + len, path, n);
            len += n;
            named = true;
        }
        path += n + (path[n] == '/');
    }
    return (ssize_t)len;
}

static int join_clean(char *out, size_t size, const char *base, const char *path, bool keep_dots)
{
    ssize_t len = 0;

    if (size >= 2 && path[0] != '/')
        len = add_components(out, 0, size, base, false);
    if (size >= 2 && len >= 0)
        len = add_components(out, (size_t)len, size, path, keep_dots);
    if (size < 2 || len < 0) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (len == 0)
        out[len++] = '/';
    out[len] = '\0';
    return 0;
}

int lc_path_absolute(char *out, size_t size, const char *base, const char *path)
{
    return join_clean(out, size, base, path, false);
}

int lc_path_resolve(char *out, size_t size, const char *base, const char *path)
{
    return join_clean(out, size, base, path, true);
}

bool lc_path_is_under(const char *path, const char *dir)
{
    size_t n = strlen(dir);

    if (n == 1 && dir[0] == '/')
        return path[0] == '/';
    return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

size_t lc_path_dir_len(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return 0;
    return slash == path ? 1 : (size_t)(slash - path);
}

const char *lc_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* 0 if 'path' is a file one may execute; else -1 with errno ENOENT or EACCES. */
static int is_program(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        if (errno != EACCES)
            errno = ENOENT;
        return -1;
    }
    if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0) {
        errno = EACCES;
        return -1;
    }
    return 0;
}

const char *lc_path_list_next(const char *entry)
{
    const char *colon = strchr(entry, ':');

    return colon ? colon + 1 : NULL;
}

static int search_path_variable(char *out, size_t size, const char *name)
{
    const char *path = getenv("PATH");
    int denied = 0;

    for (const char *dir = path ? path : "/bin:/usr/bin"; dir; dir = lc_path_list_next(dir)) {
        int n = (int)strcspn(dir, ":");
        int len = snprintf(out, size, "%.*s%s%s", n, dir, n ? "/" : "", name);
        if (len < 0 || (size_t)len >= size)
            continue;
        if (is_program(out) == 0)
            return 0;
        denied |= errno == EACCES;
    }
    errno = denied ? EACCES : ENOENT;
    return -1;
}

int lc_path_find_program(char *out, size_t size, const char *name, struct lc_error *err)
{
    int rc;

    if (strchr(name, '/')) {
        if (strlen(name) >= size) {
            errno = ENAMETOOLONG;
            return lc_error_errno(err, "cannot run '%.200s...'", name);
        }
        strcpy(out, name);
        rc = is_program(out);
    } else {
        rc = *name ? search_path_variable(out, size, name) : (errno = ENOENT, -1);
    }
    if (rc == 0)
        return 0;
    if (errno == EACCES)
        return lc_error_set(
            err, "cannot run '%s': not an executable file; try chmod +x, or name its interpreter",
            name);
    return lc_error_set(err, "cannot run '%s': no such program%s", name,
                        strchr(name, '/') ? "" : " in PATH; check the spelling or give its path");
}

bool lc_path_matches(const char *pattern, const char *text)
{
    return fnmatch(pattern, text, 0) == 0;
}

void lc_path_undo_octal(char *path)
{
    char *to = path, *s = path;

    for (; *s; s++)
        if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
            *to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 3;
        } else {
            *to++ = *s;
        }
    *to = '\0';
}
