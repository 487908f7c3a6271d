/* SPDX-License-Identifier: MIT */
/* content_batch.c - what is sent to nodes: the index of an image and the contents that nodes lack
 */
#include "stage/content_batch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/readable_image.h"
#include "util/io.h"

enum { PIECE = 1 << 20 };

int lc_content_batch_open(struct lc_content_batch *batch, const char *image, struct lc_error *err)
{
    *batch = (struct lc_content_batch){0};
    batch->image = lc_readable_image_open(image, &batch->id, err);
    if (!batch->image)
        return -1;
    batch->fill = (struct lc_fill){.image = batch->image,
                                   .fd = -1,
                                   .origin = "",
                                   .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
                                   .streamed = true};
    if (lc_fill_plan(&batch->fill) == 0 && lc_contents_list(&batch->contents, &batch->fill) == 0)
        return 0;
    return lc_error_errno(err, "cannot list what '%s' holds", image);
}

void lc_content_batch_close(struct lc_content_batch *batch)
{
    lc_contents_free(&batch->contents);
    lc_fill_end(&batch->fill);
    lc_image_close(batch->image);
    batch->image = NULL;
}

/* The index of the image in memory of its own. */
static void *index_make(const struct lc_image *image, size_t *len)
{
    int fd = memfd_create("index", MFD_CLOEXEC);
    struct stat st;
    uint64_t id;
    void *at = MAP_FAILED;

    if (fd >= 0 && lc_image_save_index(&image->look, fd, &id) == 0 && fstat(fd, &st) == 0) {
        *len = (size_t)st.st_size;
        at = mmap(NULL, *len, PROT_READ, MAP_SHARED, fd, 0);
    }
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return at == MAP_FAILED ? NULL : at;
}

int lc_content_batch_add_head(const struct lc_content_batch *batch, uint64_t need_len,
                              struct lc_buf *out)
{
    size_t len = 0;
    char *path = realpath(batch->image->file, NULL);
    void *index = index_make(batch->image, &len);
    const char *name = path ? path : batch->image->file;
    struct lc_content_batch_head head = {LC_CONTENT_BATCH_MAGIC, batch->id, len, strlen(name),
                                         need_len};

    lc_buf_add(out, &head, sizeof(head));
    lc_buf_add(out, name, head.path_len);
    int rc = index && lc_buf_add(out, index, len) == 0 ? 0 : -1, saved = errno;
    if (index)
        munmap(index, len);
    free(path);
    errno = saved;
    return rc;
}

static int contents_write(const struct lc_content_batch *batch, const uint8_t *need, int fd)
{
    struct lc_content_reader reader = {
        .image = batch->image, .fill = &batch->fill, .contents = &batch->contents, .need = need};
    char *piece = malloc(PIECE);
    ssize_t n = piece ? 1 : -1;

    while (n > 0 && (n = lc_content_reader_read(&reader, piece, PIECE)) > 0)
        if (lc_write_all(fd, piece, (size_t)n) < 0)
            n = -1;
    int saved = errno;
    lc_content_reader_free(&reader);
    free(piece);
    errno = saved;
    return n < 0 ? -1 : 0;
}

int lc_content_batch_write(const struct lc_content_batch *batch, const uint8_t *need, int fd)
{
    struct lc_buf head = {0};
    size_t bits = need ? lc_contents_bitmap(&batch->contents) : 0;
    int rc = lc_content_batch_add_head(batch, bits, &head);

    if (rc == 0 && bits > 0)
        rc = lc_buf_add(&head, need, bits);
    if (rc == 0)
        rc = lc_write_all(fd, head.data, head.len);
    if (rc == 0 && need)
        rc = contents_write(batch, need, fd);
    int saved = errno;
    lc_buf_free(&head);
    errno = saved;
    return rc;
}

int lc_content_batch_read_head(const void *data, size_t len, struct lc_content_batch_head *head)
{
    if (len < sizeof(*head))
        return 0;
    memcpy(head, data, sizeof(*head));
    if (head->magic != LC_CONTENT_BATCH_MAGIC || head->path_len >= PATH_MAX ||
        head->index_len > SIZE_MAX / 4 || head->need_len > SIZE_MAX / 4)
        return errno = EPROTO, -1;
    return len - sizeof(*head) >= head->path_len + head->index_len;
}

int lc_content_batch_index(const void *data, const struct lc_content_batch_head *head,
                           struct lc_image *image, struct lc_error *err)
{
    const char *path = (const char *)data + sizeof(*head), *index = path + head->path_len;
    void *map =
        mmap(NULL, head->index_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *image = (struct lc_image){.fd = -1, .file = strndup(path, head->path_len)};
    if (map == MAP_FAILED || !image->file)
        return lc_error_errno(err, "cannot hold the index");
    memcpy(map, index, head->index_len);
    image->memory = (struct lc_private_pages){map, head->index_len};
    const char *bad = lc_look_open(&image->look, map, head->index_len);
    if (bad) {
        errno = EBADMSG;
        return lc_error_set(err, "the index that came is refused: %s", bad);
    }
    return lc_image_verify(&image->look, err);
}

void lc_content_batch_free_index(struct lc_image *image)
{
    lc_private_pages_free(&image->memory);
    free(image->file);
    *image = (struct lc_image){.fd = -1};
}
