/* SPDX-License-Identifier: MIT */
/* binding_counts.c - counters of replayed bindings. Freestanding. */
#include "node/attach.h"

#include <linux/prctl.h>

#include "node/syscall.h"

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

/* Why and of what, once. */
static void tell_refusal(uint32_t *state, char *text, const char *why, const char *name)
{
    if (!is_first(state))
        return;
    size_t at = copy(text, 0, why);
    if (name && name[0])
        copy(text, copy(text, at, ": "), name);
    __atomic_store_n(state, 2, __ATOMIC_RELEASE);
}

/* A row for a process that has none: the one that was taken longest ago. */
static struct lc_live_process *take_row(struct lc_live *live, uint32_t pid)
{
    uint64_t turn = __atomic_fetch_add(&live->binders, 1, __ATOMIC_RELAXED);
    struct lc_live_process *row = &live->process[turn % LC_LIVE_PROCESSES];

    __atomic_store_n(&row->pid, 0, __ATOMIC_RELEASE);
    row->replayed = row->refused = row->bindings = 0;
    row->refusal = 0;
    LC_SYS3(__NR_prctl, PR_GET_NAME, row->name, 0);
    __atomic_store_n(&row->pid, pid, __ATOMIC_RELEASE);
    return row;
}

/* This process's row; NULL if so many came later that it has lost it. A child of fork gets its own.
 */
static struct lc_live_process *own_row(const struct lc_node *node)
{
    static struct lc_live_process *row;
    static uint32_t owner;
    uint32_t pid = (uint32_t)LC_SYS3(__NR_getpid, 0, 0, 0);

    if (owner != pid) {
        owner = pid;
        row = take_row(node->live, pid);
    }
    return __atomic_load_n(&row->pid, __ATOMIC_RELAXED) == pid ? row : NULL;
}

void lc_node_bindings_replayed(const struct lc_node *node, uint64_t bindings)
{
    struct lc_live_process *row = own_row(node);

    add(&node->live->bindings.replayed, 1);
    add(&node->live->bindings.bindings, bindings);
    if (!row)
        return;
    add(&row->replayed, 1);
    add(&row->bindings, bindings);
}

void lc_node_bindings_hidden(const struct lc_node *node, uint64_t names)
{
    add(&node->live->bindings.hidden, names);
}

void lc_node_bindings_refused(const struct lc_node *node, const char *why, const char *name)
{
    struct lc_live_bindings *b = &node->live->bindings;
    struct lc_live_process *row = own_row(node);

    add(&b->refused, 1);
    tell_refusal(&b->refusal, b->refusal_text, why, name);
    if (!row)
        return;
    add(&row->refused, 1);
    tell_refusal(&row->refusal, row->refusal_text, why, name);
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
