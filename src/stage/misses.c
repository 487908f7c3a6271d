/* SPDX-License-Identifier: MIT */
/* misses.c - what processes of nodes asked the file system for although an image was staged */
#include "stage/misses.h"

#include <stdlib.h>
#include <string.h>

#include "image/format.h"
#include "image/hash.h"
#include "util/path.h"

const char *const lc_miss_names[LC_MISS_KINDS] = {
    [LC_MISS_NONE] = "none",   [LC_MISS_STAT] = "stat", [LC_MISS_READ] = "read",
    [LC_MISS_LIST] = "list",   [LC_MISS_MAP] = "map",   [LC_MISS_EXEC] = "exec",
    [LC_MISS_WRITE] = "write",
};

bool lc_misses_is_sampled(const char *host, uint64_t wall_ns, long nodes)
{
    const uint64_t period_ns = 600000000000u;
    uint64_t turn = lc_hash(host, strlen(host)) + wall_ns / period_ns * LC_MISS_NODES;

    return nodes >= 1 && turn % (uint64_t)nodes < LC_MISS_NODES;
}

void lc_misses_free(struct lc_misses *misses)
{
    lc_map_free(&misses->paths, free);
    *misses = (struct lc_misses){0};
}

int lc_misses_add(struct lc_misses *misses, const char *path, unsigned kinds)
{
    kinds &= (1u << LC_MISS_KINDS) - (1u << LC_MISS_STAT);
    if (path[0] != '/' || strlen(path) >= LC_PATH_MAX || !kinds)
        return 0;
    unsigned *all = lc_map_object(&misses->paths, path, sizeof(*all));
    if (!all)
        return -1;
    *all |= kinds;
    return 0;
}

void lc_misses_add_node(struct lc_misses *misses, uint64_t began_wall_ns, uint64_t lost,
                        uint64_t lost_writes)
{
    if (began_wall_ns && (!misses->began_wall_ns || began_wall_ns < misses->began_wall_ns))
        misses->began_wall_ns = began_wall_ns;
    misses->lost += lost;
    misses->lost_writes += lost_writes;
}

/* Where nothing was written, or a process was killed before it had written its length, all is 0 up
 * to the next record. */
static size_t record_bytes(uint16_t length)
{
    size_t size = length ? sizeof(struct lc_miss) + length : 0;

    return size ? (size + LC_MISS_UNIT - 1) / LC_MISS_UNIT * LC_MISS_UNIT : LC_MISS_UNIT;
}

static bool is_route(const struct lc_look *look, const char *path)
{
    char clean[LC_PATH_MAX];

    if (!look || lc_path_absolute(clean, sizeof(clean), "/", path) < 0)
        return false;
    uint32_t entry = lc_look_find(look, clean, strlen(clean));
    return entry != LC_NONE && (look->entry[entry].flags & LC_ENTRY_ROUTE);
}

/* The record is copied before it is used: its writer may be at work. */
static int record_add(struct lc_misses *misses, const struct lc_miss *record, uint16_t length,
                      const struct lc_look *look)
{
    char path[LC_PATH_MAX];
    uint8_t kind = record->kind;

    if (length >= sizeof(path) || !__atomic_load_n(&record->is_done, __ATOMIC_ACQUIRE) ||
        kind >= LC_MISS_KINDS)
        return 0;
    memcpy(path, record->path, length);
    path[length] = '\0';
    if (strlen(path) != length || (kind == LC_MISS_STAT && is_route(look, path)))
        return 0;
    return lc_misses_add(misses, path, 1u << kind);
}

int lc_misses_read(struct lc_misses *misses, const struct lc_live *live, size_t live_len,
                   const struct lc_look *look)
{
    uint64_t offset = live->misses_offset;

    if (offset % 8 || offset > live_len || live_len - offset < sizeof(struct lc_miss_log))
        return 0;
    const struct lc_miss_log *log = (const void *)((const char *)live + offset);
    uint64_t used = __atomic_load_n(&log->used, __ATOMIC_RELAXED);
    size_t end = used < LC_MISS_ROOM ? (size_t)used : LC_MISS_ROOM;

    lc_misses_add_node(misses, log->began_wall_ns, log->lost, log->lost_writes);
    for (size_t at = 0; at + LC_MISS_UNIT <= end;) {
        const struct lc_miss *record = (const void *)(log->record + at);
        uint16_t length = __atomic_load_n(&record->length, __ATOMIC_ACQUIRE);
        size_t size = record_bytes(length);
        if (size > end - at)
            return 0;
        if (length && record_add(misses, record, length, look) < 0)
            return -1;
        at += size;
    }
    return 0;
}
