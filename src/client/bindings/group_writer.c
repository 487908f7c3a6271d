/* SPDX-License-Identifier: MIT */
/* group_writer.c - write the recorded bindings into a group of objects. Freestanding. */
#include "client/bindings/group_writer.h"

#include <linux/mman.h>

#include "client/bindings/hide_needed.h"
#include "node/arch.h"
#include "node/syscall.h"

enum {
    ROWS_KEPT = 1 << 16
}; /* bytes kept mapped for the next group; untouched pages cost nothing */

/* The address and size of the object that defines a symbol; false if it is not loaded. */
static bool provider_find(const struct lc_group_writer *w, const struct lc_new_object *p,
                          uint32_t provider, uint64_t *base, uint32_t *extent)
{
    *base = 0;
    *extent = 0;
    if (provider == LC_BIND_SELF)
        provider = p->object;
    if (provider == LC_BIND_ZERO)
        return true;
    if (provider >= w->recorded->head->objects || !w->base[provider])
        return false;
    *base = w->base[provider] - 1;
    *extent = w->recorded->object[provider].extent;
    return true;
}

static bool slots_are_valid(const struct lc_new_object *p, const uint32_t *binding, uint32_t count,
                            uint32_t extent)
{
    struct lc_segment seg = {1, 0};

    for (uint32_t i = 0; i < count; i++) {
        uint64_t slot = binding[2 * i];
        if (binding[2 * i + 1] > extent)
            return false;
        if (slot >= seg.start && slot + 8 <= seg.end)
            continue;
        if (!lc_elf_object_may_write(&p->elf, slot, 8))
            return false;
        for (uint32_t k = 0; k < p->elf.writables; k++)
            if (slot >= p->elf.writable[k].start && slot + 8 <= p->elf.writable[k].end)
                seg = p->elf.writable[k];
    }
    return true;
}

static bool bindings_are_valid(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    const struct lc_bind_parts *parts = &p->parts;
    uint32_t done = 0, extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->runs; i++) {
        uint32_t count = parts->run[2 * i + 1];
        if (!provider_find(w, p, parts->run[2 * i], &base, &extent) ||
            count > p->plan->bindings - done ||
            !slots_are_valid(p, parts->binding + 2ull * done, count, extent))
            return false;
        done += count;
    }
    return done == p->plan->bindings;
}

static bool plan_keeps_plt(const struct lc_new_object *p)
{
    return p->plan->flags & LC_BIND_KEEPS_PLT;
}

/* The rows that the plan is about. */
static uint32_t planned_rows(const struct lc_new_object *p)
{
    return p->elf.table_count + (plan_keeps_plt(p) ? 0 : p->elf.plt_count);
}

static bool remaining_rows_are_valid(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    const struct lc_bind_parts *parts = &p->parts;
    uint32_t rows = planned_rows(p), extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->leftovers; i++)
        if (parts->leftover[i] >= rows)
            return false;
    for (uint32_t i = 0; i < p->plan->ifuncs; i++)
        if (!lc_elf_object_may_write(&p->elf, parts->ifunc[3 * i], 8) ||
            !provider_find(w, p, parts->ifunc[3 * i + 1], &base, &extent) ||
            parts->ifunc[3 * i + 2] >= extent)
            return false;
    return true;
}

/* Is the object in memory the one that the plan was made for? */
static const char *plan_validate(const struct lc_group_writer *w, struct lc_new_object *p)
{
    const struct lc_bind_object *o = &w->recorded->object[p->object];

    if (p->elf.unsupported || p->elf.extent != o->extent || p->elf.relative != o->relative ||
        p->elf.table_count + p->elf.plt_count != o->rows)
        return "an object's relocations are not those that were recorded";
    if (p->plan->object != p->object || !lc_bindings_plan_parts(w->recorded, p->plan, &p->parts) ||
        !bindings_are_valid(w, p) || !remaining_rows_are_valid(w, p))
        return "a plan points outside of its objects";
    if (p->plan->seal != lc_bindings_plan_seal(w->recorded, p->plan, &p->parts))
        return "a plan is not as it was recorded";
    return NULL;
}

const char *lc_group_writer_validate(struct lc_group_writer *w)
{
    const char *bad = NULL;

    for (uint32_t i = 0; i < w->objects && !bad; i++)
        if (w->object[i].plan)
            bad = plan_validate(w, &w->object[i]);
    return bad;
}

/* Rows of the relocation table for ld.so, including the last one, which calls our thunk. */
static size_t table_row_count(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    if (w->is_verifying)
        return (size_t)planned_rows(p) + 1;
    return (size_t)p->plan->leftovers + p->plan->ifuncs + 1;
}

static void slots_write(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    uintptr_t own = p->elf.base;
    const uint32_t *binding = p->parts.binding;
    uint32_t extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->elf.relative; i++) {
        const ElfW(Rela) *r = &p->elf.table[i];
        *(uint64_t *)(own + r->r_offset) = own + (uint64_t)r->r_addend;
    }
    for (uint32_t i = 0; i < p->plan->runs; i++) {
        uint32_t count = p->parts.run[2 * i + 1];
        provider_find(w, p, p->parts.run[2 * i], &base, &extent);
        for (uint32_t k = 0; k < count; k++, binding += 2)
            *(uint64_t *)(own + binding[0]) = base + binding[1];
    }
}

/* An IFUNC becomes an IRELATIVE row: ld.so calls the resolver on this processor, without looking up
 * a symbol. */
