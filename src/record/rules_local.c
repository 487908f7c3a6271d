/* SPDX-License-Identifier: MIT */
/* rules_local.c - file system types that are private to a node */
#include "record/rules.h"

#include <stddef.h>
#include <string.h>

bool lc_type_is_local(const char *type)
{
    static const char *const local[] = {
        "ext2",           "ext3",        "ext4",     "xfs",        "btrfs",     "zfs",
        "f2fs",           "jfs",         "reiserfs", "tmpfs",      "ramfs",     "rootfs",
        "overlay",        "aufs",        "squashfs", "erofs",      "iso9660",   "udf",
        "vfat",           "exfat",       "ntfs",     "ntfs3",      "bcachefs",  "nilfs2",
        "minix",          "cramfs",      "romfs",    "proc",       "sysfs",     "devtmpfs",
        "devpts",         "mqueue",      "cgroup",   "cgroup2",    "debugfs",   "tracefs",
        "securityfs",     "bpf",         "pstore",   "hugetlbfs",  "configfs",  "autofs",
        "efivarfs",       "binfmt_misc", "fusectl",  "rpc_pipefs", "selinuxfs", "nsfs",
        "pipes, sockets",
    };

    for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
        if (strcmp(type, local[i]) == 0)
            return true;
    return false;
}
