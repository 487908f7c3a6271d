/* SPDX-License-Identifier: MIT */
/* deferred_dlopen.c - dlopens that ld.so is told of only when it makes a difference.
 *
 * No lock is taken: a thread that waits for ours may hold ld.so's. ld.so's count of an object and
 * the deferred calls together are what the program did, or for a moment one more. Another thread
 * may close the root at any time, and with it the object. Therefore a thread first counts its call
 * as deferred, then checks that the root is not being closed, and only then reads the object; and
 * the thread that closes the root first says so and then makes the deferred calls. */
#include "client/preload/deferred_dlopen.h"

#include <dlfcn.h>
#include <stddef.h>

#include "client/preload/dependency_root.h"
#include "client/preload/next.h"
#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"

static uint32_t partial_count(const struct lc_dlopen_notes *notes)
{
    return __atomic_load_n(&notes->partials, __ATOMIC_ACQUIRE);
}

static const struct link_map *partial_map(const struct lc_partial_object *p)
{
    return __atomic_load_n(&p->map, __ATOMIC_ACQUIRE);
}

/* The object's link_map is not read, because the object may be about to be unloaded. */
static struct lc_partial_object *partial_by_path(struct lc_dlopen_notes *notes, const char *file)
{
    uint64_t path = lc_hash(file, lc_bytes_length(file));

    for (uint32_t i = 0, all = partial_count(notes); i < all; i++) {
        struct lc_partial_object *p = &notes->partial[i];
        if (p->path == path && partial_map(p) && p->opening)
            return p;
    }
    return NULL;
}

static struct lc_partial_object *partial_by_handle(struct lc_dlopen_notes *notes,
                                                   const void *handle)
{
    for (uint32_t i = 0, all = partial_count(notes); handle && i < all; i++)
        if (partial_map(&notes->partial[i]) == handle)
            return &notes->partial[i];
    return NULL;
}

/* Until the group's dlopen has returned, opening one of its objects may have to initialise others.
 * False also if that cannot be told. */
static bool opening_has_returned(struct lc_group_opening *opening, uintptr_t slot)
{
    if (__atomic_load_n(&opening->has_returned, __ATOMIC_ACQUIRE))
        return true;
    if (opening->call.thread != lc_arch_thread() ||
        !lc_opening_call_has_returned(&opening->call, slot))
        return false;
    __atomic_store_n(&opening->has_returned, 1, __ATOMIC_RELEASE);
    return true;
}

/* Append an object to the queue; false if the queue is full. */
static bool queue_add(struct lc_deferred_queue *queue, struct lc_partial_object *p)
{
    if (__atomic_load_n(&queue->count, __ATOMIC_ACQUIRE) >= LC_OBJECTS_MAX / 2)
        return false;
    if (!__atomic_exchange_n(&p->is_queued, 1, __ATOMIC_ACQ_REL)) {
        uint32_t place = __atomic_fetch_add(&queue->count, 1, __ATOMIC_ACQ_REL);
        __atomic_store_n(&queue->item[place], p, __ATOMIC_SEQ_CST);
    }
    return true;
}

static bool root_is_closing(const struct lc_partial_object *p)
{
    return __atomic_load_n(&p->root_is_closing, __ATOMIC_SEQ_CST);
}

/* Count one deferred call less. False if there is none. */
static bool deferred_take(struct lc_partial_object *p)
{
    uint32_t n = __atomic_load_n(&p->deferred, __ATOMIC_SEQ_CST);

    while (n && !__atomic_compare_exchange_n(&p->deferred, &n, n - 1, false, __ATOMIC_SEQ_CST,
                                             __ATOMIC_SEQ_CST))
        ;
    return n;
}

/* Count one more deferred call. False: the root is being closed, and ld.so must be called. If the
 * count cannot be taken back, the closing thread has made the call already. */
