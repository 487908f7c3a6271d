/* SPDX-License-Identifier: MIT */
/* cache.c - which /etc/ld.so.cache this node has */
#include "stage/cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/hash.h"

struct lc_cache lc_cache_read(void)
{
    struct lc_cache cache = {0};
    struct stat st;
    int fd = open(LC_CACHE_FILE, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return cache;
    void *at = fstat(fd, &st) == 0 && st.st_size > 0
                   ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                   : MAP_FAILED;
    if (at != MAP_FAILED) {
        cache = (struct lc_cache){.hash = lc_hash(at, (size_t)st.st_size),
                                  .ino = st.st_ino,
                                  .size = (uint64_t)st.st_size,
                                  .mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
                                              (uint64_t)st.st_mtim.tv_nsec};
        munmap(at, (size_t)st.st_size);
    }
    close(fd);
    return cache;
}
