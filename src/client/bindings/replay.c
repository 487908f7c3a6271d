/* SPDX-License-Identifier: MIT */
/* replay.c - which group is being loaded, and is it exactly as recorded? Freestanding. */
#include "client/bindings/replay.h"

#include <dlfcn.h>
#include <linux/mman.h>

#include "client/bindings/apply.h"
#include "client/bindings/candidates.h"
#include "client/bindings/dlopens.h"
#include "client/bindings/hub.h"
#include "client/bindings/prune.h"
#include "client/bindings/scope.h"
#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/bind_mode.h"
#include "node/loaded_objects.h"
#include "node/syscall.h"

enum { PENDINGS = LC_ARCH_THUNKS };

static const struct lc_node *node;
static struct lc_apply apply;
static struct lc_dlopens dlopens;
static struct lc_headers program;
static const char *stopped = "not begun"; /* why nothing more is replayed; NULL: all is well */

static uint32_t object_of[LC_OBJECTS_MAX + 1]; /* by cookie: index + 1 */
static uint32_t order[LC_OBJECTS_MAX];         /* objects as they came; LC_NONE: gone */
static uint32_t orders;
static uint32_t *clan;    /* per object: how many of its clan are loaded, kept at the clan's own */
static uint8_t *is_alias; /* per object: ld.so does not know it by the name others need it by */
static uint8_t *is_settled; /* per object: as in hub.h */
static uint64_t asked;      /* XXH64 of the last name ld.so looked for */
static uintptr_t asker;     /* cookie of the object that needs it */

static struct lc_candidates candidates;
static bool is_started, is_grouping;
static struct lc_dlopen call;
static struct lc_scope scope; /* the global one */
static uint32_t calls;        /* with RTLD_GLOBAL so far */
static uint32_t suspects;     /* of 'order', those before this one may have become global unseen */

/* From now on everything is loaded as ever. */
static void stop(const char *why)
{
    if (!stopped)
        stopped = why;
}

static void refuse(const char *why, const char *name)
{
    lc_node_bindings_refused(node, why, name);
}

static void *allocate(size_t size)
{
    void *at =
        lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

    return lc_sys_is_error(at) ? NULL : at;
}

static bool make_room(void)
{
    size_t n = apply.b.head->objects + 1;
    size_t per_object = (n * (sizeof(uint64_t) + sizeof(uint32_t) + 3) + 15) & ~(size_t)15;
    char *at = allocate(per_object + PENDINGS * sizeof(*apply.pending));

    if (!at)
        return false;
    apply.pending = (struct lc_pending *)(at + per_object);
    apply.base = (uint64_t *)at;
    clan = (uint32_t *)(at + n * sizeof(uint64_t));
    scope.is_global = (uint8_t *)(clan + n);
    is_alias = scope.is_global + n;
    is_settled = is_alias + n;
    return true;
}

void lc_replay_begin(const struct lc_node *n, const struct lc_key *key,
                     const struct lc_variable *variables)
{
    const struct lc_section *s = lc_look_section(&n->look, LC_SECTION_BINDINGS);
    enum lc_bind_mode mode;
    uint32_t prune_from;

    if (!s || !lc_bindings_open(&apply.b, n->look.base + s->offset, s->length))
        return;
    if ((mode = lc_bind_mode(variables, key, &prune_from)) == LC_BIND_MODE_OFF)
        return;
    node = n;
    if (LC_ARCH_REFUSAL || mode == LC_BIND_MODE_ODD || !make_room()) {
        refuse(LC_ARCH_REFUSAL ? LC_ARCH_REFUSAL : "the environment changes what ld.so does", "");
        return;
    }
    apply.is_verifying = mode == LC_BIND_MODE_VERIFY;
    program.header = (const void *)(uintptr_t)key->headers;
    program.count = key->header_count;
    lc_prune_begin(prune_from);
    stopped = NULL;
}

void lc_replay_asked(const char *name, uintptr_t cookie)
{
    if (stopped)
        return;
    asker = cookie;
    asked = lc_hash(name, lc_bytes_length(name));
    lc_dlopens_asked(&dlopens, name, asked, is_started);
}

/* Which recorded object is this? */
static uint32_t identify(const struct lc_bound *o, uint32_t entry)
{
    const struct lc_inode *inode = lc_look_inode(&node->look, entry);

    uint32_t found = LC_NONE;

    if (entry == LC_NONE)
        found = lc_bindings_by_build(&apply.b, o->dynamic, o->build);
    else if (inode && inode->data != LC_NO_CONTENT && !lc_node_is_written(node, entry))
        found = lc_bindings_by_content(&apply.b, inode->hash, o->dynamic, o->build);
    if (found == LC_NONE)
        return LC_NONE;
    const struct lc_bind_object *b = &apply.b.object[found];
    return b->seal == lc_bindings_object_seal(b) && b->identity == lc_bindings_identity(b)
               ? found
               : LC_NONE;
}

