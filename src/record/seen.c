/* SPDX-License-Identifier: MIT */
/* seen.c - the paths that a program was seen to use */
#include "record/seen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/audit_fit.h"
#include "trace/log.h"
#include "util/clock.h"
#include "util/path.h"

void lc_seen_free(struct lc_seen *seen)
{
    lc_map_free(&seen->paths, free);
    lc_tree_free(&seen->search);
    lc_buf_free(&seen->bindings);
    *seen = (struct lc_seen){0};
}

int lc_seen_add(struct lc_seen *seen, const char *path, unsigned uses)
{
    if (path[0] != '/' || strlen(path) >= LC_PATH_MAX)
        return 0; /* a pipe, a bad pointer, or a path too long for the kernel */
    struct lc_seen_path *p = lc_map_object(&seen->paths, path, sizeof(*p));
    if (!p) {
        seen->failed = 1;
        return -1;
    }
    p->uses |= uses;
    return 0;
}

void lc_seen_add_tls(struct lc_seen *seen, uint64_t bytes)
{
    if (bytes <= LC_FIT_MOST_FOR_OTHERS && bytes > seen->tls_bytes)
        seen->tls_bytes = (uint32_t)bytes;
}

static void parent_add(struct lc_seen *seen, const char *path, unsigned uses)
{
    char dir[LC_PATH_MAX];
    size_t len = lc_path_dir_len(path);

    if (len == 0 || len >= sizeof(dir))
        return;
    memcpy(dir, path, len);
    dir[len] = '\0';
    lc_seen_add(seen, dir, uses);
}

/* The use that a failed call shows: the path is absent, or there in spite of the error. */
static unsigned uses_of_failure(const struct lc_trace_event *e)
{
    switch (-e->result) {
    case ENOENT:
    case ENOTDIR:
        return LC_USE_ABSENT;
    case EINVAL: /* readlink of something else than a link */
    case EACCES:
    case EPERM:
    case EISDIR:
    case EEXIST:
    case ENOEXEC:
    case ELOOP:
    case ENODATA: /* an extended attribute that is not set */
    case EOPNOTSUPP:
        return LC_USE_STAT;
    default:
        return 0;
    }
}

static unsigned uses_of_success(const struct lc_trace_event *e)
{
    switch (e->kind) {
    case LC_TRACE_OPEN:
        return (e->flags & O_PATH) || (e->flags & O_DIRECTORY) == O_DIRECTORY ? LC_USE_STAT
                                                                              : LC_USE_READ;
    case LC_TRACE_READ:
        return LC_USE_READ;
    case LC_TRACE_MMAP:
        return LC_USE_READ | LC_USE_MAP;
    case LC_TRACE_READDIR:
        return LC_USE_LIST;
    case LC_TRACE_EXEC:
        return LC_USE_EXEC | LC_USE_READ;
    case LC_TRACE_CHDIR:
        return LC_USE_STAT | LC_USE_CHDIR;
    default:
        return LC_USE_STAT;
    }
}

/* Does the call create or remove a name, and so change the listing of a directory? */
static int changes_names(const char *call)
{
    static const char *const calls[] = {"mkdir", "rmdir",   "unlink", "rename",
                                        "link",  "symlink", "mknod"};

    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        if (strncmp(call, calls[i], strlen(calls[i])) == 0)
            return 1;
    return 0;
}

static void write_note(struct lc_seen *seen, const struct lc_trace_event *e)
{
    const char *path = e->real ? e->real : e->path;
    int renames =
        changes_names(e->call) || (e->kind == LC_TRACE_OPEN && (e->flags & (O_CREAT | O_TMPFILE)));

    lc_seen_add(seen, e->path, LC_USE_WRITE);
    lc_seen_add(seen, path, LC_USE_WRITE);
    if (renames)
        parent_add(seen, path, LC_USE_RENAMES);
    if (e->second && e->second[0] == '/' && strncmp(e->call, "symlink", 7) != 0) {
        lc_seen_add(seen, e->second, LC_USE_WRITE);
        parent_add(seen, e->second, LC_USE_RENAMES);
    }
}

static int is_own_file(const struct lc_seen *seen, const char *path)
{
    for (size_t i = 0; i < sizeof(seen->ours) / sizeof(*seen->ours); i++)
        if (seen->ours[i] && seen->ours[i][0] && lc_path_is_under(path, seen->ours[i]))
            return 1;
    return 0;
}

static void event_note(struct lc_seen *seen, const struct lc_trace_event *e)
{
    if (e->result < 0) {
        unsigned uses = uses_of_failure(e);
        if (uses)
            lc_seen_add(seen, e->path, uses);
        return;
    }
    if (e->is_write) {
        write_note(seen, e);
        return;
    }
    lc_seen_add(seen, e->path, uses_of_success(e));
    if (e->kind == LC_TRACE_OPEN && e->real)
        lc_seen_add(seen, e->real, uses_of_success(e));
    if (e->kind == LC_TRACE_EXEC && e->real)
        lc_seen_add(seen, e->real, LC_USE_EXEC | LC_USE_READ);
}

/* Did the call query extended attributes of a file that has none? */
static bool lacks_xattr(const struct lc_trace_event *e)
{
    return e->kind == LC_TRACE_STAT && strstr(e->call, "xattr") &&
           (e->result == 0 || e->result == -ENODATA || e->result == -EOPNOTSUPP);
}

void lc_seen_event(void *arg, const struct lc_trace_event *e)
{
    struct lc_seen *seen = arg;

    size_t known = seen->paths.count;

    seen->events++;
    if (e->path[0] != '/' || is_own_file(seen, e->path))
        return;
    if (lacks_xattr(e))
        lc_seen_add(seen, e->path, LC_USE_XATTR);
    event_note(seen, e);
    seen->programs += e->kind == LC_TRACE_EXEC && e->result >= 0 && e->more_calls >= 0;
    struct lc_seen_path *path =
        lc_trace_is_data(e->kind) ? NULL : lc_map_get(&seen->paths, e->path);
    if (path)
        path->calls += (uint64_t)(1 + e->more_calls);
    if (seen->paths.count > known)
        seen->newest_ns = lc_clock_ns();
}

int lc_seen_read_log(struct lc_seen *seen, const char *file, struct lc_error *err)
{
    FILE *in = fopen(file, "re");

    if (!in)
        return lc_error_errno(err, "cannot read trace log '%s'", file);
    int rc = lc_trace_log_read(in, file, lc_seen_event, seen, err);
    fclose(in);
    return rc;
}
