/* SPDX-License-Identifier: MIT */
/* interpreter_key.c - what an interpreter is told to run: a script, a module, or code on its
 * command line */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/program_key.h"
#include "util/path.h"

static const struct interpreter {
    const char *name;   /* with a version behind it or without */
    const char *valued; /* letters of options with a value */
    const char *code;   /* letters of options whose value is code */
    const char *module; /* letters of options whose value is a module */
    const char *file;   /* letters of options whose value is the script */
} interpreters[] = {
    {"python", "WXQ", "c", "m", ""},   {"pypy", "WX", "c", "m", ""}, {"perl", "I", "eE", "", ""},
    {"ruby", "IrCE", "e", "", ""},     {"Rscript", "", "e", "", ""}, {"R", "dg", "e", "", "f"},
    {"julia", "pJLtCm", "eE", "", ""}, {"lua", "l", "e", "", ""},    {"tclsh", "", "", "", ""},
    {"wish", "", "", "", ""},          {"node", "r", "ep", "", ""},  {"octave", "p", "", "", ""},
};

/* "python3.11" and "python3.11t" are Python's; "pythonic" is not. */
static const struct interpreter *interpreter_find(const char *program)
{
    const char *name = lc_path_base(program);

    for (size_t i = 0; i < sizeof(interpreters) / sizeof(*interpreters); i++) {
        size_t n = strlen(interpreters[i].name);
        if (strncmp(name, interpreters[i].name, n) == 0 &&
            (!name[n] || isdigit((unsigned char)name[n]) || name[n] == '.'))
            return &interpreters[i];
    }
    return NULL;
}

/* What the options say that is to be run. */
struct told {
    const char *code, *module, *file;
    char *const *rest; /* words behind the options */
};

/* The value of an option: the rest of its word, or the next one. */
static const char *value_take(const char *rest, char *const **at)
{
    if (*rest)
        return rest;
    return (*at)[1] ? *++*at : "";
}

/* One word with options of one letter each. */
static void letters_read(const struct interpreter *is, char *const **at, struct told *told)
{
    for (const char *p = **at + 1; *p; p++) {
        bool is_code = strchr(is->code, *p), is_module = strchr(is->module, *p),
             is_file = strchr(is->file, *p);
        if (!is_code && !is_module && !is_file && !strchr(is->valued, *p))
            continue;
        const char *value = value_take(p + 1, at);
        if (is_code)
            told->code = value;
        if (is_module)
            told->module = value;
        if (is_file)
            told->file = value;
        return;
    }
}

static struct told words_read(const struct interpreter *is, char *const *words)
{
    struct told told = {0};
    char *const *at = words + 1;

    for (; *at && (*at)[0] == '-' && (*at)[1] && !told.code && !told.module; at++) {
        if (strcmp(*at, "--") == 0) {
            at++;
            break;
        }
        if (strncmp(*at, "--file=", 7) == 0)
            told.file = *at + 7;
        else if ((*at)[1] != '-')
            letters_read(is, &at, &told);
    }
    told.rest = at;
    return told;
}

bool lc_key_is_interpreter(const char *program)
{
    return interpreter_find(program);
}

bool lc_key_is_python_file(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, ".py") == 0;
}

/* A module in the working directory is another one in each directory. */
static void module_add_place(struct lc_key_search *search, const char *module)
{
    char file[PATH_MAX];
    int n = (int)strcspn(module, ".");

    snprintf(file, sizeof(file), "%.*s.py", n, module);
    if (access(file, F_OK) < 0)
        snprintf(file, sizeof(file), "%.*s/__init__.py", n, module);
    if (access(file, F_OK) == 0)
        lc_key_add_file(search, "script", file);
}

/* "-m mpi4py app.py" and "torchrun app.py" run a script of Python: the first word that looks like
 * one. */
static void inner_script_add(struct lc_key_search *search, char *const *words)
{
    for (; *words; words++)
        if (lc_key_is_python_file(*words)) {
            lc_key_add_file(search, "script", *words);
            lc_store_key_name(search->key, *words);
            return;
        }
}

static void module_add(struct lc_key_search *search, const struct told *told)
{
    lc_store_key_add(search->key, "module", told->module);
    module_add_place(search, told->module);
    inner_script_add(search, told->rest);
    lc_store_key_name(search->key, told->module);
}

bool lc_interpreter_key_add(struct lc_key_search *search, const char *program, char *const *words)
{
    const struct interpreter *is = interpreter_find(program);

    if (!is)
        return false;
    struct told told = words_read(is, words);
    const char *file = told.file ? told.file : *told.rest;
    if (told.code) {
        lc_key_add_code(search, told.code);
    } else if (told.module) {
        module_add(search, &told);
    } else if (file && strcmp(file, "-") != 0) {
        lc_key_add_file(search, "script", file);
        if (*is->module && !lc_key_is_python_file(file))
            inner_script_add(search, told.rest + 1);
        lc_store_key_name(search->key, file);
    }
    return true;
}
