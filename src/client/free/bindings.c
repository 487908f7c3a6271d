/* SPDX-License-Identifier: MIT */
/* bindings.c - counters of replayed bindings. Freestanding. */
#include "client/free/attach.h"

static void add(uint64_t *to, uint64_t n)
{
    __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static size_t copy(char *out, size_t at, const char *text)
{
    for (; *text && at < LC_PASSED_LEN - 1; text++)
        out[at++] = *text;
    out[at] = '\0';
    return at;
}

/* The first to come may write the text. */
static bool is_first(uint32_t *state)
{
    uint32_t none = 0;

    return __atomic_load_n(state, __ATOMIC_RELAXED) == 0 &&
           __atomic_compare_exchange_n(state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void lc_node_bindings_replayed(const struct lc_node *node, uint64_t bindings)
{
    add(&node->live->bindings.replayed, 1);
    add(&node->live->bindings.bindings, bindings);
}

void lc_node_bindings_refused(const struct lc_node *node, const char *why, const char *name)
{
    struct lc_live_bindings *b = &node->live->bindings;

    add(&b->refused, 1);
    if (!is_first(&b->refusal))
        return;
    size_t at = copy(b->refusal_text, 0, why);
    if (name && name[0])
        copy(b->refusal_text, copy(b->refusal_text, at, ": "), name);
    __atomic_store_n(&b->refusal, 2, __ATOMIC_RELEASE);
}

void lc_node_bindings_compared(const struct lc_node *node, uint64_t compared, uint64_t different,
                               const char *first)
{
    struct lc_live_bindings *b = &node->live->bindings;

    add(&b->compared, compared);
    add(&b->different, different);
    if (!different || !is_first(&b->difference))
        return;
    copy(b->difference_path, 0, first ? first : "");
    __atomic_store_n(&b->difference, 2, __ATOMIC_RELEASE);
}
