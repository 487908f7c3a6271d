/* SPDX-License-Identifier: MIT */
/* bindings_finish.c - turn the collected bindings into the bytes of a bindings section */
#include "image/bindings_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Append an object's names one after the other, ended by an empty name. */
static void put_names(struct lc_buf *names, struct lc_bind_object *o, const struct lc_map *own)
{
    o->name = (uint32_t)names->len;
    for (size_t i = 0; i < own->count; i++)
        lc_buf_add(names, own->entry[i].key, strlen(own->entry[i].key) + 1);
    if (own->count == 0)
        lc_buf_putc(names, '\0');
    lc_buf_putc(names, '\0');
}

/* Objects that share a name get one number: the lowest of their indices + 1. */
static int find_name_sets(struct lc_bind_build *b)
{
    struct lc_map first = {0};
    int rc = 0;

    for (size_t i = 0; i < b->objects; i++)
        b->object[i].name_set = 0;
    for (bool again = true; again && rc == 0;) {
        again = false;
        for (size_t i = 0; i < b->objects && rc == 0; i++)
            for (size_t k = 0; k < b->names[i].count; k++) {
                void **at = lc_map_at(&first, b->names[i].entry[k].key);
                rc = at ? rc : -1;
                size_t other = at ? (size_t)*at : 0;
                if (at && !other)
                    *at = (void *)(i + 1);
                if (!other || other == i + 1)
                    continue;
                struct lc_bind_object *a = &b->object[i], *c = &b->object[other - 1];
                uint32_t name_set = c->name_set ? c->name_set : (uint32_t)other;
                if (a->name_set && a->name_set < name_set)
                    name_set = a->name_set;
                again |= a->name_set != name_set || c->name_set != name_set;
                a->name_set = c->name_set = name_set;
            }
    }
    lc_map_free(&first, NULL);
    return rc;
}

/* Number the plans that at least one member uses, in 'number' (0: unused). Returns how many there
 * are. */
static uint32_t number_plans(const struct lc_bind_build *b, uint32_t *number, size_t plans)
{
    const struct lc_bind_member *m = (const void *)b->members.data;
    uint32_t next = 0;

    for (size_t i = 0; i < b->members.len / sizeof(*m); i++)
        if (m[i].plan != LC_NONE)
            number[m[i].plan] = 1;
    for (size_t i = 0; i < plans; i++)
        if (number[i])
            number[i] = ++next;
    return next;
}

/* Remove plans that no member uses any more: two recordings disagreed, or the object binds lazily.
 */
static int plans_drop_unused(struct lc_bind_build *b)
{
    struct lc_bind_plan *plan = (void *)b->plans.data;
    struct lc_bind_member *m = (void *)b->members.data;
    uint32_t *word = (void *)b->words.data;
    size_t plans = b->plans.len / sizeof(*plan), words = 0;
    uint32_t *number = calloc(plans + 1, sizeof(*number));

    if (!number)
        return -1;
    b->plans.len = number_plans(b, number, plans) * sizeof(*plan);
    for (size_t i = 0; i < plans; i++) {
        size_t count = lc_bindings_plan_words(&plan[i]), from = plan[i].first;
        if (!number[i])
            continue;
        plan[i].first = words;
        plan[number[i] - 1] = plan[i];
        memmove(word + words, word + from, count * sizeof(*word));
        words += count;
    }
    b->words.len = words * sizeof(*word);
    for (size_t i = 0; i < b->members.len / sizeof(*m); i++)
        if (m[i].plan != LC_NONE)
            m[i].plan = number[m[i].plan] - 1;
    free(number);
    return 0;
}

static uint32_t slot_count(size_t objects)
{
    uint32_t n = 16;

    while (n / 4 <= objects)
        n *= 2;
    return n;
}

static void put_slot(uint32_t *slot, uint32_t slots, uint64_t key, uint32_t object)
{
    uint32_t at = (uint32_t)key & (slots - 1);

    while (slot[at])
        at = (at + 1) & (slots - 1);
    slot[at] = object + 1;
}

static int compare_groups(const void *a, const void *b)
{
    const struct lc_bind_group *x = a, *y = b;

    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    return x->flags < y->flags ? -1 : x->flags > y->flags;
}

static void put_table(struct lc_buf *out, const void *bytes, size_t len)
{
    static const char zeros[8];

    lc_buf_add(out, bytes, len);
    lc_buf_add(out, zeros, (8 - len % 8) % 8);
}

static int tables_put(struct lc_bind_build *b, struct lc_bind_head *h, const struct lc_buf *names,
                      struct lc_buf *out)
{
    uint32_t *slot = calloc(h->slots, sizeof(*slot));

    if (!slot)
        return -1;
    for (uint32_t i = 0; i < h->objects; i++) {
        const struct lc_bind_object *o = &b->object[i];
        put_slot(slot, h->slots, lc_bindings_content_key(o->content), i);
        if (o->build)
            put_slot(slot, h->slots, lc_bindings_build_key(o->dynamic, o->build), i);
    }
    put_table(out, h, sizeof(*h));
    put_table(out, b->object, b->objects * sizeof(*b->object));
    put_table(out, b->groups.data, b->groups.len);
    put_table(out, b->plans.data, b->plans.len);
    put_table(out, b->members.data, b->members.len);
    put_table(out, slot, h->slots * sizeof(*slot));
    put_table(out, b->words.data, b->words.len);
    put_table(out, names->data, names->len);
    free(slot);
    return 0;
}

int lc_bind_build_finish(struct lc_bind_build *b, struct lc_buf *out)
{
    struct lc_buf names = {0};

    if (b->groups.len == 0 || b->plans.len == 0)
        return 0;
    b->failed |= plans_drop_unused(b) < 0 || find_name_sets(b) < 0;
    for (size_t i = 0; i < b->objects; i++)
        put_names(&names, &b->object[i], &b->names[i]);
    if (b->members.len / sizeof(struct lc_bind_member) >= LC_NONE || names.len >= LC_NONE) {
        lc_buf_free(&names);
        return errno = EFBIG, -1;
    }
    qsort(b->groups.data, b->groups.len / sizeof(struct lc_bind_group),
          sizeof(struct lc_bind_group), compare_groups);
    struct lc_bind_head h = {
        .version = LC_BIND_VERSION,
        .objects = (uint32_t)b->objects,
        .groups = (uint32_t)(b->groups.len / sizeof(struct lc_bind_group)),
        .plans = (uint32_t)(b->plans.len / sizeof(struct lc_bind_plan)),
        .members = (uint32_t)(b->members.len / sizeof(struct lc_bind_member)),
        .slots = slot_count(b->objects),
        .words = b->words.len / sizeof(uint32_t),
        .names = (uint32_t)names.len,
        .system = b->system,
    };
    b->failed |= names.failed || b->groups.failed || b->members.failed || b->plans.failed ||
                 b->words.failed || tables_put(b, &h, &names, out) < 0 || out->failed;
    lc_buf_free(&names);
    if (!b->failed)
        lc_bindings_seal(out->data, out->len);
    return b->failed ? (errno = ENOMEM, -1) : 0;
}
