/* SPDX-License-Identifier: MIT */
/* record_loader.c - what the kernel and ld.so ask for a program's sake. Freestanding; see loader.h
 */
#include "client/audit/record_loader.h"

#include <stddef.h>

#include "node/auxv.h"
#include "node/call_log.h"
#include "node/syscall.h"

static void note(const char *call, long result, const char *path, const char *real)
{
    lc_pilot_note(&(struct lc_pilot_call){
        .call = call, .result = result, .dirfd = LC_AT_FDCWD, .path = path, .real = real});
}

/* The name that was given to execve: a link, or a script. */
static const char *started_as(void)
{
    Elf64_auxv_t all[LC_AUXV];
    const char *name = NULL;

    for (size_t i = 0, n = lc_auxv_read(all); i < n; i++)
        if (all[i].a_type == AT_EXECFN)
            name = (const char *)all[i].a_un.a_val;
    return name;
}

void lc_loader_started(const char *executable)
{
    const char *name = started_as();

    note("execve", 0, name ? name : executable, executable);
    lc_loader_tried("/etc/ld.so.preload");
    note("openat", lc_sys_access("/etc/ld.so.cache", 4 /* R_OK */), "/etc/ld.so.cache", NULL);
}

void lc_loader_tried(const char *path)
{
    note("faccessat", lc_sys_access(path, 0 /* F_OK */), path, NULL);
}

/* The kernel's own object has no file. */
void lc_loader_mapped(const char *path)
{
    if (lc_sys_access(path, 0) == 0)
        note("mmap", 0, path, NULL);
}
