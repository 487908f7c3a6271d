/* SPDX-License-Identifier: MIT */
/* dtv.c - room for thread variables of libraries that are opened later. Freestanding. */
#include "client/audit/dtv.h"

#include <linux/mman.h>
#include <stddef.h>
#include <stdint.h>

#include "image/bytes.h"
#include "node/glibc_versions.h"
#include "node/syscall.h"

/* sysdeps/generic/dl-dtv.h. The table's pointer is to its second element: before it stands the
 * number of slots, in it the generation, from the next on the slots. */
union slot {
    size_t counter;
    struct {
        void *value, *to_free;
    } pointer;
};

enum {
    SURPLUS = 14,      /* DTV_SURPLUS: slots beyond those in use, each time it is allocated */
    SLOTS = 16384,     /* of ours: 256 KiB, of which only what is used becomes memory */
    MOST_SLOTS = 8192, /* start-up libraries with thread variables that anybody has */
    PAGE = 65536,      /* no page is larger */
    IS_MAPPED = 2,     /* malloc's mark of a block that has a mapping of its own */
};

/* What malloc writes before such a block: should ld.so ever free or enlarge the table, the C
 * library's functions know how. */
struct head {
    size_t before, size;
    union slot slot[];
};

/* The first table has room for a program and its auditors, and SURPLUS; one that has grown has
 * SURPLUS more than the modules that made it grow. */
static bool has_grown(const union slot *table)
{
    size_t slots = table[-1].counter;

    return slots > 2 * SURPLUS && slots <= MOST_SLOTS && table[0].counter <= UINT32_MAX;
}

static void make_room(void)
{
    size_t size =
        (sizeof(struct head) + (SLOTS + 2) * sizeof(union slot) + PAGE - 1) & -(size_t)PAGE;
    union slot **table = lc_glibc_is_tested(LC_GLIBC_DTV) ? lc_arch_dtv() : NULL;

    if (!table || !*table || (uintptr_t)*table % sizeof(void *) || !has_grown(*table))
        return;
    struct head *head = lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (lc_sys_is_error(head))
        return;
    head->size = size | IS_MAPPED;
    lc_bytes_move((char *)head->slot, (const char *)(*table - 1),
                  ((*table)[-1].counter + 2) * sizeof(union slot));
    head->slot[0].counter = SLOTS;
    *table = head->slot + 1;
}

void lc_dtv_opened(struct lc_dtv *d, const struct link_map *map, Lmid_t lmid)
{
    if (lmid != LM_ID_BASE)
        return;
    lc_glibc_learn(map);
    d->has_program |= map->l_name && !map->l_name[0];
}

/* Also called while another auditor is loaded: then the program is not there yet. */
void lc_dtv_consistent(struct lc_dtv *d)
{
    if (!d->has_program || d->is_done)
        return;
    d->is_done = true;
    make_room();
}
