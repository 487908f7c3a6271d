/* SPDX-License-Identifier: MIT */
/* scope.c - ld.so's global scope, as far as it is known. Freestanding. */
#include "client/bindings/scope.h"

static bool add(struct lc_scope *scope, uint64_t identity, uint64_t object)
{
    if (scope->count == LC_OBJECTS_MAX)
        return false;
    scope->item[scope->count++] = (struct lc_bind_scope_item){identity, object};
    return true;
}

static void renew_hash(struct lc_scope *scope)
{
    scope->hash = lc_bindings_scope(scope->item, scope->count);
}

bool lc_scope_add_calls(struct lc_scope *scope, uint64_t identity)
{
    bool is_added = add(scope, identity, UINT64_MAX);

    renew_hash(scope);
    return is_added;
}

bool lc_scope_add_group(struct lc_scope *scope, const struct lc_bindings *b,
                        const struct lc_bind_group *g)
{
    bool are_added = true;

    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t object = b->member[g->first + i].object;
        if (!scope->is_global[object])
            are_added &= add(scope, b->object[object].identity, object);
        scope->is_global[object] = 1;
    }
    renew_hash(scope);
    return are_added;
}

void lc_scope_remove(struct lc_scope *scope, uint32_t object)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < scope->count; i++)
        if (scope->item[i].object != object)
            scope->item[kept++] = scope->item[i];
    scope->count = kept;
    scope->is_global[object] = 0;
    renew_hash(scope);
}
