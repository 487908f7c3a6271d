/* SPDX-License-Identifier: MIT */
/* order.c - ld.so's search for a library by its bare name, gone through without ld.so.
 * Freestanding.
 *
 * Directories come in the order of ld.so(8): the DT_RPATHs of the object that asks, of its loaders
 * and of the program, unless the one that asks has DT_RUNPATH; LD_LIBRARY_PATH; its DT_RUNPATH;
 * ld.so.cache; the default directories. In each, variants for the processor come first.
 */
#include "client/audit/order.h"

#include "client/audit/origin.h"
#include "image/bytes.h"
#include "image/format.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/dynamic_tags.h"

enum verdict { GO_ON, FOUND, IN_DOUBT };

static bool append(struct lc_order *o, size_t *at, const char *text, size_t len)
{
    if (*at + len + 1 > sizeof(o->path))
        return false;
    lc_bytes_move(o->path + *at, text, len);
    *at += len;
    o->path[*at] = '\0';
    return true;
}

static enum lc_there what_is_at(const struct lc_order *o, const char *path)
{
    return o->there(o->files, path);
}

/* An element of a search path as a directory in o->path; its length, or 0 if it cannot be told. The
 * empty element is the working directory. */
static size_t make_directory(struct lc_order *o, const char *element, size_t len, const char *owner)
{
    size_t at = len == 0 ? lc_origin_expand(o->path, sizeof(o->path), ".", 1, owner)
                         : lc_origin_expand(o->path, sizeof(o->path), element, len, owner);

    while (at > 1 && o->path[at - 1] == '/')
        o->path[--at] = '\0';
    return at;
}

/* Is the recorded result DIRECTORY/NAME, or a variant of it for this processor? */
static bool is_result(const struct lc_order *o, size_t dir)
{
    static const char variants[] = "glibc-hwcaps/";
    const char *rest = o->result;

    for (size_t i = 0; i < dir; i++, rest++)
        if (*rest != o->path[i])
            return false;
    if (*rest++ != '/')
        return false;
    size_t n = lc_bytes_length(rest), v = sizeof(variants) - 1;
    return lc_bytes_same(rest, o->name) || (n > v && lc_bytes_equal(rest, variants, v));
}

/* DIRECTORY/SUB NAME into o->path, and what is there. */
static enum lc_there what_is_in(struct lc_order *o, size_t dir, const char *sub, const char *name)
{
    size_t at = dir;

    if (!append(o, &at, "/", 1) || !append(o, &at, sub, lc_bytes_length(sub)) ||
        !append(o, &at, name, lc_bytes_length(name)))
        return LC_THERE_UNKNOWN;
    return what_is_at(o, o->path);
}

static void cut(struct lc_order *o, size_t dir)
{
    o->path[dir] = '\0';
}

/* Is anything at one of the places for variants? 'recorded': only at those that the image knows, of
 * which *count is counted. */
static bool is_at_a_place(struct lc_order *o, size_t dir, bool recorded, size_t *count)
{
    static const char *const place[] = {LC_ARCH_VARIANT_PLACES};
    bool is_any = false;

    for (size_t i = 0; i < sizeof(place) / sizeof(*place) && !is_any; i++) {
        size_t at = dir;
        bool fits = append(o, &at, "/", 1) && append(o, &at, place[i], lc_bytes_length(place[i]));
        if (fits && recorded && !o->known(o->files, o->path))
            continue;
        ++*count;
        is_any = !fits || what_is_at(o, o->path) != LC_THERE_NOTHING;
    }
    cut(o, dir);
    return is_any;
}

/* Where the recording went through the directory, places it did not ask for are none of this ld.so,
 * and asking the disk for them would be a request of every rank. Like ld.so, remember directories
 * without such places. */
static bool has_variants(struct lc_order *o, size_t dir)
{
    uint64_t hash = lc_hash(o->path, dir);
    uint64_t *known = &o->memory->has_no_variants[hash % LC_ORDER_DIRECTORIES];
    size_t count = 0;

    if (*known == hash)
        return false;
    bool is_any = is_at_a_place(o, dir, true, &count);
    if (count == 0)
        is_any = is_at_a_place(o, dir, false, &count);
    if (!is_any)
        *known = hash;
    return is_any;
}

static bool has_new_variant(struct lc_order *o, size_t dir)
{
    static const struct {
        const char *place;
        uint32_t level; /* ld.so does not look there on a lesser processor */
    } variant[] = {LC_ARCH_VARIANTS};
    bool is_new = false;

    if (!has_variants(o, dir))
        return false;
    for (size_t i = 0; i < sizeof(variant) / sizeof(*variant) && !is_new; i++)
        is_new = variant[i].level <= o->cpu_level &&
                 what_is_in(o, dir, variant[i].place, o->name) >= LC_THERE_NEW;
    cut(o, dir);
    return is_new;
}

