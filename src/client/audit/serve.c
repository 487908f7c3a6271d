/* SPDX-License-Identifier: MIT */
/* serve.c - ld.so's questions answered from the node directory. Freestanding. */
#include "client/audit/serve.h"

#include <asm/stat.h>

#include "client/audit/measure.h"
#include "client/audit/order.h"
#include "client/audit/origin.h"
#include "client/audit/quiet.h"
#include "client/audit/refuse.h"
#include "client/audit/same_file.h"
#include "client/bindings/replay.h"
#include "image/bytes.h"
#include "node/attach.h"
#include "node/bind_mode.h"
#include "node/dlopen_notes.h"
#include "node/file_kind.h"
#include "node/mounts.h"
#include "node/preflight.h"
#include "node/search_key.h"
#include "node/symbol.h"
#include "node/syscall.h"

static struct lc_node node;
static struct lc_key now;                 /* what holds in this process */
static uint32_t key;                      /* the image's key that equals it, or LC_NONE */
static uint32_t program = LC_NONE;        /* the entry it was staged from */
static bool has_preload;                  /* ours was loaded */
static struct lc_dlopen_notes *its_notes; /* if it is of this version */
static struct lc_walk walk;
static char found_path[LC_PATH_MAX + LC_NODE_LEN];
static char full_path[LC_PATH_MAX]; /* the relative path last answered from memory, made whole */
static char spelling[LC_PATH_MAX];  /* of found_path, as it was asked for; empty: its own tail */

static bool holds(const struct lc_search_key *k)
{
    const struct lc_look *look = &node.look;

    return k->hwcap == now.hwcap && k->hwcap2 == now.hwcap2 && k->cpu_level == now.cpu_level &&
           k->cache == now.cache && lc_bytes_same(lc_look_name(look, k->platform), now.platform) &&
           lc_bytes_same(lc_look_name(look, k->executable), now.executable) &&
           lc_bytes_same(lc_look_name(look, k->library_path), now.library_path) &&
           lc_bytes_same(lc_look_name(look, k->tunables), now.tunables);
}

/* The hash that the stager took holds as long as the file is that one. A cache that is recorded is
 * 'check''s to compare. */
static uint64_t hash_of_cache(void)
{
    const struct lc_cache *then = &node.state->cache;
    struct stat st;

    if (lc_look_find(&node.look, LC_CACHE_FILE, sizeof(LC_CACHE_FILE) - 1) != LC_NONE)
        return then->hash;
    if (LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, LC_CACHE_FILE, &st, 0) != 0)
        return 0;
    bool same = st.st_ino == then->ino && (uint64_t)st.st_size == then->size &&
                (uint64_t)st.st_mtime * 1000000000u + (uint64_t)st.st_mtime_nsec == then->mtime_ns;
    return same ? then->hash : ~then->hash;
}

static void find_key(bool is_read)
{
    program = lc_serve_entry(now.executable);
    now.cache = hash_of_cache();
    lc_serve_rename(now.executable);
    for (key = 0; is_read && key < node.look.search_keys; key++)
        if (holds(&node.look.search_key[key]))
            return;
    key = LC_NONE;
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

    if ((node.state->flags & LC_STATE_ONLY_LIBS) || v->found < 0)
        return true;
    for (const char *p = v->out; *p; p += n + (p[n] != '\0')) {
        for (n = 0; p[n] && p[n] != ':' && p[n] != ' '; n++)
            ;
        if (ends_like_preload(p, n))
            return true;
    }
    return false;
}

