/* SPDX-License-Identifier: MIT */
/* bind_lazy.c - drop plans of libraries whose lazy calls could bind to a library loaded later
 *
 * The recorder binds all symbols when a library is loaded. If the library was opened with
 * RTLD_LAZY, and a library opened later with RTLD_GLOBAL defines a function that it calls, then the
 * first call might have been bound to that later definition. Such a library is left to ld.so.
 * Functions defined by an object of the program start are not affected: these objects come first in
 * every search. */
#include "record/bind_process.h"

#include <dlfcn.h>

#include "node/arch.h"

static bool is_bound_lazily(const struct lc_loaded *l)
{
    return l->group > 0 && l->elf && l->value && !l->elf->is_eager && !(l->flags & RTLD_NOW);
}

static bool is_defined(const struct lc_bind_elf *e, const struct lc_bind_name *name)
{
    uint32_t at = 0, index;

    return lc_bind_elf_next(e, name, &at, &index);
}

/* Does an object of the program start define this name? */
static bool is_defined_at_start(const struct lc_process *p, const struct lc_bind_name *name)
{
    for (size_t i = 0; i < p->items && p->item[i].group == 0; i++)
        if (p->item[i].elf && is_defined(p->item[i].elf, name))
            return true;
    return false;
}

static bool may_bind_to(const struct lc_process *p, const struct lc_loaded *l,
                        const struct lc_bind_elf *later)
{
    for (uint32_t i = 0; i < l->elf->plt_count; i++) {
        const char *text;
        uint32_t symbol = ELF64_R_SYM(l->elf->plt[i].r_info);
        if (!lc_bind_elf_symbol(l->elf, symbol, &text))
            continue;
        struct lc_bind_name name = lc_bind_name(text);
        if (is_defined(later, &name) && !is_defined_at_start(p, &name))
            return true;
    }
    return false;
}

void lc_process_drop_lazy(struct lc_process *p, const size_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct lc_loaded *later = &p->item[list[i]];
        if (later->is_global || !later->elf)
            continue;
        for (size_t k = 0; k < p->items; k++) {
            struct lc_loaded *l = &p->item[k];
            if (l->is_live && l->group < p->group && is_bound_lazily(l) && l->plan != LC_NONE &&
                may_bind_to(p, l, later->elf)) {
                lc_bind_build_drop_plans(p->build, l->object);
                l->plan = LC_NONE;
            }
        }
    }
}
