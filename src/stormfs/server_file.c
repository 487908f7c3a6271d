/* SPDX-License-Identifier: MIT */
/* server_file.c - a named server: a file that several processes of one user map
 *
 * Each process holds a read lock on the file while it runs. (It is a lock of the open file
 * description, so that it survives the fork into the background.) A process that gets the write
 * lock is the only user of the file: at its start it initializes the file, whatever a crash left in
 * it; at its end it removes the file. */
#include "stormfs/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stormfs/server_state.h"
#include "util/path.h"

static char *name_to_path(const char *name)
{
    const char *dir = getenv("STORMFS_DIR");
    char *file = NULL;
    int n;

    if (strchr(name, '/'))
        return strdup(name);
    if (dir && *dir)
        n = asprintf(&file, "%s/server-%s", dir, name);
    else
        n = asprintf(&file, "/dev/shm/stormfs-%ld-%s", (long)geteuid(), name);
    return n < 0 ? NULL : file;
}

static int file_lock(int fd, short type, int cmd)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET};
    int rc;

    do
        rc = fcntl(fd, cmd, &l);
    while (rc < 0 && errno == EINTR);
    return rc;
}

/* Makes the path absolute, since the process changes its working directory and removes the file at
 * its end. Takes over 'file'; the caller frees the result. */
static char *path_make_absolute(char *file)
{
    char here[PATH_MAX], path[PATH_MAX];

    if (!file || *file == '/' || !getcwd(here, sizeof(here)) ||
        lc_path_absolute(path, sizeof(path), here, file) < 0)
        return file;
    free(file);
    return strdup(path);
}

static int file_open_own(const char *file, struct lc_error *err)
{
    struct stat st;
    int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return lc_error_errno(err, "cannot open the server's file '%s'", file);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & 077)) {
        close(fd);
        errno = EPERM;
        return lc_error_set(err, "the server's file '%s' is not a private file of this user", file);
    }
    return fd;
}

/* Was the file removed between opening and locking it? */
static bool file_is_removed(int fd)
{
    struct stat st;

    return fstat(fd, &st) < 0 || st.st_nlink == 0;
}

/* Opens and locks the file. *is_first: no other process uses it, and the lock is the write lock. */
static int file_open_locked(const char *file, bool *is_first, struct lc_error *err)
{
    for (;;) {
        int fd = file_open_own(file, err);
        if (fd < 0)
            return -1;
        *is_first = file_lock(fd, F_WRLCK, F_OFD_SETLK) == 0;
        if (!*is_first && file_lock(fd, F_RDLCK, F_OFD_SETLKW) < 0) {
            lc_error_errno(err, "cannot lock the server's file '%s'", file);
            close(fd);
            return -1;
        }
        if (!file_is_removed(fd))
            return fd;
        close(fd);
    }
}

static int state_create(int fd, struct lc_server_state **state, const struct lc_server_model *model)
{
    if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)sizeof(**state)) < 0)
        return -1;
    *state = mmap(NULL, sizeof(**state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*state == MAP_FAILED)
        return -1;
    (*state)->model = *model;
    (*state)->size = sizeof(**state);
    (*state)->magic = LC_SERVER_MAGIC;
    return file_lock(fd, F_RDLCK,
                     F_OFD_SETLK); /* turns the write lock into a read lock, atomically */
}

static int state_join(int fd, struct lc_server_state **state)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -1;
    errno = EINVAL;
    if (st.st_size != (off_t)sizeof(**state))
        return -1;
    *state = mmap(NULL, sizeof(**state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*state == MAP_FAILED)
        return -1;
    if ((*state)->magic == LC_SERVER_MAGIC && (*state)->size == sizeof(**state))
        return 0;
    munmap(*state, sizeof(**state));
    errno = EINVAL;
    return -1;
}

static int model_check_same(const struct lc_server_model *have, const struct lc_server_model *want,
                            const char *name, struct lc_error *err)
{
    if (have->servers == want->servers && have->service_ns == want->service_ns &&
        have->bandwidth_bytes_s == want->bandwidth_bytes_s &&
        have->halved_at_readers == want->halved_at_readers && have->scale == want->scale)
        return 0;
    return lc_error_set(
        err,
        "server '%s' already runs with other values: --servers %llu --service-us "
        "%g --bandwidth %g --halved-at %g (--scale %llu); give the same, or choose another "
        "name",
        name, (unsigned long long)have->servers, (double)have->service_ns / 1e3,
        (double)have->bandwidth_bytes_s / 1e6, have->halved_at_readers,
        (unsigned long long)have->scale);
}

int lc_server_map_file(struct lc_server *server, const char *name,
                       const struct lc_server_model *model, struct lc_error *err)
{
    char *file = path_make_absolute(name_to_path(name));
    struct lc_server_state *state = NULL;
    bool is_first = false;
    int fd = file ? file_open_locked(file, &is_first, err) : -1;

    if (fd < 0)
        goto fail;
    if (is_first ? state_create(fd, &state, model) < 0 : state_join(fd, &state) < 0) {
        lc_error_errno(err, "cannot use the server's file '%s'", file);
        goto fail;
    }
    if (model_check_same(&state->model, model, name, err) < 0) {
        munmap(state, sizeof(*state));
        goto fail;
    }
    *server = (struct lc_server){.state = state, .fd = fd, .file = file};
    return 0;
fail:
    if (fd >= 0)
        close(fd);
    free(file);
    return -1;
}

void lc_server_leave_file(struct lc_server *server)
{
    if (file_lock(server->fd, F_WRLCK, F_OFD_SETLK) == 0)
        unlink(server->file);
    close(server->fd);
    free((char *)server->file);
    server->file = NULL;
}
