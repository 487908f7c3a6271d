/* SPDX-License-Identifier: MIT */
/* check.c - compare an image with the file system, and update the entries that differ
 *
 * A program must never get outdated files because of Loadcast. An entry that is in doubt is
 * dropped, and the program then asks the file system itself. */
#include "record/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "image/write.h"
#include "record/credentials.h"
#include "record/read_path.h"
#include "record/overlay.h"
#include "record/probe.h"
#include "record/provenance.h"
#include "record/recompile.h"
#include "record/rules.h"
#include "util/clock.h"
#include "util/path.h"

struct checking {
    struct lc_image *image;
    struct lc_tree *tree;
    struct lc_path_reader reader;
    struct lc_probing probing;
    struct lc_checked *did;
    struct lc_error *err;
    bool is_brief;        /* as in struct lc_check */
    bool has_new_links;   /* a symbolic link is new or has another target */
    bool search_in_doubt; /* ld.so might now find other libraries than recorded */
};

/* Adds an event. 'why' may be NULL; it is copied. */
static int event_add_why(struct checking *c, const char *what, const char *path, const char *why)
{
    struct lc_checked *did = c->did;

    if ((did->events & (did->events - 1)) == 0) {
        struct lc_check_event *more =
            realloc(did->event, (did->events ? did->events * 2 : 1) * sizeof(*more));
        if (!more)
            return -1;
        did->event = more;
    }
    did->event[did->events++] =
        (struct lc_check_event){what, strdup(path), why ? strdup(why) : NULL};
    return 0;
}

static int event_add(struct checking *c, const char *what, const char *path)
{
    return event_add_why(c, what, path, NULL);
}

static int event_add_changed(struct checking *c, const struct lc_probe *p,
                             const struct lc_inode *was)
{
    struct lc_buf why = {0};

    lc_difference_tell(&why, p->differs, was, &p->st);
    int rc = event_add_why(c, "changed", p->path, lc_buf_text(&why));
    lc_buf_free(&why);
    return rc;
}

void lc_checked_free(struct lc_checked *did)
{
    for (size_t i = 0; i < did->events; i++) {
        free(did->event[i].path);
        free(did->event[i].why);
    }
    free(did->event);
    *did = (struct lc_checked){0};
}

/* Could a change of this path make ld.so find another library? */
static bool is_about_libraries(const char *path)
{
    const char *base = lc_path_base(path);

    return strstr(base, ".so") || strstr(path, "/glibc-hwcaps") || strcmp(base, "tls") == 0;
}

/* May the content of a file that was not in the image be packed? Passwords and keys: no. Files that
 * only their owner may read: libraries and modules only. (rules.h also accepts files in software
 * trees, but an image does not record which trees those were.) */
static bool may_be_packed(const char *path, const struct lc_tree_entry *node)
{
    return !lc_credential_is_place(path) && !lc_credential_is_likely(path) &&
           ((node->stat.mode & 044) || lc_is_library(path) || lc_is_module(path));
}

/* Sets the entry to what the file system says now; with_content: its content is read again. */
static int entry_renew(struct checking *c, const char *path, struct lc_tree_entry *node,
                       bool with_content)
{
    if (lc_path_read_stat(&c->reader, path, node) < 0) {
        lc_tree_entry_clear(node);
        return 0;
    }
    if (node->kind == LC_KIND_FILE && with_content)
        node->source = LC_SOURCE_FILE;
    c->has_new_links |= node->kind == LC_KIND_SYMLINK;
    c->search_in_doubt |= node->kind == LC_KIND_SYMLINK || is_about_libraries(path);
    return 0;
}

/* The pilot looked for this file when it was absent; now that it exists, programs will read it. */
static int entry_renew_appeared(struct checking *c, const char *path, struct lc_tree_entry *node)
{
    int rc = entry_renew(c, path, node, false);

    if (rc == 0 && lc_credential_is_place(path))
        lc_tree_entry_clear(node);
    else if (rc == 0 && node->kind == LC_KIND_FILE && may_be_packed(path, node))
        node->source = LC_SOURCE_FILE;
    return rc;
}

static int entry_renew_listing(struct checking *c, struct lc_probe *p)
{
    struct lc_inode was = p->node->stat;

    for (size_t i = 0; i < p->fresh.list_count && p->names_differ; i++)
        c->search_in_doubt |= is_about_libraries(p->fresh.list[i].name);
    for (size_t i = 0; i < p->node->list_count && p->names_differ; i++)
        c->search_in_doubt |= is_about_libraries(p->node->list[i].name);
    uint16_t learnt = p->node->learnt;
    lc_tree_entry_clear(p->node);
    *p->node = p->fresh;
    p->node->learnt = learnt;
    p->fresh = (struct lc_tree_entry){0};
    p->node->stat.mount = was.mount;
    p->node->stat.btime = was.btime;
    p->node->stat.flags |= lc_path_has_acl(p->path) ? LC_INODE_ACL : 0;
    return p->names_differ ? event_add(c, "relisted", p->path) : event_add_changed(c, p, &was);
}

