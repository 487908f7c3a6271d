/* SPDX-License-Identifier: MIT */
/* replay.c - which group is being loaded, and is it exactly as recorded? Freestanding. */
#include "client/bindings/replay.h"

#include <dlfcn.h>
#include <linux/mman.h>

#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/bind_mode.h"
#include "node/syscall.h"

enum { NEW_OBJECTS_MAX = LC_ARCH_THUNKS };

/* From now on ld.so binds everything itself. */
static void replay_stop(struct lc_replay *r, const char *why)
{
    if (!r->stopped)
        r->stopped = why;
}

/* Count and report that a group is left to ld.so. */
static void group_refuse(struct lc_replay *r, const char *why, const char *name)
{
    lc_node_bindings_refused(r->node, why, name);
}

/* Do the group's objects become part of the global scope? */
static bool group_is_global(const struct lc_replay *r)
{
    return !r->is_started || (r->writer.call.flags & RTLD_GLOBAL);
}

static void *memory_map(size_t size)
{
    void *at =
        lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

    return lc_sys_is_error(at) ? NULL : at;
}

/* One mapping for all arrays: per recorded object, and for the new objects of a group. */
static bool arrays_allocate(struct lc_replay *r)
{
    size_t n = r->recorded.head->objects + 1;
    size_t per_object = (n * (sizeof(uint64_t) + sizeof(uint32_t) + 3) + 15) & ~(size_t)15;
    char *at = memory_map(per_object + NEW_OBJECTS_MAX * sizeof(*r->writer.object));

    if (!at)
        return false;
    r->loaded.recorded = r->writer.recorded = &r->recorded;
    r->loaded.base = (uint64_t *)at;
    r->writer.base = r->loaded.base;
    r->loaded.same_name = (uint32_t *)(at + n * sizeof(uint64_t));
    r->scope.is_global = (uint8_t *)(r->loaded.same_name + n);
    r->loaded.is_excluded = r->scope.is_global + n;
    r->writer.is_fully_bound = r->loaded.is_excluded + n;
    r->writer.object = (struct lc_new_object *)(at + per_object);
    return true;
}

void lc_replay_begin(struct lc_replay *r, const struct lc_node *node, const struct lc_key *key,
                     const struct lc_variable *variables)
{
    const struct lc_section *s = lc_look_section(&node->look, LC_SECTION_BINDINGS);
    enum lc_bind_mode mode;
    uint32_t least;

    r->stopped = "not begun";
    if (!s || !lc_bindings_open(&r->recorded, node->look.base + s->offset, s->length))
        return;
    if ((mode = lc_bind_mode(variables, key, &least)) == LC_BIND_MODE_OFF)
        return;
    r->node = node;
    r->hide.least = UINT32_MAX;
    if (r->recorded.head->system != lc_bindings_system(LC_ARCH_MACHINE, key->page_bytes)) {
        group_refuse(r, "they were recorded on another machine or with another page size", "");
        return;
    }
    if (mode == LC_BIND_MODE_ODD || !arrays_allocate(r)) {
        group_refuse(r, "the environment changes what ld.so does", "");
        return;
    }
    r->writer.hwcap = key->hwcap;
    r->writer.hwcap2 = key->hwcap2;
    r->writer.is_verifying = mode == LC_BIND_MODE_VERIFY;
    r->program.header = (const void *)(uintptr_t)key->headers;
    r->program.count = key->header_count;
    r->hide.least = least;
    r->stopped = NULL;
}

void lc_replay_searched(struct lc_replay *r, const char *name, uintptr_t cookie)
{
    if (!r->node || r->stopped)
        return;
    r->asking = cookie;
    r->asked_name = lc_hash(name, lc_bytes_length(name));
    if (!lc_foreign_objects_searched(&r->foreign, r->asked_name))
        replay_stop(r, "there are too many objects");
    lc_dlopen_calls_searched(&r->calls, name, r->asked_name, r->is_started);
}

