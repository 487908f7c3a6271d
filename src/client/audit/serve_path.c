/* SPDX-License-Identifier: MIT */
/* serve_path.c - what ld.so is to open instead of a path. Freestanding. */
#include "client/audit/serve.h"

#include <asm/errno.h>

#include "image/bytes.h"
#include "node/file_kind.h"
#include "node/mounts.h"
#include "node/syscall.h"

/* What the image says of a path, unless something was written that might matter. */
enum lc_answer lc_serve_ask(struct lc_auditor *a, const char *path, uint32_t *entry)
{
    size_t len = lc_bytes_length(path);

    a->walk.len = 0;
    struct lc_found found = lc_look_walk(&a->node.look, path, len, 0, &a->walk);
    *entry = found.entry;
    a->absent_for = found.error;
    const char *clean = a->walk.len ? a->walk.path : path;
    if (lc_node_is_off(&a->node) ||
        (found.answer == LC_ANSWER_FOUND &&
         (lc_node_is_written(&a->node, found.entry) ||
          !lc_node_confirm(&a->node, path, false, found.entry))) ||
        (found.answer == LC_ANSWER_ABSENT &&
         !lc_node_is_still_absent(&a->node, clean, a->walk.len ? a->walk.len : len)))
        return LC_ANSWER_UNKNOWN;
    return found.answer;
}

static void keep_spelling(struct lc_auditor *a, const char *path)
{
    size_t n = lc_bytes_length(path);

    if (n >= sizeof(a->spelling))
        n = 0;
    lc_bytes_move(a->spelling, path, n);
    a->spelling[n] = '\0';
}

/* What ld.so would refuse, it shall refuse under its own name. */
bool lc_serve_is_object(const char *path)
{
    struct lc_script script;

    return lc_program_is_object(lc_program_kind(path, &script));
}

/* Does NODE/files + path lead to this file, and can ld.so load it? Then it is in found_path. */
static bool find_copy(struct lc_auditor *a, const char *path, const struct lc_inode *inode)
{
    struct lc_file_status file;

    return lc_node_staged_path(&a->node, path, lc_bytes_length(path), a->found_path,
                               sizeof(a->found_path)) &&
           lc_node_is_staged(&a->node, a->found_path, inode, &file) &&
           ((file.flags & LC_STAGED_OBJECT) || lc_serve_is_object(a->found_path));
}

/* The staged copy of a file that is no object, in found_path; NULL if there is none. */
const char *lc_serve_data(struct lc_auditor *a, const char *path)
{
    struct lc_file_status file;
    uint32_t at;

    if (lc_serve_ask(a, path, &at) != LC_ANSWER_FOUND ||
        a->node.look.entry[at].kind != LC_KIND_FILE)
        return NULL;
    const struct lc_inode *inode = lc_look_inode(&a->node.look, at);
    return inode &&
                   lc_node_staged_path(&a->node, path, lc_bytes_length(path), a->found_path,
                                       sizeof(a->found_path)) &&
                   lc_node_is_staged(&a->node, a->found_path, inode, &file)
               ? a->found_path
               : NULL;
}

/* Is the directory of a path, links followed, the one that this entry stands in? */
static bool is_in_its_directory(struct lc_auditor *a, const char *path, uint32_t entry)
{
    size_t len = lc_bytes_length(path);

    while (len > 1 && path[len - 1] != '/')
        len--;
    a->walk.len = 0;
    struct lc_found found = lc_look_walk(&a->node.look, path, len, 0, &a->walk);
    return found.answer == LC_ANSWER_FOUND && found.entry == a->node.look.entry[entry].parent;
}

/* The staged copy of a path, in found_path; NULL if there is none. ld.so makes $ORIGIN of what it
 * is given: the path as it was asked for, through the links of the staged tree. Where that leads
 * nowhere there, the file's own path is as good if it names the same directory. */
char *lc_serve_find_copy(struct lc_auditor *a, const char *path)
{
    uint32_t at;

    if (lc_serve_ask(a, path, &at) != LC_ANSWER_FOUND ||
        a->node.look.entry[at].kind != LC_KIND_FILE)
        return NULL;
    const struct lc_inode *inode = lc_look_inode(&a->node.look, at);
    const char *own = lc_look_name(&a->node.look, a->node.look.entry[at].path);
    if (!inode || !lc_same_file_may_stage(&a->same_file, &a->node, at))
        return NULL;
    if ((!find_copy(a, path, inode) &&
         (lc_bytes_same(own, path) || !is_in_its_directory(a, path, at) ||
          !find_copy(a, own, inode))))
        return NULL;
    keep_spelling(a, path);
    return a->found_path;
}

