/* SPDX-License-Identifier: MIT */
/* bind_process.c - one process of the pilot: its objects, and which dlopen brought them */
#include "record/bind_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/hash.h"
#include "util/path.h"

void lc_process_free(struct lc_process *p)
{
    free(p->item);
    free(p->by_base);
    free(p->global);
    lc_map_free(&p->by_name, NULL);
    lc_map_free(&p->definers, NULL);
}

static bool is_libc(const char *path)
{
    const char *base = lc_path_base(path);

    return strncmp(base, "libc.so.", 8) == 0 || strncmp(base, "libc-2.", 7) == 0 ||
           strncmp(base, "ld-linux", 8) == 0 || strncmp(base, "ld-2.", 5) == 0;
}

/* The file of an object, opened once for all processes; NULL if it is not what was loaded. */
static const struct lc_bind_elf *find_file(struct lc_process *p, const struct lc_loaded *l)
{
    bool is_new = !lc_map_has(p->files, l->path);
    struct lc_bind_elf *e = lc_map_object(p->files, l->path, sizeof(*e));

    if (!e) {
        p->build->failed = 1;
        return NULL;
    }
    if (is_new)
        lc_bind_elf_open(e, l->path);
    return e->map && e->dynamic == l->told.dynamic && e->build == l->told.build ? e : NULL;
}

static uint16_t reason_of(const struct lc_loaded *l)
{
    return is_libc(l->path)    ? LC_BIND_LIBC
           : !l->elf           ? LC_BIND_CHANGED
           : !l->told.has_rows ? LC_BIND_LAYOUT
                               : LC_BIND_UNSEEN;
}

static void add_to_build(struct lc_process *p, struct lc_loaded *l)
{
    struct lc_bind_object o = {.dynamic = l->told.dynamic, .build = l->told.build};

    if (l->elf) {
        memcpy(o.content, l->elf->content, sizeof(o.content));
        o.extent = l->elf->extent;
        o.rows = l->elf->table_count + l->elf->plt_count;
        o.relative = l->elf->relative;
    } else {
        o.content[0] = lc_bindings_build_key(o.dynamic, o.build); /* no file has this content */
    }
    o.reason = reason_of(l);
    if (!l->elf || lc_bind_elf_asks(l->elf, "dlsym") || lc_bind_elf_asks(l->elf, "dlvsym"))
        o.flags = LC_BIND_LOOKS;
    l->object = lc_bind_build_object(p->build, &o, l->path);
    lc_bind_build_name(p->build, l->object, l->asked);
    if (l->elf && l->elf->soname)
        lc_bind_build_name(p->build, l->object, l->elf->soname);
}

/* Of two objects with one name ld.so takes the one that came first. */
static void add_name(struct lc_process *p, const char *name, size_t item)
{
    void **at = name && name[0] ? lc_map_at(&p->by_name, name) : NULL;

    if (at && !*at)
        *at = (void *)(item + 1);
}

static void add_names(struct lc_process *p, size_t item)
{
    const struct lc_loaded *l = &p->item[item];

    add_name(p, l->asked, item);
    add_name(p, l->path, item);
    if (l->elf)
        add_name(p, l->elf->soname, item);
}

size_t lc_process_by_name(struct lc_process *p, const char *name)
{
    return (size_t)lc_map_get(&p->by_name, name) - 1;
}

static int compare_numbers(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

/* Sorted by base: 'by_base' holds indices, compared through a copy of the bases. */
static void sort_bases(struct lc_process *p)
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

/* Were the group's own objects opened in the order of the closure? */
static bool is_as_opened(const struct lc_process *p, const size_t *list, size_t count)
{
    size_t next = p->first;

    for (size_t i = 0; i < count; i++)
        if (list[i] >= p->first && list[i] != next++)
            return false;
    return next == p->items;
}

static bool is_whole(const struct lc_process *p)
{
    for (size_t i = p->first; i < p->items; i++)
        if (p->item[i].told.has_rows && !p->item[i].value)
            return false;
    return true;
}

static void add_group(struct lc_process *p, const size_t *list, size_t count, uint32_t flags)
{
    struct lc_bind_group g = {
        .scope = (flags & LC_BIND_GROUP_START) ? 0 : lc_bindings_scope(p->global, p->globals),
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

static void add_item(struct lc_process *p, uint64_t identity, uint64_t object)
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
            add_item(p, p->build->object[l->object].identity, list[i]);
        l->is_global = true;
    }
}

/* Everything so far is one group: the program and what came with it. */
static void finish_start(struct lc_process *p)
{
    size_t *list = calloc(p->items + 1, sizeof(*list));

    p->is_started = true;
    p->first = 0;
    sort_bases(p);
    if (!list || p->items == 0) {
        p->is_stopped = true;
        free(list);
        return;
    }
    p->is_child = !is_whole(p);
    for (size_t i = 0; i < p->items; i++) {
        list[i] = i;
        if (p->item[i].elf && p->item[i].elf->is_odd)
            p->is_stopped = true;
    }
    if (!p->is_stopped)
        add_group(p, list, p->items, LC_BIND_GROUP_START);
    lc_process_sort(p);
    make_global(p, list, p->items);
    free(list);
}

/* RTLD_GLOBAL calls that brought nothing new: they may have made something global. The same calls
 * among the same objects have the same effect. */
static void add_promotions(struct lc_process *p)
{
    uint64_t own = (p->call.flags & RTLD_GLOBAL) ? 1 : 0;

    if (p->call.globals != p->calls + own) {
        uint64_t hash = lc_bindings_mix(0, p->call.globals_hash);
        for (size_t i = 0; i < p->first; i++)
            if (p->item[i].is_live)
                hash = lc_bindings_mix(hash, p->build->object[p->item[i].object].identity);
        add_item(p, hash, UINT64_MAX);
        p->suspects = p->first;
    }
    p->calls = p->call.globals;
}

/* A dlopen is over: what did it bring? */
static void finish_group(struct lc_process *p)
{
    size_t count = 0;

    if (!p->is_open)
        return;
    p->is_open = false;
    if (!p->call.is_known)
        p->is_stopped = true;
    if (p->is_stopped || p->first == p->items)
        return;
    sort_bases(p);
    lc_map_free(&p->definers, NULL);
    add_promotions(p);
    size_t *list = lc_process_closure(p, p->first, &count);
    bool is_good = list && is_as_opened(p, list, count);
    if (is_good && !(p->call.flags & RTLD_DEEPBIND))
        add_group(p, list, count, 0);
    if (is_good)
        lc_process_sort(p);
    if (list)
        lc_process_keep(p, list, count);
    if (is_good && (p->call.flags & RTLD_GLOBAL)) {
        lc_process_leave_lazy(p, list, count);
        make_global(p, list, count);
    } else if (!is_good && (p->call.flags & RTLD_GLOBAL))
        p->is_stopped = true;
    free(list);
}

static void remove_global(struct lc_process *p, size_t item)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < p->globals; i++)
        if (p->global[i].object != item)
            p->global[kept++] = p->global[i];
    p->globals = kept;
}