bool lc_serve_begin(void)
{
    enum { OFF = LC_MODE_VARIABLES, NODE, AUDIT, PRELOAD, DEBUG, MEASURE, VARIABLES };
    char dir[LC_NODE_LEN], audit[LC_NODE_LEN], off[8], debug[2], first[LC_MODE_VARIABLES][2];
    char measure[8];
    struct lc_variable v[VARIABLES];

    lc_bind_mode_wants(v, first);
    v[OFF] = (struct lc_variable){LC_NODE_OFF, off, sizeof(off), 0};
    v[NODE] = (struct lc_variable){LC_NODE_VARIABLE, dir, sizeof(dir), 0};
    v[AUDIT] = (struct lc_variable){"LD_AUDIT", audit, sizeof(audit), 0};
    v[PRELOAD] = (struct lc_variable){"LD_PRELOAD", spelling, sizeof(spelling), 0};
    v[DEBUG] = (struct lc_variable){"LD_DEBUG", debug, sizeof(debug), 0};
    v[MEASURE] = (struct lc_variable){LC_PREFLIGHT_VARIABLE, measure, sizeof(measure), 0};
    bool is_read = lc_key_read(&now, v, VARIABLES);
    if ((v[OFF].found == 1 && lc_bytes_same(off, "0")) || v[NODE].found != 1 ||
        !lc_node_attach(&node, dir) || (node.state->flags & LC_STATE_NO_EXEC))
        return false;
    if (lc_measure_begin(v[MEASURE].found == 1 ? measure : ""))
        lc_node_use_private_counts(&node);
    /* An environment that does not tell of our auditor is another's (qemu's own): wait and see. */
    if (is_read && v[AUDIT].found == 1 && !is_preloaded(&v[PRELOAD])) {
        lc_node_set_uncovered(&node);
        return false;
    }
    spelling[0] = '\0';
    if (node.state->flags & LC_STATE_ONLY_LIBS) /* else the preload counts */
        lc_node_count(&node, LC_COUNT_PROCESSES);
    find_key(is_read);
    if (is_read && !(node.state->flags & LC_STATE_NEW_GLIBC))
        lc_quiet_begin(audit, dir, v[DEBUG].found != 0);
    if (is_read && v[AUDIT].found == 1)
        lc_refuse_begin(audit);
    lc_replay_begin(lc_replay_of_process(), &node, &now, v);
    return true;
}

void lc_serve_measure(const struct link_map *map, bool is_program)
{
    bool is_staged = map->l_name && lc_node_original(&node, map->l_name);

    lc_measure_object(map, is_program, is_staged, &now);
}

void lc_serve_hand_over(const struct link_map *map)
{
    const char *name = map->l_name ? map->l_name : "";

    if (!ends_like_preload(name, lc_bytes_length(name)))
        return;
    struct lc_dlopen_notes *notes = lc_symbol_address(map, LC_DLOPEN_NOTES_SYMBOL);
    has_preload |= notes != NULL;
    if (notes && notes->version == LC_DLOPEN_NOTES_VERSION && lc_node_is_own(&node, name))
        its_notes = notes;
    if (!its_notes)
        return;
    its_notes->node = &node;
    its_notes->answer = found_path;
    its_notes->asked = spelling;
}

bool lc_serve_is_hushed(void)
{
    return its_notes && __atomic_load_n(&its_notes->is_hushed, __ATOMIC_RELAXED);
}

bool lc_serve_is_covered(void)
{
    if (has_preload || (node.state->flags & LC_STATE_ONLY_LIBS))
        return true;
    lc_node_set_uncovered(&node);
    return false;
}

char *lc_serve_original(const char *name)
{
    const char *original = lc_node_original(&node, name);

    return (char *)(uintptr_t)(original ? original : name);
}

uint32_t lc_serve_entry(const char *name)
{
    const char *original = name ? lc_node_original(&node, name) : NULL;

    if (!name)
        return program;
    /* Not from node memory, but if the image holds the file, it is known by its content there. */
    const char *path = original ? original : name;
    walk.len = 0;
    struct lc_found found = lc_look_walk(&node.look, path, lc_bytes_length(path), 0, &walk);
    const struct lc_inode *inode =
        found.answer == LC_ANSWER_FOUND ? lc_look_inode(&node.look, found.entry) : NULL;
    return inode && inode->data != LC_NO_CONTENT ? found.entry : LC_NONE;
}

const char *lc_serve_executable(void)
{
    return now.executable;
}

static int absent_for; /* why nothing is where ask() last said so */

/* What the image says of a path, unless something was written that might matter. */
static enum lc_answer ask(const char *path, uint32_t *entry)
{
    size_t len = lc_bytes_length(path);

    walk.len = 0;
    struct lc_found found = lc_look_walk(&node.look, path, len, 0, &walk);
    *entry = found.entry;
    absent_for = found.error;
    const char *clean = walk.len ? walk.path : path;
    if (lc_node_is_off(&node) ||
        (found.answer == LC_ANSWER_FOUND && (lc_node_is_written(&node, found.entry) ||
                                             !lc_node_confirm(&node, path, false, found.entry))) ||
        (found.answer == LC_ANSWER_ABSENT &&
         !lc_node_is_still_absent(&node, clean, walk.len ? walk.len : len)))
        return LC_ANSWER_UNKNOWN;
    return found.answer;
}

static void keep_spelling(const char *path)
{
    size_t n = lc_bytes_length(path);

    if (n >= sizeof(spelling))
        n = 0;
    lc_bytes_move(spelling, path, n);
    spelling[n] = '\0';
}

