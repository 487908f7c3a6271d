/* SPDX-License-Identifier: MIT */
/* call_log.c - write the pilot's calls as lines of a trace log. Freestanding; see call_log.h */
#include "node/call_log.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "image/bytes.h"
#include "image/hash.h"
#include "node/call_lines.h"
#include "node/syscall.h"

enum {
    MOST_LOGGED = 16 << 20 /* bytes by one process */,
    MOST_APPENDED = 16 << 20 /* bytes by it and all others, besides call_lines.h */,
    PATH_BYTES = 4096,
    ROOMS = 8,
    NOTED = 8192,
    LINE = 2 * 4 * 2 * PATH_BYTES + 512,
    AT_END = 2 /* SEEK_END */,
    BAD_POINTER = 14 /* EFAULT */,
    INVALID = 22 /* EINVAL */,
    TOO_LONG = 36 /* ENAMETOOLONG */
};

/* Buffers for one line. Static, because they are too large for the small stacks of signal handlers;
 * taken for a call and given back. */
struct room {
    char base[PATH_BYTES]; /* the kernel's name of a directory */
    char line[LINE];
    size_t len;
    bool is_bad; /* the path could not be determined: do not write the line */
};

static char file[PATH_BYTES];
static struct room rooms[ROOMS];
static char is_taken[ROOMS];
/* Lines that were written already, indexed by the lowest bits of their hashes, and how often each
 * was to be written. */
static uint64_t noted[NOTED];
static uint32_t times[NOTED];

bool lc_pilot_log_to(const char *name)
{
    size_t n = lc_bytes_length(name);

    if (name[0] != '/' || n >= sizeof(file))
        return false;
    lc_bytes_move(file + 1, name + 1, n);
    lc_call_lines_to(name);
    __atomic_store_n(&file[0], '/',
                     __ATOMIC_RELEASE); /* set last: other threads may already test it */
    return true;
}