static void close_object(struct lc_process *p, uint32_t number)
{
    if (number == 0 || number > p->items)
        return;
    struct lc_loaded *l = &p->item[number - 1];
    /* Relocation ended half way: a symbol was missing that nobody may ever have called. */
    if (p->is_open && p->is_mapped && number > p->first && !is_whole(p) && !p->is_child)
        p->is_unresolved = true;
    finish_group(p);
    l->is_live = false;
    if (l->is_global)
        remove_global(p, number - 1);
    else if (number <= p->suspects)
        p->is_stopped = true;
    lc_map_free(&p->by_name, NULL);
    p->by_name = (struct lc_map){0};
    for (size_t i = 0; i < p->items; i++)
        if (p->item[i].is_live)
            add_names(p, i);
}

static bool open_object(struct lc_process *p, const char *body, size_t len)
{
    struct lc_bind_opened told;
    const char *path = body + sizeof(told), *end = body + len;

    if (len < sizeof(told) + 2 || end[-1] != '\0')
        return false;
    memcpy(&told, body, sizeof(told));
    const char *asked = path + strlen(path) + 1;
    if (told.number != p->items + 1 || asked >= end)
        return false;
    struct lc_loaded *more = realloc(p->item, (p->items + 1) * sizeof(*more));
    if (!more) {
        p->build->failed = 1;
        return false;
    }
    p->item = more;
    struct lc_loaded *l = &p->item[p->items];
    *l = (struct lc_loaded){.told = told,
                            .path = path,
                            .asked = asked,
                            .is_live = true,
                            .group = p->group,
                            .plan = LC_NONE,
                            .flags = p->call.flags};
    l->elf = find_file(p, l);
    add_to_build(p, l);
    add_names(p, p->items++);
    return l->object != LC_NONE;
}

static bool take_values(struct lc_process *p, const char *body, size_t len)
{
    uint32_t about[2];

    if (len < sizeof(about))
        return false;
    memcpy(about, body, sizeof(about));
    if (about[0] == 0 || about[0] > p->items || len != sizeof(about) + about[1] * sizeof(uint64_t))
        return false;
    struct lc_loaded *l = &p->item[about[0] - 1];
    l->value = (const void *)(body + sizeof(about)); /* may be unaligned: read by memcpy */
    l->values = about[1];
    return true;
}

static bool begin_group(struct lc_process *p, const char *body, size_t len)
{
    finish_group(p);
    if (len != sizeof(p->call))
        return false;
    memcpy(&p->call, body, sizeof(p->call));
    p->group++;
    p->first = p->items;
    p->is_open = true;
    p->is_mapped = false;
    return true;
}

static bool take_record(struct lc_process *p, uint32_t type, const char *body, size_t len)
{
    uint32_t number;

    switch (type) {
    case LC_BIND_OBJECT:
        return open_object(p, body, len);
    case LC_BIND_VALUES:
        return take_values(p, body, len);
    case LC_BIND_GROUP:
        return begin_group(p, body, len);
    case LC_BIND_START:
        finish_start(p);
        return true;
    case LC_BIND_MAPPED:
        p->is_mapped = true;
        return true;
    case LC_BIND_CLOSED:
        if (len != sizeof(number))
            return false;
        memcpy(&number, body, sizeof(number));
        close_object(p, number);
        return true;
    default:
        return false;
    }
}

/* Are all objects there that the program needs? Then a missing one did not end it. */
static bool needs_nothing(struct lc_process *p)
{
    size_t count, *list = lc_process_closure(p, 0, &count);

    free(list);
    return list;
}

bool lc_process_read(struct lc_process *p, const void *log, size_t len)
{
    const char *at = log;
    struct lc_bind_record head;

    while (len >= sizeof(head)) {
        memcpy(&head, at, sizeof(head));
        if (head.length > len - sizeof(head))
            break; /* the process ended while it wrote */
        if (!take_record(p, head.type, at + sizeof(head), head.length))
            return false;
        at += sizeof(head) + head.length;
        len -= sizeof(head) + head.length;
    }
    finish_group(p);
    if (!p->is_started && p->items > 0 && needs_nothing(p))
        p->is_unresolved = true;
    return !p->build->failed;
}
