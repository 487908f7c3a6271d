/* SPDX-License-Identifier: MIT */
/* transfer.c - images into the store and out of it */
#include "store/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image/image.h"
#include "util/io.h"
#include "util/output.h"
#include "util/temporary.h"

enum { CHUNK = 1 << 20 };

/* Copy all of 'from' by 'put'. 0, or -1 with errno. */
static int bytes_copy(int from, int (*put)(void *arg, const void *bytes, size_t len), void *arg)
{
    char *chunk = malloc(CHUNK);
    off_t at = 0;
    ssize_t n = -1;
    int rc = chunk ? 0 : -1;

    while (rc == 0 && (n = lc_read_at(from, chunk, CHUNK, at)) > 0) {
        rc = put(arg, chunk, (size_t)n);
        at += n;
    }
    free(chunk);
    return rc < 0 || n < 0 ? -1 : 0;
}

static int put_stream(void *arg, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, arg) == len ? 0 : -1;
}

static int put_fd(void *arg, const void *bytes, size_t len)
{
    return lc_write_all(*(int *)arg, bytes, len);
}

int lc_store_export(const struct lc_store_dir *dir, const char *key, const char *file,
                    struct lc_error *err)
{
    char path[PATH_MAX];
    struct lc_output out;

    if (lc_store_entry_path(dir, key, path, err) < 0)
        return -1;
    int from = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return lc_error_errno(err, "cannot read '%s'", path);
    int rc = lc_output_open(&out, file, err);
    if (rc == 0) {
        bool is_copied = bytes_copy(from, put_stream, out.stream) == 0;
        if (!is_copied)
            lc_error_errno(err, "cannot copy '%s' to '%s'", path, file);
        rc = lc_output_close(&out, is_copied, is_copied ? err : NULL) < 0 || !is_copied ? -1 : 0;
    }
    close(from);
    return rc;
}

/* The copy is verified, not the file it came from, which may change meanwhile. */
static int image_verify(const char *copy, const char *file, struct lc_error *err)
{
    struct lc_error why = {""};
    struct lc_image *image = lc_image_open(copy, &why);
    int rc = -1;

    if (image && image->base)
        lc_error_set(&why, "it is an overlay of '%s'", image->base->file);
    else if (image)
        rc = lc_image_verify_content(image, &why);
    lc_image_close(image);
    if (rc == 0)
        return 0;
    errno = EBADMSG;
    return lc_error_set(err, "cannot import '%s': %s", file, why.text);
}

int lc_store_import(const struct lc_store_dir *dir, const struct lc_store_key *key,
                    const char *file, struct lc_error *err)
{
    char path[PATH_MAX], prefix[PATH_MAX];
    struct lc_temporary copy = LC_TEMPORARY_NONE;
    int from = open(file, O_RDONLY | O_CLOEXEC);

    if (from < 0)
        return lc_error_errno(err, "cannot read '%s'", file);
    int rc = lc_store_entry_path(dir, key->text, path, err);
    if (rc == 0 && snprintf(prefix, sizeof(prefix), "%s/" LC_STORE_TEMPORARY "import", dir->path) >=
                       (int)sizeof(prefix))
        rc = lc_error_set(err, "the store's name is too long: '%s'", dir->path);
    if (rc == 0 && (lc_temporary_open(&copy, prefix) < 0 || bytes_copy(from, put_fd, &copy.fd) < 0))
        rc = lc_error_errno(err, "cannot copy '%s' to the store '%s'", file, dir->path);
    if (rc == 0)
        rc = image_verify(copy.path, file, err);
    if (rc == 0 && (lc_temporary_publish_as(&copy, path, 0600) < 0 ||
                    lc_store_entry_describe(dir, key, false) < 0))
        rc = lc_error_errno(err, "cannot write '%s'", path);
    lc_temporary_discard(&copy);
    close(from);
    return rc;
}
