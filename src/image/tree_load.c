/* SPDX-License-Identifier: MIT */
/* tree_load.c - load an image's index into a tree; the content stays in the image file */
#include "image/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"

/* Device number for entries loaded from an image. It cannot be a real one, so that they never share
 * an inode with entries that were filled by stat. */
static const uint64_t unreal_device = 1ull << 63;

/* Inode flags that stay valid until the file changes. */
enum { KEPT = LC_INODE_FRESH | LC_INODE_ATTRIBUTES };

static int load_listing(struct lc_tree_entry *node, const struct lc_look *look,
                        const struct lc_inode *inode)
{
    uint32_t count;
    const struct lc_dirent *d = lc_look_dirents(look, inode, &count);

    if (!d)
        return 0;
    struct lc_listed_name *list = calloc(count ? count : 1, sizeof(*list));
    if (!list)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        list[i] =
            (struct lc_listed_name){strdup(lc_look_name(look, d[i].name)), d[i].ino, d[i].type};
        if (!list[i].name) {
            lc_listed_names_free(list, count);
            return -1;
        }
    }
    lc_tree_entry_set_list(node, list, count, inode->flags & LC_INODE_COMPLETE);
    node->stat.flags |= inode->flags & KEPT;
    return 0;
}

static uint32_t load_mount(struct lc_tree *tree, const struct lc_look *look, uint32_t mount)
{
    if (mount >= look->mounts)
        return LC_NONE;
    const struct lc_mount *m = &look->mount[mount];
    return lc_tree_mount(tree, lc_look_name(look, m->point), lc_look_name(look, m->type),
                         lc_look_name(look, m->source));
}

static int load_entry(struct lc_tree *tree, const struct lc_image *image, uint32_t i)
{
    const struct lc_look *look = &image->look;
    const struct lc_entry *e = &look->entry[i];
    const struct lc_inode *inode = lc_look_inode(look, i);
    struct lc_tree_entry *node = lc_tree_entry_make(tree, lc_look_name(look, e->path));

    if (!node)
        return -1;
    lc_tree_entry_clear(node);
    node->kind = e->kind;
    node->flags = e->flags;
    node->learnt = lc_image_learnt_by(image, i);
    if (!inode) {
        node->error = (int)e->inode;
        return 0;
    }
    node->stat = *inode;
    node->stat.flags = inode->flags & KEPT;
    node->stat.mount = load_mount(tree, look, inode->mount);
    node->dev = unreal_device | e->inode;
    if (e->kind == LC_KIND_SYMLINK)
        return lc_tree_entry_set_link(node, lc_look_name(look, (uint32_t)inode->data));
    if (e->kind == LC_KIND_DIRECTORY)
        return load_listing(node, look, inode);
    node->source = inode->data == LC_NO_CONTENT ? LC_SOURCE_NONE : LC_SOURCE_IMAGE;
    node->image = image;
    node->from = inode;
    return 0;
}

static int load_searches(struct lc_tree *tree, const struct lc_look *look)
{
    for (uint32_t i = 0; i < look->searches; i++) {
        const struct lc_search *s = &look->search[i];
        const struct lc_search_key *k = &look->search_key[s->key];
        struct lc_tree_key key = {k->hwcap,
                                  k->hwcap2,
                                  k->cache,
                                  k->cpu_level,
                                  (char *)lc_look_name(look, k->executable),
                                  (char *)lc_look_name(look, k->library_path),
                                  (char *)lc_look_name(look, k->tunables),
                                  (char *)lc_look_name(look, k->platform)};
        uint32_t at = lc_tree_key(tree, &key);
        if (at == LC_NONE ||
            lc_tree_search(tree, at, s->chain, lc_look_name(look, s->loader),
                           lc_look_name(look, s->name), lc_look_name(look, s->result)) < 0)
            return -1;
    }
    return 0;
}

/* Copy the bindings unchanged. Objects are identified by their content, so bindings of a file that
 * has changed are never found. */
static int load_bindings(struct lc_tree *tree, const struct lc_look *look)
{
    const struct lc_section *s = lc_look_section(look, LC_SECTION_BINDINGS);

    return s ? lc_buf_add(&tree->bindings, look->base + s->offset, s->length) : 0;
}

int lc_tree_load(struct lc_tree *tree, const struct lc_image *image, struct lc_error *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < image->look.entries && rc == 0; i++)
        rc = load_entry(tree, image, i);
    if (rc == 0)
        rc = load_searches(tree, &image->look);
    if (rc == 0)
        rc = load_bindings(tree, &image->look);
    if (rc < 0) {
        errno = ENOMEM;
        return lc_error_errno(err, "cannot load '%s'", image->file);
    }
    return 0;
}
