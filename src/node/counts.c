/* SPDX-License-Identifier: MIT */
/* counts.c - count answered and passed-through calls for the node. Freestanding. */
#include "node/attach.h"

#include <linux/mman.h>

#include "image/bytes.h"
#include "node/syscall.h"

void lc_node_count(const struct lc_node *node, enum lc_count_kind kind)
{
    __atomic_fetch_add(&node->live->count[kind], 1, __ATOMIC_RELAXED);
}

void lc_node_count_opened(const struct lc_node *node, uint64_t bytes)
{
    lc_node_count(node, LC_COUNT_OPEN);
    __atomic_fetch_add(&node->live->bytes_opened, bytes, __ATOMIC_RELAXED);
}

void lc_node_count_unmarshalled(const struct lc_node *node, uint64_t bytes)
{
    lc_node_count(node, LC_COUNT_CODE);
    __atomic_fetch_add(&node->live->bytes_opened, bytes, __ATOMIC_RELAXED);
}

void lc_node_use_private_counts(struct lc_node *node)
{
    uint64_t written = (uint64_t)((char *)node->written - (char *)node->live);
    uint64_t size = written + ((uint64_t)node->look.entries + 31) / 32 * sizeof(uint32_t);
    void *own = lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    if (lc_sys_is_error(own))
        return;
    lc_bytes_move(own, (const char *)node->live, size);
    lc_node_unmap(node->live, node->live_size);
    node->live = own;
    node->live_size = size;
    node->misses = NULL;
    node->written = (uint32_t *)((char *)own + written);
}

static bool is_path_of(const struct lc_passed *p, const char *path)
{
    for (size_t i = 0; i < LC_PASSED_LEN - 1; i++) {
        if (p->path[i] != path[i])
            return false;
        if (!path[i])
            return true;
    }
    return true; /* equal as far as stored: the stored path may be cut */
}

static void fill_passed(struct lc_passed *p, enum lc_count_kind kind, const char *path)
{
    size_t n = 0;

    for (; path[n] && n < LC_PASSED_LEN - 1; n++)
        p->path[n] = path[n];
    p->path[n] = '\0';
    p->kind = kind;
    p->count = 1;
    __atomic_store_n(&p->state, 2, __ATOMIC_RELEASE);
}

void lc_node_count_passed(const struct lc_node *node, enum lc_count_kind kind, const char *path)
{
    lc_node_count(node, kind);
    if (kind == LC_COUNT_PASS_OUTSIDE)
        return;
    for (int i = 0; i < LC_PASSED_PATHS; i++) {
        struct lc_passed *p = &node->live->passed[i];
        uint32_t free_state = 0;
        uint32_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
        if (state == 2 && is_path_of(p, path)) {
            __atomic_fetch_add(&p->count, 1, __ATOMIC_RELAXED);
            return;
        }
        if (state == 0 && __atomic_compare_exchange_n(&p->state, &free_state, 1, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            fill_passed(p, kind, path);
            return;
        }
    }
}
