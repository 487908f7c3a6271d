/* SPDX-License-Identifier: MIT */
/* list.c - this user's node directories on this machine */
#include "stage/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stage/place.h"
#include "stage/user_dir.h"

void lc_list_users(const char *dir, void (*each)(void *arg, int user, const char *user_path),
                   void (*refused)(void *arg, const struct lc_error *why), void *arg)
{
    struct lc_stage_places all;

    lc_stage_places_begin(&all, dir, false);
    for (struct lc_stage_place *place; (place = lc_stage_places_next(&all));)
        if (place->path[0])
            lc_user_dir_each(place, each, refused, arg);
    lc_stage_places_end(&all);
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
        char path[LC_USER_DIR_LEN + 300];
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
