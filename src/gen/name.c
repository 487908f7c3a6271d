/* SPDX-License-Identifier: MIT */
/* name.c - how libraries and functions are called */
#include "gen/name.h"

#include <stdio.h>
#include <string.h>

static const char *stem(enum lc_lib_kind kind)
{
    return kind == LC_LIB_MODULE ? "libmodule" : "libutility";
}

struct lc_symbol_name lc_name_lib(struct lc_lib lib)
{
    struct lc_symbol_name name;

    snprintf(name.s, sizeof(name.s), "%s%u", stem(lib.kind), lib.index);
    return name;
}

struct lc_symbol_name lc_name_visit(uint32_t module)
{
    struct lc_symbol_name name;

    snprintf(name.s, sizeof(name.s), "libmodule%u_visit", module);
    return name;
}

struct lc_symbol_name lc_name_extern(uint32_t module)
{
    struct lc_symbol_name name;

    snprintf(name.s, sizeof(name.s), "libmodule%u_extern", module);
    return name;
}

static char *number_put(char *out, uint32_t n)
{
    char digit[10];
    int count = 0;

    do
        digit[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count)
        *out++ = digit[--count];
    return out;
}

static char *text_put(char *out, const char *text, size_t len)
{
    memcpy(out, text, len);
    return out + len;
}

/* Called once per symbol of millions: no printf. */
size_t lc_name_write(const struct lc_model *model, struct lc_lib lib, uint32_t function, char *out)
{
    size_t pad = (size_t)model->config.name_pad;
    char *p = text_put(out, stem(lib.kind), strlen(stem(lib.kind)));

    p = text_put(number_put(p, lib.index), "_fun", 4);
    p = number_put(p, function);
    for (; pad >= 10; pad -= 10)
        p = text_put(p, "0123456789", 10);
    p = text_put(p, "0123456789", pad);
    *p = '\0';
    return (size_t)(p - out);
}

struct lc_symbol_name lc_name_function(const struct lc_model *model, struct lc_lib lib,
                                       uint32_t function)
{
    struct lc_symbol_name name;

    lc_name_write(model, lib, function, name.s);
    return name;
}

struct lc_symbol_name lc_name_target(const struct lc_model *model, const struct lc_model_call *call)
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
