/* SPDX-License-Identifier: MIT */
/* map.h - a hash table from strings to pointers that keeps insertion order */
#ifndef LC_UTIL_MAP_H
#define LC_UTIL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lc_map_entry {
    char *key; /* owned by the map */
    void *value;
};

/* Start with a zeroed struct. Entries stand in insertion order in entry[0..count); their addresses
 * change when the map grows, the values do not. */
struct lc_map {
    struct lc_map_entry *entry;
    size_t count;
    size_t cap;
    uint32_t *slot; /* index + 1 into entry, 0 when free */
    size_t slots;   /* a power of two */
};

/* Frees keys and table; values too, with free_value (may be NULL). */
void lc_map_free(struct lc_map *map, void (*free_value)(void *));

void *lc_map_get(const struct lc_map *map, const char *key); /* NULL if absent */
bool lc_map_has(const struct lc_map *map, const char *key);  /* true also if the value is NULL */

/* Address of the value of 'key', which is added with a NULL value if absent; NULL with errno
 * ENOMEM. Valid until the next addition. */
void **lc_map_at(struct lc_map *map, const char *key);

/* The object kept for 'key': 'size' zeroed bytes, allocated on first use; NULL with errno ENOMEM.
 */
void *lc_map_object(struct lc_map *map, const char *key, size_t size);

#endif
