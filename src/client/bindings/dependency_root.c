/* SPDX-License-Identifier: MIT */
/* dependency_root.c - one object that needs what many modules need. Freestanding. */
#include "client/bindings/dependency_root.h"

#include <dlfcn.h>

#include "client/bindings/hide_needed.h"
#include "image/bytes.h"
#include "node/dynamic_tags.h"

/* Equal for modules whose search lists are equal except for the module itself. */
static uint64_t dependencies_key(const struct lc_group_writer *w)
{
    const struct lc_bind_member *m = w->recorded->member + w->group->first;
    uint64_t h = w->group->count;

    for (uint32_t i = 1; i < w->group->count; i++)
        h = (h ^ m[i].object) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h;
}

/* Only if ld.so looks up no symbol for the module: it would not find those below the root. */
static bool object_may_use_root(const struct lc_group_writer *w, uint32_t least)
{
    const struct lc_new_object *p = &w->object[0];

    return w->objects == 1 && !w->is_verifying && p->plan && p->plan->leftovers == 0 &&
           p->elf.needed && p->elf.strings && w->group->count > least &&
           !(w->call.flags & (RTLD_GLOBAL | RTLD_DEEPBIND)) && w->call.opening.return_slot;
}

/* Ask the preload for a root with the needs of the new object. */
static void model_set(struct lc_dependency_root *root, const struct lc_group_writer *w)
{
    const struct link_map *map = w->object[0].map;
    size_t len = lc_bytes_length(map->l_name) + 1;

    if (root->model || root->has_failed || __atomic_load_n(&root->is_busy, __ATOMIC_SEQ_CST) ||
        len > sizeof(root->model_path) || !lc_group_writer_others_are_bound(w))
        return;
    lc_bytes_move(root->model_path, map->l_name, len);
    root->model_call = w->call.opening;
    __atomic_store_n(&root->model, map, __ATOMIC_SEQ_CST);
}

/* The root for this key, added if there is none; NULL if there is no room. */
static struct lc_dependency_root *root_find(struct lc_dependency_roots *all, uint64_t key)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->key[i] == key)
            return &all->root[i];
    if (all->count == LC_DEPENDENCY_ROOTS)
        return NULL;
    all->key[all->count] = key;
    return &all->root[all->count++];
}

/* ld.so has made the lists of the root itself and need not read its names for each of its users. */
static void root_hide_needed(struct lc_dependency_roots *all, const struct lc_dependency_root *root)
{
    if (all->is_hidden[root - all->root])
        return;
    all->is_hidden[root - all->root] = true;
    for (ElfW(Dyn) *d = root->map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED)
            d->d_tag = LC_HIDDEN_TAG;
}

static void user_add(struct lc_dependency_roots *all, const struct lc_new_object *p,
                     const struct lc_dependency_root *root)
{
    *lc_root_user_slot(all->user, p->map) =
        (struct lc_root_user){p->map, root, p->elf.base, p->elf.base + p->elf.extent};
    all->users++;
}

/* The root's name takes the place of the first DT_NEEDED; the others are hidden. */
static uint32_t needed_replace(struct lc_new_object *p, const struct lc_dependency_root *root)
{
    uint32_t hidden = 0;

    for (ElfW(Dyn) *d = p->elf.needed + 1; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            d->d_tag = LC_HIDDEN_TAG;
            hidden++;
        }
    p->own_needed = p->elf.needed->d_un.d_val;
    p->elf.needed->d_un.d_val = (uintptr_t)root->soname - (uintptr_t)p->elf.strings;
    p->has_hidden_needed = p->uses_root = true;
    return hidden;
}

void lc_dependency_root_restore(struct lc_new_object *p)
{
    if (p->uses_root)
        p->elf.needed->d_un.d_val = p->own_needed;
    p->uses_root = false;
}

uint32_t lc_dependency_root_use(struct lc_dependency_roots *all, struct lc_group_writer *w,
                                struct lc_dlopen_notes *notes, uint32_t least)
{
    struct lc_dependency_root *root =
        notes && object_may_use_root(w, least) ? root_find(all, dependencies_key(w)) : NULL;

    if (!root || all->users >= LC_ROOT_USERS / 2)
        return 0;
    notes->user = all->user;
    notes->root = all->root;
    notes->roots = all->count;
    if (!root->map) {
        model_set(root, w);
        return 0;
    }
    root_hide_needed(all, root);
    user_add(all, &w->object[0], root);
    return needed_replace(&w->object[0], root);
}

bool lc_dependency_root_opened(struct lc_dependency_roots *all, const struct link_map *map)
{
    static const char prefix[] = LC_ROOT_PATH_PREFIX;
    const char *path = map->l_name ? map->l_name : "";

    if (!all->count || lc_bytes_length(path) < sizeof(prefix) ||
        !lc_bytes_equal(path, prefix, sizeof(prefix) - 1))
        return false;
    const char *soname = lc_tag_text(map, DT_SONAME);
    for (uint32_t i = 0; soname && i < all->count; i++)
        if (lc_bytes_same(all->root[i].soname, soname)) {
            all->root[i].map = map;
            all->is_hidden[i] = false;
        }
    return true;
}

void lc_dependency_root_closed(struct lc_dependency_roots *all, const struct link_map *map)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct lc_dependency_root *root = &all->root[i];
        if (root->model == map)
            root->model = NULL;
        if (root->map == map) {
            root->map = NULL;
            root->handle = NULL;
        }
    }
    if (!all->users)
        return;
    struct lc_root_user *user = lc_root_user_slot(all->user, map);
    if (user->map == map)
        *user = (struct lc_root_user){.map = LC_ROOT_USER_GONE};
}