static void ifunc_rows_fill(const struct lc_group_writer *w, const struct lc_new_object *p,
                            ElfW(Rela) * row)
{
    uint32_t extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->ifuncs; i++, row++) {
        const uint32_t *f = &p->parts.ifunc[3 * i];
        provider_find(w, p, f[1], &base, &extent);
        row->r_offset = f[0];
        row->r_info = ELF64_R_INFO(0, LC_ARCH_IRELATIVE);
        row->r_addend = (ElfW(Sxword))(base + f[2] - p->elf.base);
    }
}

static void rows_fill(const struct lc_group_writer *w, struct lc_new_object *p, ElfW(Rela) * row)
{
    if (w->is_verifying) {
        uint32_t rows = planned_rows(p);
        for (uint32_t i = 0; i < rows; i++)
            row[i] = *lc_elf_object_row(&p->elf, i);
        return;
    }
    for (uint32_t i = 0; i < p->plan->leftovers; i++)
        row[i] = *lc_elf_object_row(&p->elf, p->parts.leftover[i]);
    ifunc_rows_fill(w, p, row + p->plan->leftovers);
}

/* Most groups leave few rows to ld.so, so the last group's memory is used again; the memory of a
 * large group is unmapped. */
static bool rows_allocate(struct lc_group_writer *w)
{
    size_t rows = 0;

    for (uint32_t i = 0; i < w->objects; i++)
        rows += w->object[i].plan ? table_row_count(w, &w->object[i]) : 0;
    size_t len = rows * sizeof(*w->rows);
    if (len <= ROWS_KEPT && w->rows && w->rows_len == ROWS_KEPT)
        return true;
    lc_group_writer_free_rows(w);
    if (rows == 0)
        return true;
    w->rows_len = len <= ROWS_KEPT ? ROWS_KEPT : len;
    w->rows = lc_sys_mmap(w->rows_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (lc_sys_is_error(w->rows))
        w->rows = NULL;
    return w->rows;
}

const char *lc_group_writer_write(struct lc_group_writer *w)
{
    ElfW(Rela) * row;

    if (w->objects > lc_thunk_count())
        return "there are too many objects";
    if (!rows_allocate(w))
        return "there is no memory";
    row = w->rows;
    for (uint32_t i = 0; i < w->objects; i++) {
        struct lc_new_object *p = &w->object[i];
        if (!p->plan)
            continue;
        size_t count = table_row_count(w, p);
        slots_write(w, p);
        rows_fill(w, p, row);
        lc_relocation_table_end(&row[count - 1], &p->elf, i);
        lc_relocation_table_install(&p->elf, row, count, w->is_verifying ? p->elf.relative : 0,
                                    plan_keeps_plt(p), &p->saved_tags);
        row += count;
        w->written += p->plan->bindings;
    }
    return NULL;
}

static void slot_compare(struct lc_group_writer *w, uintptr_t slot, uint64_t expected,
                         uint32_t object)
{
    w->compared++;
    if (*(const volatile uint64_t *)slot == expected)
        return;
    if (!w->different++)
        w->first_different = lc_bindings_name(w->recorded, object);
}

/* ld.so has looked up every symbol: are the slots as the plan says? */
static void slots_compare(struct lc_group_writer *w, const struct lc_new_object *p)
{
    const uint32_t *binding = p->parts.binding;
    uint32_t extent;
    uint64_t base;

    for (uint32_t i = 0; i < p->plan->runs; i++) {
        uint32_t count = p->parts.run[2 * i + 1];
        provider_find(w, p, p->parts.run[2 * i], &base, &extent);
        for (uint32_t k = 0; k < count; k++, binding += 2)
            slot_compare(w, p->elf.base + binding[0], base + binding[1], p->object);
    }
    for (uint32_t i = 0; i < p->plan->ifuncs; i++) {
        const uint32_t *f = &p->parts.ifunc[3 * i];
        provider_find(w, p, f[1], &base, &extent);
        uint64_t found = lc_arch_resolve(base + f[2], w->hwcap, w->hwcap2);
        slot_compare(w, p->elf.base + f[0], found, p->object);
    }
}

void lc_group_writer_relocated(struct lc_group_writer *w, uint32_t i)
{
    struct lc_new_object *p = &w->object[i];

    if (i >= w->objects)
        return;
    lc_relocation_table_restore(&p->saved_tags);
    if (p->has_hidden_needed)
        lc_hide_needed_restore(p);
    if (w->is_verifying && p->plan)
        slots_compare(w, p);
}

void lc_group_writer_note_bound(struct lc_group_writer *w, bool is_start)
{
    for (uint32_t i = 0; i < w->objects; i++) {
        const struct lc_new_object *p = &w->object[i];
        uint16_t flags = w->recorded->object[p->object].flags;
        w->is_fully_bound[p->object] =
            is_start || (p->plan && !plan_keeps_plt(p) && !(flags & LC_BIND_CALLS_DLSYM));
    }
}

bool lc_group_writer_others_are_bound(const struct lc_group_writer *w)
{
    const struct lc_bind_member *m = w->recorded->member + w->group->first;
    uint32_t next = 0;

    for (uint32_t i = 0; i < w->group->count; i++)
        if (next < w->objects && w->object[next].object == m[i].object)
            next++;
        else if (m[i].object >= w->recorded->head->objects || !w->is_fully_bound[m[i].object])
            return false;
    return next == w->objects;
}

void lc_group_writer_free_rows(struct lc_group_writer *w)
{
    if (w->rows)
        lc_sys_munmap(w->rows, w->rows_len);
    w->rows = NULL;
}