static bool deferred_add(struct lc_partial_object *p)
{
    __atomic_fetch_add(&p->deferred, 1, __ATOMIC_SEQ_CST);
    return !root_is_closing(p) || !deferred_take(p);
}

/* Undo deferred_add(). */
static void deferred_undo(struct lc_partial_object *p, const struct link_map *map)
{
    if (!deferred_take(p))
        NEXT(int, dlclose, (void *))((void *)(uintptr_t)map);
}

/* Clear dlerror()'s text, as the C library's functions do when they succeed. */
static void error_clear(void)
{
    NEXT(char *, dlerror, (void))();
}

void *lc_deferred_dlopen_open(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                              const char *file, int flags, uintptr_t slot)
{
    int mode = flags & ~RTLD_NOLOAD;

    if (!partial_count(notes) || (mode != RTLD_NOW && mode != RTLD_LAZY))
        return NULL;
    struct lc_partial_object *p = partial_by_path(notes, file);
    if (!p || root_is_closing(p) || !opening_has_returned(p->opening, slot) ||
        !queue_add(queue, p) || !deferred_add(p))
        return NULL;
    const struct link_map *map = partial_map(p);
    if (!lc_bytes_same(map->l_name, file)) {
        deferred_undo(p, map);
        return NULL;
    }
    error_clear();
    return (void *)(uintptr_t)map;
}

/* The object with this handle, if dlopens of it may be deferred; else NULL. */
static struct lc_partial_object *queued_by_handle(const struct lc_deferred_queue *queue,
                                                  struct lc_dlopen_notes *notes, const void *handle)
{
    return __atomic_load_n(&queue->count, __ATOMIC_ACQUIRE) ? partial_by_handle(notes, handle)
                                                            : NULL;
}

bool lc_deferred_dlopen_close(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                              const void *handle)
{
    struct lc_partial_object *p = queued_by_handle(queue, notes, handle);

    if (!p || !deferred_take(p))
        return false;
    error_clear();
    return true;
}

static void deferred_make(struct lc_partial_object *p)
{
    __atomic_store_n(&p->root_is_closing, 1, __ATOMIC_SEQ_CST);
    while (partial_map(p) && __atomic_load_n(&p->deferred, __ATOMIC_SEQ_CST)) {
        void *handle = NEXT(void *, dlopen, (const char *, int))(partial_map(p)->l_name,
                                                                 RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
            return;
        if (!deferred_take(p)) /* another thread has closed it */
            NEXT(int, dlclose, (void *))(handle);
    }
}

static bool is_loaded_by(const struct lc_partial_object *p, const void *root)
{
    return !root || p->root == root;
}

/* The calls are made in the order in which the objects were first opened. Objects follow that
 * another thread has counted as deferred but not yet added to the queue. */
void lc_deferred_dlopen_make(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                             const void *root)
{
    uint32_t all = partial_count(notes);

    for (uint32_t i = 0; i < all; i++)
        if (is_loaded_by(&notes->partial[i], root))
            __atomic_store_n(&notes->partial[i].root_is_closing, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < __atomic_load_n(&queue->count, __ATOMIC_SEQ_CST); i++) {
        struct lc_partial_object *p = __atomic_load_n(&queue->item[i], __ATOMIC_SEQ_CST);
        if (p && is_loaded_by(p, root))
            deferred_make(p);
    }
    for (uint32_t i = 0; i < all; i++)
        if (is_loaded_by(&notes->partial[i], root))
            deferred_make(&notes->partial[i]);
}

void *lc_deferred_dlopen_symbol(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                                const void *handle, const char *name)
{
    struct lc_partial_object *p = queued_by_handle(queue, notes, handle);

    if (!p || !__atomic_load_n(&p->deferred, __ATOMIC_SEQ_CST))
        return NULL;
    void *found = name ? lc_definition_in(partial_map(p), name) : NULL;
    if (found)
        error_clear();
    else
        deferred_make(p);
    return found;
}
