/* SPDX-License-Identifier: MIT */
/* glibc_versions.c - determine the version of glibc in this process. Freestanding. */
#include "node/glibc_versions.h"

#include <link.h>

#include "image/bytes.h"
#include "node/arch.h"
#include "node/symbol.h"

typedef const char *(*version_fn)(void);

static struct {
    version_fn version; /* the C library's own gnu_get_libc_version */
    unsigned minor;     /* 0: not asked yet, or not of the form 2.x */
} libc;

static bool file_name_starts(const char *path, const char *start)
{
    const char *base = path ? path : "";
    size_t n = lc_bytes_length(start);

    for (const char *c = base; *c; c++)
        base = *c == '/' ? c + 1 : base;
    return lc_bytes_length(base) >= n && lc_bytes_equal(base, start, n);
}

bool lc_glibc_is_called(const struct link_map *map, const char *start)
{
    return file_name_starts(map->l_name, start);
}

bool lc_glibc_is_loader(const char *path)
{
    return file_name_starts(path, "ld-linux") || file_name_starts(path, "ld64.so") ||
           file_name_starts(path, "ld-2");
}

void lc_glibc_learn(const struct link_map *map)
{
    if (!libc.version && lc_glibc_is_called(map, "libc.so."))
        libc.version = (version_fn)lc_symbol_address(map, "gnu_get_libc_version");
}

unsigned lc_glibc_minor(const char *version)
{
    unsigned minor = 0;

    if (version[0] != '2' || version[1] != '.')
        return 0;
    for (version += 2; *version >= '0' && *version <= '9' && minor < 1000; version++)
        minor = 10 * minor + (unsigned)(*version - '0');
    return minor;
}

uint32_t lc_glibc_untested(unsigned minor)
{
    static const struct {
        unsigned lowest, highest;
    } range[] = {
#define LC_GLIBC_RANGE(name, lowest, highest, text) [name] = {lowest, highest},
        LC_GLIBC_PARTS(LC_GLIBC_RANGE)
#undef LC_GLIBC_RANGE
    };
    uint32_t parts = 0;

    for (unsigned i = 0; i < LC_GLIBC_PART_COUNT; i++)
        if (minor < range[i].lowest || minor > range[i].highest)
            parts |= 1u << i;
    return parts;
}

bool lc_glibc_audit_is_harmful(unsigned minor)
{
    return lc_glibc_is_before(minor, LC_ARCH_AUDIT_FROM);
}

const char *lc_glibc_part_text(enum lc_glibc_part part)
{
    static const char *const text[] = {
#define LC_GLIBC_TEXT(name, lowest, highest, text) [name] = text,
        LC_GLIBC_PARTS(LC_GLIBC_TEXT)
#undef LC_GLIBC_TEXT
    };

    return text[part];
}

bool lc_glibc_is_tested(enum lc_glibc_part part)
{
    if (!libc.minor && libc.version)
        libc.minor = lc_glibc_minor(libc.version());
    return libc.minor && !(lc_glibc_untested(libc.minor) >> part & 1);
}
