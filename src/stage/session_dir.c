/* SPDX-License-Identifier: MIT */
/* session_dir.c - a directory in node memory that belongs to one running command */
#include "stage/session_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "stage/nodedir.h"
#include "stage/owned.h"
#include "stage/place.h"

#define PREFIX "loadcast-bench."

/* It is made under a name that lc_session_dir_sweep ignores, and renamed once it is locked. */
int lc_session_dir_make(struct lc_session_dir *dir, const char *place, struct lc_error *err)
{
    char fresh[PATH_MAX];

    dir->path[0] = '\0';
    dir->lock = -1;
    if ((size_t)snprintf(fresh, sizeof(fresh), "%s/." PREFIX "XXXXXX", place) >= sizeof(fresh)) {
        errno = ENAMETOOLONG;
        return lc_error_errno(err, "cannot make a directory in '%s'", place);
    }
    dir->lock = mkdtemp(fresh) ? open(fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (dir->lock < 0)
        return lc_error_errno(err, "cannot make a directory in '%s'", place);
    snprintf(dir->path, sizeof(dir->path), "%s/%s", place, strrchr(fresh, '/') + 2);
    if (flock(dir->lock, LOCK_EX | LOCK_NB) == 0 && rename(fresh, dir->path) == 0)
        return 0;
    lc_error_errno(err, "cannot make a directory in '%s'", place);
    rmdir(fresh);
    close(dir->lock);
    dir->lock = -1;
    dir->path[0] = '\0';
    return -1;
}

/* What was done with the images in one directory. */
struct swept {
    unsigned left;
    lc_clean_tell *tell;
    void *arg;
};

static void fate_note(void *arg, const char *path, enum lc_clean_fate fate,
                      const struct lc_users *users, unsigned long long bytes)
{
    struct swept *s = arg;

    s->left += fate != LC_CLEAN_REMOVED && fate != LC_CLEAN_GONE;
    if (s->tell)
        s->tell(s->arg, path, fate, users, bytes);
}

static void user_clean(void *arg, int user, const char *user_path)
{
    lc_clean_user(user, user_path, LC_CLEAN_ALL, NULL, fate_note, arg);
}

static void directory_sweep(int at, const char *place, const char *name, struct swept *s)
{
    char path[PATH_MAX];
    struct lc_error err;

    if ((size_t)snprintf(path, sizeof(path), "%s/%s", place, name) >= sizeof(path))
        return;
    int fd = lc_owned_open(at, name, false, path, &err);
    if (fd < 0)
        return;
    s->left = flock(fd, LOCK_EX | LOCK_NB) < 0; /* then its command is alive */
    if (s->left == 0)
        lc_nodedir_each_user(path, user_clean, NULL, s);
    if (s->left == 0)
        lc_owned_remove(at, name);
    close(fd);
}

static void place_sweep(int at, const char *place, struct swept *s)
{
    struct dirent **names = NULL;
    int count = scandirat(at, ".", &names, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        if (strncmp(names[i]->d_name, PREFIX, strlen(PREFIX)) == 0)
            directory_sweep(at, place, names[i]->d_name, s);
        free(names[i]);
    }
    free(names);
}

void lc_session_dir_sweep(const char *dir, lc_clean_tell *tell, void *arg)
{
    struct swept s = {.tell = tell, .arg = arg};
    struct lc_stage_places all;

    lc_stage_places_begin(&all, dir, false);
    for (struct lc_stage_place *place; (place = lc_stage_places_next(&all));)
        if (place->fd >= 0)
            place_sweep(place->fd, place->path, &s);
    lc_stage_places_end(&all);
}
