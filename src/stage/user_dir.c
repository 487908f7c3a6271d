/* SPDX-License-Identifier: MIT */
/* user_dir.c - the directory of this user's in a place: DIR/loadcast-UID */
#include "stage/user_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "stage/owned.h"

static void usual_name(char out[LC_USER_DIR_NAME])
{
    snprintf(out, LC_USER_DIR_NAME, "loadcast-%lu", (unsigned long)geteuid());
}

/* DIR/NAME opened if it is ours. */
static int open_named(const struct lc_stage_place *place, const char *name, bool make,
                      char path[LC_USER_DIR_LEN], struct lc_error *err)
{
    snprintf(path, LC_USER_DIR_LEN, "%s%s%.63s", place->path,
             strcmp(place->path, "/") == 0 ? "" : "/", name);
    return lc_owned_open(place->fd, name, make, path, err);
}

static bool is_other_name(const char *name, const char *usual)
{
    size_t n = strlen(usual);

    return strncmp(name, usual, n) == 0 && name[n] == '.' && strlen(name) < LC_USER_DIR_NAME;
}

/* All other names that there are, in order; the caller frees them. */
static int list_others(const struct lc_stage_place *place, struct dirent ***out)
{
    return scandirat(place->fd, ".", out, NULL, alphasort);
}

/* The first that is ours; -1 with errno ENOENT if none is. */
static int open_other(const struct lc_stage_place *place, char path[LC_USER_DIR_LEN])
{
    struct dirent **names = NULL;
    char usual[LC_USER_DIR_NAME];
    int count = list_others(place, &names), fd = -1;

    usual_name(usual);
    for (int i = 0; i < count; i++) {
        if (fd < 0 && is_other_name(names[i]->d_name, usual))
            fd = open_named(place, names[i]->d_name, false, path, NULL);
        free(names[i]);
    }
    free(names);
    if (fd < 0)
        errno = ENOENT;
    return fd;
}

/* A name that nobody can foresee; of several that are made at a time the oldest sorts first. */
static int make_other(const struct lc_stage_place *place, struct lc_error *err)
{
    char usual[LC_USER_DIR_NAME], name[LC_USER_DIR_NAME], path[LC_USER_DIR_LEN];
    struct timespec now;
    uint32_t word = 0;

    clock_gettime(CLOCK_REALTIME, &now);
    if (getrandom(&word, sizeof(word), GRND_NONBLOCK) != sizeof(word))
        return lc_error_errno(err, "cannot choose a name in '%s'", place->path);
    usual_name(usual);
    snprintf(name, sizeof(name), "%.20s.%010" PRIx64 "%08" PRIx32 "%08" PRIx32, usual,
             (uint64_t)now.tv_sec, (uint32_t)now.tv_nsec, word);
    int fd = open_named(place, name, true, path, err);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? -1 : 0;
}

int lc_user_dir_open(const struct lc_stage_place *place, bool make, char path[LC_USER_DIR_LEN],
                     struct lc_error *err)
{
    char usual[LC_USER_DIR_NAME];

    usual_name(usual);
    int fd = open_named(place, usual, make, path, err);
    if (fd >= 0 || (errno != EPERM && errno != EACCES))
        return fd;
    fd = open_other(place, path);
    if (fd < 0 && make && make_other(place, err) == 0)
        fd = open_other(place, path);
    return fd;
}

void lc_user_dir_each(const struct lc_stage_place *place,
                      void (*each)(void *arg, int user, const char *path),
                      void (*refused)(void *arg, const struct lc_error *why), void *arg)
{
    char usual[LC_USER_DIR_NAME], path[LC_USER_DIR_LEN];
    struct dirent **names = NULL;
    struct lc_error err;
    int count = list_others(place, &names);

    usual_name(usual);
    for (int i = 0; i < count; i++) {
        bool is_usual = strcmp(names[i]->d_name, usual) == 0;
        int fd = is_usual || is_other_name(names[i]->d_name, usual)
                     ? open_named(place, names[i]->d_name, false, path, &err)
                     : (errno = ENOENT, -1);
        if (fd >= 0)
            each(arg, fd, path);
        else if (is_usual && errno != ENOENT && refused)
            refused(arg, &err);
        if (fd >= 0)
            close(fd);
        free(names[i]);
    }
    free(names);
}
