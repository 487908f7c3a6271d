/* SPDX-License-Identifier: MIT */
/* list.c - this user's node directories on this machine */
#include "stage/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stage/owned.h"
#include "stage/place.h"

void lc_list_users(const char *dir, void (*each)(void *arg, int user, const char *user_path),
                   void (*refused)(void *arg, const struct lc_error *why), void *arg)
{
    struct lc_place place[LC_PLACES];
    int count = lc_place_list(place, dir);
    char name[64], path[LC_PLACE_LEN + 80];
    struct lc_error err;

    lc_place_user_dir(name, sizeof(name));
    for (int i = 0; i < count; i++) {
        int at = place[i].path[0] ? open(place[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (at < 0)
            continue;
        int len = snprintf(path, sizeof(path), "%s/%s", place[i].path, name);
        int user = len < (int)sizeof(path) ? lc_owned_open(at, name, false, path, &err) : -1;
        if (user >= 0)
            each(arg, user, path);
        else if (errno != ENOENT && refused)
            refused(arg, &err);
        if (user >= 0)
            close(user);
        close(at);
    }
}

void lc_list_nodes(int user, const char *user_path,
                   void (*each)(void *arg, const char *path, const struct lc_nodedir *node,
                                const struct lc_error *why),
                   void *arg)
{
    struct dirent **names = NULL;
    int count = scandirat(user, ".", &names, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        struct lc_nodedir node;
        struct lc_error err;
        char path[LC_PLACE_LEN + 400];
        if (lc_nodedir_is_name(names[i]->d_name)) {
            int rc = lc_nodedir_open(&node, user, user_path, names[i]->d_name, &err);
            snprintf(path, sizeof(path), "%s/%s", user_path, names[i]->d_name);
            each(arg, path, rc == 0 ? &node : NULL, &err);
            lc_nodedir_close(&node);
        }
        free(names[i]);
    }
    free(names);
}
