/* SPDX-License-Identifier: MIT */
/* bind_init_order.c - which objects' DT_NEEDED entries can be hidden from ld.so without changing
 * the order of initialisation and finalisation
 *
 * ld.so (from glibc 2.35 on) sorts objects by a depth-first search that starts at each object of a
 * list in turn, from the last to the first. An edge to an object that was visited before has no
 * effect, so any number of such edges can be hidden. The replayer hides edges from a new object of
 * a group to another of the group that was opened later. This file runs the search with all edges.
 * An object with an edge of that kind that the search follows keeps all its DT_NEEDED entries. */
#include "record/bind_process.h"

#include <stdlib.h>

static void object_set_flag(struct lc_process *p, size_t item, uint16_t flag)
{
    if (p->item[item].object < p->build->objects)
        p->build->object[p->item[item].object].flags |= flag;
}

struct search {
    struct lc_process *p;
    unsigned char *is_visited; /* per new object */
    bool needs_root;           /* an object needs the root: all objects keep their entries */
};

/* Recursion depth is at most the number of objects: some thousand small stack frames. */
static void visit_object(struct search *s, size_t item)
{
    struct lc_process *p = s->p;
    const struct lc_bind_elf *e = p->item[item].elf;

    s->is_visited[item - p->first] = 1;
    for (size_t k = 0; k < e->needs; k++) {
        size_t other = lc_process_by_name(p, e->needed[k]);
        s->needs_root |= other == p->first;
        if (other == SIZE_MAX)
            object_set_flag(p, item, LC_BIND_KEEPS_NEEDED);
        if (other == SIZE_MAX || other < p->first || s->is_visited[other - p->first])
            continue;
        if (other > item)
            object_set_flag(p, item, LC_BIND_KEEPS_NEEDED);
        visit_object(s, other);
    }
}

static bool are_dependencies_known(const struct lc_process *p)
{
    for (size_t i = p->first; i < p->items; i++)
        if (!p->item[i].elf || p->item[i].elf->is_odd)
            return false; /* its dependencies are not known */
    return true;
}

/* The root is left out: its own DT_NEEDED entries are never hidden. */
void lc_process_check_init_order(struct lc_process *p)
{
    struct search s = {.p = p, .is_visited = calloc(p->items - p->first + 1, 1)};

    if (!s.is_visited || !are_dependencies_known(p)) {
        free(s.is_visited);
        return;
    }
    for (size_t i = p->items - 1; i > p->first; i--)
        if (!s.is_visited[i - p->first])
            visit_object(&s, i);
    for (size_t i = p->first + 1; i < p->items; i++)
        object_set_flag(p, i,
                        s.needs_root ? LC_BIND_KEEPS_NEEDED | LC_BIND_IN_CYCLE : LC_BIND_SORTED);
    free(s.is_visited);
}

void lc_process_keep_needed(struct lc_process *p, const size_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] < p->first)
            object_set_flag(p, list[i], LC_BIND_KEEPS_NEEDED | LC_BIND_NEEDED_LATER);
}
