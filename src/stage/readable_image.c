/* SPDX-License-Identifier: MIT */
/* readable_image.c - open an image, and leave out what this user may not read
 *
 * That is decided once, when the image is opened to be staged, with the groups of this process. The
 * index is then built anew without the rest; content stays in the image file. */
#include "stage/readable_image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/index.h"
#include "image/tree.h"

enum { MAY_READ = 4, MAY_ENTER = 1 }; /* as in a mode; for a file the second is to execute */

/* The user whose rights are applied. */
struct user {
    uid_t uid;
    gid_t gid;
    gid_t *group;
    int groups;
    bool is_superuser;
};

/* Root of the machine; root of a user namespace is bound by the modes of other users' files. */
static bool user_is_superuser(void)
{
    unsigned long inside = 1, outside = 1, count = 0;
    FILE *f = geteuid() == 0 ? fopen("/proc/self/uid_map", "re") : NULL;
    bool has_all = f && fscanf(f, "%lu %lu %lu", &inside, &outside, &count) == 3 && inside == 0 &&
                   outside == 0 && count >= UINT32_MAX;

    if (f)
        fclose(f);
    return has_all;
}

static int user_begin(struct user *user)
{
    int count = getgroups(0, NULL);

    *user = (struct user){.uid = geteuid(), .gid = getegid(), .is_superuser = user_is_superuser()};
    user->group = calloc((size_t)(count > 0 ? count : 1), sizeof(*user->group));
    if (count < 0 || !user->group)
        return -1;
    user->groups = getgroups(count, user->group);
    return user->groups < 0 ? -1 : 0;
}

static bool user_is_member(const struct user *user, gid_t gid)
{
    for (int i = 0; i < user->groups; i++)
        if (user->group[i] == gid)
            return true;
    return user->gid == gid;
}

static bool user_may(const struct user *user, const struct lc_inode *inode, unsigned want)
{
    if (user->is_superuser)
        return true;
    if ((inode->flags & LC_INODE_ACL) && inode->uid != user->uid)
        return false; /* the list is not in the image, and may differ from the mode */
    unsigned shift = inode->uid == user->uid ? 6 : user_is_member(user, inode->gid) ? 3 : 0;
    return (inode->mode >> shift & want) == want;
}

/* Can the user look the entry's path up? Parents come before their children. */
static bool entry_is_reached(const struct user *user, const struct lc_look *look,
                             const bool *reached, uint32_t i)
{
    uint32_t up = look->entry[i].parent;
    const struct lc_inode *dir = up < look->entries ? lc_look_inode(look, up) : NULL;

    if (up >= look->entries)
        return true;
    return reached[up] && (!dir || user_may(user, dir, MAY_ENTER));
}

/* May the user read the entry itself, and execute it if anybody may? */
static bool entry_is_open(const struct user *user, const struct lc_look *look, uint32_t i)
{
    const struct lc_inode *inode = lc_look_inode(look, i);
    uint8_t kind = look->entry[i].kind;

    if (!inode || kind == LC_KIND_SYMLINK)
        return true;
    bool enters = kind == LC_KIND_DIRECTORY || (inode->mode & 0111);
    return user_may(user, inode, MAY_READ | (enters ? MAY_ENTER : 0));
}

/* Limit a node of the new index: one that is not open has its stat fields only. */
static void node_limit(struct lc_tree_entry *node, const struct lc_inode *inode, bool open)
{
    if (node->kind == LC_KIND_FILE && open)
        node->stat.flags |= inode->flags & LC_INODE_IN_BASE;
    else if (node->kind == LC_KIND_FILE)
        node->stat.data = LC_NO_CONTENT;
    else if (node->kind == LC_KIND_DIRECTORY && !open)
        lc_tree_entry_drop_list(node);
}

/* Drop recorded library searches: their results may be left out, so ld.so must search itself. */
static void searches_drop(struct lc_tree *tree)
{
    for (size_t i = 0; i < tree->searches; i++) {
        free(tree->search[i].result);
        tree->search[i].result = NULL;
    }
}