/* New members, in the order they came, get their plans. */
static void choose_plans(const struct lc_bind_group *g)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < g->count && next < apply.pendings; i++) {
        const struct lc_bind_member *m = &apply.b.member[g->first + i];
        struct lc_pending *p = &apply.pending[next];
        if (p->object != m->object)
            continue;
        p->plan = m->plan < apply.b.head->plans ? &apply.b.plan[m->plan] : NULL;
        next++;
    }
}

/* Everything is bound, and nothing in it will ask for more. */
static void settle(void)
{
    for (uint32_t i = 0; i < apply.pendings; i++) {
        const struct lc_pending *p = &apply.pending[i];
        is_settled[p->object] =
            !is_started || (p->plan && !(apply.b.object[p->object].flags & LC_BIND_LOOKS));
    }
}

/* What ld.so need not read of the group that was just written. */
static void prune(const struct lc_bind_group *g)
{
    struct lc_hub_case c = {g, &call, is_settled};
    uint32_t hidden = 0;

    if (is_started && apply.pendings == 1)
        hidden = lc_hub_lean(&apply, dlopens.notes, &c);
    else if (!is_started || !(call.flags & RTLD_GLOBAL))
        hidden = lc_prune_group(&apply, dlopens.notes, &c, asker);
    if (hidden)
        lc_node_bindings_hidden(node, hidden);
    settle();
}

/* The last object of a group is there: this is the moment. */
static void finish_group(const struct lc_bind_group *g)
{
    const char *root = lc_bindings_name(&apply.b, g->root);
    uint64_t before = apply.written;

    is_grouping = false;
    candidates.count = 0;
    choose_plans(g);
    const char *bad =
        g->seal == lc_bindings_group_seal(&apply.b, g) ? NULL : "a group is not as it was recorded";
    if (!bad)
        bad = lc_apply_validate(&apply);
    if (!bad)
        bad = lc_apply_write(&apply);
    if (bad) {
        refuse(bad, root);
        stop(bad);
        return;
    }
    lc_node_bindings_replayed(node, apply.written - before);
    prune(g);
    if ((!is_started || (call.flags & RTLD_GLOBAL)) && !lc_scope_add_group(&scope, &apply.b, g))
        stop("there are too many objects");
}

/* RTLD_GLOBAL calls that brought nothing new may have made something global. */
static void add_promotions(void)
{
    uint32_t own = (call.flags & RTLD_GLOBAL) ? 1 : 0;

    if (call.globals != calls + own) {
        uint64_t hash = lc_bindings_mix(0, call.globals_hash);
        for (uint32_t i = 0; i < orders; i++)
            if (order[i] != LC_NONE)
                hash = lc_bindings_mix(hash, apply.b.object[order[i]].identity);
        if (!lc_scope_add_calls(&scope, hash))
            stop("there are too many objects");
        suspects = orders;
    }
    calls = call.globals;
}

/* Does ld.so still work on the last group? Only if a resolver called dlopen in the middle of it. */
static bool is_nested(void)
{
    for (uint32_t i = 0; i < apply.pendings; i++)
        if (apply.pending[i].edit.tag[0] && apply.base[apply.pending[i].object])
            return true;
    return false;
}

/* The first object of a group. */
static void begin_group(uint32_t object, const char *name)
{
    is_grouping = true;
    apply.pendings = 0;
    candidates.count = 0;
    if (is_started) {
        call = lc_dlopens_begin(&dlopens);
        if (!call.is_known) {
            refuse("dlopen's flags are not known", name);
            stop("dlopen's flags are not known");
            return;
        }
        add_promotions();
    }
    if (object != LC_NONE && !(call.flags & RTLD_DEEPBIND))
        lc_candidates_find(&candidates, &apply.b, object, is_started ? 0 : LC_BIND_GROUP_START,
                           scope.hash);
    if (candidates.count == 0) {
        refuse(!is_started                    ? "this program was not recorded"
               : (call.flags & RTLD_DEEPBIND) ? "it is opened with RTLD_DEEPBIND"
                                              : "it was not recorded, or among other objects only",
               name);
        if (!is_started || (call.flags & RTLD_GLOBAL))
            stop("an object that was not recorded is in the global scope");
    }
}

/* What was expected has not come, or something else has. */
static void give_up_group(const char *why, const char *name)
{
    is_grouping = false;
    if (candidates.count) {
        refuse(why, name);
        if (!is_started || (call.flags & RTLD_GLOBAL))
            stop(why);
    }
    candidates.count = 0;
}

