/* SPDX-License-Identifier: MIT */
/* bind_plan.c - make an object's plan: for each relocated slot its recorded binding, or ld.so
 *
 * The recorder logged the value of each slot after relocation. A value is recorded as a binding
 * only if it is the address of a definition of the same name in the object that contains it.
 * GNU_UNIQUE, TLS, COPY and every value that cannot be explained so is left to ld.so (a leftover).
 */
#include "record/bind_process.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "node/arch.h"

/* A slot that gets the address provider + target. */
struct binding {
    uint32_t provider, slot, target;
};

struct planning {
    struct lc_process *p;
    size_t item; /* the object whose plan is made */
    const struct lc_bind_elf *elf;
    struct binding *binding;
    uint32_t bindings;
    struct lc_buf left;   /* uint32_t: relocations that ld.so must process */
    struct lc_buf ifuncs; /* three uint32_t each: slot, provider, resolver */
};

static void binding_add(struct planning *j, uint32_t provider, uint32_t slot, uint64_t target)
{
    j->binding[j->bindings++] = (struct binding){provider, slot, (uint32_t)target};
}

static void leftover_add(struct planning *j, uint32_t row)
{
    lc_buf_add(&j->left, &row, sizeof(row));
}

/* The live object whose memory holds an address; SIZE_MAX if none. */
static size_t object_at_address(const struct lc_process *p, uint64_t address)
{
    size_t low = 0, high = p->bases;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->item[p->by_base[middle]].told.base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return SIZE_MAX;
    const struct lc_loaded *l = &p->item[p->by_base[low - 1]];
    return l->elf && address - l->told.base <= l->elf->extent ? p->by_base[low - 1] : SIZE_MAX;
}

/* Can ld.so have found a symbol of this object for the current group? ld.so searches the global
 * scope and the closure of the group's root; the replayer checks that both are as recorded. */
static bool is_in_scope(const struct lc_process *p, size_t provider)
{
    return p->item[provider].is_global || p->item[provider].scope == p->group;
}

/* Must one relocation be left to ld.so, so that ld.so learns of the dependency and does not close
 * the provider before this object? Not for objects loaded at program start, nor for those that this
 * object names in DT_NEEDED, directly or indirectly. */
static bool needs_anchor(const struct planning *j, size_t provider)
{
    struct lc_loaded *l = &j->p->item[provider];

    if (provider == j->item || l->group == 0 || l->stamp == j->p->stamp || l->anchor == j->item + 1)
        return false;
    l->anchor = (uint32_t)j->item + 1;
    return true;
}

static uint32_t provider_number(const struct planning *j, size_t provider)
{
    return provider == j->item ? LC_BIND_SELF : j->p->item[provider].object;
}

/* The number of live objects in ld.so's search scope that define a name. */
static size_t count_definers(struct lc_process *p, const struct lc_bind_name *name)
{
    void **at = lc_map_at(&p->definers, name->text);
    size_t count = 0;

    if (!at)
        return SIZE_MAX;
    if (*at)
        return (size_t)*at - 1;
    for (size_t i = 0; i < p->items; i++) {
        uint32_t place = 0, index;
        if (p->item[i].is_live && p->item[i].elf && is_in_scope(p, i))
            count += lc_bind_elf_next(p->item[i].elf, name, &place, &index) != NULL;
    }
    *at = (void *)(count + 1);
    return count;
}

/* Does the object define 'name' at this offset, by an ordinary symbol? *is_special is set if one of
 * its definitions of the name is an IFUNC, TLS, GNU_UNIQUE or absolute symbol. */
