/* SPDX-License-Identifier: MIT */
/* serve.c - ld.so's questions answered from the node directory. Freestanding. */
#include "client/audit/serve.h"

#include <asm/errno.h>
#include <asm/stat.h>

#include "client/audit/absent.h"
#include "client/audit/measure.h"
#include "client/audit/order.h"
#include "client/audit/same_file.h"
#include "client/bindings/replay.h"
#include "image/bytes.h"
#include "node/attach.h"
#include "node/bind_mode.h"
#include "node/dlopen_notes.h"
#include "node/file_kind.h"
#include "node/glibc_versions.h"
#include "node/ld_cache.h"
#include "node/mounts.h"
#include "node/preflight.h"
#include "node/search_key.h"
#include "node/symbol.h"
#include "node/syscall.h"

static struct lc_node node;
static struct lc_key now;          /* what holds in this process */
static uint32_t key;               /* the image's key that equals it, or LC_NONE */
static uint32_t program = LC_NONE; /* the entry it was staged from */
static bool has_preload;           /* ours was loaded */
static struct lc_notes *its_notes; /* if it is of this version */
static struct lc_absent absent;
static struct lc_order_memory order_memory;
static bool knows_search; /* what decides where this ld.so searches */
static struct lc_walk walk;
static char found_path[LC_PATH_MAX + LC_NODE_LEN];
static char spelling[LC_PATH_MAX]; /* of found_path, as it was asked for; empty: its own tail */

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

/* An ld.so that was run by itself, with the program as an argument, may have been told where to
 * search. */
static bool is_started_plainly(void)
{
    return !lc_glibc_is_loader(now.executable);
}

bool lc_serve_begin(void)
{
    enum { OFF = LC_MODE_VARIABLES, NODE, AUDIT, PRELOAD, DEBUG, LIST, MEASURE, VARIABLES };
    char dir[LC_NODE_LEN], audit[LC_NODE_LEN], off[8], debug[2], list[2],
        first[LC_MODE_VARIABLES][2];
    char measure[8];
    struct lc_variable v[VARIABLES];

    lc_bind_mode_wants(v, first);
    v[OFF] = (struct lc_variable){LC_NODE_OFF, off, sizeof(off), 0};
    v[NODE] = (struct lc_variable){LC_NODE_VARIABLE, dir, sizeof(dir), 0};
    v[AUDIT] = (struct lc_variable){"LD_AUDIT", audit, sizeof(audit), 0};
    v[PRELOAD] = (struct lc_variable){"LD_PRELOAD", spelling, sizeof(spelling), 0};
    v[DEBUG] = (struct lc_variable){"LD_DEBUG", debug, sizeof(debug), 0};
    v[LIST] = (struct lc_variable){"LD_TRACE_LOADED_OBJECTS", list, sizeof(list), 0};
    v[MEASURE] = (struct lc_variable){LC_PREFLIGHT_VARIABLE, measure, sizeof(measure), 0};
    bool is_read = lc_key_read(&now, v, VARIABLES);
    if ((v[OFF].found == 1 && lc_bytes_same(off, "0")) || v[NODE].found != 1 ||
        !lc_node_attach(&node, dir) || (node.state->flags & LC_STATE_NO_EXEC))
        return false;
    if (lc_measure_begin(v[MEASURE].found == 1 ? measure : ""))
        lc_node_keep_counts(&node);
    /* An environment that does not tell of our auditor is another's (qemu's own): wait and see. */
    if (is_read && v[AUDIT].found == 1 && !is_preloaded(&v[PRELOAD])) {
        lc_node_set_uncovered(&node);
        return false;
    }
    spelling[0] = '\0';
    if (node.state->flags & LC_STATE_ONLY_LIBS) /* else the preload counts */
        lc_node_count(&node, LC_COUNT_PROCESSES);
    find_key(is_read);
    knows_search = is_read && v[AUDIT].found == 1 && v[LIST].found == 0 && is_started_plainly() &&
                   lc_node_is_tested(&node, LC_GLIBC_SEARCH);
    if (is_read && v[AUDIT].found == 1)
        lc_absent_begin(&absent, audit, dir, v[DEBUG].found != 0);
    if (lc_node_is_tested(&node, LC_GLIBC_RELOCATION))
        lc_replay_begin(&node, &now, v);
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
    struct lc_notes *notes = lc_symbol_address(map, LC_NOTES_SYMBOL);
    has_preload |= notes != NULL;
    if (notes && notes->version == LC_NOTES_VERSION && lc_node_is_own(&node, name))
        its_notes = notes;
    if (!its_notes)
        return;
    its_notes->node = &node;
    its_notes->answer = found_path;
    its_notes->asked = spelling;
}