/* What ld.so would refuse, it shall refuse under its own name. */
static bool is_object(const char *path)
{
    struct lc_script script;

    return lc_program_is_object(lc_program_kind(path, &script));
}

/* Does NODE/files + path lead to this file, and can ld.so load it? Then it is in found_path. */
static bool find_copy(const char *path, const struct lc_inode *inode)
{
    bool is_known;

    return lc_node_staged_path(&node, path, lc_bytes_length(path), found_path,
                               sizeof(found_path)) &&
           lc_node_is_staged(&node, found_path, inode, &is_known) &&
           (is_known || is_object(found_path));
}

/* Is the directory of a path, links followed, the one that this entry stands in? */
static bool is_in_its_directory(const char *path, uint32_t entry)
{
    size_t len = lc_bytes_length(path);

    while (len > 1 && path[len - 1] != '/')
        len--;
    walk.len = 0;
    struct lc_found found = lc_look_walk(&node.look, path, len, 0, &walk);
    return found.answer == LC_ANSWER_FOUND && found.entry == node.look.entry[entry].parent;
}

/* The staged copy of a path, in found_path; NULL if there is none. ld.so makes $ORIGIN of what it
 * is given: the path as it was asked for, through the links of the staged tree. Where that leads
 * nowhere there, the file's own path is as good if it names the same directory. */
static char *find_staged(const char *path)
{
    uint32_t at;

    if (ask(path, &at) != LC_ANSWER_FOUND || node.look.entry[at].kind != LC_KIND_FILE)
        return NULL;
    const struct lc_inode *inode = lc_look_inode(&node.look, at);
    const char *own = lc_look_name(&node.look, node.look.entry[at].path);
    if (!inode || !lc_same_file_may_stage(&node, at))
        return NULL;
    if ((!find_copy(path, inode) &&
         (lc_bytes_same(own, path) || !is_in_its_directory(path, at) || !find_copy(own, inode))))
        return NULL;
    keep_spelling(path);
    return found_path;
}

static char *staged_copy(const char *path)
{
    char *found = find_staged(path);

    if (found)
        lc_node_count(&node, LC_COUNT_LOAD);
    return found;
}

static char *same(const char *name)
{
    return (char *)(uintptr_t)name;
}

/* A path that is left to the file system; but if its file is loaded from node memory, by whatever
 * path, then that one again. */
static char *pass(const char *path, bool *is_there)
{
    uint32_t entry = lc_same_file_pass(&node, path, is_there);
    const char *own =
        entry == LC_NONE ? NULL : lc_look_name(&node.look, node.look.entry[entry].path);

    return own && lc_node_staged_path(&node, own, lc_bytes_length(own), found_path,
                                      sizeof(found_path))
               ? found_path
               : same(path);
}

/* The same for a path relative to the working directory: else one library, opened by two spellings,
 * would be two. */
static char *staged_relative(const char *path)
{
    long n = lc_sys_getcwd(full_path, sizeof(full_path)); /* with its NUL */
    size_t len = lc_bytes_length(path);
    char *staged = NULL;

    if (n > 1 && full_path[0] == '/' && (size_t)n + len + 1 <= sizeof(full_path)) {
        full_path[n - 1] = '/';
        lc_bytes_move(full_path + n, path, len + 1);
        staged = staged_copy(full_path);
    }
    if (staged)
        keep_spelling(path);
    else
        full_path[0] = '\0';
    return staged;
}

const char *lc_serve_full(const char *path)
{
    size_t n = lc_bytes_length(path), len = lc_bytes_length(full_path);

    return path[0] != '/' && n > 0 && n < len && lc_bytes_same(full_path + len - n, path)
               ? full_path
               : NULL;
}

/* A place that is passed over: ld.so opens what is nowhere instead, and so learns why there is
 * nothing. For NULL it would take the reason of its last failure, whatever that was, and leave the
 * rest of the search path alone if it was another. */
static char *pass_over(const char *path)
{
    static char dir[LC_PATH_MAX];
    size_t len = lc_bytes_length(path);
    uint32_t entry;

    lc_node_count(&node, LC_COUNT_ABSENT);
    while (len > 0 && path[len - 1] != '/')
        len--;
    if (len > 1 && len <= sizeof(dir)) {
        lc_bytes_move(dir, path, len - 1);
        dir[len - 1] = '\0';
        enum lc_answer answer = ask(dir, &entry);
        bool exists = answer == LC_ANSWER_FOUND && node.look.entry[entry].kind == LC_KIND_DIRECTORY;
        if (exists || answer == LC_ANSWER_ABSENT)
            lc_quiet_answer(path, exists);
    }
    return same("/proc/-");
}

