/* SPDX-License-Identifier: MIT */
/* search_key.c - read the environment and processor on which ld.so's search results depend.
 * Freestanding. */
#include "node/search_key.h"

#include <asm/stat.h>
#include <elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "image/bytes.h"
#include "image/hash.h"
#include "node/audit_fit.h"
#include "node/auxv.h"
#include "node/format.h"
#include "node/preflight.h"
#include "node/syscall.h"

enum { ALL = 16 }; /* most variables that are read at once */

/* A file read byte by byte through a buffer, which usually holds the whole environment. */
struct stream {
    int fd;
    bool is_last; /* what the buffer holds is the end */
    size_t at, len;
    char buffer[4096];
};

/* The next byte; -1 at the end, -2 for an error. */
static int next_byte(struct stream *s)
{
    if (s->at == s->len) {
        long n = s->is_last ? 0 : lc_sys_read(s->fd, s->buffer, sizeof(s->buffer));
        if (n <= 0)
            return n < 0 ? -2 : -1;
        s->at = 0;
        s->len = (size_t)n;
        s->is_last = s->len < sizeof(s->buffer) && !s->buffer[n - 1];
    }
    return (unsigned char)s->buffer[s->at++];
}

/* Read a variable's value, as far as there is room. Returns the last byte read. */
static int value_read(struct stream *s, struct lc_variable *v)
{
    size_t n = 0;
    int c;

    while ((c = next_byte(s)) > 0 && n + 1 < v->room)
        v->out[n++] = (char)c;
    v->out[n] = '\0';
    v->found = c == 0 ? 1 : -1;
    return c;
}

/* Read one variable: compare its name with all wanted names, and read its value if one is equal. If
 * a name occurs twice, the first one counts. Returns the last byte read. */
static int variable_match(struct stream *s, struct lc_variable **v, size_t count)
{
    uint32_t alive = (1u << count) - 1;
    size_t at = 0;
    int c;

    while ((c = next_byte(s)) > 0 && alive) {
        for (size_t i = 0; i < count; i++) {
            if (!(alive & 1u << i))
                continue;
            if (!v[i]->name[at] && c == '=')
                return v[i]->found ? c : value_read(s, v[i]);
            if ((unsigned char)v[i]->name[at] != c)
                alive &= ~(1u << i);
        }
        at++;
    }
    return c;
}

/* Read all wanted variables in one pass. */
static bool read_variables(struct lc_variable **v, size_t count)
{
    struct stream s; /* not initialised as a whole, which would call memset */
    int c = 0;

    s.fd = (int)lc_sys_open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    s.at = s.len = 0;
    s.is_last = false;
    if (s.fd < 0)
        return false;
    while (c >= 0) {
        c = variable_match(&s, v, count);
        while (c > 0)
            c = next_byte(&s);
    }
    lc_sys_close(s.fd);
    return c == -1;
}

bool lc_key_environment(const char *name, char *out, size_t room)
{
    struct lc_variable v = {name, out, room, 0}, *all = &v;

    out[0] = '\0';
    if (read_variables(&all, 1) && v.found == 1)
        return true;
    out[0] = '\0';
    return false;
}

static bool read_auxv(struct lc_key *key)
{
    Elf64_auxv_t all[LC_AUXV];
    size_t n = lc_auxv_read(all);

    for (const Elf64_auxv_t *v = all; v < all + n; v++) {
        uint64_t value = v->a_un.a_val;
        switch (v->a_type) {
        case AT_HWCAP:
            key->hwcap = value;
            break;
        case AT_HWCAP2:
            key->hwcap2 = value;
            break;
        case AT_PAGESZ:
            key->page_bytes = value;
            break;
        case AT_PHDR:
            key->headers = value;
            break;
        case AT_PHNUM:
            key->header_count = value;
            break;
        case AT_PLATFORM:
            key->platform = value ? (const char *)value : key->platform;
            break;
        }
    }
    return n > 0;
}

uint32_t lc_key_cpu_level(void)
{
    return lc_arch_cpu_level();
}

/* The hash of a whole file. It is read and not mapped: if the file were truncated meanwhile, access
 * to a mapping would kill the program. */
static uint64_t hash_file(int fd, size_t size)
{
    char *at = lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    size_t done = 0;
    long n = 1;

    if (lc_sys_is_error(at))
        return 0;
    while (n > 0 && done < size && (n = lc_sys_read(fd, at + done, size - done)) > 0)
        done += (size_t)n;
    uint64_t hash = done == size ? lc_hash(at, size) : 0;
    lc_sys_munmap(at, size);
    return hash;
}

uint64_t lc_key_hash_cache(void)
{
    struct stat st;
    uint64_t hash = 0;
    int fd = (int)lc_sys_open(LC_CACHE_FILE, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    if (LC_SYS3(__NR_fstat, fd, &st, 0) == 0 && st.st_size > 0)
        hash = hash_file(fd, (size_t)st.st_size);
    lc_sys_close(fd);
    return hash;
}

/* Remove the launcher's setting of the room for thread variables. It does not affect searches, so
 * it is not part of the key. In place. */
static void tls_room_drop(char *tunables)
{
    char *to = tunables;

    for (const char *item = tunables; *item;) {
        size_t n = 0;
        while (item[n] && item[n] != ':')
            n++;
        if (n > 0 && !lc_fit_value(item, LC_TLS_TUNABLE)) {
            if (to > tunables)
                *to++ = ':';
            lc_bytes_move(to, item, n);
            to += n;
        }
        item += n + (item[n] == ':');
    }
    *to = '\0';
}

/* Read the key's two variables and those the caller wants. False if a value is not certain. */
static bool read_environment(struct lc_key *key, struct lc_variable *also, size_t count)
{
    struct lc_variable path = {"LD_LIBRARY_PATH", key->library_path, sizeof(key->library_path), 0};
    struct lc_variable tunables = {"GLIBC_TUNABLES", key->tunables, sizeof(key->tunables), 0};
    struct lc_variable *all[ALL] = {&path, &tunables};

    if (count > ALL - 2)
        return false;
    for (size_t i = 0; i < count; i++) {
        all[i + 2] = &also[i];
        also[i].found = 0;
        also[i].out[0] = '\0';
    }
    key->has_environment = read_variables(all, count + 2);
    tls_room_drop(key->tunables);
    return key->has_environment && path.found >= 0 && tunables.found >= 0;
}

bool lc_key_read(struct lc_key *key, struct lc_variable *also, size_t count)
{
    bool is_read = read_environment(key, also, count);
    long n = lc_sys_readlink("/proc/self/exe", key->executable, sizeof(key->executable) - 1);

    if (n <= 0)
        return false;
    key->executable[n] = '\0';
    key->platform = "";
    return read_auxv(key) && is_read;
}
