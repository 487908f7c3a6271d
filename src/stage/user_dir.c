/* SPDX-License-Identifier: MIT */
/* user_dir.c - this user's directory in a place: DIR/loadcast-UID */
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

/* Open DIR/NAME if it is this user's. */
static int named_open(const struct lc_stage_place *place, const char *name, bool make,
                      char path[LC_USER_DIR_LEN], struct lc_error *err)
{
    snprintf(path, LC_USER_DIR_LEN, "%s%s%.63s", place->path,
             strcmp(place->path, "/") == 0 ? "" : "/", name);
    return lc_owned_open(place->fd, name, make, path, err);
}

static bool name_is_other(const char *name, const char *usual)
{
    size_t n = strlen(usual);

    return strncmp(name, usual, n) == 0 && name[n] == '.' && strlen(name) < LC_USER_DIR_NAME;
}

/* List the place, sorted; the caller frees the names. */
static int place_list(const struct lc_stage_place *place, struct dirent ***out)
{
    return scandirat(place->fd, ".", out, NULL, alphasort);
}

/* Open the first DIR/loadcast-UID.WORD that is this user's; -1 with errno ENOENT if none is. */
static int other_open(const struct lc_stage_place *place, char path[LC_USER_DIR_LEN])
{
    struct dirent **names = NULL;
    char usual[LC_USER_DIR_NAME];
    int count = place_list(place, &names), fd = -1;

    usual_name(usual);
    for (int i = 0; i < count; i++) {
        if (fd < 0 && name_is_other(names[i]->d_name, usual))
            fd = named_open(place, names[i]->d_name, false, path, NULL);
        free(names[i]);
    }
    free(names);
    if (fd < 0)
        errno = ENOENT;
    return fd;
}

/* Make a directory with a name that nobody can foresee. The time stands first in it, so that if
 * several are made at a time all processes choose the oldest. */
static int other_make(const struct lc_stage_place *place, struct lc_error *err)
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
    int fd = named_open(place, name, true, path, err);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? -1 : 0;
}

int lc_user_dir_open(const struct lc_stage_place *place, bool make, char path[LC_USER_DIR_LEN],
                     struct lc_error *err)
{
    char usual[LC_USER_DIR_NAME];

    usual_name(usual);
    int fd = named_open(place, usual, make, path, err);
    if (fd >= 0 || (errno != EPERM && errno != EACCES))
        return fd;
    fd = other_open(place, path);
    if (fd < 0 && make && other_make(place, err) == 0)
        fd = other_open(place, path);
    return fd;
}

void lc_user_dir_each(const struct lc_stage_place *place,
                      void (*each)(void *arg, int user, const char *path),
                      void (*refused)(void *arg, const struct lc_error *why), void *arg)
{
    char usual[LC_USER_DIR_NAME], path[LC_USER_DIR_LEN];
    struct dirent **names = NULL;
    struct lc_error err;
    int count = place_list(place, &names);

    usual_name(usual);
    for (int i = 0; i < count; i++) {
        bool is_usual = strcmp(names[i]->d_name, usual) == 0;
        int fd = is_usual || name_is_other(names[i]->d_name, usual)
                     ? named_open(place, names[i]->d_name, false, path, &err)
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
