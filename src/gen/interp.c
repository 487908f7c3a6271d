/* SPDX-License-Identifier: MIT */
/* interp.c - what the workload must compute and contain, found without compiling it */
#include "gen/interp.h"

#include <stdlib.h>

static uint32_t value_of_literal(enum lc_type type, lc_literal literal)
{
    if (type == LC_STRING)
        return (unsigned char)lc_text()[literal];
    return type == LC_FLOAT || type == LC_DOUBLE ? literal / 8 : literal;
}

static uint32_t value_of_result(const struct lc_function *f, uint32_t h)
{
    switch (f->signature.result) {
    case LC_FLOAT:
        return f->real[0] / 8 + (h & LC_FLOAT_MASK);
    case LC_DOUBLE:
        return f->real[1] / 8 + (h & LC_DOUBLE_MASK);
    case LC_STRING:
        return (unsigned char)lc_text()[h % LC_TEXT_LEN];
    default:
        return h;
    }
}

/* Functions are pure, so the ten calls of a loop give one value. Recursion is as deep as the
 * workload's own: at most 'depth' in a module and 'depth' in a utility. */
static uint32_t call_interpret(const struct lc_model *model, const struct lc_model_call *call)
{
    struct lc_function f;

    lc_model_function(model, call->lib, call->function, &f);
    uint32_t h = f.start;
    for (unsigned i = 0; i < f.signature.args; i++) {
        uint32_t value = value_of_literal(f.signature.arg[i], call->arg[i]);
        h = i % 2 ? h ^ value : h + value;
    }
    uint32_t inner = f.loop.target ? lc_interp_call(model, &f.loop) : 0;
    for (uint32_t turn = 0; turn < LC_LOOPS; turn++)
        h += f.loop.target ? inner : turn;
    if (f.next.target)
        h += lc_interp_call(model, &f.next);
    return value_of_result(&f, h);
}

uint32_t lc_interp_call(const struct lc_model *model, const struct lc_model_call *call)
{
    if (call->target == LC_CALL_EXTERN)
        return lc_model_extern_start(model, call->lib.index) * 31 + call->arg[0];
    return call_interpret(model, call);
}

uint32_t lc_interp_entry(const struct lc_model *model, uint32_t module)
{
    uint32_t h = lc_model_entry_start(model, module);
    size_t n = lc_model_entry_calls(model, module);

    for (size_t i = 0; i < n; i++) {
        struct lc_model_call call;
        lc_model_entry_call(model, module, i, &call);
        h = h * 31 + lc_interp_call(model, &call);
    }
    return h;
}

static int keys_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static uint32_t distinct_count(uint64_t *key, size_t n)
{
    uint32_t distinct = 0;

    qsort(key, n, sizeof(*key), keys_compare);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || key[i] != key[i - 1];
    return distinct;
}

static uint64_t key_of(const struct lc_model_call *call)
{
    return ((uint64_t)call->target << 60) | ((uint64_t)call->lib.index << 32) | call->function;
}

/* Distinct functions outside the module that its functions and its entry call. */
static int imports_count(const struct lc_model *model, struct lc_lib lib, uint32_t *out)
{
    uint32_t functions = lc_model_functions(model, lib);
    size_t entries = lc_model_entry_calls(model, lib.index), n = 0;
    uint64_t *key = calloc(functions + entries, sizeof(*key));
    struct lc_function f;
    struct lc_model_call call;

    if (!key)
        return -1;
    for (uint32_t i = 0; i < functions; i++) {
        lc_model_function(model, lib, i, &f);
        if (f.loop.target)
            key[n++] = key_of(&f.loop);
    }
    for (size_t i = 0; i < entries; i++) {
        lc_model_entry_call(model, lib.index, i, &call);
        if (call.lib.kind == LC_LIB_UTILITY || call.target == LC_CALL_EXTERN)
            key[n++] = key_of(&call);
    }
    *out = distinct_count(key, n);
    free(key);
    return 0;
}

int lc_model_structure(const struct lc_model *model, struct lc_lib lib, struct lc_structure *out)
{
    uint32_t n = lc_model_functions(model, lib);
    uint32_t depth = (uint32_t)model->config.depth;

    *out = (struct lc_structure){.functions = n, .exports = n, .jump_slots = model->config.prints};
    if (lib.kind == LC_LIB_UTILITY) {
        out->jump_slots += n - (n + depth - 1) / depth; /* every function but the heads of chains */
        return 0;
    }
    if (imports_count(model, lib, &out->imports) < 0)
        return -1;
    out->exports += 3 + model->config.externs;   /* visit, py_..._entry, PyInit_..., extern */
    out->jump_slots += n + out->imports + 1 + 2; /* visit; PyLong and PyModuleDef */
    out->needed = (uint32_t)model->config.utilities;
    return 0;
}
