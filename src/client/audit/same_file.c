/* SPDX-License-Identifier: MIT */
/* same_file.c - one file, reached by two paths, stays one library. Freestanding; see same_file.h */
#include "client/audit/same_file.h"

#include <asm/stat.h>

#include "node/loaded_objects.h"
#include "node/syscall.h"

void lc_same_file_asked(struct lc_same_file *f)
{
    f->answer.entry = LC_NONE;
    f->answer.dev = f->answer.ino = 0;
}

static bool is_of_image(const struct lc_node *node, uint64_t dev)
{
    for (uint32_t i = 0; i < node->state->devs; i++)
        if (node->dev[i] == dev)
            return true;
    return false;
}

static bool is_original_of(const struct lc_node *node, uint32_t entry, uint64_t dev, uint64_t ino)
{
    const struct lc_inode *inode = lc_look_inode(&node->look, entry);

    return inode && inode->ino == ino && inode->mount < node->state->devs &&
           node->dev[inode->mount] == dev;
}

bool lc_same_file_may_stage(struct lc_same_file *f, const struct lc_node *node, uint32_t entry)
{
    for (unsigned i = 0; i < f->original_count; i++)
        if (f->original[i].cookie &&
            is_original_of(node, entry, f->original[i].dev, f->original[i].ino))
            return false;
    lc_same_file_asked(f);
    f->answer.entry = entry;
    return true;
}

bool lc_same_file_is_loaded(const struct lc_same_file *f, const struct lc_node *node)
{
    if (f->answer.entry >= node->look.entries)
        return false;
    uint32_t inode = node->look.entry[f->answer.entry].inode;
    for (uintptr_t i = 0; i < f->last_staged; i++)
        if (f->staged[i] && node->look.entry[f->staged[i] - 1].inode == inode)
            return true;
    return false;
}

uint32_t lc_same_file_pass(struct lc_same_file *f, const struct lc_node *node, const char *path,
                           bool *is_there)
{
    struct stat st;

    lc_same_file_asked(f);
    *is_there = LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, &st, 0) == 0;
    if (!*is_there || !is_of_image(node, st.st_dev))
        return LC_NONE;
    for (uintptr_t i = 0; i < f->last_staged; i++)
        if (f->staged[i] && is_original_of(node, f->staged[i] - 1, st.st_dev, st.st_ino))
            return f->staged[i] - 1;
    f->answer.dev = st.st_dev;
    f->answer.ino = st.st_ino;
    return LC_NONE;
}

static void add_original(struct lc_same_file *f, uintptr_t cookie)
{
    unsigned i = 0;

    while (i < f->original_count && f->original[i].cookie)
        i++;
    if (i == LC_ORIGINALS)
        return;
    f->original[i] = (struct lc_original){f->answer.dev, f->answer.ino, cookie};
    f->original_count = i == f->original_count ? i + 1 : f->original_count;
}

void lc_same_file_opened(struct lc_same_file *f, uintptr_t cookie)
{
    if (cookie == 0 || cookie > LC_OBJECTS_MAX)
        return;
    if (f->answer.ino)
        add_original(f, cookie);
    if (f->answer.entry != LC_NONE) {
        f->staged[cookie - 1] = f->answer.entry + 1;
        f->last_staged = cookie > f->last_staged ? cookie : f->last_staged;
    }
    lc_same_file_asked(f);
}

void lc_same_file_closed(struct lc_same_file *f, uintptr_t cookie)
{
    if (cookie == 0 || cookie > LC_OBJECTS_MAX)
        return;
    f->staged[cookie - 1] = 0;
    for (unsigned i = 0; i < f->original_count; i++)
        if (f->original[i].cookie == cookie)
            f->original[i].cookie = 0;
}
