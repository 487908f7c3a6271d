/* SPDX-License-Identifier: MIT */
/* apply.c - write a group's bindings into its objects. Freestanding. */
#include "client/bindings/apply.h"

#include <linux/mman.h>

#include "client/bindings/prune.h"
#include "node/arch.h"
#include "node/syscall.h"

enum { ROWS_KEPT = 1 << 16 }; /* bytes; those nobody touches cost nothing */

/* Where a provider is, and how far it reaches; false if it is not there. */
static bool find_provider(const struct lc_apply *a, const struct lc_pending *p, uint32_t provider,
                          uint64_t *base, uint32_t *extent)
{
    *base = 0;
    *extent = 0;
    if (provider == LC_BIND_SELF)
        provider = p->object;
    if (provider == LC_BIND_ZERO)
        return true;
    if (provider >= a->b.head->objects || !a->base[provider])
        return false;
    *base = a->base[provider] - 1;
    *extent = a->b.object[provider].extent;
    return true;
}

static bool has_good_slots(const struct lc_pending *p, const uint32_t *binding, uint32_t count,
                           uint32_t extent)
{
    struct lc_segment seg = {1, 0};

    for (uint32_t i = 0; i < count; i++) {
        uint64_t slot = binding[2 * i];
        if (binding[2 * i + 1] > extent)
            return false;
        if (slot >= seg.start && slot + 8 <= seg.end)
            continue;
        if (!lc_bound_may_write(&p->bound, slot, 8))
            return false;
        for (uint32_t k = 0; k < p->bound.writables; k++)
            if (slot >= p->bound.writable[k].start && slot + 8 <= p->bound.writable[k].end)
                seg = p->bound.writable[k];
    }
    return true;
}

static bool has_good_bindings(const struct lc_apply *a, const struct lc_pending *p)
{
    const struct lc_bind_parts *w = &p->parts;
    uint32_t done = 0, extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->runs; i++) {
        uint32_t count = w->run[2 * i + 1];
        if (!find_provider(a, p, w->run[2 * i], &base, &extent) ||
            count > p->plan->bindings - done ||
            !has_good_slots(p, w->binding + 2ull * done, count, extent))
            return false;
        done += count;
    }
    return done == p->plan->bindings;
}

static bool has_good_rest(const struct lc_apply *a, const struct lc_pending *p)
{
    const struct lc_bind_parts *w = &p->parts;
    uint32_t rows = p->bound.table_count + p->bound.plt_count, extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->leftovers; i++)
        if (w->leftover[i] >= rows)
            return false;
    for (uint32_t i = 0; i < p->plan->ifuncs; i++)
        if (!lc_bound_may_write(&p->bound, w->ifunc[3 * i], 8) ||
            !find_provider(a, p, w->ifunc[3 * i + 1], &base, &extent) ||
            w->ifunc[3 * i + 2] >= extent)
            return false;
    return true;
}

/* The object in memory is the one the plan was made for, down to the number of its relocations. */
static const char *validate_one(const struct lc_apply *a, struct lc_pending *p)
{
    const struct lc_bind_object *o = &a->b.object[p->object];

    if (p->bound.odd || p->bound.extent != o->extent || p->bound.relative != o->relative ||
        p->bound.table_count + p->bound.plt_count != o->rows)
        return "an object's relocations are not those that were recorded";
    if (p->plan->object != p->object || !lc_bindings_parts(&a->b, p->plan, &p->parts) ||
        !has_good_bindings(a, p) || !has_good_rest(a, p))
        return "a plan points outside of its objects";
    if (p->plan->seal != lc_bindings_plan_seal(&a->b, p->plan, &p->parts))
        return "a plan is not as it was recorded";
    return NULL;
}

const char *lc_apply_validate(struct lc_apply *a)
{
    const char *bad = NULL;

    for (uint32_t i = 0; i < a->pendings && !bad; i++)
        if (a->pending[i].plan)
            bad = validate_one(a, &a->pending[i]);
    return bad;
}

/* Rows of the table ld.so is given, with the one that calls us. */
static size_t row_count(const struct lc_apply *a, const struct lc_pending *p)
{
    if (a->is_verifying)
        return (size_t)p->bound.table_count + p->bound.plt_count + 1;
    return (size_t)p->plan->leftovers + p->plan->ifuncs + 1;
}

static void write_slots(const struct lc_apply *a, const struct lc_pending *p)
{
    uintptr_t own = p->bound.base;
    const uint32_t *binding = p->parts.binding;
    uint32_t extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->bound.relative; i++) {
        const ElfW(Rela) *r = &p->bound.table[i];
        *(uint64_t *)(own + r->r_offset) = own + (uint64_t)r->r_addend;
    }
    for (uint32_t i = 0; i < p->plan->runs; i++) {
        uint32_t count = p->parts.run[2 * i + 1];
        find_provider(a, p, p->parts.run[2 * i], &base, &extent);
        for (uint32_t k = 0; k < count; k++, binding += 2)
            *(uint64_t *)(own + binding[0]) = base + binding[1];
    }
}

