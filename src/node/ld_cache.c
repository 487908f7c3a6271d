/* SPDX-License-Identifier: MIT */
/* ld_cache.c - what ld.so finds by its cache file. Freestanding. */
#include "node/ld_cache.h"

#include <asm/stat.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <stdint.h>

#include "image/bytes.h"
#include "node/syscall.h"

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"

/* Files of ldconfig before 2.32 begin with this; the new format follows it. */
struct old_file {
    char magic[sizeof(OLD_MAGIC) - 1];
    uint32_t count;
};
struct old_entry {
    int32_t flags;
    uint32_t name, path;
};

struct new_file {
    char magic[sizeof(NEW_MAGIC) - 1];
    uint32_t count, strings_size, unused[5];
};
struct new_entry {
    int32_t flags;
    uint32_t name, path; /* offsets from the start of struct new_file */
    uint32_t os_version; /* the oldest kernel it is for, 0xMMmmpp; not used from glibc 2.36 on */
    uint64_t hwcap;      /* 0: for every processor */
};

/* Every glibc since 2.26 needs Linux 3.2, so that what is for that is for all. */
enum { MOST_BYTES = 64 << 20, OLDEST_KERNEL = 0x030200, OTHERS_WRITE = 022, PAGE = 4096 };

static bool has_magic(const char *data, size_t size, const char *magic)
{
    size_t n = lc_bytes_length(magic);

    return size >= n && lc_bytes_equal(data, magic, n);
}

/* Where the new format begins; NULL if it is not there, or damaged. */
static const struct new_file *new_part(const char *data, size_t *size)
{
    size_t at = 0;

    if (has_magic(data, *size, OLD_MAGIC) && *size >= sizeof(struct old_file)) {
        uint64_t entries =
            (uint64_t)((const struct old_file *)data)->count * sizeof(struct old_entry);
        uint64_t end = (sizeof(struct old_file) + entries + 7) & ~(uint64_t)7;
        at = end < *size ? (size_t)end : *size;
    }
    *size -= at;
    if (!has_magic(data + at, *size, NEW_MAGIC) || *size < sizeof(struct new_file))
        return NULL;
    const struct new_file *file = (const struct new_file *)(data + at);
    return file->count <= (*size - sizeof(*file)) / sizeof(struct new_entry) ? file : NULL;
}

/* The file's bytes and a NUL behind them, so that each string in it ends. */
static char *read_all(int fd, size_t size)
{
    char *data = lc_sys_mmap(size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    size_t done = 0;

    if (lc_sys_is_error(data))
        return NULL;
    for (long n = 1; done < size && n > 0; done += n > 0 ? (size_t)n : 0)
        n = lc_sys_read(fd, data + done, size - done);
    if (done == size)
        return data;
    lc_sys_munmap(data, size + 1);
    return NULL;
}

/* Root's own file is replaced by rename and never cut, and ld.so maps it, too. A mapping is
 * followed by zeros up to the end of its last page; a file that fills it is read. */
static char *map_all(int fd, const struct stat *st)
{
    if (st->st_uid != 0 || (st->st_mode & OTHERS_WRITE) || st->st_size % PAGE == 0)
        return NULL;
    char *data = lc_sys_mmap((size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd);
    return lc_sys_is_error(data) ? NULL : data;
}

struct lc_ld_cache lc_ld_cache_read(const char *path)
{
    struct lc_ld_cache cache = {NULL, 0};
    struct stat st;
    long fd = lc_sys_open(path, O_RDONLY | O_CLOEXEC);

    if (fd == -ENOENT)
        return (struct lc_ld_cache){"", 0};
    if (fd < 0)
        return cache;
    if (LC_SYS3(__NR_fstat, fd, &st, 0) == 0 && st.st_size > 0 && st.st_size <= MOST_BYTES) {
        size_t size = (size_t)st.st_size;
        char *data = map_all((int)fd, &st);
        cache = (struct lc_ld_cache){data ? data : read_all((int)fd, size), size};
        if (cache.data && !new_part(cache.data, &size))
            lc_ld_cache_free(&cache);
    }
    lc_sys_close((int)fd);
    return cache;
}

void lc_ld_cache_free(struct lc_ld_cache *cache)
{
    if (cache->data && cache->size > 0)
        lc_sys_munmap((void *)(uintptr_t)cache->data, cache->size + 1);
    *cache = (struct lc_ld_cache){NULL, 0};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* As ld.so compares them: by their value, whatever zeros stand before. */
static const char *past_zeros(const char *text)
{
    while (text[0] == '0' && is_digit(text[1]))
        text++;
    return text;
}

static bool is_same_name(const char *a, const char *b)
{
    bool was_digit = false;

    for (;; a++, b++) {
        if (!was_digit && is_digit(*a) && is_digit(*b)) {
            a = past_zeros(a);
            b = past_zeros(b);
        }
        if (*a != *b || !*a)
            return *a == *b;
        was_digit = is_digit(*a);
    }
}

enum lc_cached lc_ld_cache_find(const struct lc_ld_cache *cache, const char *name,
                                const char **path)
{
    size_t size = cache->size;
    const struct new_file *file = cache->data && size > 0 ? new_part(cache->data, &size) : NULL;
    const struct new_entry *entry = file ? (const struct new_entry *)(file + 1) : NULL;

    if (!cache->data)
        return LC_CACHED_UNKNOWN;
    for (uint32_t i = 0; file && i < file->count; i++) {
        if (entry[i].name >= size || entry[i].path >= size)
            return LC_CACHED_UNKNOWN;
        if (entry[i].flags != LC_ARCH_CACHE_FLAGS ||
            !is_same_name(name, (const char *)file + entry[i].name))
            continue;
        *path = (const char *)file + entry[i].path;
        return entry[i].hwcap || entry[i].os_version > OLDEST_KERNEL ? LC_CACHED_UNKNOWN
                                                                     : LC_CACHED_ONCE;
    }
    return LC_CACHED_NOT;
}
