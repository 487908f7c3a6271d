/* SPDX-License-Identifier: MIT */
/* tar.c - write a tar archive (POSIX ustar) of texts */
#include "doctor/tar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "util/io.h"

enum { BLOCK = 512 };

/* Fields of POSIX.1 pax, "ustar Interchange Format". */
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6],
        version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "one block");

static void header_fill(struct header *h, const char *name, size_t len)
{
    unsigned sum = 0;

    memset(h, 0, sizeof(*h));
    snprintf(h->name, sizeof(h->name), "%s", name);
    snprintf(h->mode, sizeof(h->mode), "%07o", 0600);
    snprintf(h->uid, sizeof(h->uid), "%07o", 0);
    snprintf(h->gid, sizeof(h->gid), "%07o", 0);
    snprintf(h->size, sizeof(h->size), "%011zo", len);
    snprintf(h->mtime, sizeof(h->mtime), "%011llo", (unsigned long long)time(NULL));
    h->type = '0';
    memcpy(h->magic, "ustar", sizeof(h->magic));
    memcpy(h->version, "00", sizeof(h->version));
    memset(h->sum, ' ', sizeof(h->sum));
    for (size_t i = 0; i < sizeof(*h); i++)
        sum += ((unsigned char *)h)[i];
    snprintf(h->sum, sizeof(h->sum), "%06o", sum);
}

int lc_tar_add(int fd, const char *name, const void *bytes, size_t len)
{
    static const char zeros[BLOCK];
    struct header h;

    if (strlen(name) >= sizeof(h.name)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    header_fill(&h, name, len);
    if (lc_write_all(fd, &h, sizeof(h)) < 0 || lc_write_all(fd, bytes, len) < 0)
        return -1;
    return lc_write_all(fd, zeros, (BLOCK - len % BLOCK) % BLOCK);
}

int lc_tar_finish(int fd)
{
    static const char zeros[2 * BLOCK];

    return lc_write_all(fd, zeros, sizeof(zeros));
}
