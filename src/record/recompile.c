/* SPDX-License-Identifier: MIT */
/* recompile.c - update the .pyc files that exist only in the image */
#include "record/recompile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/hash.h"
#include "record/interpreter.h"
#include "util/map.h"
#include "util/path.h"

/* The entry gets owner, mode and time of the source. Inode number and ctime are those of an
 * outdated file at its path, if there is one, so that a check notices when that file changes. */
static void set_made_stat(struct lc_tree_entry *node, const struct lc_pyc *made,
                          const struct stat *source)
{
    struct stat old;
    bool there = lstat(made->target, &old) == 0;

    lc_tree_entry_clear(node);
    node->kind = LC_KIND_FILE;
    node->flags = LC_ENTRY_MADE;
    node->stat = (struct lc_inode){
        .ino = there ? old.st_ino : lc_hash(made->target, strlen(made->target)) >> 1,
        .blocks = (made->bytes.len + 511) / 512,
        .mtime = source->st_mtim.tv_sec,
        .mtime_ns = (uint32_t)source->st_mtim.tv_nsec,
        .ctime = there ? old.st_ctim.tv_sec : 0,
        .ctime_ns = there ? (uint32_t)old.st_ctim.tv_nsec : 0,
        .atime = source->st_mtim.tv_sec,
        .mode = S_IFREG | (source->st_mode & 0666),
        .nlink = 1,
        .uid = source->st_uid,
        .gid = source->st_gid,
        .blksize = (uint32_t)source->st_blksize,
        .mount = LC_NONE,
    };
}

int lc_pyc_place(struct lc_path_reader *reader, const struct lc_pyc *made)
{
    char dir[LC_PATH_MAX], at[LC_PATH_MAX], path[2 * LC_PATH_MAX];
    size_t len = lc_path_dir_len(made->target);
    struct stat source;

    if (stat(made->source, &source) < 0 || len >= sizeof(dir))
        return -1;
    memcpy(dir, made->target, len);
    dir[len] = '\0';
    if (!lc_path_read(reader, dir, at)) /* the directory may be absent */
        return -1;
    int n = snprintf(path, sizeof(path), "%s/%s", at, lc_path_base(made->target));
    if (n < 0 || n >= (int)LC_PATH_MAX)
        return errno = ENAMETOOLONG, -1;
    struct lc_tree_entry *node = lc_tree_entry_make(reader->tree, path);
    if (!node)
        return -1;
    set_made_stat(node, made, &source);
    if (lc_path_read_mount(reader, path, node) < 0)
        return -1;
    return lc_tree_entry_set_bytes(node, made->bytes.data, made->bytes.len);
}

/* Collects the paths of files that have not changed. */
static int collect_same(const struct lc_probing *probing, struct lc_map *same)
{
    for (size_t i = 0; i < probing->count; i++) {
        const struct lc_probe *p = &probing->probe[i];
        if (p->state != LC_PROBE_SAME || p->node->kind != LC_KIND_FILE)
            continue;
        void **at = lc_map_at(same, p->path);
        if (!at)
            return -1;
        *at = p->node;
    }
    return 0;
}

/* Collects compiled entries that may be outdated, by cache tag. Counts those that are not in *same.
 */
static int collect_stale(const struct lc_probing *probing, const struct lc_map *good,
                         struct lc_map *by_tag, size_t *same)
{
    char source[LC_PATH_MAX], tag[64];
    int level;

    for (size_t i = 0; i < probing->count; i++) {
        struct lc_probe *p = &probing->probe[i];
        if (!(p->node->flags & LC_ENTRY_MADE) || !p->node->kind)
            continue;
        if (!lc_pyc_parse(p->path, source, sizeof(source), tag, sizeof(tag), &level)) {
            lc_tree_entry_clear(p->node);
            continue;
        }
        if (p->state == LC_PROBE_SAME && lc_map_get(good, source)) {
            (*same)++;
            continue;
        }
        struct lc_pyc_list *list = lc_map_object(by_tag, tag, sizeof(*list));
        bool there = p->st.st_ino != 0;
        if (!list || lc_pyc_add(list, p->path, source, level, there) < 0)
            return -1;
    }
    return 0;
}

/* Updates the entry of one .pyc file by the interpreter's result. */
static int entry_update(struct lc_path_reader *reader, const struct lc_pyc *pyc,
                        int (*tell)(void *arg, const char *what, const char *path), void *arg)
{
    struct lc_tree_entry *node = lc_tree_find(reader->tree, pyc->target);

    if (pyc->state == LC_PYC_MADE && lc_pyc_place(reader, pyc) == 0)
        return tell(arg, "recompiled", pyc->target);
    if (pyc->state == LC_PYC_GOOD && lc_path_read_stat(reader, pyc->target, node) == 0 &&
        node->kind == LC_KIND_FILE) {
        node->source = LC_SOURCE_FILE;
        return tell(arg, "appeared", pyc->target);
    }
    lc_tree_entry_clear(node);
    return tell(arg, "gone", pyc->target);
}

/* Dry run: reports the outdated entries and drops them. */
static int tell_outdated(struct lc_path_reader *reader, const struct lc_pyc_list *list,
                         int (*tell)(void *arg, const char *what, const char *path), void *arg)
{
    int rc = 0;

    for (size_t i = 0; i < list->count && rc == 0; i++) {
        lc_tree_entry_clear(lc_tree_find(reader->tree, list->item[i].target));
        rc = tell(arg, "outdated", list->item[i].target);
    }
    return rc;
}

static int recompile_tag(const struct lc_image *image, struct lc_path_reader *reader,
                         const char *tag, struct lc_pyc_list *list, struct lc_error *why,
                         int (*tell)(void *arg, const char *what, const char *path), void *arg)
{
    char python[PATH_MAX];
    struct lc_python who;
    int rc = 0;

    if (lc_interpreter_find(image, tag, python, why) < 0 ||
        lc_pyc_compile(python, tag, list, &who, why) < 0)
        for (size_t i = 0; i < list->count; i++)
            list->item[i].state =
                LC_PYC_FAILED; /* dropped: the program compiles the module itself */
    for (size_t i = 0; i < list->count && rc == 0; i++)
        rc = entry_update(reader, &list->item[i], tell, arg);
    return rc;
}

int lc_recompile(const struct lc_image *image, struct lc_path_reader *reader,
                 const struct lc_probing *probing, bool dry_run, size_t *same, struct lc_error *why,
                 int (*tell)(void *arg, const char *what, const char *path), void *arg)
{
    struct lc_map good = {0}, by_tag = {0};
    int rc = collect_same(probing, &good);

    if (rc == 0)
        rc = collect_stale(probing, &good, &by_tag, same);
    for (size_t i = 0; i < by_tag.count && rc == 0; i++)
        rc = dry_run ? tell_outdated(reader, by_tag.entry[i].value, tell, arg)
                     : recompile_tag(image, reader, by_tag.entry[i].key, by_tag.entry[i].value, why,
                                     tell, arg);
    for (size_t i = 0; i < by_tag.count; i++) {
        if (by_tag.entry[i].value)
            lc_pyc_free(by_tag.entry[i].value);
        free(by_tag.entry[i].value);
    }
    lc_map_free(&good, NULL);
    lc_map_free(&by_tag, NULL);
    return rc;
}
