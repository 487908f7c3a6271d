/* SPDX-License-Identifier: MIT */
/* way.c - the node directory, opened step by step from the root on
 *
 * The judgement is that of stage/owned.c: nobody but this user and root can put another directory
 * in the place of one of its steps. */
#include "client/launch/launch.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "client/free/sys.h"
#include "image/bytes.h"

enum {
    STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    OTHERS_WRITE = 022,
    STICKY = 01000,
    EMPTY_PATH = 0x1000,  /* AT_EMPTY_PATH */
    OVERFLOW_UID = 65534, /* linux/highuid.h */
};

/* In a user namespace that does not know root these show the owner of "/", as strangers' do. */
static bool is_of_system(const char *path, size_t len)
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

/* A process whose user its namespace does not know shows the number that all strangers show. */
static bool is_known_here(unsigned user)
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

struct way {
    const char *path;
    unsigned user, root; /* 'root': who owns "/" */
};

static bool is_trusted(const struct way *way, long fd, size_t len)
{
    struct stat st;

    if (LC_SYS4(__NR_newfstatat, fd, "", &st, EMPTY_PATH) != 0)
        return false;
    if (st.st_uid != 0 && st.st_uid != way->user &&
        !(st.st_uid == way->root && is_of_system(way->path, len)))
        return false;
    return !(st.st_mode & OTHERS_WRITE) || (st.st_mode & STICKY);
}

/* The step that ends at path[end], opened below 'at', which is closed; negative: not to be used. */
static long open_step(const struct way *way, long at, size_t begin, size_t end)
{
    char name[256]; /* NAME_MAX and its NUL */
    size_t n = end - begin;

    if (n >= sizeof(name))
        n = 0;
    lc_bytes_move(name, way->path + begin, n);
    name[n] = '\0';
    long fd = n > 0 ? lc_sys_openat((int)at, name, STEP, 0) : -1;
    lc_sys_close((int)at);
    if (fd < 0 || is_trusted(way, fd, end))
        return fd;
    lc_sys_close((int)fd);
    return -1;
}

int lc_launch_open_way(const char *path)
{
    struct way way = {.path = path, .user = (unsigned)LC_SYS3(__NR_geteuid, 0, 0, 0)};
    size_t len = lc_bytes_length(path), end;
    struct stat st;

    if (path[0] != '/' || !is_known_here(way.user))
        return -1;
    long fd = lc_sys_open("/", STEP);
    if (fd < 0 || LC_SYS4(__NR_newfstatat, fd, "", &st, EMPTY_PATH) != 0)
        return -1;
    way.root = st.st_uid;
    for (size_t i = 1; fd >= 0 && i < len; i = end + 1) {
        for (end = i; end < len && path[end] != '/'; end++)
            ;
        fd = open_step(&way, fd, i, end);
    }
    return (int)fd;
}
