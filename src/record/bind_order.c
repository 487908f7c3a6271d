/* SPDX-License-Identifier: MIT */
/* bind_order.c - whose DT_NEEDED may be hidden from ld.so without anything being initialised or
 * finalised in another order?
 *
 * ld.so (from glibc 2.35 on) sorts by a depth-first search that begins with each object of a list
 * in turn, from the last to the first. An edge to an object that was visited before has no effect,
 * and such edges may be hidden, any number of them. The replayer hides edges between new objects of
 * one group, from one to another that was opened after it. So the search is done here with all
 * edges, and who has one of that kind that leads the search keeps all of its own. */
#include "record/bind_process.h"

#include <stdlib.h>

static void set_flag(struct lc_process *p, size_t item, uint16_t flag)
{
    if (p->item[item].object < p->build->objects)
        p->build->object[p->item[item].object].flags |= flag;
}

struct search {
    struct lc_process *p;
    unsigned char *is_visited; /* per new object */
    bool needs_root;           /* somebody needs the root: then nothing here holds */
};

/* As deep as there are objects: some thousand small frames. */
static void visit(struct search *s, size_t item)
{
    struct lc_process *p = s->p;
    const struct lc_bind_elf *e = p->item[item].elf;

    s->is_visited[item - p->first] = 1;
    for (size_t k = 0; k < e->needs; k++) {
        size_t other = lc_process_by_name(p, e->needed[k]);
        s->needs_root |= other == p->first;
        if (other == SIZE_MAX)
            set_flag(p, item, LC_BIND_KEEPS_NEEDED);
        if (other == SIZE_MAX || other < p->first || s->is_visited[other - p->first])
            continue;
        if (other > item)
            set_flag(p, item, LC_BIND_KEEPS_NEEDED);
        visit(s, other);
    }
}

static bool are_clear(const struct lc_process *p)
{
    for (size_t i = p->first; i < p->items; i++)
        if (!p->item[i].elf || p->item[i].elf->is_odd)
            return false; /* whom it needs is not known */
    return true;
}

/* The root's own names are never hidden: it is left out. */
void lc_process_sort(struct lc_process *p)
{
    struct search s = {.p = p, .is_visited = calloc(p->items - p->first + 1, 1)};

    if (!s.is_visited || !are_clear(p)) {
        free(s.is_visited);
        return;
    }
    for (size_t i = p->items - 1; i > p->first; i--)
        if (!s.is_visited[i - p->first])
            visit(&s, i);
    for (size_t i = p->first + 1; i < p->items; i++)
        set_flag(p, i, s.needs_root ? LC_BIND_KEEPS_NEEDED | LC_BIND_IN_CYCLE : LC_BIND_SORTED);
    free(s.is_visited);
}

void lc_process_keep(struct lc_process *p, const size_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] < p->first)
            set_flag(p, list[i], LC_BIND_KEEPS_NEEDED | LC_BIND_NEEDED_LATER);
}
