/* SPDX-License-Identifier: MIT */
/* dlclose.c - what must happen before the C library's dlclose.
 *
 * As with dlopen, the C library's own function must see the program as its caller, so the wrapper
 * jumps to it. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/complete_needed.h"
#include "client/preload/deferred_dlopen.h"
#include "client/preload/dependency_root.h"
#include "client/preload/next.h"
#include "node/arch.h"

void *lc_dlclose_prepare(const void *handle) __attribute__((visibility("hidden"), used));

__asm__(LC_ARCH_DLCLOSE_TEXT);

static int no_dlclose(void *handle)
{
    (void)handle;
    return -1;
}

/* A deferred dlopen was cancelled: ld.so has nothing to close. */
static int dlclose_nothing(void *handle)
{
    (void)handle;
    return 0;
}

/* The function to jump to. */
void *lc_dlclose_prepare(const void *handle)
{
    static void *known;
    struct lc_dlopen_notes *notes = &loadcast_dlopen_notes;
    void *next = lc_next_to_jump("dlclose", &known, (void *)no_dlclose);

    lc_dependency_root_release(notes);
    if (lc_deferred_dlopen_close(lc_deferred_queue_of_process(), notes, handle))
        return (void *)dlclose_nothing;
    if (handle && notes->partials)
        lc_complete_needed(notes, handle);
    return next;
}
