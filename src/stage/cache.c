/* SPDX-License-Identifier: MIT */
/* cache.c - which /etc/ld.so.cache this node has */
#include "stage/cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/hash.h"
#include "util/io.h"

struct lc_cache lc_cache_read(void)
{
    struct lc_cache cache = {0};
    struct stat st;
    int fd = open(LC_CACHE_FILE, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return cache;
    char *at = fstat(fd, &st) == 0 && st.st_size > 0 ? malloc((size_t)st.st_size) : NULL;
    if (at && lc_read_exactly(fd, at, (size_t)st.st_size, 0) == 0)
        cache = (struct lc_cache){.hash = lc_hash(at, (size_t)st.st_size),
                                  .ino = st.st_ino,
                                  .size = (uint64_t)st.st_size,
                                  .mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
                                              (uint64_t)st.st_mtim.tv_nsec};
    free(at);
    close(fd);
    return cache;
}
