/* SPDX-License-Identifier: MIT */
/* serve.c - the auditor's start, and names of objects: originals and staged copies. Freestanding.
 */
#include "client/audit/serve.h"

#include <asm/stat.h>

#include "client/audit/measure.h"
#include "client/bindings/replay.h"
#include "image/bytes.h"
#include "node/bind_mode.h"
#include "node/dlopen_notes.h"
#include "node/glibc_versions.h"
#include "node/preflight.h"
#include "node/starts.h"
#include "node/symbol.h"
#include "node/syscall.h"

static bool holds_but_for_machine(struct lc_auditor *a, const struct lc_search_key *k)
{
    const struct lc_look *look = &a->node.look;

    return k->hwcap == a->now.hwcap && k->hwcap2 == a->now.hwcap2 &&
           lc_bytes_same(lc_look_name(look, k->platform), a->now.platform) &&
           lc_bytes_same(lc_look_name(look, k->executable), a->now.executable) &&
           lc_bytes_same(lc_look_name(look, k->library_path), a->now.library_path) &&
           lc_bytes_same(lc_look_name(look, k->tunables), a->now.tunables);
}

/* The hash that the stager took holds as long as the file is that one. A cache that is recorded is
 * 'check''s to compare. */
static uint64_t hash_of_cache(struct lc_auditor *a)
{
    const struct lc_cache *then = &a->node.state->cache;
    struct stat st;

    if (lc_look_find(&a->node.look, LC_CACHE_FILE, sizeof(LC_CACHE_FILE) - 1) != LC_NONE)
        return then->hash;
    if (LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, LC_CACHE_FILE, &st, 0) != 0)
        return 0;
    bool same = st.st_ino == then->ino && (uint64_t)st.st_size == then->size &&
                (uint64_t)st.st_mtime * 1000000000u + (uint64_t)st.st_mtime_nsec == then->mtime_ns;
    return same ? then->hash : ~then->hash;
}

/* What takes long to find out is asked last, and only if the rest is equal. */
static uint32_t find_key(struct lc_auditor *a)
{
    bool is_machine_known = false;

    for (uint32_t i = 0; a->is_key_read && i < a->node.look.search_keys; i++) {
        const struct lc_search_key *k = &a->node.look.search_key[i];
        if (!holds_but_for_machine(a, k))
            continue;
        if (!is_machine_known) {
            a->now.cache = hash_of_cache(a);
            a->now.cpu_level = lc_key_cpu_level();
        }
        is_machine_known = true;
        if (k->cache == a->now.cache && k->cpu_level == a->now.cpu_level)
            return i;
    }
    return LC_NONE;
}

uint32_t lc_serve_search_key(struct lc_auditor *a)
{
    if (!a->has_search_key)
        a->search_key = find_key(a);
    a->has_search_key = true;
    return a->search_key;
}

static bool ends_like_preload(const char *name, size_t len)
{
    static const char tail[] = "/preload.so";
    size_t n = sizeof(tail) - 1;

    return len > n && lc_bytes_equal(name + len - n, tail, n);
}

/* Does LD_PRELOAD name our preload, as far as can be told? If it does not, what this process writes
 * goes unseen. */
static bool is_preloaded(const struct lc_variable *v)
{
    size_t n;

    if (v->found < 0)
        return true;
    for (const char *p = v->out; *p; p += n + (p[n] != '\0')) {
        for (n = 0; p[n] && p[n] != ':' && p[n] != ' '; n++)
            ;
        if (ends_like_preload(p, n))
            return true;
    }
    return false;
}

/* An ld.so that was run by itself, with the program as an argument, may have been told where to
 * search. */
static bool is_started_plainly(struct lc_auditor *a)
{
    return !lc_glibc_is_loader(a->now.executable);
}

/* Is anything answered, with or without our preload? 'is_off': the user has switched it off, so
 * that what this process writes goes unseen as well. */
static bool cover_decide(struct lc_auditor *a, bool is_covered, bool is_off)
{
    a->is_alone = is_off || (a->node.state->flags & LC_STATE_ONLY_LIBS);
    if (is_off || (!is_covered && !a->is_alone))
        lc_node_set_uncovered(&a->node);
    return is_covered || a->is_alone;
}

