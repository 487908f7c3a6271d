/* SPDX-License-Identifier: MIT */
/* unserved.c - path functions that are always passed through to the file system; the calls are
 * counted, so that statistics show them */
#include <linux/fcntl.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/path_query.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/readable.h"

void lc_count_unserved(const char *path)
{
    const struct lc_node *node = lc_client_node();
    struct lc_scratch *scratch =
        node && path && lc_is_text(path) && path[0] ? lc_scratch_take() : NULL;
    size_t len = scratch ? lc_make_absolute(node, scratch, AT_FDCWD, path) : 0;

    if (len)
        lc_node_count_passed(
            node, lc_is_managed(node, scratch->full) ? LC_COUNT_PASS_CALL : LC_COUNT_PASS_OUTSIDE,
            scratch->full);
    lc_scratch_give(scratch);
}

#define UNSERVED_1(type, name)                         \
    EXPORT(type, name, const char *path)               \
    {                                                  \
        lc_count_unserved(path);                       \
        return NEXT(type, name, (const char *))(path); \
    }
#define UNSERVED_2(type, name, type_a)                            \
    EXPORT(type, name, const char *path, type_a a)                \
    {                                                             \
        lc_count_unserved(path);                                  \
        return NEXT(type, name, (const char *, type_a))(path, a); \
    }

UNSERVED_1(int, chdir)
UNSERVED_2(int, statfs, void *)
UNSERVED_2(int, statfs64, void *)
UNSERVED_2(int, statvfs, void *)
UNSERVED_2(int, statvfs64, void *)
UNSERVED_2(long, pathconf, int)
