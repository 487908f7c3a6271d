/* SPDX-License-Identifier: MIT */
/* learn.c - add to an image what the ranks of a job still asked the file system for
 *
 * The entries that the image has are not compared with the file system here: the check of the next
 * job does that, as of any image. For this, entries keep their recorded stat; one that has changed
 * meanwhile is found by that check, which then drops the library searches that it may affect. */
#include "record/learn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "image/write.h"
#include "node/format.h"
#include "record/learn_marks.h"
#include "record/pack.h"
#include "record/provenance.h"
#include "record/resolve.h"
#include "util/path.h"

enum { MOST_FILE_BYTES = 256000000 /* of a module or program, as in a recording */ };

/* State of one learning. */
struct learning {
    const struct lc_learn *how;
    struct lc_error *err;
    struct lc_image *image;
    struct timespec mtime; /* of the image */
    struct lc_tree tree;
    struct lc_mounts mounts;
    struct lc_rules rules;
    struct lc_strings manage, exclude;
    struct lc_map packages; /* of the image */
    struct lc_seen seen;
    json_t *provenance;
};

static bool has_kind(unsigned kinds, enum lc_miss_kind kind)
{
    return kinds >> kind & 1;
}

static void strings_read(struct lc_strings *out, const json_t *list)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        if (json_is_string(one) && out->count < sizeof(out->item) / sizeof(*out->item))
            out->item[out->count++] = json_string_value(one);
    }
}

static bool is_program(const char *path, const struct lc_tree_entry *node)
{
    char dir[PATH_MAX];

    snprintf(dir, sizeof(dir), "%.*s", (int)lc_path_dir_len(path), path);
    const char *base = lc_path_base(dir);
    return (node->stat.mode & 0111) &&
           (strcmp(base, "bin") == 0 || strcmp(base, "sbin") == 0 || strcmp(base, "libexec") == 0);
}

/* How the recording must have used an entry, as far as trees of software depend on it. */
static unsigned uses_of_entry(const char *path, const struct lc_tree_entry *node)
{
    if (node->kind == LC_KIND_DIRECTORY)
        return node->stat.flags & LC_INODE_LISTED ? LC_USE_LIST : 0;
    if (node->kind != LC_KIND_FILE || node->source == LC_SOURCE_NONE)
        return 0;
    return LC_USE_READ | (is_program(path, node) ? LC_USE_EXEC : 0);
}

/* Trees of software are around what the image holds. */
static int learn_rules_of_image(struct learning *l)
{
    const struct lc_map *entries = &l->tree.entries;

    for (size_t i = 0; i < entries->count; i++) {
        const struct lc_tree_entry *node = entries->entry[i].value;
        if (node->kind == LC_KIND_FILE && lc_package_note(&l->packages, entries->entry[i].key) < 0)
            return -1;
    }
    for (size_t i = 0; i < entries->count; i++) {
        const char *path = entries->entry[i].key;
        unsigned uses = uses_of_entry(path, entries->entry[i].value);
        if (uses && lc_rules_learn(&l->rules, path, uses, &l->packages) < 0)
            return -1;
    }
    return 0;
}

static int rules_begin(struct learning *l)
{
    strings_read(&l->manage, json_object_get(l->provenance, LC_PROVENANCE_MANAGE));
    strings_read(&l->exclude, json_object_get(l->provenance, LC_PROVENANCE_EXCLUDE));
    l->rules = (struct lc_rules){.manage = &l->manage,
                                 .exclude = &l->exclude,
                                 .mounts = &l->mounts,
                                 .max_file = MOST_FILE_BYTES};
    if (lc_rules_begin(&l->rules, l->err) < 0)
        return -1;
    if (lc_rules_add_image(&l->rules, l->how->file) < 0 || learn_rules_of_image(l) < 0)
        return lc_error_errno(l->err, "cannot add to '%s'", l->how->file);
    return 0;
}

/* Is it a program, a library or a module, by its name or by how it was asked for? */
static bool is_code(const char *path, unsigned kinds)
{
    return has_kind(kinds, LC_MISS_MAP) || has_kind(kinds, LC_MISS_EXEC) || lc_is_library(path) ||
           lc_is_module(path);
}

/* May the content of a file that is not code be learnt? Else it is data, and left alone. */
static bool is_software_data(const struct learning *l, const char *path, const struct stat *st)
{
    char real[PATH_MAX];

    return st->st_size <= LC_LEARN_MOST_BYTES && !l->how->has_lost_writes && realpath(path, real) &&
           lc_rules_is_software(&l->rules, real, LC_USE_READ);
}

/* The uses that a recording would have seen. 0: it is not learnt. */
static unsigned uses_of_miss(const struct learning *l, const char *path, unsigned kinds)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR ? LC_USE_ABSENT : 0;
    if (S_ISDIR(st.st_mode))
        return LC_USE_STAT | (has_kind(kinds, LC_MISS_LIST) ? LC_USE_LIST : 0);
    if (!S_ISREG(st.st_mode))
        return 0;
    bool is_read = has_kind(kinds, LC_MISS_READ);
    if (is_code(path, kinds))
        return LC_USE_STAT | (has_kind(kinds, LC_MISS_EXEC)  ? LC_USE_EXEC | LC_USE_READ
                              : has_kind(kinds, LC_MISS_MAP) ? LC_USE_MAP | LC_USE_READ
                              : is_read                      ? LC_USE_READ
                                                             : 0);
    if (is_read && !is_software_data(l, path, &st))
        return 0;
    return LC_USE_STAT | (is_read ? LC_USE_READ : 0);
}

/* A path that was written is not learnt, and its directory is not listed. What the image knows of
 * it is the next check's to correct. */
