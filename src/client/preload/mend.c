/* SPDX-License-Identifier: MIT */
/* mend.c - objects some of whose DT_NEEDED were hidden from ld.so, made whole.
 *
 * Opened by itself, if only for a moment, an object gets the complete list of what it needs: the
 * names stand in its .dynamic again. That is done before its root is closed, and before the end if
 * something loaded later relies on it; see client/bindings/prune.h. */
#include "client/preload/mend.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/hub.h"
#include "client/preload/next.h"
#include "client/preload/owed.h"

static void mend(struct lc_notes *notes, const void *root)
{
    lc_owed_pay(notes, root);
    for (uint32_t i = 0; i < notes->pruneds; i++) {
        struct lc_pruned *p = &notes->pruned[i];
        if (!p->map || p->is_whole || (root && p->root != root))
            continue;
        void *handle =
            NEXT(void *, dlopen, (const char *, int))(p->map->l_name, RTLD_LAZY | RTLD_NOLOAD);
        p->is_whole = 1;
        if (handle)
            NEXT(int, dlclose, (void *))(handle);
    }
}

static void mend_at_end(void *notes)
{
    if (((struct lc_notes *)notes)->is_relied_on)
        mend(notes, NULL);
}

void lc_mend_before_open(struct lc_notes *notes)
{
    static bool is_registered;

    if (!notes->pruneds || __atomic_exchange_n(&is_registered, true, __ATOMIC_RELAXED))
        return;
    int (*at_exit)(void (*)(void *), void *, void *) = lc_program_symbol("__cxa_atexit");
    if (at_exit)
        at_exit(mend_at_end, notes, NULL);
}

void *lc_dlclose_prepare(const void *handle) __attribute__((visibility("hidden"), used));

#if defined(__x86_64__)
__asm__(".text\n.p2align 4\n.globl dlclose\n.type dlclose,@function\ndlclose:\nendbr64\n"
        "pushq %rdi\ncall lc_dlclose_prepare\npopq %rdi\njmp *%rax\n.size dlclose, .-dlclose\n");
#elif defined(__aarch64__)
__asm__(".text\n.p2align 4\n.globl dlclose\n.type dlclose,%function\ndlclose:\nhint #34\n"
        "stp x0, x30, [sp, #-16]!\nbl lc_dlclose_prepare\nmov x16, x0\n"
        "ldp x0, x30, [sp], #16\nbr x16\n.size dlclose, .-dlclose\n");
#else
#error "preload: add this machine's jump to dlclose"
#endif

static int no_dlclose(void *handle)
{
    (void)handle;
    return -1;
}

/* All there was to do is done. */
static int closed(void *handle)
{
    (void)handle;
    return 0;
}

void *lc_dlclose_prepare(const void *handle)
{
    static void *known;
    void *next = lc_next_to_jump("dlclose", &known, (void *)no_dlclose);

    lc_hub_let_go(&loadcast_dlopen_notes);
    if (lc_owed_close(&loadcast_dlopen_notes, handle))
        return (void *)closed;
    if (handle && loadcast_dlopen_notes.pruneds)
        mend(&loadcast_dlopen_notes, handle);
    return next;
}
