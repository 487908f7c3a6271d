/* SPDX-License-Identifier: MIT */
/* content.c - the content of one staged file
 *
 * Content is read in large pieces, and hashed while it is in the processor's cache. Content that
 * another node directory of this user has is copied from there. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "node/file_kind.h"
#include "stage/delta_source.h"
#include "stage/fill.h"
#include "util/io.h"

const char *lc_fill_path(const struct lc_fill *fill, uint32_t inode)
{
    const struct lc_look *look = &fill->image->look;

    return lc_look_name(look, look->entry[fill->home[inode]].path);
}

/* Copy the content of an inode from the image, or from the file 'source' if that is not -1. Errno
 * EBADMSG: its hash does not match. */
static int content_copy(struct lc_fill *fill, const struct lc_inode *inode, int source, int fd,
                        char *buffer)
{
    XXH3_state_t *hash = XXH3_createState();
    int rc = hash && XXH3_128bits_reset(hash) == XXH_OK ? 0 : -1;

    for (uint64_t done = 0; rc == 0 && done < inode->size;) {
        size_t n =
            inode->size - done < LC_FILL_CHUNK ? (size_t)(inode->size - done) : LC_FILL_CHUNK;
        rc = source >= 0 ? lc_read_exactly(source, buffer, n, (off_t)done)
                         : lc_image_read(fill->image, inode, buffer, n, done);
        if (rc == 0)
            XXH3_128bits_update(hash, buffer, n);
        if (rc == 0)
            rc = lc_write_all(fd, buffer, n);
        done += n;
        if (fill->lock)
            lc_stage_lock_beat(fill->lock);
    }
    if (rc == 0) {
        XXH128_hash_t is = XXH3_128bits_digest(hash);
        if (is.low64 != inode->hash[0] || is.high64 != inode->hash[1])
            rc = (errno = EBADMSG, -1);
    }
    int saved = errno;
    XXH3_freeState(hash);
    errno = saved;
    return rc;
}

int lc_fill_create(const struct lc_fill *fill, int root, uint32_t inode)
{
    return openat(root, lc_fill_path(fill, inode) + 1,
                  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int file_seal(int fd, const struct lc_inode *inode, uint64_t *ino)
{
    struct timespec times[2] = {{inode->atime, inode->atime_ns}, {inode->mtime, inode->mtime_ns}};
    struct stat st;

    if (futimens(fd, times) < 0 && errno != EINVAL)
        return -1;
    if (fchmod(fd, inode->mode & 0111 ? 0555 : 0444) < 0 || fstat(fd, &st) < 0)
        return -1;
    *ino = st.st_ino;
    return 0;
}

int lc_fill_seal(struct lc_fill *fill, int fd, uint32_t inode)
{
    struct lc_script script;

    enum lc_program_kind kind = lc_program_kind_of_fd(fd, &script);
    fill->kind[inode] = (lc_program_is_object(kind) ? LC_STAGED_OBJECT : 0) |
                        (kind == LC_PROGRAM_DYNAMIC ? LC_STAGED_DYNAMIC : 0);
    int rc = file_seal(fd, &fill->image->look.inode[inode], &fill->ino[inode]), saved = errno;

    if (close(fd) < 0 && rc == 0)
        return -1;
    errno = saved;
    return rc;
}

/* Create, copy and seal the file of an inode; remove it if that fails. */
static int file_stage(struct lc_fill *fill, int root, uint32_t i, int source, char *buffer)
{
    int fd = lc_fill_create(fill, root, i);

    if (fd < 0)
        return -1;
    if (content_copy(fill, &fill->image->look.inode[i], source, fd, buffer) == 0)
        return lc_fill_seal(fill, fd, i);
    int saved = errno;
    close(fd);
    unlinkat(root, lc_fill_path(fill, i) + 1, 0);
    errno = saved;
    return -1;
}

int lc_fill_from_delta_source(struct lc_fill *fill, int root, uint32_t i, char *buffer)
{
    const struct lc_inode *inode = &fill->image->look.inode[i];
    const char *path = lc_delta_sources_path(fill->sources, inode);
    int source = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;

    if (source < 0)
        return errno = ENOENT, -1;
    int rc = file_stage(fill, root, i, source, buffer), saved = errno;
    close(source);
    if (rc == 0)
        __atomic_fetch_add(&fill->copied, inode->size, __ATOMIC_RELAXED);
    errno = saved;
    return rc;
}

int lc_fill_one(struct lc_fill *fill, int root, uint32_t inode, char *buffer)
{
    if (lc_fill_from_delta_source(fill, root, inode, buffer) == 0)
        return 0;
    return file_stage(fill, root, inode, -1, buffer);
}
