/* SPDX-License-Identifier: MIT */
/* environment.c - the environment of a program that is about to be started */
#include "client/preload/environment.h"

#include "client/preload/path_query.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/tight_limits.h"

static bool has_prefix(const char *text, const char *prefix)
{
    size_t i = 0;

    while (prefix[i] && text[i] == prefix[i])
        i++;
    return !prefix[i];
}

const char *lc_variable(char *const env[], const char *name)
{
    for (; env && *env; env++)
        if (has_prefix(*env, name))
            return *env + lc_bytes_length(name);
    return NULL;
}

static size_t node_path_length(const struct lc_node *node)
{
    return node->files_len - (sizeof(LC_NODE_FILES) - 1);
}

/* Does a text begin with the node directory's path and 'name'? */
static bool is_node_path(const struct lc_node *node, const char *text, const char *name)
{
    size_t root = node_path_length(node), i = 0;

    while (i < root && text[i] == node->files[i])
        i++;
    return i == root && has_prefix(text + root, name);
}

/* Does a list such as the value of LD_PRELOAD hold this object of the node directory? */
static bool list_names_object(const struct lc_node *node, const char *list, const char *name)
{
    for (; list && *list; list++)
        if (is_node_path(node, list, name))
            return true;
    return false;
}

/* Is the client switched off in this environment? Then our objects are removed, because each
 * auditor costs time even if it does nothing: see node/audit_fit.h. */
static bool client_is_off(char *const env[])
{
    const char *off = lc_variable(env, LC_NODE_OFF "=");

    return off && off[0] == '0' && !off[1];
}

enum lc_environment lc_environment_kind(char *const env[])
{
    const struct lc_node *last = lc_client_last_node(); /* without one no pointer is checked */
    const struct lc_node *node = last && lc_is_list(env) ? last : NULL;
    bool audit = node && list_names_object(node, lc_variable(env, "LD_AUDIT="), LC_NODE_AUDIT);
    bool preload =
        node && list_names_object(node, lc_variable(env, "LD_PRELOAD="), LC_NODE_PRELOAD);

    if (!audit && !preload)
        return LC_ENVIRONMENT_OTHER;
    if (lc_client_node_no_syscalls()) /* the new program's writes will not be noticed */
        lc_node_set_uncovered(node);
    if (lc_client_has_detached() || client_is_off(env) ||
        (!lc_client_node_no_syscalls() && lc_space_is_tight()) ||
        (audit && !lc_node_has_object(node, LC_NODE_AUDIT)) ||
        !lc_node_has_object(node, LC_NODE_PRELOAD))
        return LC_ENVIRONMENT_BARRED;
    if (!audit || !lc_variable(env, LC_NODE_VARIABLE "="))
        return LC_ENVIRONMENT_OTHER;
    return preload ? LC_ENVIRONMENT_OURS : LC_ENVIRONMENT_LACKING;
}

static bool is_preload_variable(const char *text)
{
    return has_prefix(text, "LD_PRELOAD=");
}

size_t lc_environment_size(const struct lc_node *node, char *const env[], enum lc_environment kind)
{
    size_t ours = sizeof("LD_PRELOAD=:") + node_path_length(node) + sizeof(LC_NODE_PRELOAD);
    size_t size = 2 * sizeof(char *) + ours;

    if (kind != LC_ENVIRONMENT_LACKING && kind != LC_ENVIRONMENT_BARRED)
        return 0;
    for (; env && *env; env++)
        size += sizeof(char *) + (has_prefix(*env, "LD_") ? lc_bytes_length(*env) + ours : 0);
    return (size + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);
}

/* Copy the list without our objects to 'out'; false if nothing is left. */
static bool list_strip(const struct lc_node *node, const char *list, bool blank, char *out)
{
    size_t kept = 0;

    for (size_t n; *list; list += n + (list[n] != '\0')) {
        for (n = 0; list[n] && list[n] != ':' && !(blank && list[n] == ' '); n++)
            ;
        if (n == 0 || is_node_path(node, list, "/bin/"))
            continue;
        if (kept)
            out[kept++] = ':';
        lc_bytes_move(out + kept, list, n);
        kept += n;
    }
    out[kept] = '\0';
    return kept;
}

/* Copy a variable without our objects to 'text'; false if nothing is left of its value. */
static bool variable_strip(const struct lc_node *node, const char *variable, char *text)
{
    size_t name = 0;

    while (variable[name++] != '=')
        ;
    lc_bytes_move(text, variable, name);
    return list_strip(node, variable + name, is_preload_variable(variable), text + name);
}

static char *const *environment_strip(const struct lc_node *node, char *const env[], char **out,
                                      char *text)
{
    char **at = out;

    for (; *env; env++) {
        if (has_prefix(*env, LC_NODE_VARIABLE "="))
            continue;
        if (!has_prefix(*env, "LD_AUDIT=") && !is_preload_variable(*env)) {
            *at++ = *env;
        } else if (variable_strip(node, *env, text)) {
            *at++ = text;
            text += lc_bytes_length(text) + 1;
        }
    }
    *at = NULL;
    return out;
}

/* Write "LD_PRELOAD=CALLER'S:OURS" to 'text'; its length with the NUL. */
static size_t preload_append(const struct lc_node *node, const char *variable, char *text)
{
    size_t n = lc_bytes_length(variable), root = node_path_length(node);

    lc_bytes_move(text, variable, n);
    if (variable[n - 1] != '=' && variable[n - 1] != ':' && variable[n - 1] != ' ')
        text[n++] = ':';
    lc_bytes_move(text + n, node->files, root);
    lc_bytes_move(text + n + root, LC_NODE_PRELOAD, sizeof(LC_NODE_PRELOAD));
    return n + root + sizeof(LC_NODE_PRELOAD);
}

static char *const *preload_restore(const struct lc_node *node, char *const env[], char **out,
                                    char *text)
{
    char **at = out;
    bool is_there = false;

    for (; *env; env++) {
        *at++ = is_preload_variable(*env) ? text : *env;
        if (is_preload_variable(*env))
            text += preload_append(node, *env, text);
        is_there |= is_preload_variable(*env);
    }
    if (!is_there) {
        preload_append(node, "LD_PRELOAD=", text);
        *at++ = text;
    }
    *at = NULL;
    return out;
}

char *const *lc_environment_make(const struct lc_node *node, char *const env[],
                                 enum lc_environment kind, void *space)
{
    char **out = space;
    size_t count = 0;

    while (env[count])
        count++;
    char *text = (char *)(out + count + 2);
    return kind == LC_ENVIRONMENT_LACKING ? preload_restore(node, env, out, text)
                                          : environment_strip(node, env, out, text);
}
