/* SPDX-License-Identifier: MIT */
/* call_lines.c - lines of the pilot's log in memory that all its processes map. Freestanding; see
 * call_lines.h. No lock is waited for: while one thread takes units, the others append to the log.
 */
#include "node/call_lines.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "image/bytes.h"
#include "node/syscall.h"

/* A process takes one unit, then two, and so on: most write little, and mappings are few. */
enum { PATH_BYTES = 4096, MOST_AT_ONCE = 16 };

static struct {
    char path[PATH_BYTES]; /* "": there is no file, or it cannot be used any more */
    char is_taking;        /* a thread takes units, or was lost when it did */
    struct lc_call_lines_head *head;
    struct lc_call_lines_unit *now; /* NULL: none yet */
    struct lc_call_lines_unit *end; /* of those that were taken together */
    uint64_t next;                  /* how many to take together */
} self;

void lc_call_lines_to(const char *log)
{
    static const char suffix[] = LC_CALL_LINES;
    size_t n = lc_bytes_length(log);

    if (n + sizeof(suffix) > PATH_BYTES)
        return;
    lc_bytes_move(self.path, log, n);
    lc_bytes_move(self.path + n, suffix, sizeof(suffix));
}

/* It may be lowered at any time, and the kernel would send SIGXFSZ. */
static bool size_is_limited(void)
{
    enum { FSIZE = 1 };
    uint64_t limit[2];

    return LC_SYS4(__NR_prlimit64, 0, FSIZE, 0, limit) < 0 || limit[0] != UINT64_MAX;
}

static void *file_mmap(int fd, uint64_t first, uint64_t units)
{
    void *at =
        (void *)lc_sys6(__NR_mmap, 0, (long)(units * LC_CALL_LINES_UNIT), PROT_READ | PROT_WRITE,
                        MAP_SHARED, fd, (long)(first * LC_CALL_LINES_UNIT));

    return lc_sys_is_error(at) ? NULL : at;
}

static bool units_allocate(int fd, uint64_t first, uint64_t units)
{
    return LC_SYS4(__NR_fallocate, fd, 0, first * LC_CALL_LINES_UNIT, units * LC_CALL_LINES_UNIT) ==
           0;
}

/* The first of some units of this process's own. NULL: there are none to be had. */
static struct lc_call_lines_unit *units_map(int fd)
{
    uint64_t count = self.next ? self.next : 1;

    if (!self.head && !(self.head = file_mmap(fd, 0, 1)))
        return NULL;
    uint64_t first = __atomic_fetch_add(&self.head->units, count, __ATOMIC_RELAXED);
    bool fits = first >= 1 && first + count <= LC_CALL_LINES_MOST / LC_CALL_LINES_UNIT;
    struct lc_call_lines_unit *unit =
        fits && units_allocate(fd, first, count) ? file_mmap(fd, first, count) : NULL;
    self.end = unit ? unit + count : NULL;
    self.next = count < MOST_AT_ONCE ? 2 * count : count;
    return unit;
}

static struct lc_call_lines_unit *units_take(void)
{
    int fd = size_is_limited() ? -1 : (int)lc_sys_open(self.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct lc_call_lines_unit *unit = fd < 0 ? NULL : units_map(fd);

    if (fd >= 0)
        lc_sys_close(fd);
    if (!unit)
        __atomic_store_n(&self.path[0], '\0', __ATOMIC_RELEASE);
    return unit;
}

/* Go on to another unit than this full one. */
static bool unit_leave(const struct lc_call_lines_unit *full)
{
    if (__atomic_exchange_n(&self.is_taking, 1, __ATOMIC_ACQUIRE))
        return false;
    struct lc_call_lines_unit *now = self.now;
    if (now == full) {
        now = now && now + 1 < self.end ? now + 1 : units_take();
        __atomic_store_n(&self.now, now, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&self.is_taking, 0, __ATOMIC_RELEASE);
    return now;
}

static bool unit_add(struct lc_call_lines_unit *unit, const char *line, size_t len)
{
    uint64_t at = __atomic_fetch_add(&unit->used, len + 1, __ATOMIC_RELAXED);

    if (at > LC_CALL_LINES_TEXT || len + 1 > LC_CALL_LINES_TEXT - at)
        return false;
    lc_bytes_move(unit->text + at + 1, line, len);
    __atomic_store_n(&unit->text[at], LC_CALL_LINES_BEGIN, __ATOMIC_RELEASE);
    __atomic_fetch_add(&self.head->bytes, len, __ATOMIC_RELAXED);
    return true;
}

bool lc_call_lines_add(const char *line, size_t len)
{
    while (len < LC_CALL_LINES_TEXT && __atomic_load_n(&self.path[0], __ATOMIC_ACQUIRE)) {
        struct lc_call_lines_unit *unit = __atomic_load_n(&self.now, __ATOMIC_ACQUIRE);
        if (unit && unit_add(unit, line, len))
            return true;
        if (!unit_leave(unit))
            break;
    }
    return false;
}

bool lc_call_lines_make(const char *file)
{
    int fd = (int)lc_sys_openat(LC_AT_FDCWD, file,
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const struct lc_call_lines_head head = {.units = 1};

    if (fd < 0)
        return false;
    bool is_made = !size_is_limited() && units_allocate(fd, 0, 1) &&
                   lc_sys_write(fd, &head, sizeof(head)) == (long)sizeof(head);
    lc_sys_close(fd);
    if (!is_made)
        LC_SYS3(__NR_unlinkat, LC_AT_FDCWD, file, 0);
    return is_made;
}
