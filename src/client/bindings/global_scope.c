/* SPDX-License-Identifier: MIT */
/* global_scope.c - ld.so's global symbol scope, as far as an auditor can follow it. Freestanding.
 */
#include "client/bindings/global_scope.h"

static bool item_add(struct lc_global_scope *scope, uint64_t identity, uint64_t object)
{
    if (scope->count == LC_OBJECTS_MAX)
        return false;
    scope->item[scope->count++] = (struct lc_bind_scope_item){identity, object};
    return true;
}

static void hash_update(struct lc_global_scope *scope)
{
    scope->hash = lc_bindings_scope_hash(scope->item, scope->count);
}

bool lc_global_scope_add_calls(struct lc_global_scope *scope, uint64_t identity)
{
    bool is_added = item_add(scope, identity, UINT64_MAX);

    hash_update(scope);
    return is_added;
}

bool lc_global_scope_add_group(struct lc_global_scope *scope, const struct lc_bindings *recorded,
                               const struct lc_bind_group *g)
{
    bool are_added = true;

    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t object = recorded->member[g->first + i].object;
        if (!scope->is_global[object])
            are_added &= item_add(scope, recorded->object[object].identity, object);
        scope->is_global[object] = 1;
    }
    hash_update(scope);
    return are_added;
}

void lc_global_scope_remove(struct lc_global_scope *scope, uint32_t object)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < scope->count; i++)
        if (scope->item[i].object != object)
            scope->item[kept++] = scope->item[i];
    scope->count = kept;
    scope->is_global[object] = 0;
    hash_update(scope);
}
