/* SPDX-License-Identifier: MIT */
/* api.c - find CPython's interface in the running program */
#include "client/python/api.h"

#include "client/preload/next.h"
#include "node/python_versions.h"

/* 11 of "3.11.2 (main, ..."; -1 if it is not Python 3 */
static int minor_version(const char *text)
{
    int minor = 0;

    if (text[0] != '3' || text[1] != '.')
        return -1;
    for (text += 2; *text >= '0' && *text <= '9' && minor < 100; text++)
        minor = minor * 10 + (*text - '0');
    return minor;
}

bool lc_py_find(struct lc_py *py)
{
#define X(result, name, arguments)                            \
    py->name = (result(*) arguments)lc_program_symbol(#name); \
    if (!py->name)                                            \
        return false;
    LC_PY_FUNCTIONS(X)
#undef X
#define X(name)                          \
    py->name = lc_program_symbol(#name); \
    if (!py->name)                       \
        return false;
    LC_PY_OBJECTS(X)
#undef X
    py->minor = minor_version(py->Py_GetVersion());
    return py->minor >= LC_PYTHON_FIRST_MINOR && py->minor <= LC_PYTHON_LAST_MINOR;
}
