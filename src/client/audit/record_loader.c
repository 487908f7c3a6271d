/* SPDX-License-Identifier: MIT */
/* record_loader.c - what the kernel and ld.so ask for a program's sake. Freestanding; see
 * record_loader.h
 */
#include "client/audit/record_loader.h"

#include <stddef.h>

#include "node/auxv.h"
#include "node/call_log.h"
#include "node/glibc_versions.h"
#include "node/syscall.h"

enum { READ = 4 /* R_OK */ };

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
    note("faccessat", lc_sys_access("/etc/ld.so.preload", READ), "/etc/ld.so.preload", NULL);
    lc_loader_tried("/etc/ld.so.cache", lc_sys_access("/etc/ld.so.cache", READ));
}

void lc_loader_tried(const char *path, long result)
{
    note("openat", result, path, NULL);
}

/* The kernel maps ld.so itself, so a tracer sees that file by our question alone. */
void lc_loader_mapped(const char *path)
{
    if (lc_pilot_is_logging())
        note("mmap", 0, path, NULL);
    else if (lc_glibc_is_loader(path))
        lc_sys_access(path, 0);
}
