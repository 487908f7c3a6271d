/* SPDX-License-Identifier: MIT */
/* audit.c - LD_AUDIT in every rank: ld.so asks, the node directory answers.
 *
 * Freestanding, and in the user's process: see record.c for the rules. It defines neither
 * la_symbind64 nor la_pltenter and returns 0 from la_objopen, so that binding costs nothing more.
 */
#include <link.h>
#include <stdbool.h>

#include "client/audit/dtv.h"
#include "client/audit/same_file.h"
#include "client/audit/serve.h"
#include "client/bindings/replay.h"
#include "client/rtld_audit.h"
#include "node/loaded_objects.h"

static struct lc_objects objects;
static bool is_bare;    /* the question under way is for a name without a slash */
static uintptr_t asker; /* who asks it */
static bool is_idle;
static bool is_uncovered; /* only names below NODE/files are given their originals */

static bool has_slash(const char *s)
{
    while (*s && *s != '/')
        s++;
    return *s;
}

unsigned la_version(unsigned version)
{
    is_idle = !lc_serve_begin();
    return version; /* never 0: see dtv.h */
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    if (is_idle || !name || !name[0])
        return (char *)(uintptr_t)name;
    lc_same_file_asked();
    if (is_uncovered || lc_serve_is_hushed())
        return lc_serve_original(name);
    if (flag != LA_SER_ORIG)
        return lc_serve_path(name, LC_ASKED_PLACE);
    is_bare = !has_slash(name);
    asker = lc_asker(cookie);
    lc_replay_asked(name, asker);
    if (!is_bare)
        return lc_serve_path(name, asker ? LC_ASKED_BASE : LC_ASKED_OTHER);
    const struct lc_object *loader = lc_objects_get(&objects, asker);
    if (!loader)
        return (char *)(uintptr_t)name;
    return lc_serve_name(name, &objects, loader);
}

/* The first object of a dlopen: ld.so shows it to debuggers before it calls la_objopen. One that
 * knew it by another name would take it for unloaded then, and leave breakpoints in it. */
static struct {
    const struct link_map *map;
    uint32_t entry;
} first = {NULL, LC_NONE};

static const struct link_map *newest; /* or one before it */

static void rename_first(void)
{
    const struct link_map *map = newest;

    while (map && map->l_next)
        map = map->l_next;
    first.map = NULL;
    first.entry = map && map->l_name ? lc_serve_entry(map->l_name) : LC_NONE;
    if (first.entry == LC_NONE)
        return;
    first.map = map;
    lc_serve_rename(map->l_name);
}

static uint32_t entry_of(const struct link_map *map, bool is_program)
{
    if (is_uncovered || lc_serve_is_hushed())
        return LC_NONE;
    if (map != first.map)
        return lc_serve_entry(is_program ? NULL : map->l_name);
    first.map = NULL;
    return first.entry;
}

/* As the recorder counts them, or chains would differ. */
unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    bool is_program = !objects.program && map->l_name && !map->l_name[0];
    uintptr_t loader = is_bare ? asker : 0;

    is_bare = false;
    *cookie = 0;
    lc_dtv_opened(map, lmid);
    if (is_idle)
        return 0;
    uint32_t entry = entry_of(map, is_program);
    lc_serve_measure(map, is_program);
    if (map->l_name)
        lc_serve_rename(map->l_name);
    if (lmid != LM_ID_BASE)
        return 0;
    lc_serve_hand_over(map);
    lc_serve_loader(map);
    *cookie =
        lc_objects_add(&objects, map, is_program ? lc_serve_executable() : map->l_name, loader);
    lc_same_file_opened(*cookie);
    newest = map;
    if (is_program)
        objects.program = lc_objects_get(&objects, *cookie);
    if (!lc_serve_is_hushed())
        lc_replay_opened(map, *cookie, is_program, entry);
    return 0;
}

/* Our preload is not among what was loaded: what this process writes goes unseen, so that it must
 * not be given what may be old. */
void la_preinit(uintptr_t *cookie)
{
    (void)cookie;
    is_uncovered = !is_idle && !lc_serve_is_covered();
}

unsigned la_objclose(uintptr_t *cookie)
{
    if (is_idle)
        return 0;
    const struct lc_object *object = lc_objects_get(&objects, *cookie);
    if (object)
        lc_replay_closed(object->map, *cookie);
    lc_same_file_closed(*cookie);
    lc_objects_remove(&objects, *cookie);
    newest = objects.program ? objects.program->map : NULL;
    return 0;
}

void la_activity(uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    if (flag == LA_ACT_CONSISTENT)
        lc_dtv_consistent();
    if (is_idle)
        return;
    if (flag == LA_ACT_ADD)
        rename_first();
    if (flag == LA_ACT_CONSISTENT && objects.program)
        lc_serve_started(objects.program->map);
    lc_replay_activity(flag);
}
