/* SPDX-License-Identifier: MIT */
/* binding_counts.c - count replayed bindings, for the node and per process. Freestanding. */
#include "node/attach.h"

#include <linux/prctl.h>

#include "node/syscall.h"

static void count_add(uint64_t *to, uint64_t n)
{
    __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static size_t text_copy(char *out, size_t at, const char *text)
{
    for (; *text && at < LC_PASSED_LEN - 1; text++)
        out[at++] = *text;
    out[at] = '\0';
    return at;
}

/* Claim the right to write a text. True for the first caller only. */
static bool state_claim(uint32_t *state)
{
    uint32_t none = 0;

    return __atomic_load_n(state, __ATOMIC_RELAXED) == 0 &&
           __atomic_compare_exchange_n(state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Store the reason of the first refusal, and the object. */
static void refusal_write(uint32_t *state, char *text, const char *why, const char *name)
{
    if (!state_claim(state))
        return;
    size_t at = text_copy(text, 0, why);
    if (name && name[0])
        text_copy(text, text_copy(text, at, ": "), name);
    __atomic_store_n(state, 2, __ATOMIC_RELEASE);
}

/* Take a row for this process: the one that was taken longest ago. */
static struct lc_live_process *row_take(struct lc_live *live, uint32_t pid)
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

/* This process's row; NULL if another process has taken it over since. A child of fork takes its
 * own. */
static struct lc_live_process *row_own(const struct lc_node *node)
{
    static struct lc_live_process *row;
    static uint32_t owner;
    uint32_t pid = (uint32_t)LC_SYS3(__NR_getpid, 0, 0, 0);

    if (owner != pid) {
        owner = pid;
        row = row_take(node->live, pid);
    }
    return __atomic_load_n(&row->pid, __ATOMIC_RELAXED) == pid ? row : NULL;
}

void lc_node_bindings_replayed(const struct lc_node *node, uint64_t bindings)
{
    struct lc_live_process *row = row_own(node);

    if (node->start)
        node->start->has_replayed = 1;
    count_add(&node->live->bindings.replayed, 1);
    count_add(&node->live->bindings.bindings, bindings);
    if (!row)
        return;
    count_add(&row->replayed, 1);
    count_add(&row->bindings, bindings);
}

void lc_node_bindings_hidden(const struct lc_node *node, uint64_t names)
{
    count_add(&node->live->bindings.hidden, names);
}

void lc_node_bindings_refused(const struct lc_node *node, const char *why, const char *name)
{
    struct lc_live_bindings *b = &node->live->bindings;
    struct lc_live_process *row = row_own(node);

    count_add(&b->refused, 1);
    refusal_write(&b->refusal, b->refusal_text, why, name);
    if (!row)
        return;
    count_add(&row->refused, 1);
    refusal_write(&row->refusal, row->refusal_text, why, name);
}

void lc_node_bindings_compared(const struct lc_node *node, uint64_t compared, uint64_t different,
                               const char *first)
{
    struct lc_live_bindings *b = &node->live->bindings;

    count_add(&b->compared, compared);
    count_add(&b->different, different);
    if (!different || !state_claim(&b->difference))
        return;
    text_copy(b->difference_path, 0, first ? first : "");
    __atomic_store_n(&b->difference, 2, __ATOMIC_RELEASE);
}
