/* SPDX-License-Identifier: MIT */
/* elf_file.c - an ELF file without segments, written from front to back in large pieces */
#include "gen/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/io.h"

enum { PIECE_BYTES = 4 << 20 };

static int piece_write(struct lc_elf_file *file, const char *data, size_t len, struct lc_error *err)
{
    return lc_write_all(file->fd, data, len) < 0
               ? lc_error_errno(err, "cannot write '%s'", file->path)
               : 0;
}

int lc_elf_file_flush(struct lc_elf_file *file, struct lc_error *err)
{
    int rc = file->pending.failed
                 ? lc_error_set(err, "cannot write '%s': out of memory", file->path)
                 : piece_write(file, file->pending.data, file->pending.len, err);

    lc_buf_clear(&file->pending);
    return rc;
}

int lc_elf_file_add(struct lc_elf_file *file, const void *data, size_t len, struct lc_error *err)
{
    file->at += len;
    if (len >= PIECE_BYTES)
        return lc_elf_file_flush(file, err) < 0 || piece_write(file, data, len, err) < 0 ? -1 : 0;
    lc_buf_add(&file->pending, data, len);
    return file->pending.len >= PIECE_BYTES ? lc_elf_file_flush(file, err) : 0;
}

int lc_elf_file_align(struct lc_elf_file *file, uint64_t align, struct lc_error *err)
{
    static const char zeros[4096];
    uint64_t over = file->at % align;

    return over ? lc_elf_file_add(file, zeros, align - over, err) : 0;
}

int lc_elf_file_create(struct lc_elf_file *file, const char *path, struct lc_error *err)
{
    const Elf64_Ehdr head = {0};

    *file = (struct lc_elf_file){.path = path, .sections = 1};
    file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file->fd < 0)
        return lc_error_errno(err, "cannot write '%s'", path);
    lc_buf_putc(&file->names, '\0');
    return lc_elf_file_add(file, &head, sizeof(head), err);
}

int lc_elf_file_section(struct lc_elf_file *file, const struct lc_elf_section *s,
                        struct lc_error *err)
{
    if (lc_elf_file_align(file, s->align, err) < 0)
        return -1;
    file->section[file->sections] = (Elf64_Shdr){.sh_name = (uint32_t)file->names.len,
                                                 .sh_type = s->type,
                                                 .sh_flags = s->flags,
                                                 .sh_offset = file->at,
                                                 .sh_addralign = s->align,
                                                 .sh_entsize = s->entry,
                                                 .sh_link = s->link,
                                                 .sh_info = s->info};
    lc_buf_add(&file->names, s->name, strlen(s->name) + 1);
    if (!s->content)
        return 0;
    if (s->content->failed)
        return lc_error_set(err, "cannot write '%s': out of memory", file->path);
    int rc = lc_elf_file_add(file, s->content->data, s->content->len, err);
    lc_elf_file_end_section(file);
    return rc;
}

void lc_elf_file_end_section(struct lc_elf_file *file)
{
    Elf64_Shdr *s = &file->section[file->sections++];

    s->sh_size = file->at - s->sh_offset;
}

static int head_write(struct lc_elf_file *file, uint16_t type, uint16_t machine, uint64_t sections,
                      struct lc_error *err)
{
    Elf64_Ehdr head = {.e_type = type,
                       .e_machine = machine,
                       .e_version = EV_CURRENT,
                       .e_shoff = sections,
                       .e_ehsize = sizeof(head),
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = file->sections,
                       .e_shstrndx = (uint16_t)(file->sections - 1)};

    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    if (pwrite(file->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return lc_error_errno(err, "cannot write '%s'", file->path);
    return 0;
}

int lc_elf_file_finish(struct lc_elf_file *file, uint16_t type, uint16_t machine,
                       struct lc_error *err)
{
    struct lc_elf_section names = {".shstrtab", SHT_STRTAB, 0, 1, 0, 0, 0, NULL};

    if (lc_elf_file_section(file, &names, err) < 0 ||
        lc_elf_file_add(file, file->names.data, file->names.len, err) < 0)
        return -1;
    lc_elf_file_end_section(file);
    if (lc_elf_file_align(file, 8, err) < 0)
        return -1;
    uint64_t table = file->at;
    if (lc_elf_file_add(file, file->section, file->sections * sizeof(*file->section), err) < 0 ||
        lc_elf_file_flush(file, err) < 0)
        return -1;
    return head_write(file, type, machine, table, err);
}

int lc_elf_file_close(struct lc_elf_file *file, int rc, struct lc_error *err)
{
    lc_buf_free(&file->pending);
    lc_buf_free(&file->names);
    if (file->fd >= 0 && close(file->fd) < 0 && rc == 0)
        rc = lc_error_errno(err, "cannot write '%s'", file->path);
    file->fd = -1;
    return rc;
}
