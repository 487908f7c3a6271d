/* SPDX-License-Identifier: MIT */
/* dependency_root.c - make and open the dependency roots that the auditor asks for.
 *
 * A root exists in memory alone and is opened through its descriptor. ld.so recognises objects by
 * their paths, and another file's descriptor may have the same number later: therefore the path is
 * spelled in a way that nobody else uses. */
#include "client/preload/dependency_root.h"

#include <dlfcn.h>
#include <stddef.h>

#include "client/preload/next.h"
#include "image/bytes.h"
#include "node/arch.h"
#include "node/syscall.h"

static size_t number_put(char *to, size_t at, unsigned number)
{
    char digits[12];
    size_t n = 0;

    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n > 0)
        to[at++] = digits[--n];
    to[at] = '\0';
    return at;
}

/* Make the file and open it; NULL if either fails. */
static void *root_file_open(const struct link_map *model, const char *soname, const char *first,
                            int flags)
{
    char path[sizeof(LC_ROOT_PATH_PREFIX) + 16] = LC_ROOT_PATH_PREFIX;
    int fd = lc_dependency_root_file(model, soname, first);

    if (fd < 0)
        return NULL;
    number_put(path, sizeof(LC_ROOT_PATH_PREFIX) - 1, (unsigned)fd);
    void *handle = NEXT(void *, dlopen, (const char *, int))(path, RTLD_LAZY | flags);
    lc_sys_close(fd);
    return handle;
}

/* Another thread may close the model at any time, so hold it while it is read. */
static void *root_open_like(const char *path, const struct link_map *model, const char *soname)
{
    void *held = NEXT(void *, dlopen, (const char *, int))(path, RTLD_LAZY | RTLD_NOLOAD);
    void *handle = held == model ? root_file_open(model, soname, NULL, RTLD_LOCAL) : NULL;

    if (held)
        NEXT(int, dlclose, (void *))(held);
    return handle;
}

static void root_open(struct lc_dependency_root *root, unsigned number)
{
    char soname[sizeof(root->soname)] = LC_ROOT_SONAME_PREFIX;

    if (__atomic_exchange_n(&root->is_busy, 1, __ATOMIC_SEQ_CST))
        return;
    const struct link_map *model = __atomic_exchange_n(&root->model, NULL, __ATOMIC_SEQ_CST);
    if (model) {
        number_put(soname, sizeof(LC_ROOT_SONAME_PREFIX) - 1, number);
        lc_bytes_move(root->soname, soname, sizeof(soname));
        void *handle = root_open_like(root->model_path, model, soname);
        root->has_failed = !handle;
        root->handle = handle;
    }
    __atomic_store_n(&root->is_busy, 0, __ATOMIC_SEQ_CST);
}

/* The stack shows it: if the call has returned, its frame is gone, or another return address is in
 * its place. Where return addresses are not on the stack, a call from deeper frames counts as one
 * from inside. */
bool lc_opening_call_has_returned(const struct lc_opening_call *call, uintptr_t slot)
{
    unsigned char resident;

    if (slot >= call->return_slot || !LC_ARCH_RETURN_IS_ON_STACK)
        return slot >= call->return_slot;
    if (LC_SYS3(__NR_mincore, call->return_slot & ~(uintptr_t)4095, 4096, &resident) != 0)
        return true;
    return *(const uintptr_t *)call->return_slot != call->return_address;
}

/* Until the dlopen of the model has returned, not all that the model needs is initialised, and
 * opening the root would initialise it too early. A call of another thread has returned once we
 * have ld.so's lock, which dlopen takes. */
static bool model_is_ready(const struct lc_dependency_root *root, uintptr_t slot)
{
    return root->model_call.thread != lc_arch_thread() ||
           lc_opening_call_has_returned(&root->model_call, slot);
}

void lc_dependency_root_open_wanted(struct lc_dlopen_notes *notes, uintptr_t slot)
{
    for (uint32_t i = 0; i < notes->roots; i++) {
        struct lc_dependency_root *root = &notes->root[i];
        if (__atomic_load_n(&root->model, __ATOMIC_ACQUIRE) && !root->map &&
            model_is_ready(root, slot))
            root_open(root, i);
    }
}

void lc_dependency_root_release(struct lc_dlopen_notes *notes)
{
    for (uint32_t i = 0; i < notes->roots; i++) {
        void *handle = __atomic_exchange_n(&notes->root[i].handle, NULL, __ATOMIC_ACQ_REL);
        if (handle)
            NEXT(int, dlclose, (void *))(handle);
    }
}

/* An object that needs first the module and then what the module needs is opened RTLD_GLOBAL and
 * closed again: ld.so adds all of them to the global scope in that order. */
void lc_dependency_root_make_global(struct lc_dlopen_notes *notes, const char *file)
{
    int (*close)(void *) = NEXT(int, dlclose, (void *));

    if (!notes->user)
        return;
    void *handle = NEXT(void *, dlopen, (const char *, int))(file, RTLD_LAZY | RTLD_NOLOAD);
    const struct lc_root_user *user = handle ? lc_root_user_find(notes->user, handle) : NULL;
    void *both = user ? root_file_open(user->map, LC_ROOT_SONAME_PREFIX "all", user->map->l_name,
                                       RTLD_GLOBAL)
                      : NULL;
    if (both)
        close(both);
    if (handle)
        close(handle);
}
