/* SPDX-License-Identifier: MIT */
/* dlopen.c - with which flags the program calls dlopen: no auditor is told.
 *
 * The wrapper leaves a note and jumps: a call would make us the caller, and with it change RUNPATH
 * and what RTLD_NEXT means. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/hub.h"
#include "client/preload/mend.h"
#include "client/preload/next.h"
#include "client/preload/owed.h"
#include "client/preload/search_path.h"
#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/dlopen_notes.h"

struct lc_notes loadcast_dlopen_notes = {.version = LC_NOTES_VERSION};

struct lc_next_answer lc_dlopen_note(const char *file, int flags, const uintptr_t *slot)
    __attribute__((visibility("hidden"), used));

#if defined(__x86_64__)
__asm__(
    ".text\n.p2align 4\n.globl dlopen\n.type dlopen,@function\ndlopen:\nendbr64\n"
    "movq %rsp, %rdx\npushq %rdi\npushq %rsi\nsubq $8, %rsp\ncall lc_dlopen_note\naddq $8, %rsp\n"
    "popq %rsi\npopq %rdi\ntestq %rax, %rax\njz 1f\njmp *%rax\n1: movq %rdx, %rax\nret\n"
    ".size dlopen, .-dlopen\n");
#elif defined(__aarch64__)
__asm__(".text\n.p2align 4\n.globl dlopen\n.type dlopen,%function\ndlopen:\nhint #34\n"
        "stp x0, x1, [sp, #-32]!\nstr x30, [sp, #16]\nmov x2, #0\nbl lc_dlopen_note\nmov x16, x0\n"
        "mov x17, x1\nldr x30, [sp, #16]\nldp x0, x1, [sp], #32\ncbz x16, 1f\nbr x16\n"
        "1: mov x0, x17\nret\n.size dlopen, .-dlopen\n");
#else
#error "preload: add this machine's jump to dlopen"
#endif

/* Where there is no dlopen to be had, it fails. */
static void *no_dlopen(const char *file, int flags)
{
    (void)file;
    (void)flags;
    return NULL;
}

/* Promotions are counted, and hashed in their order. */
static void add_global(struct lc_notes *notes, uint64_t name)
{
    uint64_t pair[2] = {__atomic_load_n(&notes->globals_hash, __ATOMIC_ACQUIRE), name};

    while (!__atomic_compare_exchange_n(&notes->globals_hash, &pair[0], lc_hash(pair, sizeof(pair)),
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    __atomic_fetch_add(&notes->globals, 1, __ATOMIC_ACQ_REL);
}

static void leave_note(struct lc_notes *notes, const char *file, int flags, const uintptr_t *slot)
{
    struct lc_note mine = {.thread = lc_arch_thread(),
                           .name = lc_hash(file, lc_bytes_length(file)),
                           .flags = (uint32_t)flags,
                           .slot = (uintptr_t)slot,
                           .caller = slot ? *slot : 0};
    struct lc_note *note = lc_note_of(notes, mine.thread);

    __atomic_store_n(&note->thread, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&note->name, mine.name, __ATOMIC_RELEASE);
    __atomic_store_n(&note->flags, mine.flags, __ATOMIC_RELEASE);
    __atomic_store_n(&note->slot, mine.slot, __ATOMIC_RELEASE);
    __atomic_store_n(&note->caller, mine.caller, __ATOMIC_RELEASE);
    __atomic_store_n(&note->sum, lc_note_sum(&mine), __ATOMIC_RELEASE);
    __atomic_store_n(&note->thread, mine.thread, __ATOMIC_RELEASE);
    if (flags & RTLD_GLOBAL)
        add_global(notes, mine.name);
}

/* What others lean on is made before the call is noted. */
static void prepare(struct lc_notes *notes, const char *file, int flags, const uintptr_t *slot)
{
    if (!notes->directory)
        lc_search_path_learn(notes);
    lc_hub_open_wanted(notes, (uintptr_t)slot);
    if (flags & RTLD_GLOBAL) {
        lc_hub_make_global(notes, file);
        /* Others may come to depend on what it makes global; what comes later is not among that. */
        if (notes->pruneds)
            notes->is_relied_on = 1;
    }
    leave_note(notes, file, flags, slot);
    lc_mend_before_open(notes);
}

struct lc_next_answer lc_dlopen_note(const char *file, int flags, const uintptr_t *slot)
{
    static void *known;
    void *next = lc_next_to_jump("dlopen", &known, (void *)no_dlopen);

    if (!file || !file[0] || LC_ARCH_REFUSAL)
        return (struct lc_next_answer){next, NULL};
    void *handle = lc_owed_open(&loadcast_dlopen_notes, file, flags, (uintptr_t)slot);
    if (handle)
        return (struct lc_next_answer){NULL, handle};
    prepare(&loadcast_dlopen_notes, file, flags, slot);
    return (struct lc_next_answer){next, NULL};
}
