/* SPDX-License-Identifier: MIT */
/* map.c - a hash table from strings to pointers: open addressing, FNV-1a, at most half full */
#include "util/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_hash(const char *key)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 0x100000001b3u;
    return h ^ (h >> 29);
}

void lc_map_free(struct lc_map *map, void (*free_value)(void *))
{
    for (size_t i = 0; i < map->count; i++) {
        if (free_value)
            free_value(map->entry[i].value);
        free(map->entry[i].key);
    }
    free(map->entry);
    free(map->slot);
    *map = (struct lc_map){0};
}

/* The slot that holds 'key', or the free one where it would go. The table is never full. */
static size_t slot_find(const struct lc_map *map, const char *key)
{
    size_t i = key_hash(key) & (map->slots - 1);

    while (map->slot[i] && strcmp(map->entry[map->slot[i] - 1].key, key) != 0)
        i = (i + 1) & (map->slots - 1);
    return i;
}

void *lc_map_get(const struct lc_map *map, const char *key)
{
    if (!map->slots)
        return NULL;
    uint32_t at = map->slot[slot_find(map, key)];
    return at ? map->entry[at - 1].value : NULL;
}

bool lc_map_has(const struct lc_map *map, const char *key)
{
    return map->slots && map->slot[slot_find(map, key)];
}

static int map_grow(struct lc_map *map)
{
    size_t cap = map->cap ? map->cap * 2 : 32;
    struct lc_map_entry *entry = realloc(map->entry, cap * sizeof(*entry));

    if (!entry)
        return -1;
    map->entry = entry;
    uint32_t *slot = calloc(cap * 2, sizeof(*slot));
    if (!slot)
        return -1;
    free(map->slot);
    map->slot = slot;
    map->slots = cap * 2;
    map->cap = cap;
    for (size_t i = 0; i < map->count; i++)
        map->slot[slot_find(map, map->entry[i].key)] = (uint32_t)i + 1;
    return 0;
}

void **lc_map_at(struct lc_map *map, const char *key)
{
    if (map->count == map->cap && map_grow(map) < 0)
        goto no_memory;
    size_t i = slot_find(map, key);
    if (!map->slot[i]) {
        char *copy = strdup(key);
        if (!copy)
            goto no_memory;
        map->entry[map->count++] = (struct lc_map_entry){copy, NULL};
        map->slot[i] = (uint32_t)map->count;
    }
    return &map->entry[map->slot[i] - 1].value;
no_memory:
    errno = ENOMEM;
    return NULL;
}

void *lc_map_object(struct lc_map *map, const char *key, size_t size)
{
    void **at = lc_map_at(map, key);

    if (at && !*at && !(*at = calloc(1, size)))
        errno = ENOMEM;
    return at ? *at : NULL;
}