char *lc_serve_copy(struct lc_auditor *a, const char *path)
{
    char *found = lc_serve_find_copy(a, path);

    if (found)
        lc_node_count(&a->node, LC_COUNT_LOAD);
    return found;
}

static char *same(const char *name)
{
    return (char *)(uintptr_t)name;
}

/* A path that is left to the file system; but if its file is loaded from node memory, by whatever
 * path, then that one again. */
char *lc_serve_pass(struct lc_auditor *a, const char *path, bool *is_there)
{
    uint32_t entry = lc_same_file_pass(&a->same_file, &a->node, path, is_there);
    const char *own =
        entry == LC_NONE ? NULL : lc_look_name(&a->node.look, a->node.look.entry[entry].path);

    return own && lc_node_staged_path(&a->node, own, lc_bytes_length(own), a->found_path,
                                      sizeof(a->found_path))
               ? a->found_path
               : same(path);
}

/* A path relative to the working directory, from the root; NULL if it cannot be told. */
const char *lc_serve_absolute(struct lc_auditor *a, const char *path)
{
    long n = lc_sys_getcwd(a->full, sizeof(a->full)); /* with its NUL */
    size_t len = lc_bytes_length(path);

    if (n <= 1 || a->full[0] != '/' || (size_t)n + len + 1 > sizeof(a->full))
        return NULL;
    a->full[n - 1] = '/';
    lc_bytes_move(a->full + n, path, len + 1);
    return a->full;
}

/* The same for a path relative to the working directory: else one library, opened by two spellings,
 * would be two. */
static char *staged_relative(struct lc_auditor *a, const char *path)
{
    char *staged = lc_serve_absolute(a, path) ? lc_serve_copy(a, a->full) : NULL;

    a->has_full = staged;
    if (staged)
        keep_spelling(a, path);
    return staged;
}

const char *lc_serve_full(const struct lc_auditor *a, const char *path)
{
    size_t n = lc_bytes_length(path), len = a->has_full ? lc_bytes_length(a->full) : 0;

    return path[0] != '/' && n > 0 && n < len && lc_bytes_same(a->full + len - n, path) ? a->full
                                                                                        : NULL;
}

/* A place that is passed over: ld.so opens what is nowhere instead, and so learns why there is
 * nothing. For NULL it would take the reason of its last failure, whatever that was, and leave the
 * rest of the search path alone if it was another. */
static char *pass_over(struct lc_auditor *a)
{
    lc_node_count(&a->node, LC_COUNT_ABSENT);
    return same("/proc/-");
}

/* NULL: ld.so is to find out. */
char *lc_serve_refuse(struct lc_auditor *a, const char *name)
{
    char *nowhere = lc_absent_answer(&a->absent, &a->node, name);

    if (nowhere)
        lc_node_count(&a->node, LC_COUNT_ABSENT);
    return nowhere;
}

/* Below NODE/files, where $ORIGIN of a staged object leads, what is not staged is to be found at
 * its original place. */
char *lc_serve_path(struct lc_auditor *a, const char *path, enum lc_question question)
{
    const char *original = lc_node_original(&a->node, path);
    const char *asked = original ? original : path;
    uint32_t entry;
    bool is_there;

    if (lc_node_is_own(&a->node, path)) /* our own objects are what they are */
        return same(path);
    char *staged = asked[0] == '/' ? lc_serve_copy(a, asked) : staged_relative(a, asked);
    if (staged)
        return staged;
    if (asked[0] != '/')
        return lc_serve_pass(a, path, &is_there);
    bool is_absent = lc_serve_ask(a, asked, &entry) == LC_ANSWER_ABSENT;
    if (is_absent && question == LC_ASKED_PLACE)
        return pass_over(a);
    char *nowhere = is_absent && !original && question == LC_ASKED_BASE && a->absent_for == ENOENT
                        ? lc_serve_refuse(a, path)
                        : NULL;
    if (nowhere)
        return nowhere;
    bool is_managed = lc_mounts_is_managed(&a->node.look, a->node.state->held, asked);
    lc_node_count_passed(&a->node, is_managed ? LC_COUNT_PASS_SEARCH : LC_COUNT_PASS_OUTSIDE,
                         asked);
    if (is_managed)
        lc_node_note_miss(&a->node, LC_MISS_MAP, asked);
    return lc_serve_pass(a, asked, &is_there);
}
