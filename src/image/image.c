/* SPDX-License-Identifier: MIT */
/* image.c - open an image file and read from it */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/io.h"

static int read_index(struct lc_image *image, struct lc_error *err)
{
    struct lc_error why;

    if (lc_index_read(&image->memory, image->fd, image->file, LC_INDEX_ALL, &image->look, err) < 0)
        return -1;
    if (lc_image_verify(&image->look, &why) == 0)
        return 0;
    errno = EBADMSG;
    return lc_error_set(err, "'%s' is refused: %s", image->file, why.text);
}

static int open_file(const char *file, struct lc_error *err)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    return fd < 0 ? lc_error_errno(err, "cannot open image '%s'", file) : fd;
}

/* Open an image without opening its base. */
static struct lc_image *open_alone(const char *file, struct lc_error *err)
{
    struct lc_image *image = calloc(1, sizeof(*image));

    if (!image || !(image->file = strdup(file))) {
        free(image);
        errno = ENOMEM;
        return lc_error_errno(err, "cannot open '%s'", file), NULL;
    }
    image->fd = open_file(file, err);
    if (image->fd >= 0 && read_index(image, err) == 0)
        return image;
    int saved = errno;
    lc_image_close(image);
    errno = saved;
    return NULL;
}

/* Only one level of bases is allowed: overlays that name each other would recurse without end. */
static int open_base(struct lc_image *image, struct lc_error *err)
{
    const char *path = lc_look_name(&image->look, image->look.overlay_base->path);

    if (!(image->base = open_alone(path, err)))
        return -1;
    bool is_same = lc_look_id(&image->base->look) == image->look.overlay_base->id;
    bool is_overlay = image->base->look.overlay_base;
    if (is_same && !is_overlay)
        return 0;
    errno = EBADMSG;
    return is_overlay ? lc_error_set(err, "'%s' is refused: its base '%s' is an overlay itself",
                                     image->file, path)
                      : lc_error_set(err,
                                     "'%s' is refused: its base '%s' has changed; "
                                     "run 'loadcast check %s'",
                                     image->file, path, path);
}

struct lc_image *lc_image_open(const char *file, struct lc_error *err)
{
    struct lc_image *image = open_alone(file, err);

    if (!image || !image->look.overlay_base || open_base(image, err) == 0)
        return image;
    int saved = errno;
    lc_image_close(image);
    errno = saved;
    return NULL;
}

int lc_image_id(const char *file, uint64_t *id, struct lc_error *err)
{
    struct lc_private_pages memory;
    struct lc_look look;
    int fd = open_file(file, err);

    if (fd < 0)
        return -1;
    int rc = lc_index_read(&memory, fd, file, LC_INDEX_TABLE, &look, err), saved = errno;
    if (rc == 0)
        *id = lc_look_id(&look);
    lc_private_pages_free(&memory);
    close(fd);
    errno = saved;
    return rc;
}

uint16_t lc_image_learnt_by(const struct lc_image *image, uint32_t entry)
{
    const struct lc_section *s = lc_look_section(&image->look, LC_SECTION_LEARNT);

    return s && entry < s->count ? ((const uint16_t *)(image->look.base + s->offset))[entry] : 0;
}

void lc_image_close(struct lc_image *image)
{
    if (!image)
        return;
    lc_image_close(image->base);
    lc_private_pages_free(&image->memory);
    if (image->fd >= 0)
        close(image->fd);
    free(image->file);
    free(image);
}

bool lc_image_is_foreign(const struct lc_image *image)
{
    struct stat st;

    if (fstat(image->fd, &st) < 0 || (st.st_uid != geteuid() && st.st_uid != 0))
        return true;
    return image->base && lc_image_is_foreign(image->base);
}

bool lc_image_content(const struct lc_image *image, const struct lc_inode *inode, int *fd,
                      off_t *offset)
{
    if (inode->data == LC_NO_CONTENT || !S_ISREG(inode->mode))
        return false;
    if (inode->flags & LC_INODE_IN_BASE)
        image = image->base;
    if (!image || inode->data > image->look.content_len ||
        inode->size > image->look.content_len - inode->data)
        return false;
    *fd = image->fd;
    *offset = (off_t)(image->look.content + inode->data);
    return true;
}

int lc_image_read(const struct lc_image *image, const struct lc_inode *inode, void *out, size_t len,
                  uint64_t from)
{
    int fd;
    off_t offset;

    if (!lc_image_content(image, inode, &fd, &offset)) {
        errno = ENODATA;
        return -1;
    }
    ssize_t n = lc_read_at(fd, out, len, offset + (off_t)from);
    if (n >= 0 && (size_t)n < len)
        errno = EBADMSG;
    return n == (ssize_t)len ? 0 : -1;
}

const char *lc_image_provenance(const struct lc_image *image, size_t *len)
{
    const struct lc_section *s = lc_look_section(&image->look, LC_SECTION_PROVENANCE);

    *len = s ? (size_t)s->length : 0;
    return s ? (const char *)image->look.base + s->offset : NULL;
}

static void count_entries(const struct lc_look *look, struct lc_image_totals *t)
{
    for (uint32_t i = 0; i < look->entries; i++) {
        const struct lc_inode *inode = lc_look_inode(look, i);
        uint8_t kind = look->entry[i].kind;
        t->files += kind == LC_KIND_FILE;
        t->directories += kind == LC_KIND_DIRECTORY;
        t->links += kind == LC_KIND_SYMLINK;
        t->absent += kind == LC_KIND_ABSENT;
        t->made += (look->entry[i].flags & LC_ENTRY_MADE) && kind == LC_KIND_FILE;
        t->stat_only += kind == LC_KIND_FILE && inode && inode->data == LC_NO_CONTENT;
        t->complete += kind == LC_KIND_DIRECTORY && inode && (inode->flags & LC_INODE_COMPLETE);
    }
}

struct lc_image_totals lc_image_count(const struct lc_image *image)
{
    const struct lc_look *look = &image->look;
    struct lc_image_totals t = {.searches = look->searches, .names_bytes = look->names_len};

    count_entries(look, &t);
    for (uint32_t i = 0; i < look->inodes; i++)
        if (S_ISREG(look->inode[i].mode) && look->inode[i].data != LC_NO_CONTENT)
            t.bytes += look->inode[i].size;
    for (uint32_t i = 0; i < look->root->count; i++) {
        const struct lc_section *s = &look->root->section[i];
        if (s->type == LC_SECTION_CONTENT)
            t.content_bytes += s->length;
        else if (s->type != LC_SECTION_NAMES && s->type != LC_SECTION_PROVENANCE)
            t.index_bytes += s->length;
    }
    return t;
}