/* The number of a recorded object; LC_NONE: this is none of them, or its record is damaged. */
static uint32_t object_identify(const struct lc_replay *r, const struct lc_elf_object *o,
                                uint32_t entry)
{
    const struct lc_inode *inode = lc_look_inode(&r->node->look, entry);
    uint32_t found = LC_NONE;

    if (entry == LC_NONE)
        found = lc_bindings_by_build(&r->recorded, o->dynamic, o->build);
    else if (inode && inode->data != LC_NO_CONTENT && !lc_node_is_written(r->node, entry))
        found = lc_bindings_by_content(&r->recorded, inode->hash, o->dynamic, o->build);
    if (found == LC_NONE)
        return LC_NONE;
    const struct lc_bind_object *b = &r->recorded.object[found];
    return b->seal == lc_bindings_object_seal(b) && b->identity == lc_bindings_identity(b)
               ? found
               : LC_NONE;
}

/* Each new object gets its plan. They are in the order of the group's members. */
static void plans_choose(struct lc_group_writer *w)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < w->group->count && next < w->objects; i++) {
        const struct lc_bind_member *m = &w->recorded->member[w->group->first + i];
        struct lc_new_object *p = &w->object[next];
        if (p->object != m->object)
            continue;
        p->plan = m->plan < w->recorded->head->plans ? &w->recorded->plan[m->plan] : NULL;
        next++;
    }
}

/* Hide the DT_NEEDED entries that ld.so need not read of the group that was just written. */
static void group_hide_needed(struct lc_replay *r)
{
    struct lc_group_writer *w = &r->writer;
    uint32_t hidden = 0;

    if (r->is_started && w->objects == 1)
        hidden =
            lc_dependency_root_use(&r->roots, w, r->calls.notes, lc_hide_needed_least(&r->hide));
    else if (!r->is_started || !(w->call.flags & RTLD_GLOBAL))
        hidden = lc_hide_needed_group(&r->hide, w, r->calls.notes, r->asking);
    if (hidden)
        lc_node_bindings_hidden(r->node, hidden);
}

static const char *group_write(struct lc_group_writer *w)
{
    const char *bad = w->group->seal == lc_bindings_group_seal(w->recorded, w->group)
                          ? NULL
                          : "a group is not as it was recorded";

    if (!bad)
        bad = lc_group_writer_validate(w);
    return bad ? bad : lc_group_writer_write(w);
}

/* The last object of the group is loaded, and ld.so has not yet begun to relocate: now write. */
static void group_finish(struct lc_replay *r, const struct lc_bind_group *g)
{
    struct lc_group_writer *w = &r->writer;
    uint64_t before = w->written;

    r->is_in_group = false;
    r->candidates.count = 0;
    w->group = g;
    plans_choose(w);
    const char *bad = group_write(w);
    if (bad) {
        group_refuse(r, bad, lc_bindings_name(&r->recorded, g->root));
        replay_stop(r, bad);
        return;
    }
    lc_node_bindings_replayed(r->node, w->written - before);
    group_hide_needed(r);
    lc_group_writer_note_bound(w, !r->is_started);
    if (group_is_global(r) && !lc_global_scope_add_group(&r->scope, &r->recorded, g))
        replay_stop(r, "there are too many objects");
}

/* dlopens with RTLD_GLOBAL that loaded nothing new may have made loaded objects global. */
static void scope_add_calls(struct lc_replay *r)
{
    const struct lc_dlopen_call *call = &r->writer.call;
    uint32_t own = (call->flags & RTLD_GLOBAL) ? 1 : 0;

    if (call->globals != r->global_calls + own) {
        if (r->foreign.are_loaded)
            replay_stop(r, "an object that was not recorded may be in the global scope");
        uint64_t hash = lc_loaded_set_hash(&r->loaded, lc_bindings_mix(0, call->globals_hash));
        if (!lc_global_scope_add_calls(&r->scope, hash))
            replay_stop(r, "there are too many objects");
        r->maybe_global = r->loaded.count;
    }
    r->global_calls = call->globals;
}

/* Is ld.so still relocating the last group? Then a dlopen was called by one of its IFUNC resolvers.
 */
static bool group_is_unfinished(const struct lc_replay *r)
{
    const struct lc_group_writer *w = &r->writer;

    for (uint32_t i = 0; i < w->objects; i++)
        if (w->object[i].saved_tags.tag[0] && w->base[w->object[i].object])
            return true;
    return false;
}

