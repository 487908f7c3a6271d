/* SPDX-License-Identifier: MIT */
/* network.c - is a file on a network file system, where SQLite's locks cannot be trusted? */
#include "results/network.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/vfs.h>

#include "util/path.h"

/* f_type of file systems that several hosts mount. FUSE is among them, since many
 * network file systems (sshfs, MooseFS, gcsfuse, gateways of BeeGFS and GPFS) use it; on a local
 * FUSE file system a spool works too. */
static const uint32_t shared[] = {
    0x6969,     /* NFS */
    0x0bd00bd0, /* Lustre */
    0x47504653, /* GPFS */
    0x19830326, /* BeeGFS */
    0x00c36400, /* Ceph */
    0xaad7aaea, /* PanFS */
    0x20030528, /* OrangeFS */
    0x65735546, /* FUSE */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB2 */
    0x517b,     /* SMB */
    0x5346414f, /* AFS */
    0x6b414653, /* kAFS */
    0x01021997, /* 9p */
    0x01161970, /* GFS2 */
    0x7461636f, /* OCFS2 */
    0x7c7c6673, /* PRL */
};

bool lc_network_has_file(const char *file)
{
    char dir[PATH_MAX];
    struct statfs fs;
    size_t len = lc_path_dir_len(file);

    snprintf(dir, sizeof(dir), "%.*s", len ? (int)len : 1, len ? file : ".");
    if (statfs(dir, &fs) < 0)
        return false;
    for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
        if ((uint32_t)fs.f_type == shared[i])
            return true;
    return false;
}
