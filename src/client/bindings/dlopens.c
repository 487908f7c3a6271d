/* SPDX-License-Identifier: MIT */
/* dlopens.c - one dlopen after the other, as an auditor sees them. Freestanding. */
#include "client/bindings/dlopens.h"

#include <dlfcn.h>

#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/elf_object.h"
#include "node/symbol.h"

static bool starts_with(const char *text, const char *with)
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

bool lc_dlopens_is_libc(const struct link_map *map)
{
    const char *name = map->l_name ? base_name(map->l_name) : "";

    return starts_with(name, "libc.so.") || starts_with(name, "libc-2.") ||
           starts_with(name, "ld-linux") || starts_with(name, "ld-2.") ||
           starts_with(name, "linux-vdso");
}

/* What glibc opens by itself, always RTLD_LOCAL: name services, character sets, unwinding. */
static bool is_internal(const char *name)
{
    const char *base = base_name(name);

    if (base == name)
        return starts_with(base, "libnss_") || starts_with(base, "libgcc_s.so.") ||
               starts_with(base, "libidn2.so.");
    for (const char *p = name; *p; p++)
        if (starts_with(p, "/gconv/") && p + 7 == base)
            return true;
    return false;
}

void lc_dlopens_find(struct lc_dlopens *d, const struct link_map *map)
{
    struct lc_notes *notes = d->notes ? NULL : lc_symbol_address(map, LC_NOTES_SYMBOL);

    if (notes && notes->version == LC_NOTES_VERSION)
        d->notes = notes;
}

void lc_dlopens_asked(struct lc_dlopens *d, const char *name, uint64_t hash, bool is_started)
{
    if (!is_started || d->is_open)
        return;
    d->name = hash;
    d->is_internal = is_internal(name);
}

void lc_dlopens_add(struct lc_dlopens *d)
{
    d->is_new = true;
    d->is_open = true;
}

void lc_dlopens_end(struct lc_dlopens *d)
{
    d->is_new = d->is_open = false;
}

static struct lc_note read_note(const struct lc_note *note)
{
    return (struct lc_note){.thread = __atomic_load_n(&note->thread, __ATOMIC_ACQUIRE),
                            .name = __atomic_load_n(&note->name, __ATOMIC_ACQUIRE),
                            .flags = __atomic_load_n(&note->flags, __ATOMIC_ACQUIRE),
                            .slot = __atomic_load_n(&note->slot, __ATOMIC_ACQUIRE),
                            .caller = __atomic_load_n(&note->caller, __ATOMIC_ACQUIRE),
                            .sum = __atomic_load_n(&note->sum, __ATOMIC_ACQUIRE)};
}

/* The note this thread left for this very name; it is used up. */
static bool take_note(struct lc_dlopens *d, struct lc_dlopen *call)
{
    uint64_t self = lc_arch_thread();
    struct lc_note *note = lc_note_of(d->notes, self), mine = read_note(note);

    if (mine.thread != self || mine.name != d->name || mine.sum != lc_note_sum(&mine))
        return false;
    call->flags = (uint32_t)mine.flags;
    call->thread = self;
    call->slot = mine.slot;
    call->caller = mine.caller;
    __atomic_store_n(&note->thread, 0, __ATOMIC_RELEASE);
    return true;
}

struct lc_dlopen lc_dlopens_begin(struct lc_dlopens *d)
{
    struct lc_dlopen call = {0};

    d->is_new = false;
    if (!d->notes)
        return call;
    call.is_known = take_note(d, &call);
    if (!call.is_known && d->is_internal)
        call = (struct lc_dlopen){.is_known = true, .flags = RTLD_NOW};
    call.globals = __atomic_load_n(&d->notes->globals, __ATOMIC_ACQUIRE);
    call.globals_hash = __atomic_load_n(&d->notes->globals_hash, __ATOMIC_ACQUIRE);
    return call;
}
