/* SPDX-License-Identifier: MIT */
/* key.c - the name of an image in the store */
#include "store/key.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "image/hash.h"
#include "util/buf.h"
#include "util/json.h"
#include "util/path.h"

/* Variables by which ld.so and interpreters search. VIRTUAL_ENV, CONDA_PREFIX and PATH are not
 * among them: they decide which program is found, and that is a part of the key itself. */
static const struct {
    const char *name;
    const char *separators; /* of a list; NULL: a single value */
} variables[] = {
    {"LD_LIBRARY_PATH", ":;"},
    {"LD_PRELOAD", ": "},
    {"PYTHONPATH", ":"},
    {"PYTHONHOME", NULL},
    {"PYTHONUSERBASE", NULL},
    {"PYTHONNOUSERSITE", NULL},
    {"PYTHONPLATLIBDIR", NULL},
    {"PYTHONPYCACHEPREFIX", NULL},
    {"PYENV_VERSION", NULL},
    {"R_HOME", NULL},
    {"R_LIBS", ":"},
    {"R_LIBS_USER", ":"},
    {"PERL5LIB", ":"},
    {"JULIA_LOAD_PATH", ":"},
    {"JULIA_DEPOT_PATH", ":"},
    {"JULIA_PROJECT", NULL},
    {"RUBYLIB", ":"},
    {"TCLLIBPATH", NULL},
    {"LUA_PATH", NULL},
    {"LUA_CPATH", NULL},
};
enum { VARIABLES = sizeof(variables) / sizeof(*variables) };

void lc_store_key_add(struct lc_store_key *key, const char *kind, const char *value)
{
    if (!key->parts)
        key->parts = json_array();
    json_array_append_new(key->parts, json_pack("[s, o]", kind, lc_json_text(value)));
}

void lc_store_key_name(struct lc_store_key *key, const char *path)
{
    if (key->label[0])
        return;
    snprintf(key->label, sizeof(key->label), "%s", lc_path_base(path));
    for (char *p = key->label; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._+-", *p))
            *p = '_';
    if (key->label[0] == '.' || key->label[0] == '-' || !key->label[0])
        memcpy(key->label, "_", key->label[0] ? 1 : 2); /* no hidden file, no option */
}

static const char *value_in(char *const *list, const char *name)
{
    const char *value = NULL;
    size_t n = strlen(name);

    for (; list && *list; list++)
        if (strncmp(*list, name, n) == 0 && (*list)[n] == '=')
            value = *list + n + 1;
    return value;
}

/* Is this item in the list before 'at'? */
static bool item_is_repeated(const char *list, const char *at, size_t len, const char *separators)
{
    for (const char *p = list; p < at; p += strcspn(p, separators) + 1)
        if (strcspn(p, separators) == len && memcmp(p, at, len) == 0)
            return true;
    return false;
}

/* A list without items that are in it already: modules that are loaded twice add them, and they
 * change no search. */
static void list_add(struct lc_buf *out, const char *list, const char *separators)
{
    for (const char *p = list; p;) {
        size_t n = strcspn(p, separators);
        if (!item_is_repeated(list, p, n, separators)) {
            if (p > list)
                lc_buf_putc(out, ':');
            lc_buf_add(out, p, n);
        }
        p = p[n] ? p + n + 1 : NULL;
    }
}

void lc_store_key_add_variables(struct lc_store_key *key, char *const *environment,
                                char *const *assigned)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *over = value_in(assigned, variables[i].name);
        const char *value = over ? over : value_in(environment, variables[i].name);
        struct lc_buf text = {0};
        if (!value || !*value)
            continue;
        if (variables[i].separators)
            list_add(&text, value, variables[i].separators);
        lc_store_key_add(key, variables[i].name,
                         variables[i].separators ? lc_buf_text(&text) : value);
        lc_buf_free(&text);
    }
}

/* Homes are shared by machines of several kinds. */
static void machine_add(struct lc_store_key *key)
{
    struct utsname system;

    if (uname(&system) == 0)
        lc_store_key_add(key, "machine", system.machine);
}

void lc_store_key_finish(struct lc_store_key *key)
{
    machine_add(key);
    char *all = json_dumps(key->parts, JSON_COMPACT);
    uint64_t hash = all ? lc_hash(all, strlen(all)) : 0;

    lc_store_key_name(key, "_");
    snprintf(key->text, sizeof(key->text), "%s-%016" PRIx64, key->label, hash);
    free(all);
}

void lc_store_key_free(struct lc_store_key *key)
{
    json_decref(key->parts);
    *key = (struct lc_store_key){.parts = NULL};
}