static bool has_content(const struct lc_tree_entry *node)
{
    return node->kind == LC_KIND_FILE && node->source != LC_SOURCE_NONE;
}

/* The times of a directory that programs write to differ at every check. */
static bool differs_by_times_only(const struct lc_probe *p)
{
    return p->node->kind == LC_KIND_DIRECTORY && S_ISDIR(p->st.st_mode) && !p->names_differ &&
           !(p->differs & ~(unsigned)(LC_DIFFERS_MTIME | LC_DIFFERS_CTIME));
}

static int entry_update(struct checking *c, struct lc_probe *p)
{
    bool content = has_content(p->node);
    const struct lc_inode was = p->node->stat;

    if (p->node->flags & LC_ENTRY_MADE)
        return 0; /* lc_recompile() handles these afterwards */
    if (c->is_brief && differs_by_times_only(p) &&
        (p->state == LC_PROBE_CHANGED || p->state == LC_PROBE_RELISTED))
        p->state = LC_PROBE_SAME;
    switch (p->state) {
    case LC_PROBE_SAME:
        c->did->same++;
        if (p->node->kind != LC_KIND_ABSENT)
            p->node->dev = p->st.st_dev;
        return 0;
    case LC_PROBE_CHANGED:
        return entry_renew(c, p->path, p->node, content) < 0 ? -1 : event_add_changed(c, p, &was);
    case LC_PROBE_RELISTED:
        return entry_renew_listing(c, p);
    case LC_PROBE_APPEARED:
        return entry_renew_appeared(c, p->path, p->node) < 0 ? -1
                                                             : event_add(c, "appeared", p->path);
    case LC_PROBE_GONE:
        c->search_in_doubt |= is_about_libraries(p->path) || p->node->kind == LC_KIND_SYMLINK;
        lc_tree_entry_clear(p->node);
        return event_add(c, "gone", p->path);
    }
    return 0;
}

/* Is a directory above 'path' a symbolic link now? */
static bool is_below_link(const struct lc_tree *tree, const char *path)
{
    char dir[LC_PATH_MAX];

    snprintf(dir, sizeof(dir), "%s", path);
    for (char *slash; (slash = strrchr(dir, '/')) && slash != dir;) {
        *slash = '\0';
        const struct lc_tree_entry *node = lc_tree_find(tree, dir);
        if (node && node->kind == LC_KIND_SYMLINK)
            return true;
    }
    return false;
}

/* Entries below a directory that became a symbolic link are recorded below the link's target. */
static int move_below_links(struct checking *c)
{
    char to[LC_PATH_MAX];

    for (size_t i = 0; i < c->probing.count; i++) {
        struct lc_probe *p = &c->probing.probe[i];
        bool content = has_content(p->node), listed = p->node->stat.flags & LC_INODE_LISTED;
        if (!p->node->kind || !is_below_link(c->tree, p->path))
            continue;
        lc_tree_entry_clear(p->node);
        struct lc_tree_entry *node = lc_path_read(&c->reader, p->path, to);
        if (node && node->kind == LC_KIND_FILE && node->source == LC_SOURCE_NONE && content)
            node->source = LC_SOURCE_FILE;
        if (node && node->kind == LC_KIND_DIRECTORY && listed &&
            !(node->stat.flags & LC_INODE_LISTED) && lc_path_read_list(to, node, true) < 0)
            continue;
    }
    return 0;
}

/* Adds the targets of links that are new or changed: programs will read files through them. */
static void follow_new_links(struct checking *c)
{
    char to[LC_PATH_MAX];

    for (size_t i = 0; i < c->probing.count; i++) {
        struct lc_probe *p = &c->probing.probe[i];
        if (p->node->kind != LC_KIND_SYMLINK || p->state == LC_PROBE_SAME)
            continue;
        struct lc_tree_entry *node = lc_path_read(&c->reader, p->path, to);
        if (node && node->kind == LC_KIND_FILE && node->source == LC_SOURCE_NONE &&
            may_be_packed(to, node))
            node->source = LC_SOURCE_FILE;
    }
}