static bool is_defined_at(const struct lc_bind_elf *e, const struct lc_bind_name *name,
                          uint64_t offset, bool *is_special)
{
    const Elf64_Sym *s;
    uint32_t at = 0, index;
    bool found = false;

    while ((s = lc_bind_elf_next(e, name, &at, &index))) {
        int type = ELF64_ST_TYPE(s->st_info), bind = ELF64_ST_BIND(s->st_info);
        if (type == STT_GNU_IFUNC || type == STT_TLS || bind == STB_GNU_UNIQUE ||
            s->st_shndx == SHN_ABS)
            *is_special = true;
        else if (s->st_value == offset)
            found = true;
    }
    return found && !*is_special;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The slot holds the result of an IFUNC: record the resolver, if only one comes into question. */
static bool bind_ifunc(struct planning *j, size_t provider, uint32_t symbol, uint32_t slot,
                       const struct lc_bind_name *name)
{
    const struct lc_bind_elf *e = j->p->item[provider].elf;
    const char *wanted = lc_bind_elf_version(j->elf, symbol);
    const Elf64_Sym *s, *resolver = NULL;
    uint32_t at = 0, index, found = 0;

    while ((s = lc_bind_elf_next(e, name, &at, &index)))
        if (is_same_text(lc_bind_elf_version(e, index), wanted)) {
            found++;
            resolver = ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC ? s : NULL;
        }
    if (found != 1 || !resolver || resolver->st_shndx == SHN_UNDEF ||
        resolver->st_value >= e->extent || count_definers(j->p, name) != 1)
        return false;
    uint32_t words[3] = {slot, provider_number(j, provider), (uint32_t)resolver->st_value};
    lc_buf_add(&j->ifuncs, words, sizeof(words));
    return true;
}

/* A local symbol: no other object can override it. */
static bool bind_local(struct planning *j, const Elf64_Sym *s, uint32_t slot, uint64_t value,
                       uint64_t addend)
{
    uint64_t base = j->p->item[j->item].told.base;
    int type = ELF64_ST_TYPE(s->st_info);

    if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || type == STT_TLS ||
        type == STT_GNU_IFUNC || value != base + s->st_value + addend ||
        value - base > j->elf->extent)
        return false;
    binding_add(j, LC_BIND_SELF, slot, value - base);
    return true;
}

/* A relocation with a symbol. False: leave it to ld.so. */
static bool bind_symbol(struct planning *j, const Elf64_Rela *r, uint64_t value, uint64_t addend)
{
    const char *text;
    uint32_t symbol = ELF64_R_SYM(r->r_info), slot = (uint32_t)r->r_offset;
    const Elf64_Sym *s = lc_bind_elf_symbol(j->elf, symbol, &text);
    bool is_special = false;

    if (!s)
        return false;
    if (ELF64_ST_BIND(s->st_info) == STB_LOCAL)
        return bind_local(j, s, slot, value, addend);
    if (ELF64_ST_BIND(s->st_info) == STB_GNU_UNIQUE)
        return false;
    if (value == 0) {
        if (ELF64_ST_BIND(s->st_info) != STB_WEAK || s->st_shndx != SHN_UNDEF || addend)
            return false;
        binding_add(j, LC_BIND_ZERO, slot, 0);
        return true;
    }
    size_t provider = object_at_address(j->p, value - addend);
    if (provider == SIZE_MAX)
        return false;
    const struct lc_loaded *l = &j->p->item[provider];
    struct lc_bind_name name = lc_bind_name(text);
    uint64_t offset = value - addend - l->told.base, target = value - l->told.base;
    if (!is_in_scope(j->p, provider) || needs_anchor(j, provider))
        return false;
    if (!is_defined_at(l->elf, &name, offset, &is_special))
        return addend == 0 && bind_ifunc(j, provider, symbol, slot, &name);
    if (target > l->elf->extent)
        return false;
    binding_add(j, provider_number(j, provider), slot, target);
    return true;
}

static bool bind_relocation(struct planning *j, const Elf64_Rela *r, uint64_t value)
{
    uint64_t base = j->p->item[j->item].told.base, addend = (uint64_t)r->r_addend;

    if (r->r_offset > UINT32_MAX - 8)
        return false;
    switch (lc_arch_kind(ELF64_R_TYPE(r->r_info))) {
    case LC_RELOC_RELATIVE:
        if (value != base + addend || addend > j->elf->extent)
            return false;
        binding_add(j, LC_BIND_SELF, (uint32_t)r->r_offset, addend);
        return true;
    case LC_RELOC_SYMBOL:
        return addend == 0 && bind_symbol(j, r, value, 0);
    case LC_RELOC_SYMBOL_ADD:
        return bind_symbol(j, r, value, addend);
    default:
        return false;
    }
}

