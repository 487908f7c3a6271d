/* SPDX-License-Identifier: MIT */
/* searchpath.c - where ld.so searches for an object's libraries */
#include "trace/searchpath.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/path.h"

/* Does one entry of a search path, with $ORIGIN standing for the object's directory, name dir? */
static bool entry_names(const char *entry, size_t n, const char *file, const char *dir)
{
    char expanded[2 * PATH_MAX], clean[2 * PATH_MAX];
    size_t skip = n >= 7 && memcmp(entry, "$ORIGIN", 7) == 0     ? 7
                  : n >= 9 && memcmp(entry, "${ORIGIN}", 9) == 0 ? 9
                                                                 : 0;
    int origin = skip ? (int)lc_path_dir_len(file) : 0;

    snprintf(expanded, sizeof(expanded), "%.*s%.*s", origin, file, (int)(n - skip), entry + skip);
    return lc_path_absolute(clean, sizeof(clean), "/", expanded) == 0 && strcmp(clean, dir) == 0;
}

static bool list_names(const char *list, const char *file, const char *dir)
{
    for (const char *p = list; p; p = lc_path_list_next(p))
        if (entry_names(p, strcspn(p, ":"), file, dir))
            return true;
    return false;
}

static const char *tag_naming(Elf *elf, const char *file, const char *dir)
{
    GElf_Shdr header;
    GElf_Dyn dyn;

    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        if (!gelf_getshdr(s, &header) || header.sh_type != SHT_DYNAMIC)
            continue;
        Elf_Data *data = elf_getdata(s, NULL);
        for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
            if (dyn.d_tag != DT_RPATH && dyn.d_tag != DT_RUNPATH)
                continue;
            const char *list = elf_strptr(elf, header.sh_link, dyn.d_un.d_val);
            if (list && list_names(list, file, dir))
                return dyn.d_tag == DT_RPATH ? "RPATH" : "RUNPATH";
        }
    }
    return NULL;
}

const char *lc_searchpath_tag(const char *file, const char *dir)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not block on a named pipe */
    struct stat st;
    const char *tag = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return NULL;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        tag = tag_naming(elf, file, dir);
    elf_end(elf);
    close(fd);
    return tag;
}

bool lc_searchpath_is_default(const char *dir)
{
    static const char *const known[] = {
        "/lib",
        "/usr/lib",
        "/lib64",
        "/usr/lib64",
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(dir, known[i]) == 0)
            return true;
    return false;
}

bool lc_searchpath_is_level(const char *name)
{
    static const char *const levels[] = {"glibc-hwcaps", "x86-64-v2", "x86-64-v3", "x86-64-v4",
                                         "tls",          "haswell",   "avx512_1",  "xeon_phi",
                                         "x86_64",       "aarch64",   "atomics"};

    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
        if (strcmp(name, levels[i]) == 0)
            return true;
    return false;
}

void lc_searchpath_cut_levels(char *dir, bool all)
{
    size_t keep = strlen(dir), levels = 0;

    for (size_t at = keep; at > 0;) {
        while (at > 0 && dir[at - 1] != '/')
            at--;
        char *end = dir + keep, saved = *end;
        *end = '\0';
        bool is_level = at > 1 && lc_searchpath_is_level(dir + at);
        *end = saved;
        if (!is_level)
            break;
        keep = --at;
        levels++;
    }
    const char *tail = dir + keep;
    bool is_plain = strcmp(tail, "/x86_64") == 0 || strcmp(tail, "/aarch64") == 0;
    if (levels && (all || !is_plain))
        dir[keep] = '\0';
}
