/* SPDX-License-Identifier: MIT */
/* capture.c - LD_AUDIT in the pilot: what ld.so put into every slot it relocated.
 *
 * Freestanding, and in the user's process: see audit/record.c for the rules. Each object's
 * relocations are given to ld.so in a table of our own, lazy ones too, whose last row calls us: at
 * that moment the slots hold what ld.so put there and nobody else has touched them. The log is
 * described in log.h; 'record' judges what is in it. */
#include <link.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <stdbool.h>

#include "client/bindings/dlopens.h"
#include "client/bindings/table.h"
#include "client/rtld_audit.h"
#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/bindings_log.h"
#include "node/search_key.h"
#include "node/syscall.h"

enum { EVENTS = 16 << 20, VALUES = 4096, OBJECTS = LC_ARCH_THUNKS };

/* An object of this process; thunk and number are one. */
struct captured {
    struct lc_bound bound;
    struct lc_edit edit;
    ElfW(Rela) * rows; /* the table ld.so sees; NULL: its own */
    size_t rows_len;   /* bytes mapped */
    bool is_done;      /* worked off */
};

static struct captured *object;
static uint32_t objects;
static char *events; /* all records but values, so that a child of fork can tell them again */
static size_t events_len, events_written;
static char dir[4096], file[4200];
static long pid;
static struct lc_key key;
static struct lc_headers program;
static struct lc_dlopens dlopens;
static char asked[4096];
static bool is_started, is_full, is_idle;

static void put_number(char *to, size_t *at, unsigned long n)
{
    char digits[24];
    size_t i = sizeof(digits);

    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    while (i < sizeof(digits))
        to[(*at)++] = digits[i++];
}

/* A file of this process's own. */
static bool make_file(void)
{
    size_t len = lc_bytes_length(dir);

    for (unsigned n = 0; n < 100000; n++) {
        size_t at = len;
        lc_bytes_move(file, dir, len);
        file[at++] = '/';
        put_number(file, &at, (unsigned long)pid);
        file[at++] = '.';
        put_number(file, &at, n);
        file[at] = '\0';
        long fd = lc_sys_openat(LC_AT_FDCWD, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0)
            return lc_sys_close((int)fd) == 0;
        if (fd != -17 /* EEXIST */)
            return false;
    }
    return false;
}

static void write_all(int fd, const char *from, size_t len)
{
    while (len > 0) {
        long n = lc_sys_write(fd, from, len);
        if (n <= 0)
            return;
        from += n;
        len -= (size_t)n;
    }
}

/* The log, open for appending, with all events so far in it; -1 if there is none. */
static int open_log(void)
{
    long now = LC_SYS3(__NR_getpid, 0, 0, 0);

    if (now != pid) { /* a child of fork: a file of its own */
        pid = now;
        events_written = 0;
        if (!make_file())
            is_full = true;
    }
    int fd = is_full ? -1 : (int)lc_sys_open(file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && events_written < events_len) {
        write_all(fd, events + events_written, events_len - events_written);
        events_written = events_len;
    }
    return fd;
}

static void flush(void)
{
    if (events_written == events_len)
        return;
    int fd = open_log();
    if (fd >= 0)
        lc_sys_close(fd);
}

static void append(const void *from, size_t len)
{
    lc_bytes_move(events + events_len, from, len);
    events_len += len;
}

/* One event; the parts of its body one after the other. */
static void note(uint32_t type, const void *body, size_t len, const char *a, const char *b)
{
    size_t na = a ? lc_bytes_length(a) + 1 : 0, nb = b ? lc_bytes_length(b) + 1 : 0;
    struct lc_bind_record head = {type, (uint32_t)(len + na + nb)};

    if (events_len + sizeof(head) + head.length > EVENTS) {
        is_full = true;
        return;
    }
    append(&head, sizeof(head));
    append(body, len);
    append(a, na);
    append(b, nb);
}

/* All rows but the RELATIVE ones at the start, then those of the PLT. */
static void tell_values(int fd, uint32_t number, const struct lc_bound *o)
{
    uint32_t rows = o->table_count + o->plt_count, n = 0;
    uint32_t about[2] = {number, rows - o->relative};
    struct lc_bind_record head = {LC_BIND_VALUES,
                                  (uint32_t)(sizeof(about) + about[1] * sizeof(uint64_t))};
    static uint64_t values[VALUES];

    write_all(fd, (const char *)&head, sizeof(head));
    write_all(fd, (const char *)about, sizeof(about));
    for (uint32_t i = o->relative; i < rows; i++) {
        const ElfW(Rela) *r = lc_bound_row(o, i);
        bool is_slot = lc_bound_may_write(o, r->r_offset, sizeof(uint64_t));
        values[n++] = is_slot ? *(const volatile uint64_t *)(o->base + r->r_offset) : 0;
        if (n == VALUES || i + 1 == rows) {
            write_all(fd, (const char *)values, n * sizeof(*values));
            n = 0;
        }
    }
}

