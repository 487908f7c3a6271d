/* SPDX-License-Identifier: MIT */
/* name.h - the names of libraries and functions, in files and in symbol tables */
#ifndef LC_GEN_NAME_H
#define LC_GEN_NAME_H

#include "gen/model.h"

/* Room for the longest name with its NUL. */
enum { LC_NAME_SIZE = LC_MOST_NAME + 64 };

/* Behind a function's name: the variable that holds its result, where it is called. A suffix, since
 * linkers store a string that is the end of another only once. */
#define LC_RESULT_SUFFIX "_got"

struct lc_symbol_name {
    char s[LC_NAME_SIZE];
};

struct lc_symbol_name lc_name_lib(struct lc_lib lib);  /* libmodule3 */
struct lc_symbol_name lc_name_visit(uint32_t module);  /* libmodule3_visit: its entry for C */
struct lc_symbol_name lc_name_extern(uint32_t module); /* libmodule3_extern */

/* The name of a function, libmodule3_fun7 with padding; and of the function that a call calls. */
struct lc_symbol_name lc_name_function(const struct lc_model *model, struct lc_lib lib,
                                       uint32_t function);
struct lc_symbol_name lc_name_target(const struct lc_model *model,
                                     const struct lc_model_call *call);

/* Write a function's name with its NUL to 'out' (LC_NAME_SIZE bytes). Returns its length. */
size_t lc_name_write(const struct lc_model *model, struct lc_lib lib, uint32_t function, char *out);

/* The length of a function's name, without the NUL. */
size_t lc_name_length(const struct lc_model *model, struct lc_lib lib, uint32_t function);

#endif
