/* SPDX-License-Identifier: MIT */
/* tree.c - what fts, ftw and nftw share */
#include "client/preload/tree.h"

#include <linux/fcntl.h>

#include "client/preload/libc.h"
#include "image/bytes.h"

static bool name_add(struct lc_dir_names *names, const struct dirent *d)
{
    size_t len = lc_bytes_length(d->d_name) + 1;

    if (names->used + 1 + len > names->room) {
        size_t room = names->room ? 2 * names->room : 4096;
        char *text = realloc ? realloc(names->text, room) : NULL;
        if (!text)
            return false;
        names->text = text;
        names->room = room;
    }
    names->text[names->used] = (char)d->d_type;
    lc_bytes_move(names->text + names->used + 1, d->d_name, len);
    names->used += 1 + len;
    return true;
}

bool lc_dir_names_read(struct lc_dir_names *names, void *dir)
{
    const struct dirent *d;
    bool is_good = true;

    *names = (struct lc_dir_names){0};
    while (is_good && (d = lc_tree_readdir(dir)))
        is_good = name_add(names, d);
    lc_tree_closedir(dir);
    if (is_good)
        return true;
    free(names->text);
    lc_set_errno(12 /* ENOMEM */);
    return false;
}

void lc_dir_names_free(struct lc_dir_names *names)
{
    int error = lc_get_errno();

    free(names->text);
    lc_set_errno(error);
}

bool lc_tree_is_known(const char *path, bool follow)
{
    struct lc_query query;

    if (!malloc || !realloc)
        return false;
    lc_query_begin(&query, AT_FDCWD, path, follow ? 0 : LC_QUERY_NOFOLLOW);
    bool is_known = query.verdict != LC_PASS;
    lc_query_end(&query);
    return is_known;
}
