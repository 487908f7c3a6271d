/* SPDX-License-Identifier: MIT */
/* bindings_load.c - add the contents of an existing bindings section to a build */
#include "image/bindings_build.h"

#include <stdlib.h>
#include <string.h>

/* A run: one provider of a plan and the bindings it provides. */
struct run {
    uint32_t provider, count;
    const uint32_t *binding;
};

static void load_names(struct lc_bind_build *b, const struct lc_bindings *from,
                       const struct lc_bind_object *o, uint32_t mine)
{
    for (const char *name = from->names + o->name; *name; name += strlen(name) + 1)
        lc_bind_build_name(b, mine, name);
}

static uint32_t number_in_build(uint32_t object, const uint32_t *mine)
{
    return object < LC_BIND_ZERO ? mine[object] : object;
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    return x->provider < y->provider ? -1 : x->provider > y->provider;
}

/* Sort the runs by the providers' numbers in this build. Each section numbers its objects in the
 * order in which they were added, and equal plans must have equal words to be stored once. */
static int load_runs(uint32_t *words, const struct lc_bind_plan *p, const struct lc_bind_parts *w,
                     const uint32_t *mine)
{
    struct run *run = malloc((p->runs + 1) * sizeof(*run));
    const uint32_t *binding = w->binding;
    uint32_t *to = words + (w->binding - w->run);

    if (!run)
        return -1;
    for (uint32_t i = 0; i < p->runs; i++) {
        run[i] = (struct run){number_in_build(w->run[2 * i], mine), w->run[2 * i + 1], binding};
        binding += 2ull * run[i].count;
    }
    qsort(run, p->runs, sizeof(*run), compare_runs);
    for (uint32_t i = 0; i < p->runs; i++) {
        words[2 * i] = run[i].provider;
        words[2 * i + 1] = run[i].count;
        memcpy(to, run[i].binding, 2ull * run[i].count * sizeof(*to));
        to += 2ull * run[i].count;
    }
    free(run);
    return 0;
}

/* Copy a plan's words, with the objects' numbers translated to those of this build. */
static int load_words(uint32_t *words, const struct lc_bind_plan *p, const struct lc_bind_parts *w,
                      const uint32_t *mine)
{
    uint64_t count = lc_bindings_plan_words(p);

    memcpy(words, w->run, count * sizeof(*words));
    for (uint32_t *f = words + (w->ifunc - w->run); f < words + count; f += 3)
        f[1] = number_in_build(f[1], mine);
    return load_runs(words, p, w, mine);
}

static uint32_t load_plan(struct lc_bind_build *b, const struct lc_bindings *from,
                          const struct lc_bind_plan *p, const uint32_t *mine)
{
    struct lc_bind_parts w;
    struct lc_bind_plan made = *p;
    uint32_t *words = malloc((lc_bindings_plan_words(p) + 1) * sizeof(*words)), plan = LC_NONE;

    made.object = mine[p->object];
    if (words && lc_bindings_plan_parts(from, p, &w) && load_words(words, p, &w, mine) == 0)
        plan = lc_bind_build_plan(b, &made, words);
    else
        b->failed = 1;
    free(words);
    return plan;
}

static void load_group(struct lc_bind_build *b, const struct lc_bindings *from,
                       const struct lc_bind_group *g, const uint32_t *mine, const uint32_t *plan)
{
    struct lc_bind_member *member = malloc((g->count + 1) * sizeof(*member));
    struct lc_bind_group made = *g;

    if (!member) {
        b->failed = 1;
        return;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const struct lc_bind_member *m = &from->member[g->first + i];
        member[i] =
            (struct lc_bind_member){mine[m->object], m->plan == LC_NONE ? LC_NONE : plan[m->plan]};
    }
    made.root = mine[g->root];
    lc_bind_build_group(b, &made, member);
    free(member);
}

void lc_bind_build_load(struct lc_bind_build *b, const struct lc_bindings *from)
{
    const struct lc_bind_head *h = from->head;

    if (b->objects == 0)
        b->system = h->system;
    if (b->system != h->system)
        return;
    uint32_t *mine = calloc(h->objects + 1, sizeof(*mine));
    uint32_t *plan = calloc(h->plans + 1, sizeof(*plan));

    b->failed |= !mine || !plan;
    for (uint32_t i = 0; i < h->objects && !b->failed; i++) {
        mine[i] = lc_bind_build_object(b, &from->object[i], from->names + from->object[i].name);
        load_names(b, from, &from->object[i], mine[i]);
    }
    for (uint32_t i = 0; i < h->plans && !b->failed; i++)
        plan[i] = load_plan(b, from, &from->plan[i], mine);
    for (uint32_t i = 0; i < h->groups && !b->failed; i++)
        load_group(b, from, &from->group[i], mine, plan);
    free(mine);
    free(plan);
}
