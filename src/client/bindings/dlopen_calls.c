/* SPDX-License-Identifier: MIT */
/* dlopen_calls.c - follow the program's dlopens from an auditor. Freestanding. */
#include "client/bindings/dlopen_calls.h"

#include <dlfcn.h>

#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/dynamic_tags.h"
#include "node/symbol.h"

static bool text_starts_with(const char *text, const char *with)
{
    while (*with && *text == *with) {
        text++;
        with++;
    }
    return !*with;
}

static const char *base_name(const char *path)
{
    const char *base = path;

    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return base;
}

bool lc_is_c_library(const struct link_map *map)
{
    const char *name = map->l_name ? base_name(map->l_name) : "";

    return text_starts_with(name, "libc.so.") || text_starts_with(name, "libc-2.") ||
           text_starts_with(name, "ld-linux") || text_starts_with(name, "ld-2.") ||
           text_starts_with(name, "linux-vdso");
}

/* Does glibc open it for itself, past our dlopen? Name services, character sets and the unwinder
 * are always opened RTLD_LOCAL. */
static bool is_glibc_internal(const char *name)
{
    const char *base = base_name(name);

    if (base == name)
        return text_starts_with(base, "libnss_") || text_starts_with(base, "libgcc_s.so.") ||
               text_starts_with(base, "libidn2.so.");
    for (const char *p = name; *p; p++)
        if (text_starts_with(p, "/gconv/") && p + 7 == base)
            return true;
    return false;
}

void lc_dlopen_calls_find_notes(struct lc_dlopen_calls *d, const struct link_map *map)
{
    struct lc_dlopen_notes *notes =
        d->notes ? NULL : lc_symbol_address(map, LC_DLOPEN_NOTES_SYMBOL);

    if (notes && notes->version == LC_DLOPEN_NOTES_VERSION)
        d->notes = notes;
}

void lc_dlopen_calls_searched(struct lc_dlopen_calls *d, const char *name, uint64_t hash,
                              bool is_started)
{
    if (!is_started || d->is_open)
        return;
    d->name = hash;
    d->is_internal = is_glibc_internal(name);
}

void lc_dlopen_calls_add(struct lc_dlopen_calls *d)
{
    d->is_new = true;
    d->is_open = true;
}

void lc_dlopen_calls_end(struct lc_dlopen_calls *d)
{
    d->is_new = d->is_open = false;
}

static struct lc_dlopen_note note_read(const struct lc_dlopen_note *note)
{
    const struct lc_opening_call *call = &note->call;

    return (struct lc_dlopen_note){
        .call = {.thread = __atomic_load_n(&call->thread, __ATOMIC_ACQUIRE),
                 .return_slot = __atomic_load_n(&call->return_slot, __ATOMIC_ACQUIRE),
                 .return_address = __atomic_load_n(&call->return_address, __ATOMIC_ACQUIRE)},
        .name = __atomic_load_n(&note->name, __ATOMIC_ACQUIRE),
        .flags = __atomic_load_n(&note->flags, __ATOMIC_ACQUIRE),
        .sum = __atomic_load_n(&note->sum, __ATOMIC_ACQUIRE)};
}

/* Read and delete the note that this thread wrote for this very name. False if there is none: that
 * of a call with RTLD_NOLOAD is for nothing that is loaded. */
static bool note_take(struct lc_dlopen_calls *d, struct lc_dlopen_call *call)
{
    uint64_t self = lc_arch_thread();
    struct lc_dlopen_note *note = lc_dlopen_note_of(d->notes, self), mine = note_read(note);

    if (mine.call.thread != self || mine.name != d->name || (mine.flags & RTLD_NOLOAD) ||
        mine.sum != lc_dlopen_note_sum(&mine))
        return false;
    call->flags = (uint32_t)mine.flags;
    call->opening = mine.call;
    __atomic_store_n(&note->call.thread, 0, __ATOMIC_RELEASE);
    return true;
}

struct lc_dlopen_call lc_dlopen_calls_begin(struct lc_dlopen_calls *d)
{
    struct lc_dlopen_call call = {0};

    d->is_new = d->is_deep = false;
    if (!d->notes || d->is_bypassed || __atomic_load_n(&d->notes->is_bypassed, __ATOMIC_ACQUIRE))
        return call;
    call.is_known = note_take(d, &call);
    if (!call.is_known && d->is_internal)
        call = (struct lc_dlopen_call){.is_known = true, .flags = RTLD_NOW};
    d->is_deep = call.flags & RTLD_DEEPBIND;
    call.globals = __atomic_load_n(&d->notes->globals, __ATOMIC_ACQUIRE);
    call.globals_hash = __atomic_load_n(&d->notes->globals_hash, __ATOMIC_ACQUIRE);
    return call;
}

/* Does the object import a way to dlopen? All names that it imports are among its strings, perhaps
 * as the ends of longer ones. */
static bool imports_way_to_dlopen(const struct link_map *map)
{
    const char *strings = NULL;
    size_t bytes = 0;

    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = lc_tag_address(map, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRSZ)
            bytes = d->d_un.d_val;
    for (size_t i = 0; strings && i < bytes; i++)
        if (lc_is_way_to_dlopen(strings + i))
            return true;
    return !strings || !bytes;
}

void lc_dlopen_calls_loaded(struct lc_dlopen_calls *d, const struct link_map *map)
{
    if (d->is_deep && imports_way_to_dlopen(map))
        d->is_bypassed = true;
}
