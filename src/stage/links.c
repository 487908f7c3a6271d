/* SPDX-License-Identifier: MIT */
/* links.c - the recorded symbolic links below NODE/files
 *
 * ld.so takes $ORIGIN from the path it was given, links included, so the staged tree has links,
 * too. Each is relative and leads directly to the file or directory at its end, by a path without
 * links: whatever an image contains, no link leads out of the tree. They are made after all files,
 * so that nothing is written through them. A link that cannot be made is left out. */
#include "stage/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The entry at the end of a link; LC_NONE if the image does not have it. */
static uint32_t link_end(const struct lc_look *look, uint32_t link)
{
    struct lc_walk walk = {.len = 0};
    struct lc_found found = lc_look_walk(look, lc_look_name(look, look->entry[link].path),
                                         look->entry[link].path_len, 0, &walk);

    if (found.answer == LC_ANSWER_FOUND)
        return found.entry;
    /* For a directory that was recorded only as part of a path the answer is unknown, although the
     * walk reached it. */
    bool is_whole = found.answer == LC_ANSWER_UNKNOWN && walk.len && walk.at == sizeof(walk.rest);
    return is_whole ? lc_look_find(look, walk.path, walk.len) : LC_NONE;
}

/* Is the file or directory in the staged tree? */
static bool entry_is_staged(const struct lc_fill *fill, uint32_t entry)
{
    const struct lc_look *look = &fill->image->look;

    if (entry == LC_NONE || look->entry[entry].kind == LC_KIND_SYMLINK)
        return false;
    return look->entry[entry].kind == LC_KIND_DIRECTORY ||
           (lc_look_inode(look, entry) && fill->home[look->entry[entry].inode] != LC_NONE);
}

/* The relative path from the directory of 'link' to 'end', by way of the root of the tree. */
static bool target_make(char *out, size_t size, const char *link, const char *end)
{
    size_t at = 0;

    for (const char *p = link + 1; (p = strchr(p, '/')); p++) {
        if (at + 3 >= size)
            return false;
        memcpy(out + at, "../", 3);
        at += 3;
    }
    int n = snprintf(out + at, size - at, "%s", end[1] ? end + 1 : ".");
    return n > 0 && (size_t)n < size - at;
}

static int parents_make(int root, const char *path)
{
    char directory[PATH_MAX];

    for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
        if ((size_t)(slash - path) >= sizeof(directory))
            return -1;
        memcpy(directory, path, (size_t)(slash - path));
        directory[slash - path] = '\0';
        if (mkdirat(root, directory, 0700) < 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

void lc_fill_links(const struct lc_fill *fill, int root)
{
    const struct lc_look *look = &fill->image->look;
    char target[PATH_MAX];

    for (uint32_t i = 0; i < look->entries; i++) {
        const char *path = lc_look_name(look, look->entry[i].path);
        uint32_t end = look->entry[i].kind == LC_KIND_SYMLINK ? link_end(look, i) : LC_NONE;
        if (!entry_is_staged(fill, end) ||
            !target_make(target, sizeof(target), path, lc_look_name(look, look->entry[end].path)))
            continue;
        if (symlinkat(target, root, path + 1) < 0 && errno == ENOENT &&
            parents_make(root, path + 1) == 0)
            (void)!symlinkat(target, root, path + 1);
    }
}
