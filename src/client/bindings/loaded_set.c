/* SPDX-License-Identifier: MIT */
/* loaded_set.c - which of the recorded objects are loaded now. Freestanding. */
#include "client/bindings/loaded_set.h"

/* The counter of loaded objects that share a name with this one; NULL if none does. */
static uint32_t *same_name_count(struct lc_loaded_set *set, uint32_t object)
{
    uint32_t name_set = set->recorded->object[object].name_set;

    return name_set && name_set <= set->recorded->head->objects ? &set->same_name[name_set - 1]
                                                                : NULL;
}

const char *lc_loaded_set_add(struct lc_loaded_set *set, uint32_t object, uintptr_t base,
                              uintptr_t cookie, uint64_t asked_name)
{
    uint64_t alias = set->recorded->object[object].alias;
    uint32_t *same_name = same_name_count(set, object);

    if (set->base[object])
        return "two copies of one library are loaded";
    bool is_second = same_name && (*same_name)++;
    set->base[object] = base + 1;
    set->is_excluded[object] = alias && alias != asked_name;
    set->of_cookie[cookie] = object + 1;
    set->order[set->count++] = object;
    return is_second ? "two libraries of one name are loaded" : NULL;
}

void lc_loaded_set_exclude(struct lc_loaded_set *set, uint32_t object)
{
    if (object < set->recorded->head->objects)
        set->is_excluded[object] = 1;
}

uint32_t lc_loaded_set_remove(struct lc_loaded_set *set, uintptr_t cookie, uint32_t *place)
{
    uint32_t object = cookie <= LC_OBJECTS_MAX ? set->of_cookie[cookie] : 0;

    if (!object--)
        return LC_NONE;
    uint32_t *same_name = same_name_count(set, object);
    set->of_cookie[cookie] = 0;
    set->base[object] = 0;
    if (same_name && *same_name)
        --*same_name;
    *place = LC_NONE;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->order[i] == object) {
            set->order[i] = LC_NONE;
            *place = i;
        }
    return object;
}

bool lc_loaded_set_has(const struct lc_loaded_set *set, uint32_t object)
{
    return object < set->recorded->head->objects && set->base[object] && !set->is_excluded[object];
}

uint64_t lc_loaded_set_hash(const struct lc_loaded_set *set, uint64_t hash)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->order[i] != LC_NONE)
            hash = lc_bindings_mix(hash, set->recorded->object[set->order[i]].identity);
    return hash;
}
