/* SPDX-License-Identifier: MIT */
/* program_key.h - what does a command run in the end? The parts of a key that say so */
#ifndef LC_LAUNCH_PROGRAM_KEY_H
#define LC_LAUNCH_PROGRAM_KEY_H

#include <stdbool.h>

#include "store/key.h"
#include "util/buf.h"
#include "util/error.h"
#include "util/run.h"

/* A wrapper that runs itself would be seen through for ever. */
enum { LC_KEY_DEPTH = 8 };

struct lc_key_search {
    struct lc_store_key *key;
    struct lc_buf words;     /* of all programs, a NUL behind each */
    struct lc_argv assigned; /* variables that env or a shell sets for the program */
    int depth;               /* commands seen through so far */
    bool is_missing;         /* a program is not here; it may be on the nodes */
    struct lc_error *err;
};

/* Add what the command 'words' (ends with NULL, not empty) runs. 0, or -1 with err filled. */
int lc_program_key_add(struct lc_key_search *search, char *const *words);

/* line_key.c: the same for a launch line. */
int lc_line_key_add(struct lc_key_search *search, char *const *argv);

/* runner_key.c: is 'program' a tool that runs another program by its own means, such as a
 * container? Then what its words make it run is added. */
bool lc_runner_key_add(struct lc_key_search *search, const char *program, char *const *words);

/* interpreter_key.c: by its name, is this an interpreter, or a script for Python? */
bool lc_key_is_interpreter(const char *program);
bool lc_key_is_python_file(const char *name);
/* Is 'program' an interpreter? Then what its words make it run is added. */
bool lc_interpreter_key_add(struct lc_key_search *search, const char *program, char *const *words);

/* shell_key.c: the same for a shell: a command that it was given, or a script. */
bool lc_shell_key_add(struct lc_key_search *search, const char *program, char *const *words);

/* Parts of a key by path. A program counts by the path by which it was found, because Python finds
 * a virtual environment by that, and by the file behind links. */
void lc_key_add_file(struct lc_key_search *search, const char *kind, const char *path);
/* Code that stands on the command line, by its hash. */
void lc_key_add_code(struct lc_key_search *search, const char *code);

#endif
