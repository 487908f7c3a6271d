/* SPDX-License-Identifier: MIT */
/* search_path.c - the directories in which ld.so searches for libraries, told to the auditor */
#include "client/preload/search_path.h"

#include <dlfcn.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/next.h"
#include "node/syscall.h"

typedef int (*dlinfo_fn)(void *handle, int request, void *to);

/* Where the answer fits, it needs no memory of its own. */
static uint64_t room[256];

static void *memory_for(size_t size)
{
    if (size <= sizeof(room))
        return room;
    void *at = lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return lc_sys_is_error(at) ? NULL : at;
}

/* The names of the directories, and NULL; NULL if ld.so does not tell. */
static const char *const *ask(dlinfo_fn info, void *handle)
{
    Dl_serinfo head;

    if (info(handle, RTLD_DI_SERINFOSIZE, &head) != 0)
        return NULL;
    size_t names = (head.dls_cnt + 1u) * sizeof(char *);
    const char **name = memory_for(names + head.dls_size);
    Dl_serinfo *all = name ? (Dl_serinfo *)(void *)(name + head.dls_cnt + 1) : NULL;
    if (!all || info(handle, RTLD_DI_SERINFOSIZE, all) != 0 || all->dls_cnt != head.dls_cnt ||
        info(handle, RTLD_DI_SERINFO, all) != 0)
        return NULL;
    for (unsigned i = 0; i < head.dls_cnt; i++)
        name[i] = all->dls_serpath[i].dls_name;
    name[head.dls_cnt] = NULL;
    return name;
}

void lc_search_path_learn(struct lc_dlopen_notes *notes)
{
    static bool is_asked;
    void *(*open)(const char *, int) = lc_next_or_null("dlopen");
    int (*close)(void *) = lc_next_or_null("dlclose");
    dlinfo_fn info = lc_next_or_null("dlinfo");

    if (!notes->node || !open || !close || !info ||
        __atomic_exchange_n(&is_asked, true, __ATOMIC_ACQ_REL))
        return;
    void *program = open(NULL, RTLD_LAZY);
    if (!program)
        return;
    __atomic_store_n(&notes->directory, ask(info, program), __ATOMIC_RELEASE);
    close(program);
}
