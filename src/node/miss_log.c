/* SPDX-License-Identifier: MIT */
/* miss_log.c - note paths that the image could not answer, for the job's end. Freestanding.
 *
 * Processes of a node write at the same time, and may be killed at any moment. So space is reserved
 * by one atomic addition, and a record that is not complete is passed over by the reader. A record
 * never crosses the end of the log, whatever other processes have written to it. */
#include "image/bytes.h"
#include "image/hash.h"
#include "node/attach.h"

enum { PROBES = 8 };

/* Is the path in the log already? If not, it counts as being there from now on. Where the table is
 * too full to tell, a path may be noted twice. */
static bool is_noted(struct lc_miss_log *log, uint64_t hash)
{
    for (uint64_t i = 0; i < PROBES; i++) {
        uint64_t *slot = &log->seen[(hash + i) % LC_MISS_SEEN];
        uint64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (there == hash)
            return true;
        if (there == 0 && __atomic_compare_exchange_n(slot, &there, hash, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED))
            return false;
        if (there == hash)
            return true;
    }
    return false;
}

/* Space for a record, or NULL. The position is kept from growing without end. */
static struct lc_miss *record_reserve(struct lc_miss_log *log, size_t len)
{
    uint64_t size = (sizeof(struct lc_miss) + len + LC_MISS_UNIT - 1) / LC_MISS_UNIT * LC_MISS_UNIT;

    if (__atomic_load_n(&log->used, __ATOMIC_RELAXED) >= LC_MISS_ROOM)
        return NULL;
    uint64_t at = __atomic_fetch_add(&log->used, size, __ATOMIC_RELAXED);
    return at % LC_MISS_UNIT == 0 && at < LC_MISS_ROOM && size <= LC_MISS_ROOM - at
               ? (struct lc_miss *)(log->record + at)
               : NULL;
}

void lc_node_note_miss(const struct lc_node *node, enum lc_miss_kind kind, const char *path)
{
    struct lc_miss_log *log = node->misses;
    size_t len = lc_bytes_length(path);

    if (!log || kind == LC_MISS_NONE || path[0] != '/' || len >= LC_PATH_MAX)
        return;
    uint64_t hash = lc_hash_path(path, len) ^ (uint64_t)kind * 0x9e3779b97f4a7c15u;
    if (is_noted(log, hash ? hash : 1))
        return;
    struct lc_miss *record = record_reserve(log, len);
    if (!record) {
        __atomic_fetch_add(&log->lost, 1, __ATOMIC_RELAXED);
        if (kind == LC_MISS_WRITE)
            __atomic_fetch_add(&log->lost_writes, 1, __ATOMIC_RELAXED);
        return;
    }
    record->kind = (uint8_t)kind;
    __atomic_store_n(&record->length, (uint16_t)len, __ATOMIC_RELEASE);
    lc_bytes_move(record->path, path, len);
    __atomic_store_n(&record->is_done, 1, __ATOMIC_RELEASE);
}
