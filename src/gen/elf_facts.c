/* SPDX-License-Identifier: MIT */
/* elf_facts.c - sizes and counts of a shared object or executable, read with libelf */
#include "gen/elf_facts.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *lc_elf_part_name(enum lc_elf_part part)
{
    static const char *const name[LC_ELF_PARTS] = {"text",   "rodata", "data",  "dynsym", "dynstr",
                                                   "relocs", "symtab", "debug", "other"};

    return name[part];
}

/* Prefixes of section names; where one is a prefix of another, the longer comes first. */
static enum lc_elf_part part_of(const char *name)
{
    static const struct {
        const char *prefix;
        enum lc_elf_part part;
    } known[] = {
        {".text", LC_ELF_TEXT},       {".plt", LC_ELF_TEXT},        {".init_array", LC_ELF_DATA},
        {".fini_array", LC_ELF_DATA}, {".init", LC_ELF_TEXT},       {".fini", LC_ELF_TEXT},
        {".rodata", LC_ELF_RODATA},   {".eh_frame", LC_ELF_RODATA}, {".data", LC_ELF_DATA},
        {".got", LC_ELF_DATA},        {".dynamic", LC_ELF_DATA},    {".dynsym", LC_ELF_DYNSYM},
        {".gnu.hash", LC_ELF_DYNSYM}, {".hash", LC_ELF_DYNSYM},     {".gnu.version", LC_ELF_DYNSYM},
        {".dynstr", LC_ELF_DYNSTR},   {".rela.", LC_ELF_RELOCS},    {".rel.", LC_ELF_RELOCS},
        {".relr.", LC_ELF_RELOCS},    {".symtab", LC_ELF_SYMTAB},   {".strtab", LC_ELF_SYMTAB},
        {".debug_", LC_ELF_DEBUG},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strncmp(name, known[i].prefix, strlen(known[i].prefix)) == 0)
            return known[i].part;
    return LC_ELF_OTHER;
}

static void symbols_add(Elf_Data *data, const GElf_Shdr *sh, struct lc_elf_facts *sum)
{
    size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
    GElf_Sym sym;

    for (size_t i = 1; i < n && gelf_getsym(data, (int)i, &sym); i++) {
        if (sym.st_shndx == SHN_UNDEF)
            sum->undefined++;
        else if (GELF_ST_BIND(sym.st_info) != STB_LOCAL)
            sum->exports++;
    }
}

static void dynamic_add(Elf_Data *data, const GElf_Shdr *sh, struct lc_elf_facts *sum)
{
    size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
    GElf_Dyn dyn;

    for (size_t i = 0; i < n && gelf_getdyn(data, (int)i, &dyn); i++)
        sum->needed += dyn.d_tag == DT_NEEDED;
}

static void section_add(Elf_Scn *scn, const GElf_Shdr *sh, const char *name,
                        struct lc_elf_facts *sum)
{
    bool in_file = sh->sh_type != SHT_NOBITS;
    uint64_t entries = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;

    if (in_file)
        sum->part[part_of(name)] += sh->sh_size;
    if (strcmp(name, ".strtab") == 0)
        sum->strtab += sh->sh_size;
    if (sh->sh_type == SHT_DYNSYM)
        symbols_add(elf_getdata(scn, NULL), sh, sum);
    else if (sh->sh_type == SHT_DYNAMIC)
        dynamic_add(elf_getdata(scn, NULL), sh, sum);
    else if (sh->sh_type == SHT_RELA || sh->sh_type == SHT_REL) {
        if (strstr(name, ".plt"))
            sum->jump_slots += entries;
        else
            sum->relocs += entries;
    }
}

static int elf_add(Elf *elf, struct lc_elf_facts *sum)
{
    size_t names;
    GElf_Shdr sh;

    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) < 0)
        return -1;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
        if (!name)
            return -1;
        section_add(scn, &sh, name, sum);
    }
    return 0;
}

static uint64_t known_bytes(const struct lc_elf_facts *f)
{
    uint64_t sum = 0;

    for (int i = 0; i < LC_ELF_PARTS; i++)
        sum += f->part[i];
    return sum;
}

int lc_elf_facts_add(const char *path, struct lc_elf_facts *sum, struct lc_error *err)
{
    struct lc_elf_facts before = *sum;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0) {
        lc_error_errno(err, "cannot read '%s'", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    int rc = elf && elf_add(elf, sum) == 0 ? 0 : lc_error_set(err, "'%s' is no ELF file", path);
    elf_end(elf);
    close(fd);
    sum->files++;
    sum->bytes += (uint64_t)st.st_size;
    uint64_t grown = known_bytes(sum) - known_bytes(&before);
    if ((uint64_t)st.st_size > grown)
        sum->part[LC_ELF_OTHER] += (uint64_t)st.st_size - grown;
    return rc;
}
