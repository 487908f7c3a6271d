/* SPDX-License-Identifier: MIT */
/* listing.c - the names in a complete directory that begin with a prefix, found by one binary
 * search */
#include "client/python/seam.h"

#include "image/bytes.h"

/* The i-th name in sorted order; NULL if the index is damaged. */
static const char *name_at(const struct lc_listing *l, uint32_t i, size_t *len)
{
    if (i >= l->count || l->order[i] >= l->count)
        return NULL;
    *len = l->item[l->order[i]].name_len;
    return lc_look_name(l->look, l->item[l->order[i]].name);
}

struct lc_listing lc_listing_find(const struct lc_look *look, const struct lc_inode *dir,
                                  const char *prefix, size_t len)
{
    struct lc_listing l = {.look = look, .prefix_len = len};
    size_t name_len;

    l.item = lc_look_dirents(look, dir, &l.count);
    if (!l.item)
        return l;
    l.order = look->order + (l.item - look->dirent);
    for (uint32_t high = l.count; l.low < high;) {
        uint32_t middle = l.low + (high - l.low) / 2;
        const char *name = name_at(&l, middle, &name_len);
        if (!name)
            return (struct lc_listing){.look = look};
        if (lc_bytes_compare(name, prefix, len) < 0)
            l.low = middle + 1;
        else
            high = middle;
    }
    return l;
}

bool lc_listing_may_have(const struct lc_listing *l, const char *prefix, const char *suffix,
                         size_t suffix_len)
{
    const char *name = "";
    size_t len = 0, want = l->prefix_len + suffix_len;

    if (!l->item)
        return true;
    for (uint32_t i = l->low; i < l->count && (name = name_at(l, i, &len)); i++) {
        if (len < l->prefix_len || !lc_bytes_equal(name, prefix, l->prefix_len))
            return false;
        if (len == want && lc_bytes_equal(name + l->prefix_len, suffix, suffix_len))
            return true;
    }
    return !name;
}
