/* SPDX-License-Identifier: MIT */
/* refuse.c - a dlopen() of a whole path where nothing is. Freestanding. */
#include "client/audit/refuse.h"

#include <asm/errno.h>
#include <stddef.h>

#include "client/bindings/object.h"
#include "image/bytes.h"

/* glibc's minor versions of which it is known that ld.so gives up by this function alone. */
enum { OLDEST = 28, NEWEST = 41 };

/* elf/dl-error-skeleton.c, later dl-catch.c: jumps out to whoever wanted the object. */
typedef void (*signal_error_fn)(int error, const char *object, const char *occasion,
                                const char *text);
typedef const char *(*version_fn)(void);

static bool is_alone, is_started;
static signal_error_fn of_loader, of_libc;
static version_fn libc_version; /* NULL: none, or its answer is in is_known */
static bool is_known;

static bool has(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return *text;
}

void lc_refuse_begin(const char *audit)
{
    is_alone = !has(audit, ':');
}

static bool is_called(const struct link_map *map, const char *start)
{
    const char *base = map->l_name ? map->l_name : "";
    size_t n = lc_bytes_length(start);

    for (const char *c = base; *c; c++)
        base = *c == '/' ? c + 1 : base;
    return lc_bytes_length(base) >= n && lc_bytes_equal(base, start, n);
}

void lc_refuse_learn(const struct link_map *map)
{
    static const char symbol[] = "_dl_signal_error";

    if (!of_loader && is_called(map, "ld-"))
        of_loader = (signal_error_fn)lc_bound_symbol(map, symbol);
    if (is_known || libc_version || !is_called(map, "libc.so."))
        return;
    of_libc = (signal_error_fn)lc_bound_symbol(map, symbol);
    libc_version = (version_fn)lc_bound_symbol(map, "gnu_get_libc_version");
}

void lc_refuse_started(void)
{
    is_started = true;
}

/* "2.41" */
static bool is_known_version(const char *text)
{
    int minor = 0;

    if (text[0] != '2' || text[1] != '.')
        return false;
    for (text += 2; *text >= '0' && *text <= '9' && minor < 1000; text++)
        minor = 10 * minor + *text - '0';
    return minor >= OLDEST && minor <= NEWEST;
}

static bool is_known_libc(void)
{
    if (libc_version)
        is_known = is_known_version(libc_version());
    libc_version = NULL;
    return is_known;
}

/* With a '$' it is another path that ld.so would open. */
bool lc_refuse_can(const char *path, int error)
{
    return is_alone && is_started && error == ENOENT && !has(path, '$') && is_known_libc() &&
           (of_libc || of_loader);
}

void lc_refuse(const char *path, int error)
{
    static const char text[] = "cannot open shared object file";

    (of_libc ? of_libc : of_loader)(error, path, NULL, text);
}
