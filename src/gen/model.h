/* SPDX-License-Identifier: MIT */
/* model.h - the workload as data: libraries, functions, signatures, calls and literals
 *
 * Nothing is stored. Every fact about a function is derived from the seed, the library and the
 * function's number, so that any library can be made alone, in any order, by any process, with the
 * same result; the emitters and the interpreter (interp.h) all ask here. The structure follows the
 * original Pynamic: see doc/decisions/gen.md. */
#ifndef LC_GEN_MODEL_H
#define LC_GEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum {
    LC_MOST_FILES = 20000,      /* twice that many link maps already take ld.so minutes */
    LC_MOST_FUNCTIONS = 100000, /* mean per library */
    LC_MOST_TOTAL = 50000000,   /* functions in all: 10 GB of libraries and more */
    LC_MOST_DEPTH = 1000,       /* each level is a stack frame of 300 bytes, and a utility's */
    LC_MOST_NAME = 1000,        /* gdb, perf and nm cut or refuse lines above a few KiB */
    LC_MOST_SEARCH_DIRS = 1000,
    LC_MOST_ARGS = 5,
    LC_STORES = 2,    /* of reals into local variables, in every function */
    LC_STORED = 8,    /* different ones: 0.5, 1.5 ... Few, so that a library has each but once */
    LC_LOOPS = 10,    /* turns of the loop in every function */
    LC_TEXT_LEN = 64, /* characters that strings point into; a power of two */
    LC_LITERAL_MAX = 16000,
};

/* The configuration: options such as "-e -u 350 1250 -n 150". */
struct lc_gen_config {
    long files;       /* modules and utilities together */
    long module_avg;  /* mean functions per module */
    long utilities;   /* of the files */
    long utility_avg; /* mean functions per utility */
    long depth;       /* longest call chain inside a library */
    long name_pad;    /* characters appended to function names */
    long search_dirs; /* empty directories ahead in the linker's search paths */
    long python_dirs; /* empty directories ahead in sys.path */
    bool externs;     /* module i calls module i-1 */
    bool prints;      /* every function prints its name */
    uint64_t seed;
};

enum lc_lib_kind { LC_LIB_MODULE, LC_LIB_UTILITY };

struct lc_lib {
    enum lc_lib_kind kind;
    uint32_t index;
};

enum lc_type { LC_INT, LC_LONG, LC_FLOAT, LC_DOUBLE, LC_STRING, LC_TYPES };

struct lc_signature {
    enum lc_type result;
    unsigned args;
    enum lc_type arg[LC_MOST_ARGS];
};

/* An argument as written at a call: the number for int and long, eighths for float and double
 * (exact in both, on every machine), an offset into lc_text() for strings. */
typedef uint32_t lc_literal;

enum lc_call_target {
    LC_CALL_NONE,
    LC_CALL_FUNCTION, /* lib's function number 'function' */
    LC_CALL_EXTERN,   /* lib's extern function: unsigned f(int) */
};

struct lc_model_call {
    enum lc_call_target target;
    struct lc_lib lib;
    uint32_t function;
    struct lc_signature signature;
    lc_literal arg[LC_MOST_ARGS];
};

/* A function of type 'signature':
 *     h = start; for each argument: h += value(argument), or h ^= for the second and the fourth
 *     LC_LOOPS times: h += loop call ? value(loop call) : turn
 *     if there is a next call: h += value(next)
 *     return h as 'signature.result': the number; real + (h & mask) for float and double; a pointer
 *     to character h % 64 of lc_text() for strings
 * with h of 32 bits and value(x): the number; the real's whole part; the character pointed to.
 * Small on purpose: the compiled functions are about as long as the original's. */
struct lc_function {
    struct lc_signature signature;
    uint32_t start;
    lc_literal real[LC_STORES]; /* float, double: stored in local variables; what a float or double
                                   result starts from */
    struct lc_model_call loop;
    struct lc_model_call next;
};

enum { LC_FLOAT_MASK = 4095, LC_DOUBLE_MASK = 0xfffff };

struct lc_model {
    struct lc_gen_config config;
    uint32_t modules;
    uint32_t *functions; /* per library: modules, then utilities; owned */
};

/* Check that all values are within their limits. 0, or -1 with err filled. */
int lc_gen_check(const struct lc_gen_config *config, struct lc_error *err);

/* 0, or -1 with errno ENOMEM. The config must have passed lc_gen_check. */
int lc_model_open(struct lc_model *model, const struct lc_gen_config *config);
void lc_model_close(struct lc_model *model);

/* Libraries are numbered modules first, then utilities. */
size_t lc_model_libs(const struct lc_model *model);
struct lc_lib lc_model_lib(const struct lc_model *model, size_t number);
uint32_t lc_model_functions(const struct lc_model *model, struct lc_lib lib);
uint64_t lc_model_functions_total(const struct lc_model *model, enum lc_lib_kind kind);

struct lc_signature lc_model_signature(const struct lc_model *model, struct lc_lib lib,
                                       uint32_t function);
void lc_model_function(const struct lc_model *model, struct lc_lib lib, uint32_t function,
                       struct lc_function *out);

/* A module's entry: h = start, then h = 31 h + value(call) for each call. */
size_t lc_model_entry_calls(const struct lc_model *model, uint32_t module);
void lc_model_entry_call(const struct lc_model *model, uint32_t module, size_t number,
                         struct lc_model_call *out);
uint32_t lc_model_entry_start(const struct lc_model *model, uint32_t module);

/* A module's extern function: 31 * start + argument. */
uint32_t lc_model_extern_start(const struct lc_model *model, uint32_t module);

/* The characters strings point into, LC_TEXT_LEN of them. */
const char *lc_text(void);

#endif
