/* SPDX-License-Identifier: MIT */
/* serve_name.c - where ld.so is to find a library that it knows by its bare name, or by one with
 * $ORIGIN. Freestanding. */
#include "client/audit/serve.h"

#include "client/audit/origin.h"
#include "image/bytes.h"
#include "node/dlopen_notes.h"
#include "node/mounts.h"
#include "node/syscall.h"

static enum lc_there what_is_there(void *files, const char *path)
{
    struct lc_auditor *a = files;
    uint32_t entry;
    enum lc_answer answer = path[0] == '/' ? lc_serve_ask(a, path, &entry) : LC_ANSWER_UNKNOWN;

    if (answer == LC_ANSWER_FOUND)
        return LC_THERE_RECORDED;
    if (answer == LC_ANSWER_ABSENT || lc_sys_access(path, 0 /* F_OK */) != 0)
        return LC_THERE_NOTHING;
    return LC_THERE_NEW;
}

/* Would ld.so, by the staged directory of the caller, come to a copy that is loaded? */
static bool leads_to_loaded(struct lc_auditor *a, const char *path)
{
    return lc_serve_find_copy(a, path) &&
           lc_bytes_same(lc_serve_original(a, a->found_path), path) &&
           lc_same_file_is_loaded(&a->same_file, &a->node);
}

const char *lc_serve_expand(struct lc_auditor *a, const char *name, const char *owner)
{
    const char *path = a->expanded;

    if (!lc_origin_expand(a->expanded, sizeof(a->expanded), name, lc_bytes_length(name), owner))
        return name;
    if (lc_serve_is_hushed(a))
        return path;
    return what_is_there(a, path) == LC_THERE_NOTHING || leads_to_loaded(a, path) ? name : path;
}

/* what_is_there without a request of a disk that the image is of. */
static enum lc_there what_the_image_says(void *files, const char *path)
{
    struct lc_auditor *a = files;
    const char *original = lc_node_original(&a->node, path);
    const char *asked = path[0] == '/' ? original ? original : path : lc_serve_absolute(a, path);
    uint32_t entry;
    enum lc_answer answer = asked ? lc_serve_ask(a, asked, &entry) : LC_ANSWER_UNKNOWN;

    if (answer == LC_ANSWER_ABSENT)
        return LC_THERE_NOTHING;
    if (answer == LC_ANSWER_FOUND)
        return path[0] == '/' ? LC_THERE_RECORDED : LC_THERE_UNKNOWN;
    if (!asked || lc_mounts_is_managed(&a->node.look, a->node.state->held, asked))
        return LC_THERE_UNKNOWN;
    if (lc_sys_access(path, 0 /* F_OK */) != 0)
        return LC_THERE_NOTHING;
    return path[0] == '/' ? LC_THERE_NEW : LC_THERE_UNKNOWN;
}

static bool is_in_image(void *files, const char *path)
{
    struct lc_auditor *a = files;
    a->walk.len = 0;
    return path[0] == '/' &&
           lc_look_walk(&a->node.look, path, lc_bytes_length(path), 0, &a->walk).answer !=
               LC_ANSWER_UNKNOWN;
}

static char *same(const char *name)
{
    return (char *)(uintptr_t)name;
}

/* Is the file that a search leads to loaded, its staged copy 'found' or by its path? ld.so gives a
 * name that it has searched for itself to the object it finds loaded, and takes that one from then
 * on, whoever asks. Of a path it would keep the path; so then it must search itself. */
static bool is_loaded(struct lc_auditor *a, const char *path, const char *found)
{
    return found ? lc_same_file_is_loaded(&a->same_file, &a->node)
                 : lc_objects_have(&a->objects, path);
}

static void begin_search(struct lc_auditor *a, const char *name, const struct lc_object *loader)
{
    a->search.all = &a->objects;
    a->search.loader = loader;
    a->search.library_path = a->now.library_path;
    a->search.name = name;
    a->search.known = is_in_image;
    a->search.files = a;
    a->search.memory = &a->order_memory;
}

/* What was recorded for it, or "" if nothing was or it no longer holds. */
static const char *recorded_result(struct lc_auditor *a)
{
    uint32_t key = lc_serve_search_key(a);
    uint32_t at = key == LC_NONE ? LC_NONE
                                 : lc_look_search(&a->node.look, key,
                                                  lc_objects_chain(a->search.all, a->search.loader),
                                                  a->search.loader->path, a->search.name);

    a->search.cpu_level = a->now.cpu_level; /* known with the key */
    a->search.result =
        at == LC_NONE ? "" : lc_look_name(&a->node.look, a->node.look.search[at].result);
    a->search.there = what_is_there;
    return a->search.result[0] && lc_order_holds(&a->search) ? a->search.result : "";
}

/* Read when it is first needed. */
static const struct lc_ld_cache *ld_cache(struct lc_auditor *a)
{
    const char *copy = a->has_ld_cache ? NULL : lc_serve_data(a, LC_CACHE_FILE);

    if (!a->has_ld_cache)
        a->ld_cache = lc_ld_cache_read(copy ? copy : LC_CACHE_FILE);
    a->has_ld_cache = true;
    return &a->ld_cache;
}

/* Nothing was recorded for it: where does ld.so find it, by what the image says? NULL: ld.so is to
 * search itself. */
static char *find_name(struct lc_auditor *a)
{
    bool is_there = false;

    a->search.result = NULL;
    a->search.there = what_the_image_says;
    a->search.cache = ld_cache(a);
    a->search.directory = a->notes ? __atomic_load_n(&a->notes->directory, __ATOMIC_ACQUIRE) : NULL;
    switch (lc_order_find(&a->search)) {
    case LC_ORDER_NOWHERE:
        return lc_serve_refuse(a, a->search.name);
    case LC_ORDER_FOUND:
        break;
    default:
        return NULL;
    }
    char *found = lc_serve_find_copy(a, a->search.path);
    if (is_loaded(a, a->search.path, found))
        return same(a->search.name);
    if (found)
        lc_node_count(&a->node, LC_COUNT_LOAD);
    if (!found && !lc_mounts_is_managed(&a->node.look, a->node.state->held, a->search.path) &&
        lc_serve_is_object(a->search.path))
        found = lc_serve_pass(a, a->search.path, &is_there);
    if (found)
        lc_node_count(&a->node, LC_COUNT_SEARCH);
    return found;
}

char *lc_serve_name(struct lc_auditor *a, const char *name, const struct lc_object *loader)
{
    begin_search(a, name, loader);
    const char *result = recorded_result(a);
    bool is_there = result[0];
    char *found = is_there ? lc_serve_find_copy(a, result) : NULL;

    if (is_there && is_loaded(a, result, found))
        return same(name);
    if (found)
        lc_node_count(&a->node, LC_COUNT_LOAD);
    /* A result that is not staged lies on the node itself, where asking costs nothing. */
    if (result[0] && !found)
        found = lc_serve_pass(a, result, &is_there);
    if (is_there) {
        lc_node_count(&a->node, LC_COUNT_SEARCH);
        return found;
    }
    found = a->knows_search ? find_name(a) : NULL;
    if (found)
        return found;
    lc_node_count_passed(&a->node, LC_COUNT_PASS_SEARCH, name);
    return same(name);
}
