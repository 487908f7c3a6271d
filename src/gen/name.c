/* SPDX-License-Identifier: MIT */
/* name.c - how libraries and functions are called */
#include "gen/name.h"

#include <stdio.h>
#include <string.h>

static const char *stem(enum lc_lib_kind kind)
{
    return kind == LC_LIB_MODULE ? "libmodule" : "libutility";
}

struct lc_name lc_name_lib(struct lc_lib lib)
{
    struct lc_name name;

    snprintf(name.s, sizeof(name.s), "%s%u", stem(lib.kind), lib.index);
    return name;
}

struct lc_name lc_name_visit(uint32_t module)
{
    struct lc_name name;

    snprintf(name.s, sizeof(name.s), "libmodule%u_visit", module);
    return name;
}

struct lc_name lc_name_extern(uint32_t module)
{
    struct lc_name name;

    snprintf(name.s, sizeof(name.s), "libmodule%u_extern", module);
    return name;
}

struct lc_name lc_name_function(const struct lc_model *model, struct lc_lib lib, uint32_t function)
{
    struct lc_name name;
    size_t pad = (size_t)model->config.name_pad;
    int len = snprintf(name.s, sizeof(name.s), "%s%u_fun%u", stem(lib.kind), lib.index, function);

    for (size_t i = 0; i < pad; i++)
        name.s[(size_t)len + i] = (char)('0' + i % 10);
    name.s[(size_t)len + pad] = '\0';
    return name;
}

struct lc_name lc_name_target(const struct lc_model *model, const struct lc_call *call)
{
    if (call->target == LC_CALL_EXTERN)
        return lc_name_extern(call->lib.index);
    return lc_name_function(model, call->lib, call->function);
}

static size_t digits(uint32_t n)
{
    size_t count = 1;

    for (; n >= 10; n /= 10)
        count++;
    return count;
}

size_t lc_name_length(const struct lc_model *model, struct lc_lib lib, uint32_t function)
{
    return strlen(stem(lib.kind)) + digits(lib.index) + strlen("_fun") + digits(function) +
           (size_t)model->config.name_pad;
}
