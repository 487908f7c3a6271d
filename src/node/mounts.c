/* SPDX-License-Identifier: MIT */
/* mounts.c - check that this process has the mounts that the image was staged for. Freestanding. */
#include "node/mounts.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "image/bytes.h"
#include "node/syscall.h"

enum { LINE = 2 * LC_PATH_MAX, CHUNK = 2048, FIELDS = 5 };

/* Used once per process, while it has only one thread. */
static char line[LINE];
static char chunk[CHUNK];

uint64_t lc_mounts_namespace(void)
{
    struct stat st;

    return LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, "/proc/self/ns/mnt", &st, 0) == 0 ? st.st_ino : 0;
}

/* Is 'path' the directory 'dir', or below it? */
static bool is_under(const char *path, const char *dir)
{
    size_t n = lc_bytes_length(dir), i = 0;

    if (n == 1)
        return true;
    while (i < n && path[i] == dir[i])
        i++;
    return i == n && (path[n] == '/' || !path[n]);
}

/* The entry of a path, or of the nearest directory above it; LC_NONE if there is none. */
static uint32_t nearest_entry(const struct lc_look *look, const char *path)
{
    size_t len = lc_bytes_length(path);

    for (;;) {
        uint32_t entry = lc_look_find(look, path, len);
        if (entry != LC_NONE || len <= 1)
            return entry;
        while (len > 1 && path[len - 1] != '/')
            len--;
        len -= len > 1;
    }
}

static bool is_route(const struct lc_look *look, uint32_t entry)
{
    return entry == LC_NONE || (look->entry[entry].flags & LC_ENTRY_ROUTE);
}

/* Is a mount above an entry of the image, or below one? */
static bool mount_concerns_image(const struct lc_look *look, const char *point)
{
    return lc_look_find(look, point, lc_bytes_length(point)) != LC_NONE ||
           !is_route(look, nearest_entry(look, point));
}

uint64_t lc_mounts_held(const struct lc_look *look)
{
    uint64_t held = 0;

    for (uint32_t i = 0; i < look->entries; i++) {
        const struct lc_inode *inode = is_route(look, i) ? NULL : lc_look_inode(look, i);
        if (inode && inode->mount < 64)
            held |= (uint64_t)1 << inode->mount;
    }
    return held;
}

static bool is_nfs(const char *type)
{
    return type[0] == 'n' && type[1] == 'f' && type[2] == 's';
}

bool lc_mounts_is_managed(const struct lc_look *look, uint64_t held, const char *path)
{
    uint32_t best = LC_NONE;
    size_t depth = 0;

    for (uint32_t i = 0; i < look->mounts; i++) {
        const char *point = lc_look_name(look, look->mount[i].point);
        size_t n = lc_bytes_length(point);
        if (n >= depth && is_under(path, point)) {
            best = i;
            depth = n;
        }
    }
    if (best == LC_NONE || (best < 64 && !(held >> best & 1)))
        return false;
    return depth > 1 || is_nfs(lc_look_name(look, look->mount[best].type)) ||
           !is_route(look, nearest_entry(look, path));
}

/* Replace the \NNN by which mountinfo writes blank, tab, newline and backslash. In place. */
static void undo_octal(char *s)
{
    char *out = s;

    for (; *s; s++)
        if (s[0] == '\\' && s[1] && s[2] && s[3]) {
            *out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
            s += 3;
        } else {
            *out++ = *s;
        }
    *out = '\0';
}

/* Hash of the third to fifth field of a line "ID PARENT MAJOR:MINOR ROOT POINT ...", if the mount
 * concerns the image; else 0. */
static uint64_t line_hash(const struct lc_look *look)
{
    char *field[FIELDS], *p = line;

    for (int i = 0; i < FIELDS; i++) {
        field[i] = p;
        while (*p && *p != ' ')
            p++;
        if (!*p)
            return 0;
        *p++ = '\0';
    }
    undo_octal(field[4]);
    if (!mount_concerns_image(look, field[4]))
        return 0;
    uint64_t part[3];
    for (int i = 0; i < 3; i++)
        part[i] = lc_hash(field[2 + i], lc_bytes_length(field[2 + i]));
    return lc_hash(part, sizeof(part));
}

/* The sum over all lines, because their order does not matter. A line that is longer than 'line' is
 * cut behind the fields that are used. */
bool lc_mounts_seen(const struct lc_look *look, uint64_t *seen)
{
    long fd = lc_sys_open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), n;
    size_t at = 0;

    *seen = 0;
    if (fd < 0)
        return false;
    while ((n = lc_sys_read((int)fd, chunk, sizeof(chunk))) > 0)
        for (long i = 0; i < n; i++) {
            if (chunk[i] != '\n') {
                line[at] = chunk[i];
                at += at + 1 < sizeof(line);
                continue;
            }
            line[at] = '\0';
            *seen += line_hash(look);
            at = 0;
        }
    lc_sys_close((int)fd);
    return n == 0;
}