static void drop_searches(struct checking *c)
{
    for (size_t i = 0; i < c->tree->searches; i++) {
        c->did->searches_dropped += c->tree->search[i].result != NULL;
        free(c->tree->search[i].result);
        c->tree->search[i].result = NULL;
    }
}

static int on_recompiled(void *arg, const char *what, const char *path)
{
    return event_add(arg, what, path);
}

static int update_all(struct checking *c, const struct lc_check *how)
{
    int rc = 0;

    for (size_t i = 0; i < c->probing.count && rc == 0; i++)
        rc = entry_update(c, &c->probing.probe[i]);
    if (rc == 0 && c->has_new_links) {
        rc = move_below_links(c);
        follow_new_links(c);
    }
    if (rc == 0)
        rc = lc_recompile(c->image, &c->reader, &c->probing, how->dry_run, &c->did->same,
                          &c->did->not_compiled, on_recompiled, c);
    if (rc == 0 && c->search_in_doubt)
        drop_searches(c);
    if (rc < 0)
        return lc_error_errno(c->err, "cannot check '%s'", c->image->file);
    return 0;
}

static int probe_all(struct checking *c, const struct lc_check *how)
{
    uint64_t start = lc_clock_ns();

    if (lc_tree_load(c->tree, c->image, c->err) < 0)
        return -1;
    c->probing =
        (struct lc_probing){.tree = c->tree, .mounts = c->reader.mounts, .deep = how->deep};
    if (lc_probe_all(&c->probing, how->jobs) < 0)
        return lc_error_errno(c->err, "cannot check '%s'", c->image->file);
    c->did->entries = c->probing.count;
    c->did->seconds = (double)(lc_clock_ns() - start) / 1e9;
    return 0;
}

static int write_changes(struct lc_image *image, struct lc_tree *tree, const struct lc_check *how,
                         struct lc_checked *did, struct lc_error *err)
{
    uint64_t start = lc_clock_ns();
    struct lc_written written;
    char *provenance = lc_provenance_checked(image);
    struct lc_write to = {.file = did->wrote, .provenance = provenance, .base = image->base};
    const char *overlay = how->overlay;
    int rc = provenance ? 0 : lc_error_set(err, "cannot write: out of memory");

    if (!overlay && how->overlay_if_large && lc_overlay_is_shorter(image, tree) &&
        !lc_overlay_is_needed(how->overlay_if_large)) /* it can be written */
        overlay = how->overlay_if_large;
    if (rc == 0)
        rc = lc_overlay_choose(image, overlay, did->wrote, sizeof(did->wrote), &did->is_overlay,
                               err);
    if (did->is_overlay && !to.base)
        to.base = image;
    if (rc == 0)
        rc = lc_image_write(tree, &to, &written, err);
    did->write_seconds = (double)(lc_clock_ns() - start) / 1e9;
    free(provenance);
    return rc;
}

struct lc_image *lc_check_load(const char *file, const struct lc_check *how, struct lc_tree *tree,
                               struct lc_mounts *mounts, struct lc_checked *did,
                               struct lc_error *err)
{
    struct checking c = {
        .tree = tree, .reader = {tree, mounts}, .did = did, .err = err, .is_brief = how->is_brief};

    *did = (struct lc_checked){0};
    if (!(c.image = lc_image_open(file, err)))
        return NULL;
    int rc = probe_all(&c, how) < 0 || update_all(&c, how) < 0 ? -1 : 0;
    lc_probe_free(&c.probing);
    if (rc == 0)
        return c.image;
    lc_image_close(c.image);
    return NULL;
}

int lc_check_image(const char *file, const struct lc_check *how, struct lc_checked *did,
                   struct lc_error *err)
{
    struct lc_tree tree = {0};
    struct lc_mounts mounts;
    int rc = -1;

    *did = (struct lc_checked){0};
    if (lc_mounts_open(&mounts) < 0)
        return lc_error_errno(err, "cannot read the mount table");
    struct lc_image *image = lc_check_load(file, how, &tree, &mounts, did, err);
    int saved = errno;
    if (image) {
        snprintf(did->wrote, sizeof(did->wrote), "%s", file);
        rc = did->events == 0 || how->dry_run ? 0 : write_changes(image, &tree, how, did, err);
        if (did->events == 0 &&
            !how->dry_run) /* the mtime says when it was last checked: see exec_check.c */
            utimensat(AT_FDCWD, file,
                      (struct timespec[]){{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}}, 0);
        saved = errno == EBADMSG ? EIO : errno; /* EBADMSG is reserved for a damaged image */
    }
    lc_tree_free(&tree);
    lc_mounts_close(&mounts);
    lc_image_close(image);
    errno = saved;
    return rc;
}
