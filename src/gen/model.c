/* SPDX-License-Identifier: MIT */
/* model.c - derive functions, calls and literals from the seed */
#include "gen/model.h"

#include <stdlib.h>

/* The purpose of a stream of random numbers. It is part of the key, so that streams never overlap.
 */
enum purpose { FOR_COUNT, FOR_SIGNATURE, FOR_BODY, FOR_ENTRY, FOR_EXTERN };

struct stream {
    uint64_t state;
};

/* splitmix64: every state gives a well mixed number, so keys may be small and regular. */
static uint64_t splitmix64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static struct stream stream_for(const struct lc_model *model, enum purpose purpose,
                                struct lc_lib lib, uint32_t number)
{
    uint64_t where = ((uint64_t)purpose << 60) | ((uint64_t)lib.kind << 56) |
                     ((uint64_t)lib.index << 32) | number;

    return (struct stream){splitmix64(model->config.seed + 0x9e3779b97f4a7c15u) ^
                           splitmix64(where)};
}

static uint64_t next64(struct stream *s)
{
    s->state += 0x9e3779b97f4a7c15u;
    return splitmix64(s->state);
}

/* Uniform in [0, limit). */
static uint32_t random_below(struct stream *s, uint32_t limit)
{
    return (uint32_t)(((next64(s) >> 32) * limit) >> 32);
}

const char *lc_text(void)
{
    return "hello, loadcast!0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL";
}

static uint32_t functions_draw(const struct lc_model *model, struct lc_lib lib)
{
    const struct lc_gen_config *c = &model->config;
    uint32_t avg = (uint32_t)(lib.kind == LC_LIB_MODULE ? c->module_avg : c->utility_avg);
    struct stream s = stream_for(model, FOR_COUNT, lib, 0);
    uint32_t low = avg / 2, high = avg + avg / 2;
    uint32_t n = low + random_below(&s, high - low + 1);

    return n ? n : 1;
}

int lc_model_open(struct lc_model *model, const struct lc_gen_config *config)
{
    *model = (struct lc_model){*config, (uint32_t)(config->files - config->utilities), NULL};
    model->functions = calloc((size_t)config->files, sizeof(*model->functions));
    if (!model->functions)
        return -1;
    for (size_t i = 0; i < lc_model_libs(model); i++)
        model->functions[i] = functions_draw(model, lc_model_lib(model, i));
    return 0;
}

void lc_model_close(struct lc_model *model)
{
    free(model->functions);
    model->functions = NULL;
}

size_t lc_model_libs(const struct lc_model *model)
{
    return (size_t)model->config.files;
}

struct lc_lib lc_model_lib(const struct lc_model *model, size_t number)
{
    if (number < model->modules)
        return (struct lc_lib){LC_LIB_MODULE, (uint32_t)number};
    return (struct lc_lib){LC_LIB_UTILITY, (uint32_t)number - model->modules};
}

uint32_t lc_model_functions(const struct lc_model *model, struct lc_lib lib)
{
    return model->functions[lib.index + (lib.kind == LC_LIB_UTILITY ? model->modules : 0)];
}

uint64_t lc_model_functions_total(const struct lc_model *model, enum lc_lib_kind kind)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < lc_model_libs(model); i++)
        if (lc_model_lib(model, i).kind == kind)
            sum += model->functions[i];
    return sum;
}

struct lc_signature lc_model_signature(const struct lc_model *model, struct lc_lib lib,
                                       uint32_t function)
{
    struct stream s = stream_for(model, FOR_SIGNATURE, lib, function);
    struct lc_signature out = {.result = random_below(&s, LC_TYPES),
                               .args = random_below(&s, LC_MOST_ARGS + 1)};

    for (unsigned i = 0; i < out.args; i++)
        out.arg[i] = random_below(&s, LC_TYPES);
    return out;
}

static lc_literal literal_draw(struct stream *s, enum lc_type type)
{
    if (type == LC_STRING)
        return random_below(s, LC_TEXT_LEN);
    if (type == LC_FLOAT || type == LC_DOUBLE)
        return random_below(s, LC_LITERAL_MAX * 8 + 1);
    return random_below(s, LC_LITERAL_MAX + 1);
}

static void call_draw(const struct lc_model *model, struct stream *s, struct lc_lib lib,
                      uint32_t function, struct lc_model_call *out)
{
    *out = (struct lc_model_call){
        LC_CALL_FUNCTION, lib, function, lc_model_signature(model, lib, function), {0}};
    for (unsigned i = 0; i < out->signature.args; i++)
        out->arg[i] = literal_draw(s, out->signature.arg[i]);
}

