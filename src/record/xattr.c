/* SPDX-License-Identifier: MIT */
/* xattr.c - does a file have extended attributes? */
#include "record/read_path.h"

#include <errno.h>
#include <sys/xattr.h>

/* The error that all names of LC_XATTR_NAMES give; 0 if one is set, or the errors differ. */
static int xattr_common_error(const char *path, int count)
{
    static const char *const names[] = {LC_XATTR_NAMES};
    int common = 0;

    for (int i = 0; i < count; i++) {
        if (lgetxattr(path, names[i], NULL, 0) >= 0 || (common && errno != common))
            return 0;
        common = errno;
    }
    return common;
}

void lc_path_read_xattr(const char *path, struct lc_tree_entry *node)
{
    bool is_directory = node->kind == LC_KIND_DIRECTORY;
    ssize_t listed = llistxattr(path, NULL, 0);
    int list_error = listed < 0 ? errno : 0;
    int error = xattr_common_error(path, is_directory ? LC_XATTR_DIRECTORY : LC_XATTR_FILE);

    /* Not for a file that changed just now: a second change in the same tick of the file system's
     * clock would not be noticed by a check. */
    if ((node->kind != LC_KIND_FILE && !is_directory) || lc_tree_entry_is_fresh(node))
        return;
    if (error == ENODATA && listed == 0)
        node->stat.flags |= LC_INODE_NO_XATTR;
    else if (error == EOPNOTSUPP && list_error == EOPNOTSUPP)
        node->stat.flags |= LC_INODE_XATTR_REFUSED;
}

bool lc_path_has_acl(const char *path)
{
    return lgetxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}