/* IFUNCs become rows that call the resolver on this very processor, without a look-up. */
static void fill_ifuncs(const struct lc_apply *a, const struct lc_pending *p, ElfW(Rela) * row)
{
    uint32_t extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->ifuncs; i++, row++) {
        const uint32_t *f = &p->parts.ifunc[3 * i];
        find_provider(a, p, f[1], &base, &extent);
        row->r_offset = f[0];
        row->r_info = ELF64_R_INFO(0, LC_ARCH_IRELATIVE);
        row->r_addend = (ElfW(Sxword))(base + f[2] - p->bound.base);
    }
}

static void fill_rows(const struct lc_apply *a, struct lc_pending *p, ElfW(Rela) * row)
{
    if (a->is_verifying) {
        uint32_t rows = p->bound.table_count + p->bound.plt_count;
        for (uint32_t i = 0; i < rows; i++)
            row[i] = *lc_bound_row(&p->bound, i);
        return;
    }
    for (uint32_t i = 0; i < p->plan->leftovers; i++)
        row[i] = *lc_bound_row(&p->bound, p->parts.leftover[i]);
    fill_ifuncs(a, p, row + p->plan->leftovers);
}

/* A group leaves few rows: the memory of the last one will do, but what a large one took is given
 * back. */
static bool allocate_rows(struct lc_apply *a)
{
    size_t rows = 0;

    for (uint32_t i = 0; i < a->pendings; i++)
        rows += a->pending[i].plan ? row_count(a, &a->pending[i]) : 0;
    size_t len = rows * sizeof(*a->rows);
    if (len <= ROWS_KEPT && a->rows && a->rows_len == ROWS_KEPT)
        return true;
    lc_apply_forget(a);
    if (rows == 0)
        return true;
    a->rows_len = len <= ROWS_KEPT ? ROWS_KEPT : len;
    a->rows = lc_sys_mmap(a->rows_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (lc_sys_is_error(a->rows))
        a->rows = NULL;
    return a->rows;
}

const char *lc_apply_write(struct lc_apply *a)
{
    ElfW(Rela) * row;

    if (a->pendings > lc_thunk_count())
        return "there are too many objects";
    if (!allocate_rows(a))
        return "there is no memory";
    row = a->rows;
    for (uint32_t i = 0; i < a->pendings; i++) {
        struct lc_pending *p = &a->pending[i];
        if (!p->plan)
            continue;
        size_t count = row_count(a, p);
        write_slots(a, p);
        fill_rows(a, p, row);
        lc_table_end(&row[count - 1], &p->bound, i);
        lc_table_install(&p->bound, row, count, a->is_verifying ? p->bound.relative : 0, &p->edit);
        row += count;
        a->written += p->plan->bindings;
    }
    return NULL;
}

static void compare(struct lc_apply *a, uintptr_t slot, uint64_t expected, uint32_t object)
{
    a->compared++;
    if (*(const volatile uint64_t *)slot == expected)
        return;
    if (!a->different++)
        a->first_different = lc_bindings_name(&a->b, object);
}

/* ld.so has looked up every symbol itself: did the plan say the same? */
static void compare_all(struct lc_apply *a, const struct lc_pending *p)
{
    const uint32_t *binding = p->parts.binding;
    uint32_t extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->runs; i++) {
        uint32_t count = p->parts.run[2 * i + 1];
        find_provider(a, p, p->parts.run[2 * i], &base, &extent);
        for (uint32_t k = 0; k < count; k++, binding += 2)
            compare(a, p->bound.base + binding[0], base + binding[1], p->object);
    }
    for (uint32_t i = 0; i < p->plan->ifuncs; i++) {
        const uint32_t *f = &p->parts.ifunc[3 * i];
        find_provider(a, p, f[1], &base, &extent);
        uint64_t (*resolver)(void) = (uint64_t(*)(void))(base + f[2]);
        compare(a, p->bound.base + f[0], resolver(), p->object);
    }
}

void lc_apply_worked_off(struct lc_apply *a, uint32_t pending)
{
    struct lc_pending *p = &a->pending[pending];

    if (pending >= a->pendings)
        return;
    lc_table_restore(&p->edit);
    if (p->is_pruned)
        lc_prune_restore(p);
    if (a->is_verifying && p->plan)
        compare_all(a, p);
}

void lc_apply_forget(struct lc_apply *a)
{
    if (a->rows)
        lc_sys_munmap(a->rows, a->rows_len);
    a->rows = NULL;
}
