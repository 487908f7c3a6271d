/* SPDX-License-Identifier: MIT */
/* relocation_table.c - another relocation table for an object, and its last row. Freestanding. */
#include "client/bindings/relocation_table.h"

#include "node/arch.h"

__asm__(LC_ARCH_THUNK_TEXT);
extern const char lc_thunk_first[] __attribute__((visibility("hidden")));

uintptr_t lc_thunk_run(uint32_t thunk) __attribute__((visibility("hidden"), used));

static uintptr_t thunk_result; /* where ld.so stores what a thunk returns; nobody reads it */

uintptr_t lc_thunk_run(uint32_t thunk)
{
    lc_thunk_hook(thunk);
    return 0;
}

uint32_t lc_thunk_count(void)
{
    return LC_ARCH_THUNKS;
}

void lc_relocation_table_end(ElfW(Rela) * row, const struct lc_elf_object *o, uint32_t thunk)
{
    uintptr_t at = (uintptr_t)lc_thunk_first + (uintptr_t)thunk * LC_ARCH_THUNK_SIZE;

    row->r_offset = (uintptr_t)&thunk_result - o->base;
    row->r_info = ELF64_R_INFO(0, LC_ARCH_IRELATIVE);
    row->r_addend = (ElfW(Sxword))(at - o->base);
}

static void tag_change(struct lc_saved_tags *saved, int i, ElfW(Dyn) * tag, uint64_t value)
{
    saved->tag[i] = tag;
    if (!tag)
        return;
    saved->value[i] = tag->d_un.d_val;
    tag->d_un.d_val = value;
}

void lc_relocation_table_install(const struct lc_elf_object *o, const ElfW(Rela) * rows,
                                 size_t count, size_t relative, bool keeps_plt,
                                 struct lc_saved_tags *saved)
{
    tag_change(saved, 0, o->rela, (uintptr_t)rows);
    tag_change(saved, 1, o->relasz, count * sizeof(*rows));
    tag_change(saved, 2, o->relacount, relative);
    tag_change(saved, 3, keeps_plt ? NULL : o->pltrelsz, 0);
}

void lc_relocation_table_restore(struct lc_saved_tags *saved)
{
    for (int i = 0; i < 4; i++) {
        if (saved->tag[i])
            saved->tag[i]->d_un.d_val = saved->value[i];
        saved->tag[i] = NULL;
    }
}