/* So that every utility is called, module m is responsible for utilities m, m + modules,
 * m + 2 modules, ...: each of its first functions calls one of them, and its entry calls those that
 * remain. All other functions call a random utility. */
static uint32_t responsible_utility(const struct lc_model *model, uint32_t module, uint64_t number)
{
    uint64_t utility = module + number * model->modules;

    return utility < (uint64_t)model->config.utilities ? (uint32_t)utility : UINT32_MAX;
}

static void utility_call_draw(const struct lc_model *model, struct stream *s, uint32_t module,
                              uint64_t number, struct lc_model_call *out)
{
    struct lc_lib lib = {LC_LIB_UTILITY, responsible_utility(model, module, number)};

    if (lib.index == UINT32_MAX)
        lib.index = random_below(s, (uint32_t)model->config.utilities);
    call_draw(model, s, lib, random_below(s, lc_model_functions(model, lib)), out);
}

static bool has_next(const struct lc_model *model, struct lc_lib lib, uint32_t function)
{
    uint32_t depth = (uint32_t)model->config.depth;

    return function % depth != depth - 1 && function + 1 < lc_model_functions(model, lib);
}

void lc_model_function(const struct lc_model *model, struct lc_lib lib, uint32_t function,
                       struct lc_function *out)
{
    struct stream s = stream_for(model, FOR_BODY, lib, function);

    *out = (struct lc_function){.signature = lc_model_signature(model, lib, function)};
    out->start = (uint32_t)next64(&s) & 0x7fffffff;
    for (int i = 0; i < LC_STORES; i++)
        out->real[i] = 8 * random_below(&s, LC_STORED) + 4;
    if (lib.kind == LC_LIB_MODULE && model->config.utilities > 0)
        utility_call_draw(model, &s, lib.index, function, &out->loop);
    if (has_next(model, lib, function))
        call_draw(model, &s, lib, function + 1, &out->next);
}

static uint32_t chain_count(const struct lc_model *model, uint32_t module)
{
    uint32_t n = lc_model_functions(model, (struct lc_lib){LC_LIB_MODULE, module});
    uint32_t depth = (uint32_t)model->config.depth;

    return (n + depth - 1) / depth;
}

/* How many utilities this module is responsible for beyond the number of its functions. */
static uint32_t utilities_left_over(const struct lc_model *model, uint32_t module)
{
    uint32_t functions = lc_model_functions(model, (struct lc_lib){LC_LIB_MODULE, module});
    uint32_t n = 0;

    while (responsible_utility(model, module, (uint64_t)functions + n) != UINT32_MAX)
        n++;
    return n;
}

size_t lc_model_entry_calls(const struct lc_model *model, uint32_t module)
{
    return (size_t)chain_count(model, module) + utilities_left_over(model, module) +
           (model->config.externs && module > 0);
}

void lc_model_entry_call(const struct lc_model *model, uint32_t module, size_t number,
                         struct lc_model_call *out)
{
    struct lc_lib own = {LC_LIB_MODULE, module};
    struct stream s = stream_for(model, FOR_ENTRY, own, (uint32_t)number + 1);
    uint32_t heads = chain_count(model, module);

    if (number < heads) {
        call_draw(model, &s, own, (uint32_t)(number * (size_t)model->config.depth), out);
    } else if (number < heads + utilities_left_over(model, module)) {
        utility_call_draw(model, &s, module, lc_model_functions(model, own) + number - heads, out);
    } else {
        *out = (struct lc_model_call){LC_CALL_EXTERN,
                                      {LC_LIB_MODULE, module - 1},
                                      0,
                                      {LC_INT, 1, {LC_INT}},
                                      {literal_draw(&s, LC_INT)}};
    }
}

uint32_t lc_model_entry_start(const struct lc_model *model, uint32_t module)
{
    struct stream s = stream_for(model, FOR_ENTRY, (struct lc_lib){LC_LIB_MODULE, module}, 0);

    return (uint32_t)next64(&s) & 0x7fffffff;
}

uint32_t lc_model_extern_start(const struct lc_model *model, uint32_t module)
{
    struct stream s = stream_for(model, FOR_EXTERN, (struct lc_lib){LC_LIB_MODULE, module}, 0);

    return (uint32_t)next64(&s) & 0x7fffffff;
}