/* ld.so has worked off an object's rows. */
void lc_thunk_hook(uint32_t thunk)
{
    struct captured *c = &object[thunk];

    lc_table_restore(&c->edit);
    c->is_done = true;
    int fd = open_log();
    if (fd < 0)
        return;
    tell_values(fd, thunk + 1, &c->bound);
    lc_sys_close(fd);
}

/* Tables that ld.so no longer reads. */
static void free_tables(void)
{
    for (uint32_t i = objects; i > 0; i--) {
        struct captured *c = &object[i - 1];
        if (c->rows && c->is_done) {
            lc_sys_munmap(c->rows, c->rows_len);
            c->rows = NULL;
        }
    }
}

static void *allocate(size_t size)
{
    void *at =
        lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

    return lc_sys_is_error(at) ? NULL : at;
}

/* Its own rows, lazy ones too, and the one that calls us. */
static void give_table(struct captured *c, uint32_t thunk)
{
    const struct lc_bound *o = &c->bound;
    size_t rows = (size_t)o->table_count + o->plt_count + 1;

    if (o->odd || rows == 1 || !(c->rows = allocate(rows * sizeof(*c->rows))))
        return;
    c->rows_len = rows * sizeof(*c->rows);
    for (uint32_t i = 0; i < rows - 1; i++)
        c->rows[i] = *lc_bound_row(o, i);
    lc_table_end(&c->rows[rows - 1], o, thunk);
    lc_table_install(o, c->rows, rows, o->relative, &c->edit);
}

static bool begin(void)
{
    struct lc_variable log = {LC_BIND_LOG_VARIABLE, dir, sizeof(dir), 0};

    if (LC_ARCH_REFUSAL || !lc_key_read(&key, &log, 1) || log.found != 1 || !dir[0])
        return false;
    program.header = (const void *)(uintptr_t)key.headers;
    program.count = key.header_count;
    pid = LC_SYS3(__NR_getpid, 0, 0, 0);
    object = allocate(OBJECTS * sizeof(*object));
    events = allocate(EVENTS);
    return object && events && make_file();
}

unsigned la_version(unsigned version)
{
    is_idle = !begin();
    return version; /* never 0: see audit/dtv.h */
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    if (flag == LA_SER_ORIG && !is_idle) {
        size_t n = lc_bytes_length(name);
        asked[0] = '\0';
        if (n < sizeof(asked))
            lc_bytes_move(asked, name, n + 1);
        lc_dlopens_asked(&dlopens, name, lc_hash(name, n), is_started);
    }
    return (char *)(uintptr_t)name;
}

static void tell_opened(const struct captured *c, const struct link_map *map)
{
    struct lc_bind_opened told = {objects, c->rows != NULL, c->bound.base, c->bound.dynamic,
                                  c->bound.build};

    note(LC_BIND_OBJECT, &told, sizeof(told), objects == 1 ? key.executable : map->l_name, asked);
    asked[0] = '\0';
}

/* The first object of a dlopen. */
static void tell_call(void)
{
    struct lc_dlopen call = lc_dlopens_begin(&dlopens);
    struct lc_bind_call told = {call.is_known, call.flags, call.globals, call.globals_hash};

    note(LC_BIND_GROUP, &told, sizeof(told), NULL, NULL);
}

unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    bool is_program = objects == 0;

    *cookie = 0;
    if (is_idle || lmid != LM_ID_BASE || is_full || lc_bytes_same(map->l_name, "linux-vdso.so.1"))
        return 0;
    if (objects == OBJECTS) {
        is_full = true;
        return 0;
    }
    if (!is_started)
        lc_dlopens_find(&dlopens, map);
    else if (dlopens.is_new)
        tell_call();
    struct captured *c = &object[objects];
    bool is_readable = lc_bound_read(&c->bound, map, is_program ? &program : NULL);
    *cookie = ++objects;
    if (is_readable && !lc_dlopens_is_libc(map))
        give_table(c, objects - 1);
    tell_opened(c, map);
    return 0;
}

unsigned la_objclose(uintptr_t *cookie)
{
    uint32_t number = (uint32_t)*cookie;

    if (!is_idle && number > 0 && number <= objects)
        note(LC_BIND_CLOSED, &number, sizeof(number), NULL, NULL);
    return 0;
}

void la_activity(uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    if (is_idle)
        return;
    if (flag == LA_ACT_ADD && is_started) {
        free_tables();
        lc_dlopens_add(&dlopens);
    } else if (is_started) {
        lc_dlopens_end(&dlopens);
    }
    if (flag == LA_ACT_CONSISTENT) { /* the first one: after relocation, before constructors */
        note(is_started ? LC_BIND_MAPPED : LC_BIND_START, NULL, 0, NULL, NULL);
        is_started = true;
    }
    flush();
}

__attribute__((destructor)) static void at_end(void)
{
    flush();
}
