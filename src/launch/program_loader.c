/* SPDX-License-Identifier: MIT */
/* program_loader.c - which loader must be on every node that can run the program of a line?
 *
 * The shell before a rank is started by the loader, so that it does not search LD_LIBRARY_PATH. On
 * a node without that loader the launcher could start nothing. A program that lies in the image is
 * the same file on all nodes: if it names that loader itself, no node that can run it lacks it. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "launch/job_run.h"
#include "util/path.h"

bool lc_program_names_loader(const char *file, const char *loader)
{
    union {
        char byte[4096];
        Elf64_Ehdr header;
    } page;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, page.byte, sizeof(page.byte), 0);
    const size_t want = strlen(loader) + 1;

    if (fd >= 0)
        close(fd);
    if (n < (ssize_t)sizeof(page.header) || memcmp(page.header.e_ident, ELFMAG, SELFMAG) != 0 ||
        page.header.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    for (unsigned i = 0; i < page.header.e_phnum; i++) {
        Elf64_Phdr part;
        uint64_t at = page.header.e_phoff + (uint64_t)i * sizeof(part);
        if (at > (size_t)n || sizeof(part) > (size_t)n - at)
            return false;
        memcpy(&part, page.byte + at, sizeof(part));
        if (part.p_type == PT_INTERP)
            return part.p_offset <= (size_t)n && want <= (size_t)n - part.p_offset &&
                   memcmp(page.byte + part.p_offset, loader, want) == 0;
    }
    return false;
}

bool lc_job_run_needs_loader(const struct lc_job_run *run, const char *loader)
{
    return lc_job_run_has_program(run) && lc_job_run_names_loader(run, loader);
}

bool lc_job_run_names_loader(const struct lc_job_run *run, const char *loader)
{
    char path[PATH_MAX];
    bool all = *loader && run->line.programs > 0;

    for (int i = 0; all && i < run->line.programs; i++)
        all =
            lc_path_find_program(path, sizeof(path), run->argv[run->line.program[i]], NULL) == 0 &&
            lc_program_names_loader(path, loader);
    return all;
}
