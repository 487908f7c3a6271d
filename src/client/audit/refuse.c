/* SPDX-License-Identifier: MIT */
/* refuse.c - a dlopen() of a whole path where nothing is. Freestanding. */
#include "client/audit/refuse.h"

#include <asm/errno.h>
#include <stddef.h>

#include "image/bytes.h"
#include "node/glibc_versions.h"
#include "node/symbol.h"

/* elf/dl-error-skeleton.c, later dl-catch.c: jumps out to whoever wanted the object. */
typedef void (*signal_error_fn)(int error, const char *object, const char *occasion,
                                const char *text);

static bool is_alone, is_started;
static signal_error_fn of_loader, of_libc;

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

void lc_refuse_learn(const struct link_map *map)
{
    static const char symbol[] = "_dl_signal_error";

    if (!of_loader && lc_glibc_is_called(map, "ld-"))
        of_loader = (signal_error_fn)lc_symbol_address(map, symbol);
    if (!of_libc && lc_glibc_is_called(map, "libc.so."))
        of_libc = (signal_error_fn)lc_symbol_address(map, symbol);
}

void lc_refuse_started(void)
{
    is_started = true;
}

/* With a '$' it is another path that ld.so would open. */
bool lc_refuse_can(const char *path, int error)
{
    return is_alone && is_started && error == ENOENT && !has(path, '$') &&
           lc_glibc_is_tested(LC_GLIBC_SIGNAL_ERROR) && (of_libc || of_loader);
}

void lc_refuse(const char *path, int error)
{
    static const char text[] = "cannot open shared object file";

    (of_libc ? of_libc : of_loader)(error, path, NULL, text);
}
