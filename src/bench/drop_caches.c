/* SPDX-License-Identifier: MIT */
/* drop_caches.c - drop this host's caches of a directory tree */
#include "bench/drop_caches.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Static because nftw() passes no argument to its callback. */
static struct {
    uint64_t pages, resident;
} seen;

static int file_drop_pages(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)ftw;
    if (type != FTW_F || !S_ISREG(st->st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        fdatasync(fd); /* dirty pages would not be dropped */
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
    }
    return 0;
}

/* Counts the pages of a file that are in memory. Mapping a file does not read it. */
static int file_count_pages(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), len = (size_t)st->st_size;

    (void)ftw;
    if (type != FTW_F || !S_ISREG(st->st_mode) || len == 0)
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    void *map = fd >= 0 ? mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    unsigned char *in = calloc((len + page - 1) / page, 1);
    if (map != MAP_FAILED && in && mincore(map, len, in) == 0)
        for (size_t i = 0; i < (len + page - 1) / page; i++) {
            seen.pages++;
            seen.resident += in[i] & 1;
        }
    free(in);
    if (map != MAP_FAILED)
        munmap(map, len);
    if (fd >= 0)
        close(fd);
    return 0;
}

/* Share of the tree's pages that are in memory. */
static double share_in_memory(const char *dir)
{
    seen.pages = seen.resident = 0;
    nftw(dir, file_count_pages, 32, FTW_PHYS);
    return seen.pages ? (double)seen.resident / (double)seen.pages : 0;
}

uint64_t lc_cached_bytes(const char *path)
{
    share_in_memory(path);
    return seen.resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int kernel_drop_caches(void)
{
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    sync();
    ssize_t n = write(fd, "3", 1);
    close(fd);
    return n == 1 ? 0 : -1;
}

const char *lc_drop_caches(const char *dir, struct lc_error *err)
{
    const double most = 0.05; /* tolerated: pages that other processes use */

    if (kernel_drop_caches() == 0 && share_in_memory(dir) <= most)
        return "drop_caches";
    nftw(dir, file_drop_pages, 32, FTW_PHYS);
    double left = share_in_memory(dir);
    if (left <= most)
        return "posix_fadvise (data only)";
    lc_error_set(err,
                 LC_COLD_REFUSED ": %.0f %% of '%s' stay in memory whatever we try; use a fresh "
                                 "stormfs, root (drop_caches), a cold_command, or caches: [warm]",
                 left * 100, dir);
    return NULL;
}
