/* SPDX-License-Identifier: MIT */
/* audit.c - LD_AUDIT in every rank: ld.so asks, the node directory answers.
 *
 * Freestanding, and in the user's process: see record.c for the rules. It defines neither
 * la_symbind64 nor la_pltenter and returns 0 from la_objopen, so that binding costs nothing more.
 */
#include <link.h>
#include <linux/mman.h>
#include <stdbool.h>

#include "client/audit/dtv.h"
#include "client/audit/quiet.h"
#include "client/audit/refuse.h"
#include "client/audit/same_file.h"
#include "client/audit/serve.h"
#include "client/bindings/replay.h"
#include "client/rtld_audit.h"
#include "image/bytes.h"
#include "node/loaded_objects.h"
#include "node/syscall.h"

static struct lc_objects objects;
static bool is_bare;    /* the question under way is for a name without a slash */
static uintptr_t asker; /* who asks it */
static bool is_idle;
static bool is_uncovered; /* only names below NODE/files are given their originals */

static bool has(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return *text;
}

unsigned la_version(unsigned version)
{
    is_idle = !lc_serve_begin();
    return version; /* never 0: see dtv.h */
}

/* ld.so does not ask once more when it has put the directory of a staged object into the path of
 * dlopen("$ORIGIN/..."). */
static const char *without_origin(const char *name, uintptr_t loader)
{
    const struct lc_object *object =
        has(name, '$') && has(name, '/') ? lc_objects_get(&objects, loader) : NULL;

    return object ? lc_serve_expand(name, object->full ? object->full : object->path) : name;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    if (!is_idle && name)
        lc_quiet_restore(name);
    if (is_idle || !name || !name[0])
        return (char *)(uintptr_t)name;
    lc_same_file_asked();
    const char *path = flag == LA_SER_ORIG ? without_origin(name, lc_objects_asker(cookie)) : name;
    if (is_uncovered || lc_serve_is_hushed())
        return lc_serve_original(path);
    if (flag != LA_SER_ORIG)
        return lc_serve_path(path, true);
    is_bare = !has(name, '/');
    asker = lc_objects_asker(cookie);
    lc_replay_searched(lc_replay_of_process(), name, asker);
    if (!is_bare)
        return path[0] == '$' ? (char *)(uintptr_t)path : lc_serve_path(path, false);
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

/* The working directory may be another when a library that was opened by a relative path asks for
 * "$ORIGIN/...". */
static void keep_full(struct lc_object *object)
{
    const char *full = object && object->path ? lc_serve_full(object->path) : NULL;
    char *kept =
        full ? lc_sys_mmap(LC_PATH_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)
             : NULL;

    if (!full || lc_sys_is_error(kept))
        return;
    lc_bytes_move(kept, full, lc_bytes_length(full) + 1);
    object->full = kept;
}

static void drop_full(struct lc_object *object)
{
    if (object->full)
        lc_sys_munmap(object->full, LC_PATH_MAX);
    object->full = NULL;
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
    lc_refuse_learn(map);
    *cookie =
        lc_objects_add(&objects, map, is_program ? lc_serve_executable() : map->l_name, loader);
    lc_same_file_opened(*cookie);
    newest = map;
    if (is_program)
        objects.program = lc_objects_get(&objects, *cookie);
    else
        keep_full(lc_objects_get(&objects, *cookie));
    if (!lc_serve_is_hushed())
        lc_replay_opened(lc_replay_of_process(), map, *cookie, is_program, entry);
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
    struct lc_object *object = lc_objects_get(&objects, *cookie);
    if (object) {
        lc_replay_closed(lc_replay_of_process(), object->map, *cookie);
        drop_full(object);
    }
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
    if (flag == LA_ACT_CONSISTENT)
        lc_refuse_started();
    lc_replay_activity(lc_replay_of_process(), flag);
}
