/* SPDX-License-Identifier: MIT */
/* source.c - what is staged: which image is it, and where are our own objects? */
#include "stage/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/look.h"
#include "util/own.h"

int lc_stage_origin(char *out, size_t size, struct lc_error *err)
{
    char self[PATH_MAX], probe[PATH_MAX + 32];

    if (lc_own_directory(self, err) < 0)
        return -1;
    snprintf(out, size, "%s", self);
    snprintf(probe, sizeof(probe), "%s/launch", self);
    if (access(probe, X_OK) == 0)
        return 0;
    return lc_error_errno(err, "the launcher '%s' is not there; install Loadcast whole", probe);
}

int lc_stage_image_id(const char *image, uint64_t *id, struct lc_error *err)
{
    struct lc_look look;
    struct stat st;
    int fd = open(image, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return lc_error_errno(err, "cannot open image '%s'", image);
    int rc = fstat(fd, &st) < 0 ? lc_error_errno(err, "cannot read '%s'", image) : 0;
    if (rc == 0 && (!S_ISREG(st.st_mode) || st.st_size == 0)) {
        errno = EBADMSG;
        rc = lc_error_set(err, "'%s' is refused: %s", image,
                          S_ISREG(st.st_mode) ? "empty" : "not a file");
    }
    void *map = rc < 0 ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (rc == 0 && map == MAP_FAILED)
        rc = lc_error_errno(err, "cannot map '%s'", image);
    const char *bad = rc == 0 ? lc_look_open(&look, map, (uint64_t)st.st_size) : NULL;
    if (bad) {
        errno = EBADMSG;
        rc = lc_error_set(err, "'%s' is refused: %s", image, bad);
    }
    if (rc == 0)
        *id = lc_look_id(&look);
    int saved = errno;
    if (map != MAP_FAILED)
        munmap(map, (size_t)st.st_size);
    close(fd);
    errno = saved;
    return rc;
}
