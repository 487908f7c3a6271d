/* SPDX-License-Identifier: MIT */
/* glibc_versions.c - which glibc is this? Freestanding. */
#include "node/glibc_versions.h"

#include "image/bytes.h"
#include "node/symbol.h"

typedef const char *(*version_fn)(void);

static version_fn libc_version;
static int minor_version; /* 2.x; 0: not asked yet, or not of that form */

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
    if (!libc_version && lc_glibc_is_called(map, "libc.so."))
        libc_version = (version_fn)lc_symbol_address(map, "gnu_get_libc_version");
}

/* "2.41" */
static int read_minor(const char *text)
{
    int minor = 0;

    if (text[0] != '2' || text[1] != '.')
        return 0;
    for (text += 2; *text >= '0' && *text <= '9' && minor < 1000; text++)
        minor = 10 * minor + *text - '0';
    return minor;
}

bool lc_glibc_is_tested(enum lc_glibc_private what)
{
    static const struct {
        int lowest, highest;
    } range[] = {
#define LC_GLIBC_RANGE(name, lowest, highest) [name] = {lowest, highest},
        LC_GLIBC_PRIVATE(LC_GLIBC_RANGE)
#undef LC_GLIBC_RANGE
    };

    if (!minor_version && libc_version)
        minor_version = read_minor(libc_version());
    return minor_version >= range[what].lowest && minor_version <= range[what].highest;
}
