/* SPDX-License-Identifier: MIT */
/* xattr.c - extended attributes that a recorded file does not have
 *
 * The image records only that a file has no extended attributes. This is true of nearly all
 * files, and 'ls -l' asks it for each of them. Values are read from the file system.
 */
#include "client/preload/wrappers.h"

#include <linux/fcntl.h>
#include <stddef.h>

#include "client/preload/path_query.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/readable.h"
#include "image/bytes.h"

enum { NO_DATA = 61, NOT_SUPPORTED = 95 };

/* Was this attribute asked for when the file was recorded? */
static bool is_recorded_name(const struct lc_query *query, const char *name)
{
    static const char *const names[] = {LC_XATTR_NAMES};
    int count = query->what->kind == LC_KIND_DIRECTORY ? LC_XATTR_DIRECTORY : LC_XATTR_FILE;

    if (!lc_is_text(name))
        return false;
    for (int i = 0; i < count; i++)
        if (lc_bytes_same(name, names[i]))
            return true;
    return false;
}

/* The errno for a known file; 0: it has no attributes, so a list is empty; -1: not known. */
static int recorded_error(const struct lc_query *query, bool is_list)
{
    if (lc_node_has_written(query->node) && lc_node_is_written(query->node, query->entry))
        return -1;
    if (query->inode->flags & LC_INODE_NO_XATTR)
        return is_list ? 0 : NO_DATA;
    return query->inode->flags & LC_INODE_XATTR_REFUSED ? NOT_SUPPORTED : -1;
}

bool lc_xattr_answer(const char *path, const char *name, bool follow, long *result)
{
    struct lc_query query;
    int error = -1;

    lc_query_begin(&query, AT_FDCWD, path, follow ? 0 : LC_QUERY_NOFOLLOW);
    if (query.verdict == LC_KNOWN && (!name || is_recorded_name(&query, name)))
        error = recorded_error(&query, !name);
    else if (query.verdict == LC_ABSENT)
        error = query.error;
    if (query.verdict == LC_KNOWN && error < 0)
        lc_query_pass(&query, LC_COUNT_PASS_CALL);
    else if (query.verdict == LC_KNOWN)
        lc_node_count(query.node, LC_COUNT_STAT);
    lc_query_end(&query);
    if (error > 0)
        lc_set_errno(error);
    *result = error > 0 ? -1 : 0;
    return error >= 0;
}

#define DEFINE_GET(name, follow)                                                                \
    EXPORT(long, name, const char *path, const char *key, void *value, size_t size)             \
    {                                                                                           \
        long result;                                                                            \
        if (key && lc_xattr_answer(path, key, follow, &result))                                 \
            return result;                                                                      \
        return NEXT(long, name, (const char *, const char *, void *, size_t))(path, key, value, \
                                                                              size);            \
    }
#define DEFINE_LIST(name, follow)                                                  \
    EXPORT(long, name, const char *path, char *list, size_t size)                  \
    {                                                                              \
        long result;                                                               \
        if (lc_xattr_answer(path, NULL, follow, &result))                          \
            return result;                                                         \
        return NEXT(long, name, (const char *, char *, size_t))(path, list, size); \
    }

DEFINE_GET(getxattr, true)
DEFINE_GET(lgetxattr, false)
DEFINE_LIST(listxattr, true)
DEFINE_LIST(llistxattr, false)
