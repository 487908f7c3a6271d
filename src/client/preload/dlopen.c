/* SPDX-License-Identifier: MIT */
/* dlopen.c - note the flags of each dlopen for the auditor, which ld.so does not tell them.
 *
 * The wrapper writes the note and jumps to the C library's dlopen. If it called it, the preload
 * would be the caller, which decides about RUNPATH. So does that of dlmopen, for the base
 * namespace: there it is a dlopen. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/complete_needed.h"
#include "client/preload/deferred_dlopen.h"
#include "client/preload/dependency_root.h"
#include "client/preload/next.h"
#include "client/preload/search_path.h"
#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/dlopen_notes.h"

struct lc_dlopen_notes loadcast_dlopen_notes = {.version = LC_DLOPEN_NOTES_VERSION};

static struct lc_deferred_queue deferred_queue;

struct lc_deferred_queue *lc_deferred_queue_of_process(void)
{
    return &deferred_queue;
}

struct lc_next_answer lc_dlopen_prepare(const char *file, int flags, const uintptr_t *slot)
    __attribute__((visibility("hidden"), used));

void *lc_dlmopen_prepare(Lmid_t space, const char *file, int flags, const uintptr_t *slot)
    __attribute__((visibility("hidden"), used));

__asm__(LC_ARCH_DLOPEN_TEXT);
__asm__(LC_ARCH_DLMOPEN_TEXT);

/* Used where the program has no dlopen: it fails. */
static void *no_dlopen(const char *file, int flags)
{
    (void)file;
    (void)flags;
    return NULL;
}

static void *no_dlmopen(Lmid_t space, const char *file, int flags)
{
    (void)space;
    (void)file;
    (void)flags;
    return NULL;
}

/* Calls with RTLD_GLOBAL are counted, and their names hashed in order. */
static void global_call_add(struct lc_dlopen_notes *notes, uint64_t name)
{
    uint64_t pair[2] = {__atomic_load_n(&notes->globals_hash, __ATOMIC_ACQUIRE), name};

    while (!__atomic_compare_exchange_n(&notes->globals_hash, &pair[0], lc_hash(pair, sizeof(pair)),
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    __atomic_fetch_add(&notes->globals, 1, __ATOMIC_ACQ_REL);
}

static void note_write(struct lc_dlopen_notes *notes, const char *file, int flags,
                       const uintptr_t *slot)
{
    struct lc_dlopen_note mine = {
        .call = {lc_arch_thread(), (uintptr_t)slot, LC_ARCH_RETURN_IS_ON_STACK ? *slot : 0},
        .name = lc_hash(file, lc_bytes_length(file)),
        .flags = (uint32_t)flags};
    struct lc_dlopen_note *note = lc_dlopen_note_of(notes, mine.call.thread);

    __atomic_store_n(&note->call.thread, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&note->name, mine.name, __ATOMIC_RELEASE);
    __atomic_store_n(&note->flags, mine.flags, __ATOMIC_RELEASE);
    __atomic_store_n(&note->call.return_slot, mine.call.return_slot, __ATOMIC_RELEASE);
    __atomic_store_n(&note->call.return_address, mine.call.return_address, __ATOMIC_RELEASE);
    __atomic_store_n(&note->sum, lc_dlopen_note_sum(&mine), __ATOMIC_RELEASE);
    __atomic_store_n(&note->call.thread, mine.call.thread, __ATOMIC_RELEASE);
    if (flags & RTLD_GLOBAL)
        global_call_add(notes, mine.name);
}

/* The note comes last: what is done before it calls dlopen, too. */
static void call_prepare(struct lc_dlopen_notes *notes, const char *file, int flags,
                         const uintptr_t *slot)
{
    if (!notes->directory)
        lc_search_path_learn(notes);
    lc_dependency_root_open_wanted(notes, (uintptr_t)slot);
    if (flags & RTLD_GLOBAL) {
        lc_dependency_root_make_global(notes, file);
        /* Others may come to depend on partial objects that it makes global. */
        if (notes->partials)
            notes->completes_at_exit = 1;
    }
    note_write(notes, file, flags, slot);
    lc_complete_needed_at_exit(notes);
}

struct lc_next_answer lc_dlopen_prepare(const char *file, int flags, const uintptr_t *slot)
{
    static void *known;
    struct lc_dlopen_notes *notes = &loadcast_dlopen_notes;
    void *next = lc_next_to_jump("dlopen", &known, (void *)no_dlopen);

    if (!file || !file[0])
        return (struct lc_next_answer){next, NULL};
    void *handle = lc_deferred_dlopen_open(lc_deferred_queue_of_process(), notes, file, flags,
                                           (uintptr_t)slot);
    if (handle)
        return (struct lc_next_answer){NULL, handle};
    call_prepare(notes, file, flags, slot);
    return (struct lc_next_answer){next, NULL};
}

static bool has_slash(const char *file)
{
    while (*file && *file != '/')
        file++;
    return *file;
}

/* The function to jump to. Of a name that is no search ld.so tells the auditor nothing here, which
 * can therefore not find the note. */
void *lc_dlmopen_prepare(Lmid_t space, const char *file, int flags, const uintptr_t *slot)
{
    static void *known;
    struct lc_dlopen_notes *notes = &loadcast_dlopen_notes;
    void *next = lc_next_to_jump("dlmopen", &known, (void *)no_dlmopen);

    if (space != LM_ID_BASE || !file || !file[0])
        return next;
    if (has_slash(file) && !(flags & RTLD_NOLOAD))
        __atomic_store_n(&notes->is_bypassed, 1, __ATOMIC_RELEASE);
    call_prepare(notes, file, flags, slot);
    return next;
}
