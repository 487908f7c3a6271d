/* SPDX-License-Identifier: MIT */
/* order.c - would ld.so find something earlier than what was recorded? Freestanding.
 *
 * A recorded search says where a name was found. Directories that were searched before and lacked
 * it may have got it since: on another disk, in the working directory, or by the job's own writing.
 * They are gone through as glibc does it (elf/dl-load.c): the DT_RPATHs of the object that asks, of
 * its loaders and of the program, unless the one that asks has DT_RUNPATH; LD_LIBRARY_PATH; its
 * DT_RUNPATH. What was found in ld.so.cache or a default directory comes after all of them.
 */
#include "client/audit/order.h"

#include "client/audit/origin.h"
#include "image/bytes.h"
#include "image/format.h"
#include "image/hash.h"
#include "node/dynamic_tags.h"

enum verdict { GO_ON, HOLDS, IN_DOUBT };

static char path[LC_PATH_MAX]; /* ld.so holds its lock while it asks */

static bool append(size_t *at, const char *text, size_t len)
{
    if (*at + len + 1 > sizeof(path))
        return false;
    lc_bytes_move(path + *at, text, len);
    *at += len;
    path[*at] = '\0';
    return true;
}

/* An element of a search path as a directory in 'path'; its length, or 0 if it cannot be told. The
 * empty one is the working directory. */
static size_t make_directory(const char *element, size_t len, const char *owner)
{
    size_t at = len == 0 ? lc_origin_expand(path, sizeof(path), ".", 1, owner)
                         : lc_origin_expand(path, sizeof(path), element, len, owner);

    while (at > 1 && path[at - 1] == '/')
        path[--at] = '\0';
    return at;
}

/* Is the result DIRECTORY/NAME, or a variant of it for this processor? */
static bool is_result(const struct lc_order *o, size_t dir)
{
    static const char variants[] = "glibc-hwcaps/";
    const char *rest = o->result;

    for (size_t i = 0; i < dir; i++, rest++)
        if (*rest != path[i])
            return false;
    if (*rest++ != '/')
        return false;
    size_t n = lc_bytes_length(rest), v = sizeof(variants) - 1;
    return lc_bytes_same(rest, o->name) || (n > v && lc_bytes_equal(rest, variants, v));
}

static bool is_new(const struct lc_order *o, size_t dir, const char *sub, const char *name)
{
    size_t at = dir;

    if (!append(&at, "/", 1) || !append(&at, sub, lc_bytes_length(sub)) ||
        !append(&at, name, lc_bytes_length(name)))
        return true;
    bool answer = o->there(path) == LC_THERE_NEW;
    path[dir] = '\0';
    return answer;
}

/* Directories in which there is no place for variants. As ld.so does, they are not asked again. */
static uint64_t has_no_variants[64];

/* Is anything at one of the places for variants? 'recorded': only at those that the image knows, of
 * which *count is counted. */
static bool is_at_a_place(const struct lc_order *o, size_t dir, bool recorded, size_t *count)
{
    /* The first from glibc 2.33 on, the others before 2.37. */
    static const char *const place[] = {"/glibc-hwcaps", "/haswell", "/x86_64", "/tls"};
    bool is_any = false;

    for (size_t i = 0; i < sizeof(place) / sizeof(*place) && !is_any; i++) {
        size_t at = dir;
        bool fits = append(&at, place[i], lc_bytes_length(place[i]));
        if (fits && recorded && !o->known(path))
            continue;
        ++*count;
        is_any = !fits || o->there(path) != LC_THERE_NOTHING;
    }
    path[dir] = '\0';
    return is_any;
}

/* Where the recording went through the directory, places it did not ask for are none of this ld.so,
 * and asking the disk for them would be a request of every rank. */
static bool has_variants(const struct lc_order *o, size_t dir)
{
    uint64_t hash = lc_hash(path, dir), *known = &has_no_variants[hash % 64];
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

static bool has_new_variant(const struct lc_order *o, size_t dir)
{
    static const struct {
        const char *place;
        uint32_t level; /* ld.so does not look there on a lesser processor */
    } variant[] = {
        {"glibc-hwcaps/x86-64-v4/", 4},
        {"glibc-hwcaps/x86-64-v3/", 3},
        {"glibc-hwcaps/x86-64-v2/", 2},
        {"haswell/", 0},
        {"x86_64/", 0},
        {"tls/", 0},
    };

    if (!has_variants(o, dir))
        return false;
    for (size_t i = 0; i < sizeof(variant) / sizeof(*variant); i++)
        if (variant[i].level <= o->cpu_level && is_new(o, dir, variant[i].place, o->name))
            return true;
    return false;
}

static enum verdict try_directory(const struct lc_order *o, size_t dir)
{
    if (is_result(o, dir))
        return HOLDS;
    if (o->there(path) == LC_THERE_NOTHING)
        return GO_ON;
    return is_new(o, dir, "", o->name) || has_new_variant(o, dir) ? IN_DOUBT : GO_ON;
}

static enum verdict try_list(const struct lc_order *o, const char *list, const char *owner,
                             bool semicolon)
{
    enum verdict v = GO_ON;

    for (size_t n; list && v == GO_ON; list += n + 1) {
        for (n = 0; list[n] && list[n] != ':' && !(semicolon && list[n] == ';'); n++)
            ;
        size_t dir = make_directory(list, n, owner);
        v = dir ? try_directory(o, dir) : IN_DOUBT;
        if (!list[n])
            break;
    }
    return v;
}

static enum verdict try_rpaths(const struct lc_order *o)
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

bool lc_order_holds(const struct lc_order *o)
{
    enum verdict v = o->loader->has_runpath ? GO_ON : try_rpaths(o);

    if (v == GO_ON && o->library_path[0])
        v = try_list(o, o->library_path, o->all->program ? o->all->program->path : NULL, true);
    if (v == GO_ON && o->loader->has_runpath)
        v = try_list(o, lc_tag_text(o->loader->map, DT_RUNPATH), o->loader->path, false);
    return v != IN_DOUBT;
}
