/* SPDX-License-Identifier: MIT */
/* same_file.c - one file, reached by two paths, stays one library. Freestanding; see same_file.h */
#include "client/audit/same_file.h"

#include <asm/stat.h>

#include "node/loaded_objects.h"
#include "node/syscall.h"

enum { MOST_ORIGINALS = 256 };

struct original {
    uint64_t dev, ino;
    uintptr_t cookie; /* 0: free */
};

static struct original originals[MOST_ORIGINALS]; /* loaded from the image's own file systems */
static unsigned original_count;                   /* places in use, with free ones between */
static uint32_t staged[LC_OBJECTS_MAX];           /* entry + 1 by cookie; 0: none */
static uintptr_t last_staged;                     /* the highest cookie that has one */

static struct { /* the last answer */
    uint32_t entry;
    uint64_t dev, ino; /* 0: none of the image's file systems */
} answer = {LC_NONE, 0, 0};

void lc_same_file_asked(void)
{
    answer.entry = LC_NONE;
    answer.dev = answer.ino = 0;
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

bool lc_same_file_may_stage(const struct lc_node *node, uint32_t entry)
{
    for (unsigned i = 0; i < original_count; i++)
        if (originals[i].cookie && is_original_of(node, entry, originals[i].dev, originals[i].ino))
            return false;
    lc_same_file_asked();
    answer.entry = entry;
    return true;
}

bool lc_same_file_is_loaded(const struct lc_node *node)
{
    if (answer.entry >= node->look.entries)
        return false;
    uint32_t inode = node->look.entry[answer.entry].inode;
    for (uintptr_t i = 0; i < last_staged; i++)
        if (staged[i] && node->look.entry[staged[i] - 1].inode == inode)
            return true;
    return false;
}

uint32_t lc_same_file_pass(const struct lc_node *node, const char *path, bool *is_there)
{
    struct stat st;

    lc_same_file_asked();
    *is_there = LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, &st, 0) == 0;
    if (!*is_there || !is_of_image(node, st.st_dev))
        return LC_NONE;
    for (uintptr_t i = 0; i < last_staged; i++)
        if (staged[i] && is_original_of(node, staged[i] - 1, st.st_dev, st.st_ino))
            return staged[i] - 1;
    answer.dev = st.st_dev;
    answer.ino = st.st_ino;
    return LC_NONE;
}

static void add_original(uintptr_t cookie)
{
    unsigned i = 0;

    while (i < original_count && originals[i].cookie)
        i++;
    if (i == MOST_ORIGINALS)
        return;
    originals[i] = (struct original){answer.dev, answer.ino, cookie};
    original_count = i == original_count ? i + 1 : original_count;
}

void lc_same_file_opened(uintptr_t cookie)
{
    if (cookie == 0 || cookie > LC_OBJECTS_MAX)
        return;
    if (answer.ino)
        add_original(cookie);
    if (answer.entry != LC_NONE) {
        staged[cookie - 1] = answer.entry + 1;
        last_staged = cookie > last_staged ? cookie : last_staged;
    }
    lc_same_file_asked();
}

void lc_same_file_closed(uintptr_t cookie)
{
    if (cookie == 0 || cookie > LC_OBJECTS_MAX)
        return;
    staged[cookie - 1] = 0;
    for (unsigned i = 0; i < original_count; i++)
        if (originals[i].cookie == cookie)
            originals[i].cookie = 0;
}