static void group_refuse_first(struct lc_replay *r, const char *name)
{
    bool is_deep = r->writer.call.flags & RTLD_DEEPBIND;

    group_refuse(r,
                 !r->is_started ? "this program was not recorded"
                 : is_deep      ? "it is opened with RTLD_DEEPBIND"
                                : "it was not recorded, or among other objects only",
                 name);
    if (group_is_global(r))
        replay_stop(r, "an object that was not recorded is in the global scope");
}

/* The first object of a group is loaded. */
static void group_begin(struct lc_replay *r, uint32_t object, const char *name)
{
    struct lc_group_writer *w = &r->writer;

    r->is_in_group = true;
    r->is_foreign_group = false;
    w->objects = 0;
    r->candidates.count = 0;
    lc_foreign_objects_begin(&r->foreign);
    if (r->is_started) {
        w->call = lc_dlopen_calls_begin(&r->calls);
        if (w->call.is_known)
            scope_add_calls(r);
        else
            replay_stop(r, "dlopen's flags are not known");
        if (r->stopped) {
            group_refuse(r, r->stopped, name);
            return;
        }
    }
    if (object != LC_NONE && !(w->call.flags & RTLD_DEEPBIND))
        lc_group_candidates_find(&r->candidates, &r->recorded, object,
                                 r->is_started ? 0 : LC_BIND_GROUP_START, r->scope.hash);
    if (r->candidates.count == 0)
        group_refuse_first(r, name);
}

/* The objects of the group are not those that were recorded. */
static void group_abandon(struct lc_replay *r, const char *why, const char *name)
{
    group_refuse(r, why, name);
    if (group_is_global(r))
        replay_stop(r, why);
}

/* A new object of a foreign group: ld.so may know others by its names, and no recorded group may
 * count on it. */
static void object_become_foreign(struct lc_replay *r, const struct lc_new_object *p)
{
    if (!lc_foreign_objects_add(&r->foreign, p))
        replay_stop(r, "an object is loaded whose names are not known");
    if (p->object != LC_NONE)
        lc_loaded_set_exclude(&r->loaded, p->object);
}

/* Is the last object one that the recording did not see, or does it need one? Then it and all that
 * come in the same dlopen are foreign. */
static void group_find_foreign(struct lc_replay *r)
{
    struct lc_group_writer *w = &r->writer;
    const struct lc_new_object *last = &w->object[w->objects - 1];
    bool is_first = !r->is_foreign_group;

    if (is_first && last->object != LC_NONE && !lc_foreign_objects_are_needed(&r->foreign, last))
        return;
    if (group_is_global(r) || !r->is_in_group) { /* in the scope, or in a group that is written */
        replay_stop(r, "an object is loaded that was not recorded");
        return;
    }
    if (is_first && w->objects > 1 && r->foreign.has_alias) {
        replay_stop(r, "an object is loaded whose names are not known");
        return;
    }
    r->is_foreign_group = true;
    for (uint32_t i = is_first ? 0 : w->objects - 1; i < w->objects && !r->stopped; i++)
        object_become_foreign(r, &w->object[i]);
}

/* Compare the last object with what the candidates expect next. */
static void candidates_compare(struct lc_replay *r, const struct lc_new_object *p)
{
    bool had_candidates = r->candidates.count > 0;

    if (p->object != LC_NONE && had_candidates)
        lc_group_candidates_filter(&r->candidates, &r->loaded, p->object);
    else
        r->candidates.count = 0;
    if (had_candidates && !r->candidates.count)
        group_abandon(r, "other objects are loaded than were recorded", p->map->l_name);
}

/* The last object belongs to the group; finish the group if it was the last expected one. */
static void group_add_object(struct lc_replay *r, const struct lc_new_object *p)
{
    const char *bad = NULL;

    candidates_compare(r, p);
    if (p->object != LC_NONE)
        bad = lc_loaded_set_add(&r->loaded, p->object, p->elf.base, p->cookie, p->asked_name);
    if (bad)
        replay_stop(r, bad);
    lc_foreign_objects_loaded(&r->foreign);
    group_find_foreign(r);
    const struct lc_bind_group *g = r->stopped || r->is_foreign_group
                                        ? NULL
                                        : lc_group_candidates_complete(&r->candidates, &r->loaded);
    if (g)
        group_finish(r, g);
}

static bool is_vdso(const struct link_map *map)
{
    return map->l_name && lc_bytes_same(map->l_name, "linux-vdso.so.1");
}