/* Count the object among those that are loaded. */
static void add_live(uint32_t object, const struct lc_bound *o, uintptr_t cookie)
{
    uint32_t family = apply.b.object[object].same_name;

    if (apply.base[object]) {
        stop("two copies of one library are loaded");
        return;
    }
    if (family && family <= apply.b.head->objects && clan[family - 1]++)
        stop("two libraries of one name are loaded");
    apply.base[object] = o->base + 1;
    is_alias[object] = apply.b.object[object].alias && apply.b.object[object].alias != asked;
    object_of[cookie] = object + 1;
    order[orders++] = object;
}

/* Is it the object that some candidate expects next? */
static void go_on(uint32_t object, const struct lc_bound *o, uintptr_t cookie, const char *name)
{
    bool had = candidates.count > 0;
    const struct lc_present there = {&apply.b, apply.base, is_alias};

    if (object != LC_NONE && candidates.count)
        lc_candidates_filter(&candidates, &there, object);
    else
        candidates.count = 0;
    if (had && !candidates.count) {
        refuse("other objects are loaded than were recorded", name);
        if (!is_started || (call.flags & RTLD_GLOBAL))
            stop("other objects are loaded than were recorded");
    }
    if (object == LC_NONE) {
        stop("an object is loaded that was not recorded");
        return;
    }
    add_live(object, o, cookie);
    const struct lc_bind_group *g = stopped ? NULL : lc_candidates_complete(&candidates, &there);
    if (g)
        finish_group(g);
}

static bool is_vdso(const struct link_map *map)
{
    return map->l_name && lc_bytes_same(map->l_name, "linux-vdso.so.1");
}

void lc_replay_opened(const struct link_map *map, uintptr_t cookie, bool is_program, uint32_t entry)
{
    if (!node || is_vdso(map))
        return;
    if (lc_hub_opened(map)) {
        dlopens.is_new = false;
        return;
    }
    lc_prune_opened(map, dlopens.notes);
    if (stopped) {
        if (dlopens.is_new)
            refuse(stopped, map->l_name);
        dlopens.is_new = false;
        return;
    }
    if (cookie == 0 || orders == LC_OBJECTS_MAX || apply.pendings == PENDINGS) {
        stop("there are too many objects");
        return;
    }
    if (dlopens.is_new && is_nested()) {
        stop("a dlopen began inside of another");
        return;
    }
    struct lc_pending *p = &apply.pending[is_program || dlopens.is_new ? 0 : apply.pendings];
    bool is_readable = lc_bound_read(&p->bound, map, is_program ? &program : NULL);
    uint32_t object = is_readable ? identify(&p->bound, entry) : LC_NONE;
    if (!is_started)
        lc_dlopens_find(&dlopens, map);
    if (is_program || dlopens.is_new)
        begin_group(object, map->l_name);
    p->object = object;
    p->plan = NULL;
    p->edit.tag[0] = NULL;
    p->map = map;
    p->cookie = cookie;
    p->asked = asked;
    p->is_pruned = p->leans = false;
    apply.pendings++;
    if (!stopped)
        go_on(object, &p->bound, cookie, map->l_name);
}

void lc_replay_closed(const struct link_map *map, uintptr_t cookie)
{
    uint32_t object = cookie <= LC_OBJECTS_MAX ? object_of[cookie] : 0;

    lc_prune_closed(map, dlopens.notes);
    lc_hub_closed(map);
    if (!object || stopped)
        return;
    object_of[cookie] = 0;
    bool was_global = scope.is_global[--object];
    if (was_global)
        lc_scope_remove(&scope, object);
    apply.base[object] = 0;
    is_settled[object] = 0;
    uint32_t family = apply.b.object[object].same_name;
    if (family && family <= apply.b.head->objects && clan[family - 1])
        clan[family - 1]--;
    for (uint32_t i = 0; i < orders; i++)
        if (order[i] == object) {
            order[i] = LC_NONE;
            if (!was_global && i < suspects)
                stop("an object was closed that may have been in the global scope");
        }
}

void lc_replay_activity(unsigned flag)
{
    if (!node)
        return;
    if (flag == LA_ACT_ADD && is_started) {
        lc_dlopens_add(&dlopens);
        return;
    }
    if (flag == LA_ACT_ADD)
        return;
    if (is_grouping && !stopped)
        give_up_group("fewer objects are loaded than were recorded", "");
    is_grouping = false;
    lc_dlopens_end(&dlopens);
    if (flag == LA_ACT_CONSISTENT && !is_started) {
        is_started = true;
        if (scope.hash == 0)
            stop("the start was not replayed");
    }
}

void lc_thunk_hook(uint32_t thunk)
{
    uint64_t compared = apply.compared, different = apply.different;

    lc_apply_worked_off(&apply, thunk);
    if (apply.is_verifying)
        lc_node_bindings_compared(node, apply.compared - compared, apply.different - different,
                                  apply.first_different);
}
