/* SPDX-License-Identifier: MIT */
/* bind_process.c - read the bindings log of one process: its objects, and which dlopen() loaded
 * them */
#include "record/bind_process.h"

#include <stdlib.h>
#include <string.h>

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

/* The ELF file of an object, read once for all processes; NULL if it is not the one loaded. */
static const struct lc_bind_elf *elf_of_object(struct lc_process *p, const struct lc_loaded *l)
{
    bool is_new = !lc_map_has(p->files, l->path);
    struct lc_bind_elf *e = lc_map_object(p->files, l->path, sizeof(*e));

    if (!e) {
        p->build->failed = 1;
        return NULL;
    }
    if (is_new)
        lc_bind_elf_open(e, l->path);
    return e->pages.at && e->dynamic == l->told.dynamic && e->build == l->told.build ? e : NULL;
}

static uint16_t initial_reason(const struct lc_loaded *l)
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
    o.reason = initial_reason(l);
    if (!l->elf || lc_bind_elf_imports(l->elf, "dlsym") || lc_bind_elf_imports(l->elf, "dlvsym"))
        o.flags = LC_BIND_CALLS_DLSYM;
    l->object = lc_bind_build_object(p->build, &o, l->path);
    lc_bind_build_name(p->build, l->object, l->asked);
    if (l->elf && l->elf->soname)
        lc_bind_build_name(p->build, l->object, l->elf->soname);
}

/* If two objects have the same name, ld.so uses the one loaded first. */
static void object_name_add(struct lc_process *p, const char *name, size_t item)
{
    void **at = name && name[0] ? lc_map_at(&p->by_name, name) : NULL;

    if (at && !*at)
        *at = (void *)(item + 1);
}

static void object_names_add(struct lc_process *p, size_t item)
{
    const struct lc_loaded *l = &p->item[item];

    object_name_add(p, l->asked, item);
    object_name_add(p, l->path, item);
    if (l->elf)
        object_name_add(p, l->elf->soname, item);
}

size_t lc_process_by_name(struct lc_process *p, const char *name)
{
    return (size_t)lc_map_get(&p->by_name, name) - 1;
}

static void read_closed(struct lc_process *p, uint32_t number)
{
    if (number == 0 || number > p->items)
        return;
    struct lc_loaded *l = &p->item[number - 1];
    /* Relocation failed half way: a symbol had no definition. Bound lazily, it might never have
     * been called. */
    if (p->is_open && p->is_mapped && number > p->first && !lc_process_is_whole(p) && !p->is_child)
        p->is_unresolved = true;
    lc_process_finish_group(p);
    l->is_live = false;
    if (l->is_global)
        lc_process_remove_global(p, number - 1);
    else if (number <= p->suspects)
        p->is_stopped = true;
    lc_map_free(&p->by_name, NULL);
    p->by_name = (struct lc_map){0};
    for (size_t i = 0; i < p->items; i++)
        if (p->item[i].is_live)
            object_names_add(p, i);
}

static bool read_object(struct lc_process *p, const char *body, size_t len)
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
    l->elf = elf_of_object(p, l);
    add_to_build(p, l);
    object_names_add(p, p->items++);
    return l->object != LC_NONE;
}

static bool read_values(struct lc_process *p, const char *body, size_t len)
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

static bool read_group(struct lc_process *p, const char *body, size_t len)
{
    lc_process_finish_group(p);
    if (len != sizeof(p->call))
        return false;
    memcpy(&p->call, body, sizeof(p->call));
    p->group++;
    p->first = p->items;
    p->is_open = true;
    p->is_mapped = false;
    return true;
}

static bool read_record(struct lc_process *p, uint32_t type, const char *body, size_t len)
{
    uint32_t number;

    switch (type) {
    case LC_BIND_OBJECT:
        return read_object(p, body, len);
    case LC_BIND_VALUES:
        return read_values(p, body, len);
    case LC_BIND_GROUP:
        return read_group(p, body, len);
    case LC_BIND_START:
        lc_process_finish_start(p);
        return true;
    case LC_BIND_MAPPED:
        p->is_mapped = true;
        return true;
    case LC_BIND_CLOSED:
        if (len != sizeof(number))
            return false;
        memcpy(&number, body, sizeof(number));
        read_closed(p, number);
        return true;
    default:
        return false;
    }
}

/* Are all libraries that the program needs loaded? If so, the program did not fail for lack of one.
 */
static bool has_all_libraries(struct lc_process *p)
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
        if (!read_record(p, head.type, at + sizeof(head), head.length))
            return false;
        at += sizeof(head) + head.length;
        len -= sizeof(head) + head.length;
    }
    lc_process_finish_group(p);
    if (!p->is_started && p->items > 0 && has_all_libraries(p))
        p->is_unresolved = true;
    return !p->build->failed;
}