static int compare_bindings(const void *a, const void *b)
{
    const struct binding *x = a, *y = b;

    if (x->provider != y->provider)
        return x->provider < y->provider ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Writes the plan's words in file order: runs, bindings, leftovers, ifuncs. */
static void write_words(struct planning *j, struct lc_bind_plan *plan, struct lc_buf *words)
{
    qsort(j->binding, j->bindings, sizeof(*j->binding), compare_bindings);
    for (uint32_t i = 0, n; i < j->bindings; i += n) {
        for (n = 1; i + n < j->bindings && j->binding[i + n].provider == j->binding[i].provider;)
            n++;
        uint32_t run[2] = {j->binding[i].provider, n};
        lc_buf_add(words, run, sizeof(run));
        plan->runs++;
    }
    for (uint32_t i = 0; i < j->bindings; i++)
        lc_buf_add(words, &j->binding[i].slot, 2 * sizeof(uint32_t));
    lc_buf_add(words, lc_buf_text(&j->left), j->left.len);
    lc_buf_add(words, lc_buf_text(&j->ifuncs), j->ifuncs.len);
    plan->bindings = j->bindings;
    plan->leftovers = (uint32_t)(j->left.len / sizeof(uint32_t));
    plan->ifuncs = (uint32_t)(j->ifuncs.len / (3 * sizeof(uint32_t)));
}

static void bind_all(struct planning *j, const struct lc_loaded *l)
{
    uint32_t rows = j->elf->relative + l->values;

    for (uint32_t i = j->elf->relative; i < rows; i++) {
        const Elf64_Rela *r = lc_bind_elf_row(j->elf, i);
        uint64_t value;
        memcpy(&value, (const char *)l->value + (i - j->elf->relative) * sizeof(value),
               sizeof(value));
        if (ELF64_R_TYPE(r->r_info) != 0 && !bind_relocation(j, r, value))
            leftover_add(j, i);
    }
}

static void set_reason(struct lc_process *p, size_t item, enum lc_bind_reason reason)
{
    uint16_t *now = &p->build->object[p->item[item].object].reason;

    if (*now == LC_BIND_UNSEEN || (reason == LC_BIND_FINE && *now != LC_BIND_LAZY))
        *now = (uint16_t)reason;
}

/* Were only the rows of DT_RELA logged, since ld.so binds the others lazily? */
static bool has_lazy_rows(const struct lc_loaded *l)
{
    return l->elf->plt_count > 0 && l->values == l->elf->table_count - l->elf->relative;
}

/* The logged values are in the order of the relocation tables, so the log and the file must agree
 * in their number. */
static bool can_be_planned(const struct lc_loaded *l)
{
    return l->elf && l->value && !l->elf->is_odd &&
           (l->values == l->elf->table_count + l->elf->plt_count - l->elf->relative ||
            has_lazy_rows(l));
}

uint32_t lc_process_plan(struct lc_process *p, size_t item)
{
    struct lc_loaded *l = &p->item[item];
    struct planning j = {.p = p, .item = item, .elf = l->elf};
    struct lc_bind_plan plan = {.object = l->object};
    struct lc_buf words = {0};
    uint32_t made = LC_NONE;
    size_t count;

    if (!can_be_planned(l))
        return LC_NONE;
    if (has_lazy_rows(l)) { /* later searches go through what it needs */
        plan.flags = LC_BIND_KEEPS_PLT;
        p->build->object[l->object].flags |= LC_BIND_KEEPS_NEEDED;
    }
    size_t *closure = lc_process_closure(p, item, &count); /* called for the stamps that it sets */
    j.binding = malloc((l->values + 1) * sizeof(*j.binding));
    if (j.binding && (closure || l->group == 0)) {
        bind_all(&j, l);
        write_words(&j, &plan, &words);
        p->build->failed |= words.failed || j.left.failed || j.ifuncs.failed;
        if (!p->build->failed)
            made = lc_bind_build_plan(p->build, &plan, (const void *)lc_buf_text(&words));
    }
    p->build->failed |= !j.binding;
    if (made != LC_NONE)
        set_reason(p, item, LC_BIND_FINE);
    free(closure);
    free(j.binding);
    lc_buf_free(&j.left);
    lc_buf_free(&j.ifuncs);
    lc_buf_free(&words);
    return made;
}