bool lc_serve_begin(struct lc_auditor *a)
{
    enum { OFF = LC_MODE_VARIABLES, NODE, AUDIT, PRELOAD, DEBUG, LIST, MEASURE, ALONE, VARIABLES };
    char dir[LC_NODE_LEN], audit[LC_NODE_LEN], off[8], debug[2], list[2],
        first[LC_MODE_VARIABLES][2];
    char measure[8], alone[2];
    struct lc_variable v[VARIABLES];

    a->program_entry = a->first.entry = LC_NONE;
    a->objects.count =
        0; /* a page that is written first takes one fault, one that is read first two */
    lc_same_file_asked(&a->same_file);
    lc_bind_mode_wants(v, first);
    v[OFF] = (struct lc_variable){LC_NODE_OFF, off, sizeof(off), 0};
    v[NODE] = (struct lc_variable){LC_NODE_VARIABLE, dir, sizeof(dir), 0};
    v[AUDIT] = (struct lc_variable){"LD_AUDIT", audit, sizeof(audit), 0};
    v[PRELOAD] = (struct lc_variable){"LD_PRELOAD", a->spelling, sizeof(a->spelling), 0};
    v[DEBUG] = (struct lc_variable){"LD_DEBUG", debug, sizeof(debug), 0};
    v[LIST] = (struct lc_variable){"LD_TRACE_LOADED_OBJECTS", list, sizeof(list), 0};
    v[MEASURE] = (struct lc_variable){LC_PREFLIGHT_VARIABLE, measure, sizeof(measure), 0};
    v[ALONE] = (struct lc_variable){LC_PRELOAD_VARIABLE, alone, sizeof(alone), 0};
    bool is_read = a->is_key_read = lc_key_read(&a->now, v, VARIABLES);
    if ((v[OFF].found == 1 && lc_bytes_same(off, "0")) || v[NODE].found != 1 ||
        !lc_node_attach(&a->node, dir) || (a->node.state->flags & LC_STATE_NO_EXEC))
        return false;
    if (lc_measure_begin(&a->measure, v[MEASURE].found == 1 ? measure : ""))
        lc_node_use_private_counts(&a->node);
    /* An environment that does not tell of our auditor is another's (qemu's own): wait and see. */
    bool is_covered = !is_read || v[AUDIT].found != 1 || is_preloaded(&v[PRELOAD]);
    if (!cover_decide(a, is_covered, v[ALONE].found == 1 && alone[0] == '0'))
        return false;
    a->spelling[0] = '\0';
    lc_start_begin(&a->node);
    lc_part_enter(&a->node, LC_PART_AUDIT); /* until la_version() returns */
    if (a->is_alone)                        /* else the preload counts */
        lc_node_count(&a->node, LC_COUNT_PROCESSES);
    a->program_entry = lc_serve_entry(a, a->now.executable);
    lc_serve_rename(a, a->now.executable);
    /* The user's tunables may change which of a library's variants ld.so takes. */
    a->knows_search = is_read && v[AUDIT].found == 1 && v[LIST].found == 0 && !a->now.tunables[0] &&
                      is_started_plainly(a) && lc_node_is_tested(&a->node, LC_GLIBC_SEARCH);
    if (is_read && v[AUDIT].found == 1)
        lc_absent_begin(&a->absent, audit, dir, v[DEBUG].found != 0);
    if (lc_node_is_tested(&a->node, LC_GLIBC_RELOCATION)) {
        uint32_t part = lc_part_enter(&a->node, LC_PART_BINDINGS);
        lc_replay_begin(lc_replay_of_process(), &a->node, &a->now, v);
        lc_part_leave(&a->node, part);
    }
    return true;
}

void lc_serve_measure(struct lc_auditor *a, const struct link_map *map, bool is_program)
{
    bool is_staged = map->l_name && lc_node_original(&a->node, map->l_name);

    lc_measure_object(&a->measure, map, is_program, is_staged, &a->now);
}

void lc_serve_hand_over(struct lc_auditor *a, const struct link_map *map)
{
    const char *name = map->l_name ? map->l_name : "";

    if (!ends_like_preload(name, lc_bytes_length(name)))
        return;
    struct lc_dlopen_notes *notes = lc_symbol_address(map, LC_DLOPEN_NOTES_SYMBOL);
    a->has_preload |= notes != NULL;
    if (notes && notes->version == LC_DLOPEN_NOTES_VERSION && lc_node_is_own(&a->node, name))
        a->notes = notes;
    if (!a->notes)
        return;
    a->notes->node = &a->node;
    a->notes->answer = a->found_path;
    a->notes->asked = a->spelling;
}

/* An ld.so that lies elsewhere may have another cache file. */
void lc_serve_loader(struct lc_auditor *a, const struct link_map *map)
{
    static const char *const place[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
    bool is_usual = false;

    if (!lc_glibc_is_loader(map->l_name))
        return;
    for (size_t i = 0; i < sizeof(place) / sizeof(*place); i++) {
        size_t n = lc_bytes_length(place[i]);
        is_usual |= lc_bytes_length(map->l_name) > n && lc_bytes_equal(map->l_name, place[i], n);
    }
    a->knows_search &= is_usual;
}

void lc_serve_started(struct lc_auditor *a, const struct link_map *program_map)
{
    if (a->notes)
        lc_absent_started(&a->absent, program_map);
}

bool lc_serve_is_hushed(struct lc_auditor *a)
{
    return a->notes && __atomic_load_n(&a->notes->is_hushed, __ATOMIC_RELAXED);
}

bool lc_serve_is_covered(struct lc_auditor *a)
{
    if (a->has_preload || a->is_alone)
        return true;
    lc_node_set_uncovered(&a->node);
    return false;
}

char *lc_serve_original(struct lc_auditor *a, const char *name)
{
    const char *original = lc_node_original(&a->node, name);

    return (char *)(uintptr_t)(original ? original : name);
}

uint32_t lc_serve_entry(struct lc_auditor *a, const char *name)
{
    const char *original = name ? lc_node_original(&a->node, name) : NULL;

    if (!name)
        return a->program_entry;
    /* Not from node memory, but if the image holds the file, it is known by its content there. */
    const char *path = original ? original : name;
    a->walk.len = 0;
    struct lc_found found = lc_look_walk(&a->node.look, path, lc_bytes_length(path), 0, &a->walk);
    const struct lc_inode *inode =
        found.answer == LC_ANSWER_FOUND ? lc_look_inode(&a->node.look, found.entry) : NULL;
    return inode && inode->data != LC_NO_CONTENT ? found.entry : LC_NONE;
}

const char *lc_serve_executable(struct lc_auditor *a)
{
    return a->now.executable;
}

void lc_serve_rename(struct lc_auditor *a, char *name)
{
    const char *original = lc_node_original(&a->node, name);
    size_t room = lc_bytes_length(name);

    if (!original || !original[1])
        return;
    if (a->spelling[0] && lc_bytes_same(name, a->found_path) &&
        lc_bytes_length(a->spelling) <= room)
        original = a->spelling;
    lc_bytes_move(name, original, lc_bytes_length(original) + 1);
}