/* Write the index of the entries that are reached to 'fd'. 0, or -1 with errno. */
static int index_write(const struct lc_image *image, struct lc_tree *tree,
                       const struct lc_item *item, size_t items, int fd)
{
    const struct lc_look *look = &image->look;
    const struct lc_section *content = lc_look_section(look, LC_SECTION_CONTENT);
    struct lc_index index = {0};
    size_t len;
    const char *provenance = lc_image_provenance(image, &len);
    int rc = look->overlay_base ? lc_index_set_base(&index, look->overlay_base->id,
                                                    lc_look_name(look, look->overlay_base->path))
                                : 0;

    if (rc == 0)
        rc = lc_index_build(&index, tree, item, items);
    if (rc == 0)
        rc = lc_index_write_alone(&index, fd, content, provenance, len);
    int saved = errno;
    lc_index_free(&index);
    errno = saved;
    return rc;
}

static int items_collect(const struct user *user, const struct lc_look *look, const bool *reached,
                         struct lc_tree *tree, struct lc_item *item, size_t *items)
{
    for (uint32_t i = 0; i < look->entries; i++) {
        const char *path = lc_look_name(look, look->entry[i].path);
        struct lc_tree_entry *node = lc_tree_find(tree, path);
        if (!node || !reached[i])
            continue;
        node_limit(node, lc_look_inode(look, i), entry_is_open(user, look, i));
        item[(*items)++] = (struct lc_item){path, node};
    }
    return *items > 0 ? 0 : (errno = EACCES, -1);
}

/* Make the limited index in anonymous memory. A descriptor, or -1 with errno. */
static int index_make(const struct lc_image *image, const struct user *user, const bool *reached)
{
    struct lc_tree tree = {0};
    struct lc_item *item = calloc(image->look.entries + 1u, sizeof(*item));
    size_t items = 0;
    int fd = item ? memfd_create("index", MFD_CLOEXEC) : -1;
    int rc = fd < 0 || lc_tree_load(&tree, image, NULL) < 0 ||
                     items_collect(user, &image->look, reached, &tree, item, &items) < 0
                 ? -1
                 : 0;

    if (rc == 0) {
        searches_drop(&tree);
        rc = index_write(image, &tree, item, items, fd);
    }
    int saved = errno;
    lc_tree_free(&tree);
    free(item);
    if (rc < 0 && fd >= 0)
        close(fd);
    errno = saved;
    return rc < 0 ? -1 : fd;
}

/* Replace the image's index by the limited one; 'fd' is closed. */
static int index_take(struct lc_image *image, int fd)
{
    struct stat st;
    struct lc_look look;
    void *map = MAP_FAILED;

    if (fstat(fd, &st) == 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int saved = errno;
    close(fd);
    errno = saved;
    if (map == MAP_FAILED)
        return -1;
    if (lc_look_open(&look, map, (uint64_t)st.st_size)) {
        munmap(map, (size_t)st.st_size);
        return errno = EBADMSG, -1;
    }
    lc_private_pages_free(&image->memory);
    image->memory = (struct lc_private_pages){map, (size_t)st.st_size};
    image->look = look;
    return 0;
}

/* May the user reach and read everything? Fills 'reached' per entry. */
static bool user_reaches_all(const struct user *user, const struct lc_look *look, bool *reached)
{
    bool all = true;

    for (uint32_t i = 0; i < look->entries; i++) {
        reached[i] = entry_is_reached(user, look, reached, i);
        all = all && reached[i] && entry_is_open(user, look, i);
    }
    return all;
}

static int image_limit(struct lc_image *image, struct lc_error *err)
{
    bool *reached = calloc(image->look.entries + 1u, sizeof(*reached));
    struct user user = {0};
    int rc = reached ? user_begin(&user) : -1;

    if (rc == 0 && !user_reaches_all(&user, &image->look, reached)) {
        int fd = index_make(image, &user, reached);
        rc = fd < 0 ? -1 : index_take(image, fd);
    }
    int saved = errno;
    free(user.group);
    free(reached);
    errno = saved;
    return rc < 0 ? lc_error_errno(err, "cannot tell what of '%s' you may reach", image->file) : 0;
}

bool lc_image_file_is_foreign(const char *file)
{
    struct stat st;

    return stat(file, &st) == 0 && st.st_uid != geteuid() && st.st_uid != 0;
}

struct lc_image *lc_readable_image_open(const char *file, uint64_t *id, struct lc_error *err)
{
    struct lc_image *image = lc_image_open(file, err);

    if (!image)
        return NULL;
    *id = lc_look_id(&image->look);
    if (!lc_image_is_foreign(image) || image_limit(image, err) == 0)
        return image;
    int saved = errno;
    lc_image_close(image);
    errno = saved;
    return NULL;
}
