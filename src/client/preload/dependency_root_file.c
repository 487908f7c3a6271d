/* SPDX-License-Identifier: MIT */
/* dependency_root_file.c - write the ELF file of a dependency root into memory */
#include <elf.h>
#include <linux/mman.h>
#include <stddef.h>

#include "client/preload/dependency_root.h"
#include "image/bytes.h"
#include "node/arch.h"
#include "node/syscall.h"

enum { SEGMENTS = 3, OTHER_TAGS = 8, SONAME_MAX = 24 };

struct root_file {
    ElfW(Ehdr) head;
    ElfW(Phdr) segment[SEGMENTS];
    uint32_t hash[4]; /* DT_HASH without symbols */
    ElfW(Sym) none;
    ElfW(Dyn) dynamic[];
};

/* The names that a root needs: perhaps one more object, then those that its model needs. */
struct needed_names {
    const char *first; /* a path, or NULL */
    const char *strings;
    size_t names, bytes;
};

static struct needed_names needed_names_read(const struct link_map *model, const char *first)
{
    struct needed_names n = {.first = first, .names = first != NULL};

    n.bytes = first ? lc_bytes_length(first) + 1 : 0;
    for (const ElfW(Dyn) *d = model->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            n.strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = model->l_ld; n.strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            n.names++;
            n.bytes += lc_bytes_length(n.strings + d->d_un.d_val) + 1;
        }
    return n;
}

static size_t text_put(char *strings, size_t at, const char *text)
{
    size_t len = lc_bytes_length(text) + 1;

    lc_bytes_move(strings + at, text, len);
    return at + len;
}

/* Write .dynamic and the strings behind it; the length of the whole file. */
static size_t dynamic_put(struct root_file *f, const struct link_map *model,
                          const struct needed_names *n, const char *soname)
{
    size_t strings = sizeof(*f) + (n->names + OTHER_TAGS) * sizeof(f->dynamic[0]), at = 1;
    char *text = (char *)f + strings;
    ElfW(Dyn) *out = f->dynamic;

    if (n->first) {
        *out++ = (ElfW(Dyn)){DT_NEEDED, {at}};
        at = text_put(text, at, n->first);
    }
    for (const ElfW(Dyn) *d = model->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            *out++ = (ElfW(Dyn)){DT_NEEDED, {at}};
            at = text_put(text, at, n->strings + d->d_un.d_val);
        }
    *out++ = (ElfW(Dyn)){DT_SONAME, {at}};
    at = text_put(text, at, soname);
    *out++ = (ElfW(Dyn)){DT_HASH, {offsetof(struct root_file, hash)}};
    *out++ = (ElfW(Dyn)){DT_STRTAB, {strings}};
    *out++ = (ElfW(Dyn)){DT_SYMTAB, {offsetof(struct root_file, none)}};
    *out++ = (ElfW(Dyn)){DT_STRSZ, {at}};
    *out++ = (ElfW(Dyn)){DT_SYMENT, {sizeof(ElfW(Sym))}};
    return strings + at;
}

static void headers_put(struct root_file *f, size_t len, size_t names)
{
    static const unsigned char ident[EI_NIDENT] = {0x7f,       'E',         'L',       'F',
                                                   ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    const size_t dynamic = offsetof(struct root_file, dynamic);
    const size_t dynamic_len = (names + OTHER_TAGS) * sizeof(f->dynamic[0]);

    f->head = (ElfW(Ehdr)){.e_type = ET_DYN,
                           .e_machine = LC_ARCH_MACHINE,
                           .e_version = EV_CURRENT,
                           .e_phoff = offsetof(struct root_file, segment),
                           .e_ehsize = sizeof(f->head),
                           .e_phentsize = sizeof(f->segment[0]),
                           .e_phnum = SEGMENTS};
    lc_bytes_move((char *)f->head.e_ident, (const char *)ident, EI_NIDENT);
    f->segment[0] = (ElfW(Phdr)){.p_type = PT_LOAD,
                                 .p_flags = PF_R | PF_W,
                                 .p_filesz = len,
                                 .p_memsz = len,
                                 .p_align = LC_ARCH_PAGE_MOST};
    f->segment[1] = (ElfW(Phdr)){.p_type = PT_DYNAMIC,
                                 .p_flags = PF_R | PF_W,
                                 .p_offset = dynamic,
                                 .p_vaddr = dynamic,
                                 .p_paddr = dynamic,
                                 .p_filesz = dynamic_len,
                                 .p_memsz = dynamic_len,
                                 .p_align = 8};
    f->segment[2] = (ElfW(Phdr)){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    f->hash[0] = f->hash[1] = 1;
}

int lc_dependency_root_file(const struct link_map *model, const char *soname, const char *first)
{
    struct needed_names n = needed_names_read(model, first);
    size_t room = sizeof(struct root_file) + (n.names + OTHER_TAGS) * sizeof(ElfW(Dyn)) + n.bytes +
                  SONAME_MAX + 1;
    struct root_file *f =
        lc_sys_mmap(room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    if (!n.names || lc_sys_is_error(f))
        return -1;
    size_t len = dynamic_put(f, model, &n, soname);
    headers_put(f, len, n.names);
    int fd = (int)LC_SYS3(__NR_memfd_create, "loadcast-hub", 1 /* MFD_CLOEXEC */, 0);
    if (fd >= 0 && lc_sys_append(fd, f, len) != (long)len) {
        lc_sys_close(fd);
        fd = -1;
    }
    lc_sys_munmap(f, room);
    return fd;
}