static int seen_add_written(struct learning *l, const char *path)
{
    char dir[PATH_MAX];
    const struct lc_tree_entry *known = lc_tree_find(&l->tree, path);

    snprintf(dir, sizeof(dir), "%.*s", (int)lc_path_dir_len(path), path);
    if (!(known && known->kind) && lc_seen_add(&l->seen, path, LC_USE_WRITE) < 0)
        return -1;
    return dir[0] ? lc_seen_add(&l->seen, dir, LC_USE_RENAMES) : 0;
}

/* Code first: trees of software around it may hold other files that were asked for. */
static int seen_fill(struct learning *l, bool is_about_code)
{
    const struct lc_map *misses = l->how->misses;

    for (size_t i = 0; i < misses->count; i++) {
        const char *path = misses->entry[i].key;
        const unsigned *kinds = misses->entry[i].value;
        if (!kinds || is_code(path, *kinds) != is_about_code)
            continue;
        if (has_kind(*kinds, LC_MISS_WRITE)) {
            if (seen_add_written(l, path) < 0)
                return -1;
            continue;
        }
        unsigned uses = uses_of_miss(l, path, *kinds);
        if (uses && lc_seen_add(&l->seen, path, uses) < 0)
            return -1;
        if (is_about_code && uses && lc_rules_learn(&l->rules, path, uses, &l->packages) < 0)
            return -1;
    }
    return 0;
}

static int misses_pack(struct learning *l)
{
    struct lc_pack pack = {.reader = {&l->tree, &l->mounts},
                           .rules = &l->rules,
                           .seen = &l->seen,
                           .argv = l->how->argv,
                           .provenance = l->provenance,
                           .learns = true};
    struct lc_packed packed;

    if (seen_fill(l, true) < 0 || seen_fill(l, false) < 0 || l->seen.failed)
        return lc_error_errno(l->err, "cannot add to '%s'", l->how->file);
    l->seen.start_ns = l->how->began_wall_ns;
    int rc = lc_pack_seen(&pack, &packed, l->err);
    lc_packed_free(&packed);
    return rc;
}

static int image_write(struct learning *l, struct lc_learnt *did)
{
    char *text = json_dumps(l->provenance, JSON_INDENT(1));
    /* It is written now, but was compared with the file system when it says so. */
    struct lc_write to = {.file = l->how->file, .provenance = text, .mtime = &l->mtime};
    struct lc_written written;
    int rc = text ? lc_image_write(&l->tree, &to, &written, l->err)
                  : lc_error_set(l->err, "cannot write: out of memory");

    free(text);
    if (rc < 0)
        return -1;
    did->bytes = written.content_bytes;
    did->file_bytes = written.file_bytes;
    return 0;
}

static int image_load(struct learning *l)
{
    l->image = lc_image_open(l->how->file, l->err);
    if (!l->image)
        return -1;
    if (l->image->base)
        return lc_error_set(l->err, "'%s' is an overlay of another image", l->how->file);
    struct statx st;
    if (statx(l->image->fd, "", AT_EMPTY_PATH, STATX_MODE | STATX_MTIME, &st) < 0 ||
        !(st.stx_mode & 0222)) {
        errno = EACCES;
        return lc_error_errno(l->err, "cannot write '%s'", l->how->file);
    }
    l->mtime = (struct timespec){st.stx_mtime.tv_sec, st.stx_mtime.tv_nsec};
    l->provenance = lc_provenance_of(l->image);
    return lc_tree_load(&l->tree, l->image, l->err);
}

static void learning_end(struct learning *l)
{
    json_decref(l->provenance);
    lc_map_free(&l->packages, NULL);
    lc_seen_free(&l->seen);
    lc_rules_end(&l->rules);
    lc_tree_free(&l->tree);
    lc_mounts_close(&l->mounts);
    lc_image_close(l->image);
}

static int misses_add(struct learning *l, struct lc_learnt *did)
{
    if (image_load(l) < 0 || rules_begin(l) < 0 || misses_pack(l) < 0)
        return -1;
    lc_learn_join_links(&l->tree, l->image);
    uint16_t number = lc_learn_next_number(l->provenance);
    did->entries = lc_learn_mark(&l->tree, l->image, number);
    if (did->entries == 0)
        return 0;
    lc_learn_note_job(l->provenance, number, l->how->job, did->entries);
    return image_write(l, did);
}

int lc_learn_misses(const struct lc_learn *how, struct lc_learnt *did, struct lc_error *err)
{
    struct learning l = {.how = how, .err = err};

    *did = (struct lc_learnt){0};
    if (lc_mounts_open(&l.mounts) < 0)
        return lc_error_errno(err, "cannot read the mount table");
    int rc = misses_add(&l, did), saved = errno;
    learning_end(&l);
    errno = saved;
    return rc;
}

static int since_forget(struct learning *l, uint64_t since_wall_ns, struct lc_learnt *did)
{
    if (image_load(l) < 0)
        return -1;
    did->entries = lc_learn_unmark(&l->tree, l->provenance, since_wall_ns);
    return did->entries == 0 ? 0 : image_write(l, did);
}

int lc_learn_forget(const char *file, uint64_t since_wall_ns, struct lc_learnt *did,
                    struct lc_error *err)
{
    const struct lc_learn how = {.file = file};
    struct learning l = {.how = &how, .err = err};

    *did = (struct lc_learnt){0};
    if (lc_mounts_open(&l.mounts) < 0)
        return lc_error_errno(err, "cannot read the mount table");
    int rc = since_forget(&l, since_wall_ns, did), saved = errno;
    learning_end(&l);
    errno = saved;
    return rc;
}
