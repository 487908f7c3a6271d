/* SPDX-License-Identifier: MIT */
/* xattr.c - extended attributes that a recorded file does not have
 *
 * Only that there are none is recorded: which is what nearly all files answer, and what 'ls -l' and
 * others ask each of them for. Values are the file system's to tell. */
#include "client/preload/xattr.h"

#include <linux/fcntl.h>
#include <stddef.h>

#include "client/preload/ask.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/readable.h"
#include "image/bytes.h"

enum { NO_DATA = 61, NOT_SUPPORTED = 95 };

/* Is it a name that was asked for when the file was recorded? */
static bool is_recorded_name(const struct lc_ask *ask, const char *name)
{
    static const char *const names[] = {LC_XATTR_NAMES};
    int count = ask->what->kind == LC_KIND_DIRECTORY ? LC_XATTR_DIRECTORY : LC_XATTR_FILE;

    if (!lc_is_text(name))
        return false;
    for (int i = 0; i < count; i++)
        if (lc_bytes_same(name, names[i]))
            return true;
    return false;
}

/* The errno of a known file; 0: it has no attributes, and a list of them is empty; -1: unknown. */
static int recorded_error(const struct lc_ask *ask, bool is_list)
{
    if (lc_node_has_written(ask->node) && lc_node_is_written(ask->node, ask->entry))
        return -1;
    if (ask->inode->flags & LC_INODE_NO_XATTR)
        return is_list ? 0 : NO_DATA;
    return ask->inode->flags & LC_INODE_XATTR_REFUSED ? NOT_SUPPORTED : -1;
}

bool lc_xattr_answer(const char *path, const char *name, bool follow, long *result)
{
    struct lc_ask ask;
    int error = -1;

    lc_ask_begin(&ask, AT_FDCWD, path, follow ? 0 : LC_ASK_NOFOLLOW);
    if (ask.verdict == LC_KNOWN && (!name || is_recorded_name(&ask, name)))
        error = recorded_error(&ask, !name);
    else if (ask.verdict == LC_ABSENT)
        error = ask.error;
    if (ask.verdict == LC_KNOWN && error < 0)
        lc_ask_pass(&ask, LC_COUNT_PASS_CALL);
    else if (ask.verdict == LC_KNOWN)
        lc_node_count(ask.node, LC_COUNT_STAT);
    lc_ask_end(&ask);
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