/* An ld.so that lies elsewhere may have another cache file. */
void lc_serve_loader(const struct link_map *map)
{
    static const char *const place[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
    bool is_usual = false;

    if (!lc_glibc_is_loader(map->l_name))
        return;
    for (size_t i = 0; i < sizeof(place) / sizeof(*place); i++) {
        size_t n = lc_bytes_length(place[i]);
        is_usual |= lc_bytes_length(map->l_name) > n && lc_bytes_equal(map->l_name, place[i], n);
    }
    knows_search &= is_usual;
}

void lc_serve_started(const struct link_map *main_program)
{
    if (its_notes)
        lc_absent_started(&absent, main_program);
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

/* The staged copy of a file that is no object, in found_path; NULL if there is none. */
static const char *staged_data(const char *path)
{
    bool is_known;
    uint32_t at;

    if (ask(path, &at) != LC_ANSWER_FOUND || node.look.entry[at].kind != LC_KIND_FILE)
        return NULL;
    const struct lc_inode *inode = lc_look_inode(&node.look, at);
    return inode &&
                   lc_node_staged_path(&node, path, lc_bytes_length(path), found_path,
                                       sizeof(found_path)) &&
                   lc_node_is_staged(&node, found_path, inode, &is_known)
               ? found_path
               : NULL;
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
static char *staged_copy(const char *path)
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
    lc_node_count(&node, LC_COUNT_LOAD);
    return found_path;
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

/* A path relative to the working directory, from the root; NULL if it cannot be told. */
static const char *make_absolute(const char *path, char full[LC_PATH_MAX])
{
    long n = lc_sys_getcwd(full, LC_PATH_MAX); /* with its NUL */
    size_t len = lc_bytes_length(path);

    if (n <= 1 || full[0] != '/' || (size_t)n + len + 1 > LC_PATH_MAX)
        return NULL;
    full[n - 1] = '/';
    lc_bytes_move(full + n, path, len + 1);
    return full;
}

/* The same for a path relative to the working directory: else one library, opened by two spellings,
 * would be two. */
static char *staged_relative(const char *path)
{
    static char full[LC_PATH_MAX];
    char *staged = make_absolute(path, full) ? staged_copy(full) : NULL;

    if (staged)
        keep_spelling(path);
    return staged;
}

/* A place that is passed over: ld.so opens what is nowhere instead, and so learns why there is
 * nothing. For NULL it would take the reason of its last failure, whatever that was, and leave the
 * rest of the search path alone if it was another. */
static char *pass_over(void)
{
    lc_node_count(&node, LC_COUNT_ABSENT);
    return same("/proc/-");
}

/* NULL: ld.so is to find out. */
static char *refuse(const char *name)
{
    char *nowhere = lc_absent_answer(&absent, &node, name);

    if (nowhere)
        lc_node_count(&node, LC_COUNT_ABSENT);
    return nowhere;
}

/* Below NODE/files, where $ORIGIN of a staged object leads, what is not staged is to be found at
 * its original place. */
char *lc_serve_path(const char *path, enum lc_question question)
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
    if (is_absent && question == LC_ASKED_PLACE)
        return pass_over();
    char *nowhere = is_absent && !original && question == LC_ASKED_BASE && absent_for == ENOENT
                        ? refuse(path)
                        : NULL;
    if (nowhere)
        return nowhere;
    lc_node_passed(&node,
                   lc_mounts_is_managed(&node.look, node.state->held, asked)
                       ? LC_COUNT_PASS_SEARCH
                       : LC_COUNT_PASS_OUTSIDE,
                   asked);
    return pass(asked, &is_there);
}

static enum lc_there what_is_there(void *files, const char *path)
{
    uint32_t entry;
    (void)files;
    enum lc_answer answer = path[0] == '/' ? ask(path, &entry) : LC_ANSWER_UNKNOWN;

    if (answer == LC_ANSWER_FOUND)
        return LC_THERE_RECORDED;
    if (answer == LC_ANSWER_ABSENT || lc_sys_access(path, 0 /* F_OK */) != 0)
        return LC_THERE_NOTHING;
    return LC_THERE_NEW;
}

/* The same without a request of a disk that the image is of. */
static enum lc_there what_the_image_says(void *files, const char *path)
{
    static char full[LC_PATH_MAX];
    const char *original = lc_node_original(&node, path);
    const char *asked = path[0] == '/' ? original ? original : path : make_absolute(path, full);
    uint32_t entry;
    enum lc_answer answer = asked ? ask(asked, &entry) : LC_ANSWER_UNKNOWN;

    (void)files;
    if (answer == LC_ANSWER_ABSENT)
        return LC_THERE_NOTHING;
    if (answer == LC_ANSWER_FOUND)
        return path[0] == '/' ? LC_THERE_RECORDED : LC_THERE_UNKNOWN;
    if (!asked || lc_mounts_is_managed(&node.look, node.state->held, asked))
        return LC_THERE_UNKNOWN;
    if (lc_sys_access(path, 0 /* F_OK */) != 0)
        return LC_THERE_NOTHING;
    return path[0] == '/' ? LC_THERE_NEW : LC_THERE_UNKNOWN;
}

static bool is_in_image(void *files, const char *path)
{
    (void)files;
    walk.len = 0;
    return path[0] == '/' &&
           lc_look_walk(&node.look, path, lc_bytes_length(path), 0, &walk).answer !=
               LC_ANSWER_UNKNOWN;
}

static struct lc_order search; /* the one under way */

static void begin_search(const char *name, const struct lc_objects *all,
                         const struct lc_object *loader)
{
    search.all = all;
    search.loader = loader;
    search.library_path = now.library_path;
    search.name = name;
    search.cpu_level = now.cpu_level;
    search.known = is_in_image;
    search.memory = &order_memory;
}

/* What was recorded for it, or "" if nothing was or it no longer holds. */
static const char *recorded_result(void)
{
    uint32_t at = key == LC_NONE
                      ? LC_NONE
                      : lc_look_search(&node.look, key, lc_objects_chain(search.all, search.loader),
                                       search.loader->path, search.name);

    search.result = at == LC_NONE ? "" : lc_look_name(&node.look, node.look.search[at].result);
    search.there = what_is_there;
    return search.result[0] && lc_order_holds(&search) ? search.result : "";
}

/* Read when it is first needed. */
static const struct lc_ld_cache *ld_cache(void)
{
    static struct lc_ld_cache cache;
    static bool is_read;
    const char *copy = is_read ? NULL : staged_data(LC_CACHE_FILE);

    if (!is_read)
        cache = lc_ld_cache_read(copy ? copy : LC_CACHE_FILE);
    is_read = true;
    return &cache;
}

/* Nothing was recorded for it: where does ld.so find it, by what the image says? NULL: ld.so is to
 * search itself. */
static char *find_name(void)
{
    bool is_there = false;

    search.result = NULL;
    search.there = what_the_image_says;
    search.cache = ld_cache();
    search.directory = its_notes ? __atomic_load_n(&its_notes->directory, __ATOMIC_ACQUIRE) : NULL;
    switch (lc_order_find(&search)) {
    case LC_ORDER_NOWHERE:
        return refuse(search.name);
    case LC_ORDER_FOUND:
        break;
    default:
        return NULL;
    }
    char *found = staged_copy(search.path);
    if (!found && !lc_mounts_is_managed(&node.look, node.state->held, search.path) &&
        is_object(search.path))
        found = pass(search.path, &is_there);
    if (found)
        lc_node_count(&node, LC_COUNT_SEARCH);
    return found;
}

char *lc_serve_name(const char *name, const struct lc_objects *all, const struct lc_object *loader)
{
    begin_search(name, all, loader);
    const char *result = recorded_result();
    bool is_there = result[0];
    char *found = is_there ? staged_copy(result) : NULL;

    /* A result that is not staged lies on the node itself, where asking costs nothing. */
    if (result[0] && !found)
        found = pass(result, &is_there);
    if (is_there) {
        lc_node_count(&node, LC_COUNT_SEARCH);
        return found;
    }
    found = knows_search ? find_name() : NULL;
    if (found)
        return found;
    lc_node_passed(&node, LC_COUNT_PASS_SEARCH, name);
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
