/* SPDX-License-Identifier: MIT */
/* elf_static.h - all libraries' code as one relocatable object, for an executable to be linked with
 *
 * Every call inside it is already bound, and constants travel with the code, so the linker has next
 * to nothing to relocate. Nor does it see the functions' names: a million long ones cost it half a
 * minute and more than a gigabyte. They are put into the executable afterwards. */
#ifndef LC_GEN_ELF_STATIC_H
#define LC_GEN_ELF_STATIC_H

#include "gen/elf_machine.h"
#include "util/error.h"

/* Where everything is in the object's .text: in memory that forked processes share, so that one may
 * write the object and another name its functions. */
struct lc_static {
    const struct lc_model *model;
    const struct lc_machine *machine;
    size_t units;        /* libraries, and the two hooks */
    uint64_t *text;      /* by unit: its code */
    uint32_t *symbols;   /* by unit: number of its first symbol; one more at the end */
    uint32_t *value;     /* by symbol: offset from its unit's code */
    uint32_t *size;      /* by symbol */
    uint64_t text_bytes; /* of the object, as it grows */
    void *room;
    size_t room_bytes;
};

/* Whether direct calls reach across that much code. */
bool lc_static_reaches(const struct lc_machine *machine, double text_bytes);

/* Make room for it; 0, or -1 with errno ENOMEM. The caller closes it whatever the result. */
int lc_static_open(struct lc_static *all, const struct lc_model *model,
                   const struct lc_machine *machine);
void lc_static_close(struct lc_static *all);

/* Write the object and note where everything is. 0, or -1 with err filled. */
int lc_static_write(struct lc_static *all, const char *path, struct lc_error *err);

/* Give the functions' names to an executable linked from an object so written. 0, or -1 with err
 * filled. */
int lc_static_name(const struct lc_static *all, const char *program, struct lc_error *err);

#endif
