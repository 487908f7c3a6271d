/* SPDX-License-Identifier: MIT */
/* users.c - register this process in NODE/users, in the format of stage/users.h */
#include "client/launch/launch.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "image/bytes.h"
#include "node/syscall.h"

static char *text_put(char *at, const char *text)
{
    size_t n = lc_bytes_length(text);

    lc_bytes_move(at, text, n + 1);
    return at + n;
}

static char *number_put(char *at, unsigned long n)
{
    char digits[24];
    size_t k = 0;

    do
        digits[k++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (k > 0)
        *at++ = digits[--k];
    *at = '\0';
    return at;
}

/* The start time of this process: the 22nd field of /proc/self/stat; 0 if unknown. */
static unsigned long start_time(void)
{
    char text[1024];
    long fd = lc_sys_open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? 0 : lc_sys_read((int)fd, text, sizeof(text));
    unsigned long start = 0;

    if (fd >= 0)
        lc_sys_close((int)fd);
    while (n > 0 && text[n - 1] != ')') /* the program's name before it may contain any character */
        n--;
    if (n <= 0)
        return 0;
    const char *p = text + n, *end = text + sizeof(text);
    for (int field = 3; field < 22; field++) /* each field follows one blank */
        for (p++; p < end && *p != ' '; p++)
            ;
    for (p++; p < end && *p >= '0' && *p <= '9'; p++)
        start = start * 10 + (unsigned long)(*p - '0');
    return start;
}

void lc_launch_register(const struct lc_rank_start *l)
{
    char name[LC_NODE_LEN + 128];
    struct stat st;
    bool known = LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, "/proc/self/ns/pid", &st, 0) == 0;
    char *at = text_put(text_put(name, l->dir), "/users/p.");

    at = text_put(number_put(at, (unsigned long)LC_SYS3(__NR_getpid, 0, 0, 0)), ".");
    at = text_put(number_put(at, start_time()), ".");
    number_put(at, known ? st.st_ino : 0);
    long fd = lc_sys_openat(LC_AT_FDCWD, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        lc_sys_close((int)fd);
}