static struct room *room_take(void)
{
    for (int i = 0; i < ROOMS; i++)
        if (!__atomic_exchange_n(&is_taken[i], 1, __ATOMIC_ACQUIRE))
            return &rooms[i];
    void *at =
        lc_sys_mmap(sizeof(struct room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return lc_sys_is_error(at) ? NULL : at;
}

static void room_give_back(struct room *room)
{
    if (room >= rooms && room < rooms + ROOMS)
        __atomic_store_n(&is_taken[room - rooms], 0, __ATOMIC_RELEASE);
    else
        lc_sys_munmap(room, sizeof(*room));
}

static void text_put(struct room *r, const char *text)
{
    for (; *text && r->len < LINE; text++)
        r->line[r->len++] = *text;
    r->is_bad |= *text != '\0';
}

static void number_put(struct room *r, uint64_t n, unsigned base)
{
    char digits[24];
    size_t i = sizeof(digits) - 1;

    digits[i] = '\0';
    do
        digits[--i] = "0123456789abcdef"[n % base];
    while (n /= base);
    text_put(r, digits + i);
}

/* Characters other than plain ASCII become \xNN, which the log's reader reverses. */
static void escaped_put(struct room *r, const char *text)
{
    for (size_t i = 0; text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_plain = c >= ' ' && c < 127 && c != '\\';
        char plain[2] = {(char)c, '\0'};
        char odd[5] = {'\\', 'x', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15], '\0'};
        if (i >= 2 * PATH_BYTES) {
            r->is_bad = true;
            return;
        }
        text_put(r, is_plain ? plain : odd);
    }
}

/* Write "/proc/self/fd/N" to 'out'. */
static void fd_link_name(char *out, unsigned fd)
{
    static const char prefix[] = "/proc/self/fd/";
    char digits[12];
    size_t n = 0, at = sizeof(prefix) - 1;

    lc_bytes_move(out, prefix, at);
    do
        digits[n++] = (char)('0' + fd % 10);
    while (fd /= 10);
    while (n > 0)
        out[at++] = digits[--n];
    out[at] = '\0';
}

/* Write the directory that a relative path starts from. */
static void base_put(struct room *r, int dirfd)
{
    char link[40];
    long n;

    if (dirfd == LC_AT_FDCWD) {
        n = lc_sys_getcwd(r->base, sizeof(r->base)) - 1; /* the kernel's result includes the NUL */
    } else {
        fd_link_name(link, (unsigned)dirfd);
        n = dirfd < 0 ? -1 : lc_sys_readlink(link, r->base, sizeof(r->base) - 1);
    }
    r->base[n > 0 ? n : 0] = '\0';
    r->is_bad |= n <= 0 || r->base[0] != '/';
    escaped_put(r, r->base);
}

static void path_put(struct room *r, int dirfd, const char *path)
{
    if (!path || path[0] != '/')
        base_put(r, dirfd);
    if (path && path[0] != '/')
        text_put(r, "/");
    if (path)
        escaped_put(r, path);
}

/* For how many calls is the line of the 'n'th one written? For those since the last one that was: a
 * call that is repeated for ever writes it at 1, 2, 3, 4, 6, 8, 12, 16, 24... */
static uint32_t calls_told(uint32_t n)
{
    uint32_t power = 1;

    while (power <= n / 2)
        power *= 2;
    if (n == power)
        return n < 4 ? 1 : n / 4;
    return n == power + power / 2 ? power / 2 : 0;
}

/* The same, for a line that this process, or the one it was forked from, may have written. */
static uint32_t line_count(const char *line, size_t len)
{
    uint64_t hash = lc_hash_path(line, len), at = hash % NOTED;

    if (__atomic_load_n(&noted[at], __ATOMIC_RELAXED) == hash)
        return calls_told(__atomic_add_fetch(&times[at], 1, __ATOMIC_RELAXED));
    __atomic_store_n(&times[at], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&noted[at], hash, __ATOMIC_RELAXED);
    return 1;
}

static void call_put(struct room *r, const struct lc_pilot_call *c)
{
    text_put(r, c->call);
    text_put(r, c->result < 0 ? "\t-" : "\t");
    number_put(r, (uint64_t)(c->result < 0 ? -c->result : 0),
               10); /* the number of a descriptor is not logged */
    text_put(r, "\t");
    path_put(r, c->dirfd, c->path);
    if (c->real) {
        text_put(r, "\treal=");
        escaped_put(r, c->real);
    }
    if (c->second) {
        text_put(r, "\tsecond=");
        path_put(r, c->second_dirfd, c->second);
    }
    if (c->flags) {
        text_put(r, "\tflags=0x");
        number_put(r, c->flags, 16);
    }
    text_put(r, c->writes ? "\twrite" : "");
}

bool lc_pilot_is_logging(void)
{
    return __atomic_load_n(&file[0], __ATOMIC_ACQUIRE);
}

void lc_pilot_log_end(void)
{
    __atomic_store_n(&file[0], '\0', __ATOMIC_RELEASE);
}

/* Without O_CREAT: a log that was removed is not created again, and nothing more is noted. */
static void log_append(const struct room *r)
{
    long fd = lc_sys_open(file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);

    if (fd == -2 /* ENOENT */)
        lc_pilot_log_end();
    if (fd < 0)
        return;
    if (LC_SYS3(__NR_lseek, fd, 0, AT_END) > MOST_APPENDED)
        lc_pilot_log_end();
    else
        lc_sys_append((int)fd, r->line, r->len);
    lc_sys_close((int)fd);
}

static void line_add(struct room *r, uint32_t calls)
{
    static size_t logged;

    if (calls != 1) {
        text_put(r, "\tcalls=");
        number_put(r, calls, 10);
    }
    text_put(r, "\n");
    if (r->is_bad)
        return;
    if (__atomic_add_fetch(&logged, r->len, __ATOMIC_RELAXED) > MOST_LOGGED)
        lc_pilot_log_end();
    else if (!lc_call_lines_add(r->line, r->len))
        log_append(r);
}

/* Has the kernel read the paths, so that they can be read here? A pointer that leads nowhere is
 * EFAULT, and the kernel may find other arguments invalid before it looks at that. */
static bool has_read_paths(const struct lc_pilot_call *call)
{
    static const char link[] = "readlinkat"; /* of a file that is no link */

    return call->result != -BAD_POINTER && call->result != -TOO_LONG &&
           (call->result != -INVALID || lc_bytes_same(call->call, link));
}

void lc_pilot_note(const struct lc_pilot_call *call)
{
    if (!lc_pilot_is_logging() || !has_read_paths(call) || (call->path && !call->path[0]))
        return;
    struct room *r = room_take();
    if (!r)
        return;
    r->len = 0;
    r->is_bad = false;
    text_put(r, "1\t"); /* the thread, which no reader of this log wants to know */
    call_put(r, call);
    uint32_t calls = r->is_bad ? 0 : line_count(r->line, r->len);
    if (calls > 0)
        line_add(r, call->is_announced ? 0 : calls);
    room_give_back(r);
}
