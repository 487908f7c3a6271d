/* SPDX-License-Identifier: MIT */
/* confirm.c - check with the file system that an entry is still as recorded. Freestanding.
 *
 * Needed only after a process of this node ran without our preload, whose writes we did not see,
 * and only for entries that the user may write to. Costs one system call on the original's file
 * system. */
#include <asm/stat.h>

#include "node/attach.h"
#include "node/syscall.h"

enum { NOFOLLOW = 0x100, OTHERS_WRITE = 022 };

bool lc_node_is_uncovered(const struct lc_node *node)
{
    return __atomic_load_n(&node->live->uncovered, __ATOMIC_RELAXED);
}

void lc_node_set_uncovered(const struct lc_node *node)
{
    __atomic_store_n(&node->live->uncovered, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&node->live->any_written, 1,
                     __ATOMIC_RELAXED); /* all processes test this first */
}

/* May the user write to the entry, or to a directory above it, in which it could be replaced? */
static bool entry_may_be_written(const struct lc_node *node, uint32_t entry)
{
    unsigned user = (unsigned)LC_SYS3(__NR_geteuid, 0, 0, 0);

    for (size_t depth = 0; entry < node->look.entries && depth < LC_PATH_MAX; depth++) {
        const struct lc_inode *inode = lc_look_inode(&node->look, entry);
        if (user == 0 || (inode && (inode->uid == user || (inode->mode & OTHERS_WRITE))))
            return true;
        entry = node->look.entry[entry].parent;
    }
    return false;
}

static bool is_as_recorded(const struct lc_node *node, const struct lc_inode *inode,
                           const struct stat *st)
{
    return inode->mount < node->state->devs && st->st_dev == node->dev[inode->mount] &&
           st->st_ino == inode->ino && st->st_mode == inode->mode &&
           (uint64_t)st->st_size == inode->size && (int64_t)st->st_mtime == inode->mtime &&
           st->st_mtime_nsec == inode->mtime_ns && (int64_t)st->st_ctime == inode->ctime &&
           st->st_ctime_nsec == inode->ctime_ns;
}

bool lc_node_confirm(const struct lc_node *node, const char *path, bool is_link, uint32_t entry)
{
    const struct lc_inode *inode = lc_look_inode(&node->look, entry);
    struct stat st;

    if (!lc_node_is_uncovered(node) || !inode || !entry_may_be_written(node, entry))
        return true;
    lc_node_count_passed(node, LC_COUNT_PASS_CONFIRM, path);
    if (LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, &st, is_link ? NOFOLLOW : 0) == 0 &&
        is_as_recorded(node, inode, &st))
        return true;
    lc_node_set_written(node, entry);
    return false;
}

bool lc_node_directory_changed(const struct lc_node *node, const char *path, uint32_t entry,
                               const char *name)
{
    const struct lc_inode *inode = lc_look_inode(&node->look, entry);
    struct stat st;

    if (!inode)
        return false;
    lc_node_count_passed(node, LC_COUNT_PASS_CONFIRM, name);
    if (LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, &st, 0) == 0 &&
        (int64_t)st.st_mtime == inode->mtime && st.st_mtime_nsec == inode->mtime_ns)
        return false;
    lc_node_set_written(node, entry);
    return true;
}

bool lc_node_confirm_absent(const struct lc_node *node, const char *path, size_t len,
                            uint32_t above)
{
    struct stat st;

    if (!lc_node_is_uncovered(node) || !entry_may_be_written(node, above))
        return true;
    if (path[len])
        return false;
    lc_node_count_passed(node, LC_COUNT_PASS_CONFIRM, path);
    if (LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, &st, NOFOLLOW) != 0)
        return true;
    lc_node_set_written(node, above);
    return false;
}
