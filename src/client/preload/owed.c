/* SPDX-License-Identifier: MIT */
/* owed.c - dlopens of what a group has brought; see owed.h.
 *
 * Without a lock: ld.so's own may be held by whoever waits for ours. What ld.so counts and what is
 * owed add up to what the program did, or for a moment to one more. Another thread may close the
 * root at any time, and with it the object: only who is owed one, and has seen after that that the
 * root was not being closed, may look at the object. Whoever closes the root says so first. */
#include "client/preload/owed.h"

#include <dlfcn.h>
#include <stddef.h>

#include "client/preload/hub.h"
#include "client/preload/next.h"
#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/loaded_objects.h"

static struct lc_pruned *queue[LC_OBJECTS_MAX]; /* in the order they were first opened */
static uint32_t queued;

static uint32_t count(const struct lc_notes *notes)
{
    return __atomic_load_n(&notes->pruneds, __ATOMIC_ACQUIRE);
}

static const struct link_map *map_of(const struct lc_pruned *p)
{
    return __atomic_load_n(&p->map, __ATOMIC_ACQUIRE);
}

/* The object itself is not looked at: it may be on its way out. */
static struct lc_pruned *find_name(struct lc_notes *notes, const char *file)
{
    uint64_t name = lc_hash(file, lc_bytes_length(file));

    for (uint32_t i = 0, all = count(notes); i < all; i++) {
        struct lc_pruned *p = &notes->pruned[i];
        if (p->name == name && map_of(p) && p->by)
            return p;
    }
    return NULL;
}

static struct lc_pruned *find_handle(struct lc_notes *notes, const void *handle)
{
    for (uint32_t i = 0, all = count(notes); handle && i < all; i++)
        if (map_of(&notes->pruned[i]) == handle)
            return &notes->pruned[i];
    return NULL;
}

/* Until the group's dlopen has returned, opening one of it may have to initialise others. */
static bool has_come(struct lc_bringer *by, uintptr_t slot)
{
    if (__atomic_load_n(&by->has_returned, __ATOMIC_ACQUIRE))
        return true;
    if (by->thread != lc_arch_thread() || !lc_hub_has_returned(by->slot, by->caller, slot))
        return false;
    __atomic_store_n(&by->has_returned, 1, __ATOMIC_RELEASE);
    return true;
}

static bool enqueue(struct lc_pruned *p)
{
    if (__atomic_load_n(&queued, __ATOMIC_ACQUIRE) >= LC_OBJECTS_MAX / 2)
        return false;
    if (!__atomic_exchange_n(&p->is_queued, 1, __ATOMIC_ACQ_REL))
        __atomic_store_n(&queue[__atomic_fetch_add(&queued, 1, __ATOMIC_ACQ_REL)], p,
                         __ATOMIC_SEQ_CST);
    return true;
}

static bool is_shut(const struct lc_pruned *p)
{
    return __atomic_load_n(&p->is_shut, __ATOMIC_SEQ_CST);
}

/* False if none is owed. */
static bool take_one(struct lc_pruned *p)
{
    uint32_t owed = __atomic_load_n(&p->owed, __ATOMIC_SEQ_CST);

    while (owed && !__atomic_compare_exchange_n(&p->owed, &owed, owed - 1, false, __ATOMIC_SEQ_CST,
                                                __ATOMIC_SEQ_CST))
        ;
    return owed;
}

/* As the C library's functions do when they succeed. */
static void forget_error(void)
{
    NEXT(char *, dlerror, (void))();
}

/* One dlopen more is owed. False: the root is being closed, and ld.so must be asked. */
static bool owe_one(struct lc_pruned *p)
{
    __atomic_fetch_add(&p->owed, 1, __ATOMIC_SEQ_CST);
    return !is_shut(p) || !take_one(p); /* who closes it may have made up for this one already */
}

static void give_back(struct lc_pruned *p, const struct link_map *map)
{
    if (!take_one(p))
        NEXT(int, dlclose, (void *))((void *)(uintptr_t)map);
}

void *lc_owed_open(struct lc_notes *notes, const char *file, int flags, uintptr_t slot)
{
    int how = flags & ~RTLD_NOLOAD;

    if (!count(notes) || (how != RTLD_NOW && how != RTLD_LAZY))
        return NULL;
    struct lc_pruned *p = find_name(notes, file);
    if (!p || is_shut(p) || !has_come(p->by, slot) || !enqueue(p) || !owe_one(p))
        return NULL;
    const struct link_map *map = map_of(p);
    if (!lc_bytes_same(map->l_name, file)) {
        give_back(p, map);
        return NULL;
    }
    forget_error();
    return (void *)(uintptr_t)map;
}

bool lc_owed_close(struct lc_notes *notes, const void *handle)
{
    struct lc_pruned *p =
        __atomic_load_n(&queued, __ATOMIC_ACQUIRE) ? find_handle(notes, handle) : NULL;

    if (!p || !take_one(p))
        return false;
    forget_error();
    return true;
}

static void pay(struct lc_pruned *p)
{
    __atomic_store_n(&p->is_shut, 1, __ATOMIC_SEQ_CST);
    while (map_of(p) && __atomic_load_n(&p->owed, __ATOMIC_SEQ_CST)) {
        void *handle =
            NEXT(void *, dlopen, (const char *, int))(map_of(p)->l_name, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
            return;
        if (!take_one(p)) /* another thread has closed it */
            NEXT(int, dlclose, (void *))(handle);
    }
}

/* In the order they were opened; then those that another thread has not yet put in the queue. */
void lc_owed_pay(struct lc_notes *notes, const void *root)
{
    uint32_t all = count(notes);

    for (uint32_t i = 0; i < all; i++)
        if (!root || notes->pruned[i].root == root)
            __atomic_store_n(&notes->pruned[i].is_shut, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < __atomic_load_n(&queued, __ATOMIC_SEQ_CST); i++) {
        struct lc_pruned *p = __atomic_load_n(&queue[i], __ATOMIC_SEQ_CST);
        if (p && (!root || p->root == root))
            pay(p);
    }
    for (uint32_t i = 0; i < all; i++)
        if (!root || notes->pruned[i].root == root)
            pay(&notes->pruned[i]);
}

void *lc_owed_symbol(struct lc_notes *notes, const void *handle, const char *name)
{
    struct lc_pruned *p =
        __atomic_load_n(&queued, __ATOMIC_ACQUIRE) ? find_handle(notes, handle) : NULL;

    if (!p || !__atomic_load_n(&p->owed, __ATOMIC_SEQ_CST))
        return NULL;
    void *found = name ? lc_definition_in(map_of(p), name) : NULL;
    if (found)
        forget_error();
    else
        pay(p);
    return found;
}
