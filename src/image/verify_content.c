/* SPDX-License-Identifier: MIT */
/* verify_content.c - compare every file's content with its recorded hash */
#include "image/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { BUFFER = 1 << 20 };

static int hash_content(const struct lc_image *image, const struct lc_inode *inode, char *buffer,
                        XXH3_state_t *state)
{
    XXH3_128bits_reset(state);
    for (uint64_t done = 0; done < inode->size;) {
        size_t n = inode->size - done < BUFFER ? inode->size - done : BUFFER;
        if (lc_image_read(image, inode, buffer, n, done) < 0)
            return -1;
        XXH3_128bits_update(state, buffer, n);
        done += n;
    }
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    if (hash.low64 == inode->hash[0] && hash.high64 == inode->hash[1])
        return 0;
    errno = EBADMSG;
    return -1;
}

int lc_image_verify_content(const struct lc_image *image, struct lc_error *err)
{
    char *buffer = malloc(BUFFER);
    XXH3_state_t *state = XXH3_createState();
    int rc = buffer && state ? 0 : lc_error_set(err, "cannot verify: out of memory");

    for (uint32_t i = 0; i < image->look.entries && rc == 0; i++) {
        const struct lc_inode *inode = lc_look_inode(&image->look, i);
        if (!inode || image->look.entry[i].kind != LC_KIND_FILE || inode->data == LC_NO_CONTENT)
            continue;
        if (hash_content(image, inode, buffer, state) < 0)
            rc =
                lc_error_set(err, "content of '%s' in '%s' is damaged%s%s; record again",
                             lc_look_name(&image->look, image->look.entry[i].path), image->file,
                             errno == EBADMSG ? "" : ": ", errno == EBADMSG ? "" : strerror(errno));
    }
    free(buffer);
    XXH3_freeState(state);
    return rc;
}
