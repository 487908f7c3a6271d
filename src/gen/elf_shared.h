/* SPDX-License-Identifier: MIT */
/* elf_shared.h - private to the writer of shared objects: its state and functions */
#ifndef LC_GEN_ELF_SHARED_H
#define LC_GEN_ELF_SHARED_H

#include <elf.h>

#include "config.h"
#include "gen/elf_dwarf.h"
#include "gen/elf_machine.h"

enum lc_section_number {
    LC_SEC_NULL,
    LC_SEC_BUILD_ID,
    LC_SEC_HASH,
    LC_SEC_GNU_HASH,
    LC_SEC_DYNSYM,
    LC_SEC_DYNSTR,
    LC_SEC_VERSYM,
    LC_SEC_VERNEED,
    LC_SEC_RELA_DYN,
    LC_SEC_RELA_PLT,
    LC_SEC_INIT,
    LC_SEC_PLT,
    LC_SEC_TEXT,
    LC_SEC_FINI,
    LC_SEC_RODATA,
    LC_SEC_EH_HDR,
    LC_SEC_EH_FRAME,
    LC_SEC_INIT_ARRAY,
    LC_SEC_FINI_ARRAY,
    LC_SEC_DYNAMIC,
    LC_SEC_GOT,
    LC_SEC_GOT_PLT,
    LC_SEC_DATA,
    LC_SEC_BSS,
    LC_SEC_COMMENT,
    LC_SEC_DEBUG_ARANGES,
    LC_SEC_DEBUG_INFO,
    LC_SEC_DEBUG_ABBREV,
    LC_SEC_DEBUG_LINE,
    LC_SEC_DEBUG_STR,
    LC_SEC_DEBUG_LINE_STR,
    LC_SEC_SYMTAB,
    LC_SEC_STRTAB,
    LC_SEC_SHSTRTAB,
    LC_SECTIONS
};

#define LC_SHARED_COMMENT "loadcast gen " LC_VERSION

enum { LC_GOT_PLT_HEAD = 24, LC_BSS_BYTES = 8, LC_FIRST_LOCALS = 24 };

/* Parameters of the shared object that are not in the unit. */
struct lc_shared_wish {
    const char *name;     /* libmodule0 */
    const char *runpath;  /* $ORIGIN... */
    struct lc_buf needed; /* names, each with its NUL, in order */
    size_t needed_count;
};

struct lc_shared {
    const struct lc_unit *unit;
    const struct lc_shared_wish *wish;
    /* The dynamic symbol table: undefined ones first, then by bucket of the GNU hash table. */
    uint32_t *gnu, *sysv;      /* hashes, by symbol */
    uint32_t *dynsym;          /* number in the dynamic symbol table, by symbol */
    uint32_t *listed;          /* symbol, by number in the dynamic symbol table, from 1 */
    uint32_t *called;          /* symbol, by slot of the PLT */
    uint32_t slots, undefined; /* numbers of PLT slots and of undefined symbols */
    uint32_t gnu_buckets, gnu_words, sysv_buckets;
    uint32_t needed_at, runpath_at, libc_at, version_at; /* offsets in .dynstr */
    Elf64_Shdr section[LC_SECTIONS];
    uint16_t number[LC_SECTIONS]; /* in the file; 0: left out */
    uint16_t sections;            /* in the file, with the empty first one */
    struct lc_buf local_names;
    Elf64_Sym local[LC_FIRST_LOCALS];
    uint32_t locals;
    struct lc_dwarf dwarf;
    uint64_t headers_at, bytes;
    uint8_t *out;
};

static inline uint64_t lc_shared_address(const struct lc_shared *s, enum lc_section_number section)
{
    return s->section[section].sh_addr;
}

/* Where a section's bytes are in the output. */
static inline void *lc_shared_bytes(const struct lc_shared *s, enum lc_section_number section)
{
    return s->out + s->section[section].sh_offset;
}

/* Add the finished file to 'out'. 0, or -1 with errno ENOMEM. */
int lc_shared_write(const struct lc_unit *unit, const struct lc_shared_wish *wish,
                    struct lc_buf *out);

/* elf_layout.c: properties of sections in every file; offsets and addresses in this one. */
struct lc_section_kind {
    const char *name;
    uint32_t type;
    uint64_t flags, align, entry;
};
extern const struct lc_section_kind lc_section_kinds[LC_SECTIONS];
int lc_shared_plan(struct lc_shared *s);
uint16_t lc_shared_segments(const struct lc_shared *s);
const struct lc_buf *lc_shared_debug(const struct lc_shared *s, int section);

/* elf_dynamic.c: first chooses numbers and sizes; writes when addresses are known. */
int lc_shared_plan_symbols(struct lc_shared *s);
void lc_shared_free_symbols(struct lc_shared *s);
size_t lc_shared_dynamic(const struct lc_shared *s, Elf64_Dyn *out); /* entries; out may be NULL */
void lc_shared_write_symbols(const struct lc_shared *s);
void lc_shared_write_relocations(const struct lc_shared *s);
size_t lc_shared_relocations(const struct lc_shared *s);

/* elf_frame.c: .eh_frame and .eh_frame_hdr. lc_frame_add adds an entry for the code at
 * text + frame->start to a section at address 'at', and returns the offset in 'out' of the entry's
 * reference to that code. */
void lc_frame_add_cie(struct lc_buf *out, const struct lc_machine *machine);
size_t lc_frame_add(struct lc_buf *out, const struct lc_machine *machine,
                    const struct lc_frame *frame, uint64_t at, uint64_t text);
size_t lc_frame_table_bytes(const struct lc_unit *unit);
int lc_frame_write(const struct lc_shared *s, struct lc_buf *out);
void lc_frame_write_table(const struct lc_shared *s);

#endif
