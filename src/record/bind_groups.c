/* SPDX-License-Identifier: MIT */
/* bind_groups.c - groups: the objects that the program start or one dlopen() loaded together, and
 * the global scope after each */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "image/hash.h"
#include "record/bind_process.h"

static int compare_numbers(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

/* Fills p->by_base: the indices of all live objects, sorted by load address. */
static void sort_by_base(struct lc_process *p)
{
    struct pair {
        size_t base, item;
    } *pair = calloc(p->items + 1, sizeof(*pair));
    size_t *more = realloc(p->by_base, (p->items + 1) * sizeof(*more));

    p->by_base = more ? more : p->by_base;
    p->bases = 0;
    if (!pair || !more) {
        p->build->failed = 1;
        free(pair);
        return;
    }
    for (size_t i = 0; i < p->items; i++)
        if (p->item[i].is_live)
            pair[p->bases++] = (struct pair){p->item[i].told.base, i};
    qsort(pair, p->bases, sizeof(*pair), compare_numbers);
    for (size_t i = 0; i < p->bases; i++)
        p->by_base[i] = pair[i].item;
    free(pair);
}

size_t *lc_process_closure(struct lc_process *p, size_t root, size_t *count)
{
    size_t *list = malloc((p->items + 1) * sizeof(*list));

    if (!list) {
        p->build->failed = 1;
        return NULL;
    }
    p->stamp++;
    list[0] = root;
    p->item[root].stamp = p->stamp;
    *count = 1;
    for (size_t i = 0; i < *count; i++) {
        const struct lc_bind_elf *e = p->item[list[i]].elf;
        for (size_t k = 0; e && k < e->needs; k++) {
            size_t found = lc_process_by_name(p, e->needed[k]);
            if (found == SIZE_MAX || !e || e->is_odd) {
                free(list);
                return NULL;
            }
            const struct lc_bind_elf *other = p->item[found].elf;
            if (!other || !other->soname || strcmp(other->soname, e->needed[k]) != 0)
                lc_bind_build_alias(p->build, p->item[found].object,
                                    lc_hash(e->needed[k], strlen(e->needed[k])));
            if (p->item[found].stamp != p->stamp) {
                p->item[found].stamp = p->stamp;
                list[(*count)++] = found;
            }
        }
        if (!e || e->is_odd) {
            free(list);
            return NULL;
        }
    }
    return list;
}

/* Were the group's new objects opened in the order in which the closure lists them? */
static bool is_in_open_order(const struct lc_process *p, const size_t *list, size_t count)
{
    size_t next = p->first;

    for (size_t i = 0; i < count; i++)
        if (list[i] >= p->first && list[i] != next++)
            return false;
    return next == p->items;
}

bool lc_process_is_whole(const struct lc_process *p)
{
    for (size_t i = p->first; i < p->items; i++)
        if (p->item[i].told.has_rows && !p->item[i].value)
            return false;
    return true;
}

static void add_group(struct lc_process *p, const size_t *list, size_t count, uint32_t flags)
{
    struct lc_bind_group g = {
        .scope = (flags & LC_BIND_GROUP_START) ? 0 : lc_bindings_scope_hash(p->global, p->globals),
        .root = p->item[list[0]].object,
        .count = (uint32_t)count,
        .flags = flags};
    struct lc_bind_member *member = calloc(count + 1, sizeof(*member));

    if (!member) {
        p->build->failed = 1;
        return;
    }
    for (size_t i = 0; i < count; i++)
        p->item[list[i]].scope = p->group;
    for (size_t i = 0; i < count; i++) {
        struct lc_loaded *l = &p->item[list[i]];
        member[i] = (struct lc_bind_member){l->object, LC_NONE};
        if (list[i] >= p->first)
            member[i].plan = l->plan = lc_process_plan(p, list[i]);
    }
    lc_bind_build_group(p->build, &g, member);
    free(member);
}

static void global_scope_add(struct lc_process *p, uint64_t identity, uint64_t object)
{
    struct lc_bind_scope_item *more = realloc(p->global, (p->globals + 1) * sizeof(*more));

    if (!more) {
        p->build->failed = 1;
        return;
    }
    p->global = more;
    p->global[p->globals++] = (struct lc_bind_scope_item){identity, object};
}

static void make_global(struct lc_process *p, const size_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lc_loaded *l = &p->item[list[i]];
        if (!l->is_global)
            global_scope_add(p, p->build->object[l->object].identity, list[i]);
        l->is_global = true;
    }
}

void lc_process_finish_start(struct lc_process *p)
{
    size_t *list = calloc(p->items + 1, sizeof(*list));

    p->is_started = true;
    p->first = 0;
    sort_by_base(p);
    if (!list || p->items == 0) {
        p->is_stopped = true;
        free(list);
        return;
    }
    p->is_child = !lc_process_is_whole(p);
    for (size_t i = 0; i < p->items; i++) {
        list[i] = i;
        if (p->item[i].elf && p->item[i].elf->is_odd)
            p->is_stopped = true;
    }
    if (!p->is_stopped)
        add_group(p, list, p->items, LC_BIND_GROUP_START);
    lc_process_check_init_order(p);
    make_global(p, list, p->items);
    free(list);
}

/* dlopen() calls with RTLD_GLOBAL that loaded nothing new may have made loaded objects global;
 * which ones is not known. The same calls with the same objects loaded have the same effect, so a
 * hash of both takes their place in the recorded global scope. */
static void add_promotions(struct lc_process *p)
{
    uint64_t own = (p->call.flags & RTLD_GLOBAL) ? 1 : 0;

    if (p->call.globals != p->calls + own) {
        uint64_t hash = lc_bindings_mix(0, p->call.globals_hash);
        for (size_t i = 0; i < p->first; i++)
            if (p->item[i].is_live)
                hash = lc_bindings_mix(hash, p->build->object[p->item[i].object].identity);
        global_scope_add(p, hash, UINT64_MAX);
        p->suspects = p->first;
    }
    p->calls = p->call.globals;
}

void lc_process_finish_group(struct lc_process *p)
{
    size_t count = 0;

    if (!p->is_open)
        return;
    p->is_open = false;
    if (!p->call.is_known)
        p->is_stopped = true;
    if (p->is_stopped || p->first == p->items)
        return;
    sort_by_base(p);
    lc_map_free(&p->definers, NULL);
    add_promotions(p);
    size_t *list = lc_process_closure(p, p->first, &count);
    bool is_good = list && is_in_open_order(p, list, count);
    if (is_good && !(p->call.flags & RTLD_DEEPBIND))
        add_group(p, list, count, 0);
    if (is_good)
        lc_process_check_init_order(p);
    if (list)
        lc_process_keep_needed(p, list, count);
    if (is_good && (p->call.flags & RTLD_GLOBAL)) {
        lc_process_drop_lazy(p, list, count);
        make_global(p, list, count);
    } else if (!is_good && (p->call.flags & RTLD_GLOBAL))
        p->is_stopped = true;
    free(list);
}

void lc_process_remove_global(struct lc_process *p, size_t item)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < p->globals; i++)
        if (p->global[i].object != item)
            p->global[kept++] = p->global[i];
    p->globals = kept;
}