/* Why the object cannot be followed; NULL if it can. */
static const char *object_obstacle(const struct lc_replay *r, uintptr_t cookie)
{
    if (cookie == 0 || r->loaded.count == LC_OBJECTS_MAX || r->writer.objects == NEW_OBJECTS_MAX)
        return "there are too many objects";
    if (r->calls.is_new && group_is_unfinished(r))
        return "a dlopen began inside of another";
    return NULL;
}

/* The replay is over: count the group that is being loaded, unless that has been done. */
static void group_refuse_last(struct lc_replay *r, const char *name)
{
    if (r->calls.is_new || r->candidates.count)
        group_refuse(r, r->stopped, name);
    r->calls.is_new = false;
    r->candidates.count = 0;
}

static void object_add(struct lc_replay *r, const struct link_map *map, uintptr_t cookie,
                       bool is_program, uint32_t entry)
{
    struct lc_group_writer *w = &r->writer;
    bool is_first = is_program || r->calls.is_new;
    struct lc_new_object *p = &w->object[is_first ? 0 : w->objects];
    bool is_readable = lc_elf_object_read(&p->elf, map, is_program ? &r->program : NULL);

    p->object = is_readable ? object_identify(r, &p->elf, entry) : LC_NONE;
    p->plan = NULL;
    p->saved_tags.tag[0] = NULL;
    p->map = map;
    p->cookie = cookie;
    p->asked_name = r->asked_name;
    p->has_hidden_needed = p->uses_root = false;
    if (!r->is_started)
        lc_dlopen_calls_find_notes(&r->calls, map);
    if (is_first)
        group_begin(r, p->object, map->l_name);
    lc_dlopen_calls_loaded(&r->calls, map);
    w->objects++;
    if (!r->stopped)
        group_add_object(r, p);
}

void lc_replay_opened(struct lc_replay *r, const struct link_map *map, uintptr_t cookie,
                      bool is_program, uint32_t entry)
{
    if (!r->node || is_vdso(map))
        return;
    if (lc_dependency_root_opened(&r->roots, map)) {
        r->calls.is_new = false;
        return;
    }
    lc_hide_needed_opened(&r->hide, map, r->calls.notes);
    const char *obstacle = r->stopped ? r->stopped : object_obstacle(r, cookie);
    if (obstacle)
        replay_stop(r, obstacle);
    else
        object_add(r, map, cookie, is_program, entry);
    if (r->stopped)
        group_refuse_last(r, map->l_name);
}

void lc_replay_closed(struct lc_replay *r, const struct link_map *map, uintptr_t cookie)
{
    uint32_t place = LC_NONE;

    if (!r->node)
        return;
    lc_hide_needed_closed(&r->hide, map, r->calls.notes);
    lc_dependency_root_closed(&r->roots, map);
    if (r->stopped)
        return;
    uint32_t object = lc_loaded_set_remove(&r->loaded, cookie, &place);
    if (object == LC_NONE)
        return;
    r->writer.is_fully_bound[object] = 0;
    if (r->scope.is_global[object])
        lc_global_scope_remove(&r->scope, object);
    else if (place < r->maybe_global)
        replay_stop(r, "an object was closed that may have been in the global scope");
}

void lc_replay_activity(struct lc_replay *r, unsigned flag)
{
    if (!r->node)
        return;
    if (flag == LA_ACT_ADD && r->is_started) {
        lc_dlopen_calls_add(&r->calls);
        return;
    }
    if (flag == LA_ACT_ADD)
        return;
    if (r->is_in_group && r->candidates.count)
        group_abandon(r, r->stopped ? r->stopped : "fewer objects are loaded than were recorded",
                      "");
    r->candidates.count = 0;
    r->is_in_group = false;
    lc_dlopen_calls_end(&r->calls);
    if (flag == LA_ACT_CONSISTENT && !r->is_started) {
        r->is_started = true;
        if (r->scope.hash == 0)
            replay_stop(r, "the start was not replayed");
    }
}

void lc_replay_relocated(struct lc_replay *r, uint32_t thunk)
{
    struct lc_group_writer *w = &r->writer;
    uint64_t compared = w->compared, different = w->different;

    lc_group_writer_relocated(w, thunk);
    if (w->is_verifying)
        lc_node_bindings_compared(r->node, w->compared - compared, w->different - different,
                                  w->first_different);
}
