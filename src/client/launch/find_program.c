/* SPDX-License-Identifier: MIT */
/* find_program.c - which file would execvp run? Answered by the image, else by the file system */
#include "client/launch/launch.h"

#include <asm/stat.h>

#include "image/bytes.h"
#include "node/exec_path.h"
#include "node/syscall.h"

enum { TYPE = 0170000, REGULAR = 0100000, SET_ID = 06000, MAY_EXECUTE = 1 };

/* Has something been written on this node that may make this answer wrong? */
static bool answer_is_outdated(const struct lc_rank_start *l, const struct lc_found *found)
{
    const struct lc_node *node = &l->node;

    if (!lc_node_has_written(node))
        return false;
    if (found->answer == LC_ANSWER_FOUND)
        return lc_node_is_written(node, found->entry) ||
               !lc_node_confirm(node, l->full, false, found->entry);
    return !lc_node_is_still_absent(node, l->walk.path, l->walk.len);
}

/* Make the path absolute in l->full; its length, or 0. */
static size_t make_absolute(struct lc_rank_start *l, const char *path)
{
    size_t base = 0;

    while (path[0] == '.' && path[1] == '/' && path[2] != '/')
        path += 2;
    size_t n = lc_bytes_length(path);
    if (path[0] != '/') {
        long got = lc_sys_getcwd(l->full, LC_PATH_MAX); /* counts the NUL */
        if (got <= 1 || l->full[0] != '/')
            return 0;
        base = (size_t)got - 1;
        l->full[base++] = '/';
    }
    if (n >= LC_PATH_MAX)
        return 0;
    lc_bytes_move(l->full + base, path, n + 1);
    return base + n;
}

/* Keep the path that the answer is about. */
static void answer_path_keep(struct lc_rank_start *l, const char *path)
{
    size_t n = lc_bytes_length(path);

    l->walk.len = n < sizeof(l->walk.path) ? n : 0;
    lc_bytes_move(l->walk.path, path, l->walk.len);
    l->walk.path[l->walk.len] = '\0';
}

static struct lc_found image_look_up(struct lc_rank_start *l, const char *path)
{
    struct lc_found unknown = {LC_ANSWER_UNKNOWN, LC_NONE, 0};
    size_t n = make_absolute(l, path);

    if (n == 0)
        return unknown;
    l->walk.len = 0;
    struct lc_found found = lc_look_walk(&l->node.look, l->full, n, 0, &l->walk);
    if (found.answer == LC_ANSWER_FOUND)
        answer_path_keep(l, lc_look_name(&l->node.look, l->node.look.entry[found.entry].path));
    else if (l->walk.len == 0)
        answer_path_keep(l, l->full);
    return answer_is_outdated(l, &found) ? unknown : found;
}

/* May this process execute the file, by its recorded mode? -1: ask the file system. */
static int may_execute(const struct lc_inode *inode)
{
    unsigned x = inode->mode & 0111;

    if (x == 0 || x == 0111)
        return x != 0;
    unsigned uid = (unsigned)LC_SYS3(__NR_geteuid, 0, 0, 0);
    if (uid == 0)
        return 1;
    return inode->uid == uid ? (x & 0100) != 0 : -1;
}

static int original_locate(const char *path, struct lc_found_program *out)
{
    struct stat st;
    long rc = LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, &st, 0);

    if (rc < 0)
        return (int)-rc;
    if ((st.st_mode & TYPE) != REGULAR)
        return LC_EACCES;
    if ((rc = lc_sys_access(path, MAY_EXECUTE)) < 0)
        return (int)-rc;
    char capability[32];
    out->is_privileged =
        (st.st_mode & SET_ID) ||
        LC_SYS4(__NR_getxattr, path, "security.capability", capability, sizeof(capability)) > 0;
    lc_bytes_move(out->file, path, lc_bytes_length(path) + 1);
    out->stat = (struct lc_file_status){
        st.st_dev, st.st_ino, (uint64_t)st.st_size, st.st_mtime, st.st_mtime_nsec, st.st_mode, 0};
    return 0;
}

static bool staged_is_whole(const struct lc_rank_start *l, const struct lc_inode *inode,
                            struct lc_found_program *out)
{
    return lc_node_is_staged(&l->node, out->file, inode, &out->stat);
}

/* The path of the staged file: as the caller spelled it, because the program derives its name from
 * it; else by the original's path with links resolved. */
static bool staged_path_make(struct lc_rank_start *l, const struct lc_inode *inode,
                             struct lc_found_program *out)
{
    size_t size = sizeof(out->file);

    return (lc_exec_path_make(&l->node, out->path, l->full, out->file, size) &&
            staged_is_whole(l, inode, out)) ||
           (lc_node_staged_path(&l->node, l->walk.path, l->walk.len, out->file, size) &&
            staged_is_whole(l, inode, out));
}

static bool staged_locate(struct lc_rank_start *l, const struct lc_inode *inode,
                          struct lc_found_program *out)
{
    if (inode->data == LC_NO_CONTENT || (l->node.state->flags & LC_STATE_NO_EXEC) ||
        (inode->mode & SET_ID) || !staged_path_make(l, inode, out) ||
        ((out->stat.mode & 0111) != 0111 && lc_sys_access(out->file, MAY_EXECUTE) != 0))
        return false;
    out->is_staged = true;
    return true;
}

int lc_launch_locate(struct lc_rank_start *l, const char *path, struct lc_found_program *out)
{
    size_t n = lc_bytes_length(path);

    out->is_staged = out->is_privileged = false;
    if (n >= sizeof(out->path))
        return LC_ENAMETOOLONG;
    if (path != out->path)
        lc_bytes_move(out->path, path, n + 1);
    struct lc_found found = image_look_up(l, path);
    if (found.answer == LC_ANSWER_ABSENT)
        return found.error;
    const struct lc_inode *inode =
        found.answer == LC_ANSWER_FOUND ? lc_look_inode(&l->node.look, found.entry) : NULL;
    if (!inode)
        return original_locate(path, out);
    if ((inode->mode & TYPE) != REGULAR)
        return LC_EACCES;
    int may = may_execute(inode);
    if (may == 0)
        return LC_EACCES;
    return may > 0 && staged_locate(l, inode, out) ? 0 : original_locate(path, out);
}

static bool has_slash(const char *name)
{
    while (*name && *name != '/')
        name++;
    return *name;
}

int lc_launch_find(struct lc_rank_start *l, const char *name, struct lc_found_program *out)
{
    const char *dir = l->path ? l->path : "/bin:/usr/bin";
    int error = LC_ENOENT;

    if (!*name)
        return LC_ENOENT;
    if (has_slash(name))
        return lc_launch_locate(l, name, out);
    for (;;) {
        size_t n = 0;
        while (dir[n] && dir[n] != ':')
            n++;
        int rc = lc_bytes_join(out->path, LC_PATH_MAX, dir, n, name)
                     ? lc_launch_locate(l, out->path, out)
                     : LC_ENOENT;
        if (rc == 0)
            return 0;
        error = rc == LC_EACCES ? LC_EACCES : error;
        if (!dir[n])
            return error;
        dir += n + 1;
    }
}
