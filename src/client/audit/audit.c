/* SPDX-License-Identifier: MIT */
/* audit.c - LD_AUDIT in every rank: ld.so asks, the node directory answers.
 *
 * Freestanding, and in the user's process: see record.c for the rules. It defines neither
 * la_symbind64 nor la_pltenter and returns 0 from la_objopen, so that binding costs nothing more.
 */
#include <link.h>
#include <linux/mman.h>
#include <stdbool.h>

#include "client/audit/serve.h"
#include "client/bindings/replay.h"
#include "client/rtld_audit.h"
#include "image/bytes.h"
#include "node/starts.h"
#include "node/syscall.h"

static struct lc_auditor self __attribute__((aligned(4096))); /* its first page has the most used */

static bool has(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return *text;
}

unsigned la_version(unsigned version)
{
    self.is_idle = !lc_serve_begin(&self);
    lc_part_leave(&self.node, LC_PART_NONE);
    return version; /* never 0: see dtv.h */
}

/* ld.so does not ask once more when it has put the directory of a staged object into the path of
 * dlopen("$ORIGIN/..."). */
static const char *without_origin(const char *name, uintptr_t loader)
{
    const struct lc_object *object =
        has(name, '$') && has(name, '/') ? lc_objects_get(&self.objects, loader) : NULL;

    return object ? lc_serve_expand(&self, name, object->full ? object->full : object->path) : name;
}

static char *object_search(const char *name, uintptr_t *cookie, unsigned flag)
{
    lc_same_file_asked(&self.same_file);
    self.has_full = false;
    const char *path = flag == LA_SER_ORIG ? without_origin(name, lc_objects_asker(cookie)) : name;
    if (self.is_uncovered || lc_serve_is_hushed(&self))
        return lc_serve_original(&self, path);
    if (flag != LA_SER_ORIG)
        return lc_serve_path(&self, path, LC_ASKED_PLACE);
    self.is_bare = !has(name, '/');
    self.asker = lc_objects_asker(cookie);
    uint32_t part = lc_part_enter(&self.node, LC_PART_BINDINGS);
    lc_replay_searched(lc_replay_of_process(), name, self.asker);
    lc_part_leave(&self.node, part);
    if (!self.is_bare)
        return path[0] == '$'
                   ? (char *)(uintptr_t)path
                   : lc_serve_path(&self, path, self.asker ? LC_ASKED_BASE : LC_ASKED_OTHER);
    const struct lc_object *loader = lc_objects_get(&self.objects, self.asker);
    if (!loader)
        return (char *)(uintptr_t)name;
    return lc_serve_name(&self, name, loader);
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    if (self.is_idle || !name || !name[0])
        return (char *)(uintptr_t)name;
    uint32_t part = lc_part_enter(&self.node, LC_PART_AUDIT);
    char *found = object_search(name, cookie, flag);
    lc_part_leave(&self.node, part);
    return found;
}

/* The first object of a dlopen: ld.so shows it to debuggers before it calls la_objopen. One that
 * knew it by another name would take it for unloaded then, and leave breakpoints in it. */
static void rename_first(void)
{
    const struct link_map *map = self.newest;

    while (map && map->l_next)
        map = map->l_next;
    self.first.map = NULL;
    self.first.entry = map && map->l_name ? lc_serve_entry(&self, map->l_name) : LC_NONE;
    if (self.first.entry == LC_NONE)
        return;
    self.first.map = map;
    lc_serve_rename(&self, map->l_name);
}

static uint32_t entry_of(const struct link_map *map, bool is_program)
{
    if (self.is_uncovered || lc_serve_is_hushed(&self))
        return LC_NONE;
    if (map != self.first.map)
        return lc_serve_entry(&self, is_program ? NULL : map->l_name);
    self.first.map = NULL;
    return self.first.entry;
}

/* The working directory may be another when a library that was opened by a relative path asks for
 * "$ORIGIN/...". */
static void keep_full(struct lc_object *object)
{
    const char *full = object && object->path ? lc_serve_full(&self, object->path) : NULL;
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

static void replay_opened(const struct link_map *map, uintptr_t cookie, bool is_program,
                          uint32_t entry)
{
    uint32_t part = lc_part_enter(&self.node, LC_PART_BINDINGS);

    lc_replay_opened(lc_replay_of_process(), map, cookie, is_program, entry);
    lc_part_leave(&self.node, part);
}

/* As the recorder counts them, or chains would differ. */
static void object_opened(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    bool is_program = !self.objects.program && map->l_name && !map->l_name[0];
    uintptr_t loader = self.is_bare ? self.asker : 0;

    self.is_bare = false;
    uint32_t entry = entry_of(map, is_program);
    lc_serve_measure(&self, map, is_program);
    if (map->l_name)
        lc_serve_rename(&self, map->l_name);
    if (lmid != LM_ID_BASE)
        return;
    lc_serve_hand_over(&self, map);
    lc_serve_loader(&self, map);
    *cookie = lc_objects_add(&self.objects, map,
                             is_program ? lc_serve_executable(&self) : map->l_name, loader);
    lc_same_file_opened(&self.same_file, *cookie);
    self.newest = map;
    if (is_program)
        self.objects.program = lc_objects_get(&self.objects, *cookie);
    else
        keep_full(lc_objects_get(&self.objects, *cookie));
    if (!lc_serve_is_hushed(&self))
        replay_opened(map, *cookie, is_program, entry);
}

unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    *cookie = 0;
    lc_dtv_opened(&self.dtv, map, lmid);
    if (self.is_idle)
        return 0;
    uint32_t part = lc_part_enter(&self.node, LC_PART_AUDIT);
    object_opened(map, lmid, cookie);
    lc_part_leave(&self.node, part);
    return 0;
}

/* Our preload is not among what was loaded: what this process writes goes unseen, so that it must
 * not be given what may be old. */
void la_preinit(uintptr_t *cookie)
{
    (void)cookie;
    self.is_uncovered = !self.is_idle && !lc_serve_is_covered(&self);
}

unsigned la_objclose(uintptr_t *cookie)
{
    if (self.is_idle)
        return 0;
    uint32_t part = lc_part_enter(&self.node, LC_PART_BINDINGS);
    struct lc_object *object = lc_objects_get(&self.objects, *cookie);
    if (object) {
        lc_replay_closed(lc_replay_of_process(), object->map, *cookie);
        drop_full(object);
    }
    lc_same_file_closed(&self.same_file, *cookie);
    lc_objects_remove(&self.objects, *cookie);
    self.newest = self.objects.program ? self.objects.program->map : NULL;
    lc_part_leave(&self.node, part);
    return 0;
}

void la_activity(uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    if (flag == LA_ACT_CONSISTENT)
        lc_dtv_consistent(&self.dtv);
    if (self.is_idle)
        return;
    lc_start_note_load(&self.node);
    uint32_t part = lc_part_enter(&self.node, LC_PART_AUDIT);
    if (flag == LA_ACT_ADD)
        rename_first();
    if (flag == LA_ACT_CONSISTENT && self.objects.program)
        lc_serve_started(&self, self.objects.program->map);
    lc_part_enter(&self.node, LC_PART_BINDINGS);
    lc_replay_activity(lc_replay_of_process(), flag);
    lc_part_leave(&self.node, part);
}
