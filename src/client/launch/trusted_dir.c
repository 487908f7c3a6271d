/* SPDX-License-Identifier: MIT */
/* trusted_dir.c - open the node directory after checking every directory above it
 *
 * The rule is that of stage/owned.c: only this user and root may be able to replace a directory
 * of the path. The check goes from the root downwards without following links. A directory that
 * was checked cannot be replaced later, because only its owner or the owner of the directory
 * above it could do so. So one stat per directory is enough, for every rank.
 */
#include "client/launch/launch.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "image/bytes.h"
#include "node/syscall.h"

enum {
    NOFOLLOW = 0x100, /* AT_SYMLINK_NOFOLLOW */
    TYPE = 0170000,
    DIRECTORY = 0040000,
    OTHERS_WRITE = 022,
    STICKY = 01000,
    OVERFLOW_UID = 65534, /* linux/highuid.h */
};

/* Directories that belong to the system. In a user namespace without root they show the same owner
 * as "/", and so do directories of unknown users: so only these are accepted by that owner. */
static bool path_is_system(const char *path, size_t len)
{
    static const char *const own[] = {"/", "/dev", "/dev/shm", "/tmp", "/var", "/var/tmp"};

    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (lc_bytes_length(own[i]) == len && lc_bytes_equal(own[i], path, len))
            return true;
    return false;
}

static const char *read_number(const char *text, unsigned long *out)
{
    *out = 0;
    while (*text == ' ')
        text++;
    for (; *text >= '0' && *text <= '9'; text++)
        *out = *out * 10 + (unsigned long)(*text - '0');
    return text;
}

/* Is the user of this process mapped in its user namespace? If not, the process has the overflow
 * user ID, which all unmapped users share. */
static bool user_is_mapped(unsigned user)
{
    char text[128];
    unsigned long first, outside, count;

    if (user != OVERFLOW_UID)
        return true;
    long fd = lc_sys_open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? 0 : lc_sys_read((int)fd, text, sizeof(text) - 1);
    if (fd >= 0)
        lc_sys_close((int)fd);
    text[n > 0 ? n : 0] = '\0';
    read_number(read_number(read_number(text, &first), &outside), &count);
    return n > 0 && first == 0 && count == 0xffffffff;
}

struct path_check {
    char step[LC_NODE_LEN]; /* the path up to the directory that is checked */
    unsigned user, root;    /* 'root': the owner of "/" */
};

/* Check the directory that is the first 'len' bytes of the path; those above it have been checked.
 */
static bool step_is_trusted(struct path_check *check, size_t len)
{
    char next = check->step[len];
    struct stat st;

    check->step[len] = '\0';
    bool is_there = LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, check->step, &st, NOFOLLOW) == 0;
    check->step[len] = next;
    if (!is_there || (st.st_mode & TYPE) != DIRECTORY)
        return false;
    if (len == 1)
        check->root = st.st_uid;
    if (st.st_uid != 0 && st.st_uid != check->user &&
        !(st.st_uid == check->root && path_is_system(check->step, len)))
        return false;
    return !(st.st_mode & OTHERS_WRITE) || (st.st_mode & STICKY);
}

int lc_launch_open_trusted(const char *path)
{
    struct path_check check = {.user = (unsigned)LC_SYS3(__NR_geteuid, 0, 0, 0)};
    size_t len = lc_bytes_length(path);

    if (path[0] != '/' || len >= sizeof(check.step) || !user_is_mapped(check.user))
        return -1;
    lc_bytes_move(check.step, path, len + 1);
    if (!step_is_trusted(&check, 1))
        return -1;
    for (size_t end = 1; end < len; end++) {
        while (end < len && path[end] != '/')
            end++;
        if (end < len &&
            !step_is_trusted(&check, end)) /* the last one is checked once it is open */
            return -1;
    }
    return (int)lc_sys_open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}
