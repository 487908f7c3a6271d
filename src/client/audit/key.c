/* SPDX-License-Identifier: MIT */
/* key.c - where ld.so's search results hold. Freestanding. */
#include "client/audit/key.h"

#include <asm/stat.h>
#include <elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "client/free/sys.h"
#include "client/node.h"
#include "image/hash.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* A file read byte by byte through a small buffer. */
struct stream {
    int fd;
    size_t at, len;
    char buffer[512];
};

/* The next byte; -1 at the end, -2 for an error. */
static int next_byte(struct stream *s)
{
    if (s->at == s->len) {
        long n = lc_sys_read(s->fd, s->buffer, sizeof(s->buffer));
        if (n <= 0)
            return n < 0 ? -2 : -1;
        s->at = 0;
        s->len = (size_t)n;
    }
    return (unsigned char)s->buffer[s->at++];
}

/* Skip to the start of the next variable; false at the end. */
static bool skip_variable(struct stream *s, int c)
{
    while (c > 0)
        c = next_byte(s);
    return c == 0;
}

/* The value, up to its NUL. */
static bool take_value(struct stream *s, char *out, size_t room)
{
    size_t n = 0;

    for (;;) {
        int c = next_byte(s);
        if (c < 0 || n == room) {
            out[0] = '\0';
            return false;
        }
        out[n++] = (char)c;
        if (c == 0)
            return true;
    }
}

/* 1 found, 0 not set, -1 cannot be told. */
static int find_variable(const char *name, char *out, size_t room)
{
    struct stream s; /* not initialised as a whole: that would call memset */
    int found = 0;

    s.fd = (int)lc_sys_open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    s.at = s.len = 0;
    out[0] = '\0';
    if (s.fd < 0)
        return -1;
    for (bool more = true; more;) {
        size_t i = 0;
        int c = next_byte(&s);
        while (c > 0 && name[i] && c == (unsigned char)name[i]) {
            i++;
            c = next_byte(&s);
        }
        if (!name[i] && c == '=') {
            found = take_value(&s, out, room) ? 1 : -1;
            break;
        }
        if (c == -2)
            found = -1;
        more = c >= 0 && skip_variable(&s, c);
    }
    lc_sys_close(s.fd);
    return found;
}

/* One variable: which names does it still agree with? Returns its last byte read. */
static int match_names(struct stream *s, const char *const *name, char *first, size_t count)
{
    uint32_t alive = (1u << count) - 1;
    size_t at = 0;
    int c;

    while ((c = next_byte(s)) > 0 && alive) {
        for (size_t i = 0; i < count; i++) {
            if (!(alive & 1u << i))
                continue;
            if (!name[i][at] && c == '=') {
                c = next_byte(s);
                first[i] = (char)(c > 0 ? c : 1);
                return c;
            }
            if ((unsigned char)name[i][at] != c)
                alive &= ~(1u << i);
        }
        at++;
    }
    return c;
}

bool lc_key_initials(const char *const *name, char *first, size_t count)
{
    struct stream s;
    int c = 0;

    s.fd = (int)lc_sys_open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    s.at = s.len = 0;
    for (size_t i = 0; i < count; i++)
        first[i] = 0;
    if (s.fd < 0 || count > 31)
        return false;
    for (bool more = true; more;) {
        c = match_names(&s, name, first, count);
        more = c >= 0 && skip_variable(&s, c);
    }
    lc_sys_close(s.fd);
    return c != -2;
}

bool lc_key_environment(const char *name, char *out, size_t room)
{
    return find_variable(name, out, room) == 1;
}

static bool read_auxv(struct lc_key *key)
{
    Elf64_auxv_t v;
    int fd = (int)lc_sys_open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    while (lc_sys_read(fd, &v, sizeof(v)) == (long)sizeof(v) && v.a_type != AT_NULL) {
        if (v.a_type == AT_HWCAP)
            key->hwcap = v.a_un.a_val;
        else if (v.a_type == AT_HWCAP2)
            key->hwcap2 = v.a_un.a_val;
        else if (v.a_type == AT_PHDR)
            key->headers = v.a_un.a_val;
        else if (v.a_type == AT_PHNUM)
            key->header_count = v.a_un.a_val;
        else if (v.a_type == AT_PLATFORM && v.a_un.a_val)
            key->platform = (const char *)v.a_un.a_val;
    }
    lc_sys_close(fd);
    return true;
}

#if defined(__x86_64__)
/* What the operating system saves for us on a task switch. */
static uint32_t saved_state(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* As the psABI defines the levels, and glibc's sysdeps/x86 tests them. */
uint32_t lc_key_cpu_level(void)
{
    uint32_t a, b, c, d, b7, c1, c81;

    if (!__get_cpuid(1, &a, &b, &c1, &d) || !__get_cpuid(0x80000001, &a, &b, &c81, &d))
        return 1;
    /* v2: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF */
    uint32_t v2 = 1u | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;
    if ((c1 & v2) != v2 || !(c81 & 1))
        return 1;
    /* v3: FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT; BMI1, AVX2, BMI2 */
    uint32_t v3 = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;
    if ((c1 & v3) != v3 || !(c81 & 1u << 5) || !__get_cpuid_count(7, 0, &a, &b7, &c, &d) ||
        (b7 & (1u << 3 | 1u << 5 | 1u << 8)) != (1u << 3 | 1u << 5 | 1u << 8) ||
        (saved_state() & 6) != 6)
        return 2;
    /* v4: AVX512 F, DQ, CD, BW, VL */
    uint32_t v4 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    return (b7 & v4) == v4 && (saved_state() & 0xe6) == 0xe6 ? 4 : 3;
}
#else
uint32_t lc_key_cpu_level(void)
{
    return 0;
}
#endif

uint64_t lc_key_hash_cache(void)
{
    struct stat st;
    uint64_t hash = 0;
    int fd = (int)lc_sys_open(LC_CACHE_FILE, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    if (LC_SYS3(__NR_fstat, fd, &st, 0) == 0 && st.st_size > 0) {
        void *at = lc_sys_mmap((size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd);
        if (!lc_sys_is_error(at)) {
            hash = lc_hash(at, (size_t)st.st_size);
            lc_sys_munmap(at, (size_t)st.st_size);
        }
    }
    lc_sys_close(fd);
    return hash;
}

bool lc_key_read(struct lc_key *key)
{
    long n = lc_sys_readlink("/proc/self/exe", key->executable, sizeof(key->executable) - 1);

    if (n <= 0)
        return false;
    key->executable[n] = '\0';
    key->platform = "";
    key->cpu_level = lc_key_cpu_level();
    return read_auxv(key) &&
           find_variable("LD_LIBRARY_PATH", key->library_path, sizeof(key->library_path)) >= 0 &&
           find_variable("GLIBC_TUNABLES", key->tunables, sizeof(key->tunables)) >= 0;
}