/* Below NODE/files, where $ORIGIN of a staged object leads, what is not staged is to be found at
 * its original place. */
char *lc_serve_path(const char *path, bool is_candidate)
{
    const char *original = lc_node_original(&node, path);
    const char *asked = original ? original : path;
    uint32_t entry;
    bool is_there;

    if (lc_node_is_own(&node, path)) /* our own objects are what they are */
        return same(path);
    char *staged = asked[0] == '/' ? staged_copy(asked) : staged_relative(asked);
    if (staged)
        return staged;
    if (asked[0] != '/')
        return pass(path, &is_there);
    bool is_absent = ask(asked, &entry) == LC_ANSWER_ABSENT;
    if (is_absent && is_candidate)
        return pass_over(path);
    if (is_absent && !original && lc_refuse_can(path, absent_for)) {
        lc_node_count(&node, LC_COUNT_ABSENT);
        lc_refuse(path, absent_for);
    }
    lc_node_count_passed(&node,
                         lc_mounts_is_managed(&node.look, node.state->held, asked)
                             ? LC_COUNT_PASS_SEARCH
                             : LC_COUNT_PASS_OUTSIDE,
                         asked);
    return pass(asked, &is_there);
}

static enum lc_there what_is_there(const char *path)
{
    uint32_t entry;
    enum lc_answer answer = path[0] == '/' ? ask(path, &entry) : LC_ANSWER_UNKNOWN;

    if (answer == LC_ANSWER_FOUND)
        return LC_THERE_RECORDED;
    if (answer == LC_ANSWER_ABSENT || lc_sys_access(path, 0 /* F_OK */) != 0)
        return LC_THERE_NOTHING;
    return LC_THERE_NEW;
}

/* Would ld.so, by the staged directory of the caller, come to a copy that is loaded? */
static bool leads_to_loaded(const char *path)
{
    return find_staged(path) && lc_bytes_same(lc_serve_original(found_path), path) &&
           lc_same_file_is_loaded(&node);
}

const char *lc_serve_expand(const char *name, const char *owner)
{
    static char path[LC_PATH_MAX];

    if (!lc_origin_expand(path, sizeof(path), name, lc_bytes_length(name), owner))
        return name;
    if (lc_serve_is_hushed())
        return path;
    return what_is_there(path) == LC_THERE_NOTHING || leads_to_loaded(path) ? name : path;
}

static bool is_in_image(const char *path)
{
    walk.len = 0;
    return path[0] == '/' &&
           lc_look_walk(&node.look, path, lc_bytes_length(path), 0, &walk).answer !=
               LC_ANSWER_UNKNOWN;
}

/* What was recorded for a search, or "" if nothing was or it no longer holds. */
static const char *recorded_result(const char *name, const struct lc_objects *all,
                                   const struct lc_object *loader)
{
    uint32_t at = key == LC_NONE ? LC_NONE
                                 : lc_look_search(&node.look, key, lc_objects_chain(all, loader),
                                                  loader->path, name);
    const char *result = at == LC_NONE ? "" : lc_look_name(&node.look, node.look.search[at].result);
    struct lc_order order = {all,    loader,        now.library_path, name,
                             result, what_is_there, is_in_image,      now.cpu_level};

    return result[0] && lc_order_holds(&order) ? result : "";
}

char *lc_serve_name(const char *name, const struct lc_objects *all, const struct lc_object *loader)
{
    const char *result = recorded_result(name, all, loader);
    bool is_there = result[0];
    char *found = is_there ? find_staged(result) : NULL;

    /* ld.so gives a name that it has searched for itself to the object it finds loaded, and takes
     * that one from then on, whoever asks. Of a path it would keep the path. */
    if (is_there && (found ? lc_same_file_is_loaded(&node) : lc_objects_have(all, result)))
        return same(name);
    if (found)
        lc_node_count(&node, LC_COUNT_LOAD);
    /* A result that is not staged lies on the node itself, where asking costs nothing. */
    if (result[0] && !found)
        found = pass(result, &is_there);
    if (is_there) {
        lc_node_count(&node, LC_COUNT_SEARCH);
        return found;
    }
    lc_node_count_passed(&node, LC_COUNT_PASS_SEARCH, name);
    return same(name);
}

void lc_serve_rename(char *name)
{
    const char *original = lc_node_original(&node, name);
    size_t room = lc_bytes_length(name);

    if (!original || !original[1])
        return;
    if (spelling[0] && lc_bytes_same(name, found_path) && lc_bytes_length(spelling) <= room)
        original = spelling;
    lc_bytes_move(name, original, lc_bytes_length(original) + 1);
}
