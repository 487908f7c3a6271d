/* SPDX-License-Identifier: MIT */
/* elf_static.h - the code of all libraries as one relocatable object, to link into an executable
 *
 * All calls inside it are resolved, and constants are stored beside the code, so the linker has
 * almost nothing to relocate. The object does not contain the functions' names: a million long
 * names take the linker half a minute and more than a gigabyte. They are added to the executable
 * afterwards. */
#ifndef LC_GEN_ELF_STATIC_H
#define LC_GEN_ELF_STATIC_H

#include "gen/elf_machine.h"
#include "util/error.h"

/* Layout of the object's .text, in memory that forked processes share: one process writes the
 * object, another adds the names. */
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

/* Can direct calls reach across so many bytes of code? */
bool lc_static_reaches(const struct lc_machine *machine, double text_bytes);

/* Allocate the layout. 0, or -1 with errno ENOMEM. The caller closes it in either case. */
int lc_static_open(struct lc_static *all, const struct lc_model *model,
                   const struct lc_machine *machine);
void lc_static_close(struct lc_static *all);

/* Write the object and fill in the layout. 0, or -1 with err filled. */
int lc_static_write(struct lc_static *all, const char *path, struct lc_error *err);

/* Add the functions' names to an executable linked from this object. 0, or -1 with err filled. */
int lc_static_name(const struct lc_static *all, const char *program, struct lc_error *err);

#endif
