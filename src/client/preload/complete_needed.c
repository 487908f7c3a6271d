/* SPDX-License-Identifier: MIT */
/* complete_needed.c - complete ld.so's dependency lists of objects with hidden DT_NEEDED entries */
#include "client/preload/complete_needed.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/deferred_dlopen.h"
#include "client/preload/next.h"

void lc_complete_needed(struct lc_dlopen_notes *notes, const void *root)
{
    lc_deferred_dlopen_make(lc_deferred_queue_of_process(), notes, root);
    for (uint32_t i = 0; i < notes->partials; i++) {
        struct lc_partial_object *p = &notes->partial[i];
        if (!p->map || p->is_complete || (root && p->root != root))
            continue;
        void *handle =
            NEXT(void *, dlopen, (const char *, int))(p->map->l_name, RTLD_LAZY | RTLD_NOLOAD);
        p->is_complete = 1;
        if (handle)
            NEXT(int, dlclose, (void *))(handle);
    }
}

static void lists_complete_at_exit(void *notes)
{
    if (((struct lc_dlopen_notes *)notes)->completes_at_exit)
        lc_complete_needed(notes, NULL);
}

void lc_complete_needed_at_exit(struct lc_dlopen_notes *notes)
{
    static bool is_registered;

    if (!notes->partials || __atomic_exchange_n(&is_registered, true, __ATOMIC_RELAXED))
        return;
    int (*at_exit)(void (*)(void *), void *, void *) = lc_program_symbol("__cxa_atexit");
    if (at_exit)
        at_exit(lists_complete_at_exit, notes, NULL);
}
