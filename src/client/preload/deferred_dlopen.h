/* SPDX-License-Identifier: MIT */
/* deferred_dlopen.h - answer a dlopen of an object that another dlopen has loaded, and tell ld.so
 * of it only when it makes a difference.
 *
 * Such an object is loaded, relocated and initialised, and the root of its group keeps it loaded.
 * If it is opened by itself, ld.so makes a list of all it reaches, for which it reads all DT_NEEDED
 * names below it again. That list matters only for a dlsym that does not end in the object itself,
 * and after the root is closed. So the dlopen returns the handle, which is the address of the
 * object's link_map, and the call is counted as deferred. The deferred calls are made before the
 * root is closed, or when a symbol is looked up that the object does not define. Only in groups
 * whose order of finalisation does not depend on it (client/bindings/load_order.h). */
#ifndef LC_PRELOAD_DEFERRED_DLOPEN_H
#define LC_PRELOAD_DEFERRED_DLOPEN_H

#include <stdbool.h>

#include "node/dlopen_notes.h"
#include "node/loaded_objects.h"

/* Objects with deferred calls, in the order they were first opened. */
struct lc_deferred_queue {
    struct lc_partial_object *item[LC_OBJECTS_MAX];
    uint32_t count;
};

struct lc_deferred_queue *lc_deferred_queue_of_process(void);

/* The handle, or NULL: call ld.so. 'slot' is where dlopen's return address is on the stack. */
void *lc_deferred_dlopen_open(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                              const char *file, int flags, uintptr_t slot);

/* A dlclose. True: it cancels a deferred dlopen, and nothing else is to be done. */
bool lc_deferred_dlopen_close(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                              const void *handle);

/* A dlsym. The address of what an object with deferred dlopens defines itself; if it does not
 * define 'name', or that is NULL, its deferred calls are made and the result is NULL. */
void *lc_deferred_dlopen_symbol(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                                const void *handle, const char *name);

/* Make all deferred calls for objects that this root loaded (NULL: for all objects), and defer no
 * further ones. */
void lc_deferred_dlopen_make(struct lc_deferred_queue *queue, struct lc_dlopen_notes *notes,
                             const void *root);

#endif
