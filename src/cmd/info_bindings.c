/* SPDX-License-Identifier: MIT */
/* info_bindings.c - print the bindings in an image: which are replayed, and why others are not */
#include "cmd/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/bindings.h"
#include "util/buf.h"
#include "util/human.h"
#include "util/json.h"

/* Totals of the binding plans of one object, or of all objects. */
struct sums {
    uint64_t plans, bindings, leftovers, ifuncs;
};

static bool bindings_find(const struct lc_image *image, struct lc_bindings *b, uint64_t *bytes)
{
    const struct lc_section *s = lc_look_section(&image->look, LC_SECTION_BINDINGS);

    *bytes = s ? s->length : 0;
    return s && lc_bindings_open(b, image->look.base + s->offset, s->length);
}

static void sums_add(struct sums *to, const struct lc_bind_plan *p)
{
    to->plans++;
    to->bindings += p->bindings;
    to->leftovers += p->leftovers;
    to->ifuncs += p->ifuncs;
}

/* The totals of each object; the last element is their sum. NULL if memory ran out. */
static struct sums *sums_by_object(const struct lc_bindings *b)
{
    struct sums *all = calloc(b->head->objects + 1, sizeof(*all));

    for (uint32_t i = 0; all && i < b->head->plans; i++) {
        sums_add(&all[b->plan[i].object], &b->plan[i]);
        sums_add(&all[b->head->objects], &b->plan[i]);
    }
    return all;
}

static bool is_replayed(const struct lc_bindings *b, uint32_t object, const struct sums *own)
{
    return own->plans && b->object[object].reason == LC_BIND_FINE;
}

static const char *reason_of(const struct lc_bindings *b, uint32_t object, const struct sums *own)
{
    return is_replayed(b, object, own) ? "replayed" : lc_bindings_reason(b->object[object].reason);
}

/* The reason why no DT_NEEDED name may be hidden from ld.so; NULL if they may be hidden. */
static const char *kept_for(const struct lc_bindings *b, uint32_t object, const struct sums *own)
{
    return own->plans ? lc_bindings_keep_reason(&b->object[object]) : "it is not replayed";
}

static void print_object(const struct lc_bindings *b, uint32_t i, const struct sums *own)
{
    struct lc_buf text = {0};
    const char *name = b->names + b->object[i].name;

    lc_buf_escape(&text, name, strlen(name));
    const char *kept = kept_for(b, i, own);
    if (is_replayed(b, i, own))
        printf("%10s bindings %6s left to ld.so  %s%s%s%s\n", lc_human_count(own->bindings).s,
               lc_human_count(own->leftovers + own->ifuncs).s, lc_buf_text(&text),
               kept ? " (its names are kept: " : "", kept ? kept : "", kept ? ")" : "");
    else
        printf("%10s (%s)  %s\n", "not", reason_of(b, i, own), lc_buf_text(&text));
    lc_buf_free(&text);
}

static void print_bindings(const struct lc_bindings *b, const struct sums *all, uint64_t bytes)
{
    const struct sums *sum = &all[b->head->objects];
    uint32_t replayed = 0, prunable = 0;

    for (uint32_t i = 0; i < b->head->objects; i++) {
        replayed += all[i].plans > 0;
        prunable += !kept_for(b, i, &all[i]);
    }
    printf("bindings   %s in %s groups, for %s of %s objects; %s relocations are left to ld.so, %s "
           "of them only to\n           choose for the processor; %s\n",
           lc_human_count(sum->bindings).s, lc_human_count(b->head->groups).s,
           lc_human_count(replayed).s, lc_human_count(b->head->objects).s,
           lc_human_count(sum->leftovers + sum->ifuncs).s, lc_human_count(sum->ifuncs).s,
           lc_human_bytes(bytes).s);
    printf("prunable   %s objects: ld.so need not read all names they need, and nothing is "
           "initialised or\n           finalised in another order\n",
           lc_human_count(prunable).s);
    for (uint32_t i = 0; i < b->head->objects; i++)
        print_object(b, i, &all[i]);
}

int lc_info_print_bindings(const struct lc_image *image)
{
    struct lc_bindings b;
    uint64_t bytes;

    if (!bindings_find(image, &b, &bytes)) {
        printf("bindings   none\n");
        return 0;
    }
    struct sums *all = sums_by_object(&b);
    if (all)
        print_bindings(&b, all, bytes);
    free(all);
    return all ? 0 : -1;
}

static json_t *object_json(const struct lc_bindings *b, uint32_t i, const struct sums *own)
{
    const char *kept = kept_for(b, i, own);

    return json_pack("{s:o, s:b, s:s, s:b, s:s?, s:I, s:I, s:I, s:I}", "path",
                     lc_json_text(b->names + b->object[i].name), "replayed", own->plans > 0,
                     "reason", reason_of(b, i, own), "prunable", !kept, "kept", kept, "plans",
                     (json_int_t)own->plans, "bindings", (json_int_t)own->bindings, "leftovers",
                     (json_int_t)own->leftovers, "ifuncs", (json_int_t)own->ifuncs);
}

static json_t *group_json(const struct lc_bindings *b, const struct lc_bind_group *g)
{
    uint32_t plans = 0;

    for (uint32_t i = 0; i < g->count; i++)
        plans += b->member[g->first + i].plan != LC_NONE;
    return json_pack(
        "{s:o, s:b, s:i, s:i}", "root", lc_json_text(b->names + b->object[g->root].name), "start",
        (g->flags & LC_BIND_GROUP_START) != 0, "members", (int)g->count, "plans", (int)plans);
}

json_t *lc_info_bindings_json(const struct lc_image *image)
{
    struct lc_bindings b;
    uint64_t bytes;
    json_t *objects = json_array(), *groups = json_array();
    struct sums *all = bindings_find(image, &b, &bytes) ? sums_by_object(&b) : NULL;

    for (uint32_t i = 0; all && i < b.head->objects; i++)
        json_array_append_new(objects, object_json(&b, i, &all[i]));
    for (uint32_t i = 0; all && i < b.head->groups; i++)
        json_array_append_new(groups, group_json(&b, &b.group[i]));
    json_t *one = json_pack("{s:I, s:I, s:o, s:o}", "bytes", (json_int_t)bytes, "bindings",
                            (json_int_t)(all ? all[b.head->objects].bindings : 0), "objects",
                            objects, "groups", groups);
    free(all);
    return one;
}