/* Nothing has been recorded: the first directory with the name is where ld.so finds it. Variants
 * are left to ld.so. */
static enum verdict find_in(struct lc_order *o, size_t dir)
{
    if (has_variants(o, dir))
        return IN_DOUBT;
    switch (what_is_in(o, dir, "", o->name)) {
    case LC_THERE_NOTHING:
        cut(o, dir);
        return GO_ON;
    case LC_THERE_RECORDED:
    case LC_THERE_NEW:
        return FOUND;
    default:
        return IN_DOUBT;
    }
}

static enum verdict compare_in(struct lc_order *o, size_t dir)
{
    bool is_new = what_is_in(o, dir, "", o->name) >= LC_THERE_NEW;

    cut(o, dir);
    return is_new || has_new_variant(o, dir) ? IN_DOUBT : GO_ON;
}

static enum verdict try_directory(struct lc_order *o, size_t dir)
{
    if (o->result && is_result(o, dir))
        return FOUND;
    if (what_is_at(o, o->path) == LC_THERE_NOTHING)
        return GO_ON;
    return o->result ? compare_in(o, dir) : find_in(o, dir);
}

static enum verdict try_list(struct lc_order *o, const char *list, const char *owner,
                             bool semicolon)
{
    enum verdict v = GO_ON;

    for (size_t n; list && v == GO_ON; list += n + 1) {
        for (n = 0; list[n] && list[n] != ':' && !(semicolon && list[n] == ';'); n++)
            ;
        size_t dir = make_directory(o, list, n, owner);
        v = dir ? try_directory(o, dir) : IN_DOUBT;
        if (!list[n])
            break;
    }
    return v;
}

static enum verdict try_rpaths(struct lc_order *o)
{
    const struct lc_object *program = o->all->program;
    bool has_program = false;
    enum verdict v = GO_ON;

    for (const struct lc_object *at = o->loader; at && v == GO_ON; at = at->loader) {
        has_program |= at == program;
        if (at->has_rpath && at->path)
            v = try_list(o, lc_tag_text(at->map, DT_RPATH), at->path, false);
    }
    if (v == GO_ON && !has_program && program && program->has_rpath)
        v = try_list(o, lc_tag_text(program->map, DT_RPATH), program->path, false);
    return v;
}

/* All that comes before ld.so.cache. */
static enum verdict try_lists(struct lc_order *o)
{
    enum verdict v = o->loader->has_runpath ? GO_ON : try_rpaths(o);

    if (v == GO_ON && o->library_path[0])
        v = try_list(o, o->library_path, o->all->program ? o->all->program->path : NULL, true);
    if (v == GO_ON && o->loader->has_runpath)
        v = try_list(o, lc_tag_text(o->loader->map, DT_RUNPATH), o->loader->path, false);
    return v;
}

bool lc_order_holds(struct lc_order *o)
{
    return try_lists(o) != IN_DOUBT;
}

static enum verdict try_cache(struct lc_order *o)
{
    const char *cached;
    enum lc_cached c = o->cache ? lc_ld_cache_find(o->cache, o->name, &cached) : LC_CACHED_UNKNOWN;
    size_t at = 0;

    if (c == LC_CACHED_NOT)
        return GO_ON;
    if (c != LC_CACHED_ONCE || !append(o, &at, cached, lc_bytes_length(cached)))
        return IN_DOUBT;
    enum lc_there there = what_is_at(o, o->path);
    return there == LC_THERE_RECORDED || there == LC_THERE_NEW ? FOUND : IN_DOUBT;
}

/* dlinfo(3) tells them together with others, which have been tried already. So one of them that has
 * the name may be searched by ld.so or not. */
static enum verdict try_defaults(struct lc_order *o)
{
    for (size_t i = 0; o->directory[i]; i++) {
        const char *element = o->directory[i];
        size_t dir = make_directory(o, element, lc_bytes_length(element), NULL);
        if (!dir || try_directory(o, dir) != GO_ON)
            return IN_DOUBT;
    }
    return GO_ON;
}

static bool skips_defaults(const struct lc_object *loader)
{
    for (const ElfW(Dyn) *d = loader->map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_FLAGS_1)
            return d->d_un.d_val & DF_1_NODEFLIB;
    return false;
}

enum lc_order_result lc_order_find(struct lc_order *o)
{
    enum verdict v = try_lists(o);

    if (v == GO_ON)
        v = skips_defaults(o->loader) ? IN_DOUBT : try_cache(o);
    if (v == GO_ON)
        v = o->directory ? try_defaults(o) : IN_DOUBT;
    return v == FOUND ? LC_ORDER_FOUND : v == GO_ON ? LC_ORDER_NOWHERE : LC_ORDER_UNKNOWN;
}
