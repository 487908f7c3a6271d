/* SPDX-License-Identifier: MIT */
/* file_kind.c - find out what kind of program a file is. Freestanding. */
#include "node/file_kind.h"

#include <asm/stat.h>

#include <elf.h>
#include <linux/fcntl.h>
#include <stdbool.h>

#include "image/bytes.h"
#include "image/format.h"
#include "node/syscall.h"

enum { HEAD = 2048 }; /* bytes read; small, because stacks may be small */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Parse a "#!" line as the kernel does: the interpreter, then the rest of the line as one argument.
 * False if the line is malformed or longer than what was read; the kernel decides then. */
static bool read_script(struct lc_script *s, const char *head, size_t n)
{
    size_t end = 2, size = n < sizeof(s->line) - 1 ? n : sizeof(s->line) - 1;

    while (end < size && head[end] != '\n')
        end++;
    if (end == sizeof(s->line) - 1)
        return false;
    lc_bytes_move(s->line, head, end);
    while (end > 2 && is_blank(s->line[end - 1]))
        end--;
    s->line[end] = '\0';
    char *p = s->line + 2;
    while (is_blank(*p))
        p++;
    s->interpreter = p;
    while (*p && !is_blank(*p))
        p++;
    s->option = NULL;
    if (*p) {
        *p++ = '\0';
        while (is_blank(*p))
            p++;
        s->option = p;
    }
    return s->interpreter[0] == '/';
}

/* Is it glibc's ld.so? Those are named ld-linux*.so.N, and ld64.so.N on POWER. */
static bool is_glibc(const char *interpreter, size_t n)
{
    size_t base = n;

    while (base > 0 && interpreter[base - 1] != '/')
        base--;
    const char *name = interpreter + base;
    n -= base;
    return (n > 8 && lc_bytes_equal(name, "ld-linux", 8)) ||
           (n > 7 && lc_bytes_equal(name, "ld64.so", 7));
}

static enum lc_program_kind read_elf(int fd, const char *head, size_t n)
{
    const Elf64_Ehdr *e = (const void *)head;
    char name[256];

    if (n < sizeof(*e) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_ident[EI_DATA] != ELFDATA2LSB || e->e_machine != LC_IMAGE_MACHINE ||
        e->e_phentsize != sizeof(Elf64_Phdr))
        return LC_PROGRAM_FOREIGN;
    if (e->e_phoff > n || e->e_phnum > (n - e->e_phoff) / sizeof(Elf64_Phdr))
        return LC_PROGRAM_ODD;
    for (unsigned i = 0; i < e->e_phnum; i++) {
        Elf64_Phdr p; /* program headers in the file may be unaligned */
        lc_bytes_move((char *)&p, head + e->e_phoff + i * sizeof(p), sizeof(p));
        if (p.p_type != PT_INTERP)
            continue;
        if (p.p_filesz < 2 || p.p_filesz > sizeof(name) ||
            LC_SYS4(__NR_pread64, fd, name, p.p_filesz, p.p_offset) != (long)p.p_filesz)
            return LC_PROGRAM_ODD;
        return is_glibc(name, p.p_filesz - 1) ? LC_PROGRAM_DYNAMIC : LC_PROGRAM_FOREIGN;
    }
    return LC_PROGRAM_STATIC;
}

static enum lc_program_kind read_head(int fd, struct lc_script *script, char *head, size_t size)
{
    long n = LC_SYS4(__NR_pread64, fd, head, size < HEAD ? size : HEAD, 0);

    if (n > 4 && lc_bytes_equal(head, "\177ELF", 4))
        return read_elf(fd, head, (size_t)n);
    if (n > 2 && head[0] == '#' && head[1] == '!' && read_script(script, head, (size_t)n))
        return LC_PROGRAM_SCRIPT;
    return LC_PROGRAM_ODD;
}

enum lc_program_kind lc_program_kind_of_fd(int fd, struct lc_script *script)
{
    char head[HEAD] __attribute__((aligned(8)));

    return read_head(fd, script, head, sizeof(head));
}

enum lc_program_kind lc_program_kind(const char *file, struct lc_script *script)
{
    char head[HEAD] __attribute__((aligned(8)));

    return lc_program_kind_in_buffer(file, script, head, sizeof(head));
}

enum lc_program_kind lc_program_kind_in_buffer(const char *file, struct lc_script *script,
                                               char *head, size_t size)
{
    long fd = lc_sys_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
                                    O_NOCTTY); /* O_NONBLOCK: opening a pipe would block */

    if (fd < 0)
        return fd == -24 /* EMFILE */ ? LC_PROGRAM_NO_DESCRIPTOR : LC_PROGRAM_ODD;
    enum lc_program_kind kind = read_head((int)fd, script, head, size);
    lc_sys_close((int)fd);
    return kind;
}

enum { SET_ID = 06000, CAPABILITY = 32 };
static const char capability_name[] = "security.capability";

enum lc_program_kind lc_program_kind_and_rights(const char *file, struct lc_script *script,
                                                bool *is_privileged)
{
    int fd = (int)lc_sys_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char capability[CAPABILITY];
    struct stat st;

    if (fd < 0) {
        *is_privileged = lc_program_is_privileged(file);
        return lc_program_kind(file, script);
    }
    *is_privileged =
        (LC_SYS3(__NR_fstat, fd, &st, 0) == 0 && (st.st_mode & SET_ID)) ||
        LC_SYS4(__NR_fgetxattr, fd, capability_name, capability, sizeof(capability)) > 0;
    enum lc_program_kind kind = lc_program_kind_of_fd(fd, script);
    lc_sys_close(fd);
    return kind;
}

bool lc_program_is_privileged(const char *file)
{
    struct stat st;
    char capability[CAPABILITY];

    return (LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, file, &st, 0) == 0 && (st.st_mode & SET_ID)) ||
           LC_SYS4(__NR_getxattr, file, capability_name, capability, sizeof(capability)) > 0;
}
