/* SPDX-License-Identifier: MIT */
/* absent.c - what ld.so is told of a library that is nowhere. Freestanding. */
#include "client/audit/absent.h"

#include "image/bytes.h"
#include "node/dynamic_tags.h"
#include "node/glibc_versions.h"

enum { LC_NAME_MAX = 255 };

static bool has(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return *text;
}

static const char *last_item(const char *list)
{
    const char *item = list;

    for (; *list; list++)
        item = *list == ':' && list[1] ? list + 1 : item;
    return item;
}

void lc_absent_begin(struct lc_absent *a, const char *audit, const char *own, bool is_debugged)
{
    const char *item = last_item(audit);
    size_t n = lc_bytes_length(own);

    a->is_last = n > 0 && lc_bytes_length(item) > n && lc_bytes_equal(item, own, n);
    a->is_debugged = is_debugged;
}

/* A program may name auditors of its own, which come after those of LD_AUDIT. */
void lc_absent_started(struct lc_absent *a, const struct link_map *program)
{
    a->is_started = lc_glibc_is_tested(LC_GLIBC_DLERROR);
    a->is_last &= !lc_tag_text(program, DT_AUDIT) && !lc_tag_text(program, DT_DEPAUDIT);
}

/* The kernel has another reason for such a one than that there is nothing. */
static bool is_too_long(const char *path)
{
    size_t n = 0;

    for (; *path && n <= LC_NAME_MAX; path++)
        n = *path == '/' ? 0 : n + 1;
    return n > LC_NAME_MAX;
}

/* With a '$' it is another path that ld.so would open. */
char *lc_absent_answer(struct lc_absent *a, const struct lc_node *node, const char *name)
{
    if (!a->is_last || a->is_debugged || !a->is_started || has(name, '$') || is_too_long(name) ||
        !lc_node_nowhere(node, name, a->path, sizeof(a->path)))
        return NULL;
    return a->path;
}
