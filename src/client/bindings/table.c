/* SPDX-License-Identifier: MIT */
/* table.c - another relocation table for an object, and its last row. Freestanding. */
#include "client/bindings/table.h"

#include "node/arch.h"

__asm__(LC_ARCH_THUNK_TEXT);
extern const char lc_thunk_first[] __attribute__((visibility("hidden")));

uintptr_t lc_thunk_run(uint32_t thunk) __attribute__((visibility("hidden"), used));

static uintptr_t sink; /* where ld.so stores what a thunk returns */

uintptr_t lc_thunk_run(uint32_t thunk)
{
    lc_thunk_hook(thunk);
    return 0;
}

uint32_t lc_thunk_count(void)
{
    return LC_ARCH_REFUSAL ? 0 : LC_ARCH_THUNKS;
}

void lc_table_end(ElfW(Rela) * row, const struct lc_bound *o, uint32_t thunk)
{
    uintptr_t at = (uintptr_t)lc_thunk_first + (uintptr_t)thunk * LC_ARCH_THUNK_SIZE;

    row->r_offset = (uintptr_t)&sink - o->base;
    row->r_info = ELF64_R_INFO(0, LC_ARCH_IRELATIVE);
    row->r_addend = (ElfW(Sxword))(at - o->base);
}

static void edit_tag(struct lc_edit *edit, int i, ElfW(Dyn) * tag, uint64_t value)
{
    edit->tag[i] = tag;
    if (!tag)
        return;
    edit->was[i] = tag->d_un.d_val;
    tag->d_un.d_val = value;
}

void lc_table_install(const struct lc_bound *o, const ElfW(Rela) * rows, size_t count,
                      size_t relative, struct lc_edit *edit)
{
    edit_tag(edit, 0, o->rela, (uintptr_t)rows);
    edit_tag(edit, 1, o->relasz, count * sizeof(*rows));
    edit_tag(edit, 2, o->relacount, relative);
    edit_tag(edit, 3, o->pltrelsz, 0);
}

void lc_table_restore(struct lc_edit *edit)
{
    for (int i = 0; i < 4; i++) {
        if (edit->tag[i])
            edit->tag[i]->d_un.d_val = edit->was[i];
        edit->tag[i] = NULL;
    }
}
