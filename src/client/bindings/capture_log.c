/* SPDX-License-Identifier: MIT */
/* capture_log.c - the file in which a process of the pilot writes what ld.so bound. Freestanding.
 */
#include "client/bindings/capture_log.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "image/bytes.h"
#include "node/bindings_log.h"
#include "node/syscall.h"

enum { RECORDS_MAX = 16 << 20 };

void *lc_capture_map(size_t size)
{
    void *at =
        lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

    return lc_sys_is_error(at) ? NULL : at;
}

static void number_put(char *to, size_t *at, unsigned long n)
{
    char digits[24];
    size_t i = sizeof(digits);

    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    while (i < sizeof(digits))
        to[(*at)++] = digits[i++];
}

/* A file of this process alone: DIR/PID.N with the first N that is free. */
static bool file_make(struct lc_capture_log *log)
{
    size_t len = lc_bytes_length(log->dir);

    for (unsigned n = 0; n < 100000; n++) {
        size_t at = len;
        lc_bytes_move(log->file, log->dir, len);
        log->file[at++] = '/';
        number_put(log->file, &at, (unsigned long)log->pid);
        log->file[at++] = '.';
        number_put(log->file, &at, n);
        log->file[at] = '\0';
        long fd =
            lc_sys_openat(LC_AT_FDCWD, log->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0)
            return lc_sys_close((int)fd) == 0;
        if (fd != -17 /* EEXIST */)
            return false;
    }
    return false;
}

bool lc_capture_log_begin(struct lc_capture_log *log)
{
    log->pid = LC_SYS3(__NR_getpid, 0, 0, 0);
    log->records = lc_capture_map(RECORDS_MAX);
    return log->records && file_make(log);
}

static void bytes_write(int fd, const void *bytes, size_t len)
{
    const char *from = bytes;

    while (len > 0) {
        long n = lc_sys_append(fd, from, len);
        if (n <= 0)
            return;
        from += n;
        len -= (size_t)n;
    }
}

/* Open the file for appending, with all records so far in it; -1 if that is impossible. */
static int file_open(struct lc_capture_log *log)
{
    long now = LC_SYS3(__NR_getpid, 0, 0, 0);

    if (now != log->pid) { /* a child of fork */
        log->pid = now;
        log->written = 0;
        if (!file_make(log))
            log->is_full = true;
    }
    int fd = log->is_full
                 ? -1
                 : (int)lc_sys_open(log->file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && log->written < log->len) {
        bytes_write(fd, log->records + log->written, log->len - log->written);
        log->written = log->len;
    }
    return fd;
}

void lc_capture_log_flush(struct lc_capture_log *log)
{
    if (log->written == log->len)
        return;
    int fd = file_open(log);
    if (fd >= 0)
        lc_sys_close(fd);
}

static void bytes_append(struct lc_capture_log *log, const void *from, size_t len)
{
    lc_bytes_move(log->records + log->len, from, len);
    log->len += len;
}

void lc_capture_log_add(struct lc_capture_log *log, uint32_t type, const void *body, size_t len,
                        const char *a, const char *b)
{
    size_t na = a ? lc_bytes_length(a) + 1 : 0, nb = b ? lc_bytes_length(b) + 1 : 0;
    struct lc_bind_record head = {type, (uint32_t)(len + na + nb)};

    if (log->len + sizeof(head) + head.length > RECORDS_MAX) {
        log->is_full = true;
        return;
    }
    bytes_append(log, &head, sizeof(head));
    bytes_append(log, body, len);
    bytes_append(log, a, na);
    bytes_append(log, b, nb);
}

static void slot_values_write(struct lc_capture_log *log, int fd, uint32_t number,
                              const struct lc_elf_object *o, uint32_t rows)
{
    uint32_t n = 0;
    uint32_t about[2] = {number, rows - o->relative};
    struct lc_bind_record head = {LC_BIND_VALUES,
                                  (uint32_t)(sizeof(about) + about[1] * sizeof(uint64_t))};

    bytes_write(fd, &head, sizeof(head));
    bytes_write(fd, about, sizeof(about));
    for (uint32_t i = o->relative; i < rows; i++) {
        const ElfW(Rela) *r = lc_elf_object_row(o, i);
        bool is_slot = lc_elf_object_may_write(o, r->r_offset, sizeof(uint64_t));
        log->value[n++] = is_slot ? *(const volatile uint64_t *)(o->base + r->r_offset) : 0;
        if (n == LC_CAPTURE_VALUES || i + 1 == rows) {
            bytes_write(fd, log->value, n * sizeof(*log->value));
            n = 0;
        }
    }
}

void lc_capture_log_values(struct lc_capture_log *log, uint32_t number,
                           const struct lc_elf_object *o, uint32_t rows)
{
    int fd = file_open(log);

    if (fd < 0)
        return;
    slot_values_write(log, fd, number, o, rows);
    lc_sys_close(fd);
}
