/* SPDX-License-Identifier: MIT */
/* environment.c - the environment of a program that is about to be started */
#include "client/preload/environment.h"

#include "client/preload/ask.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/address_space.h"

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

static size_t root_length(const struct lc_node *node)
{
    return node->files_len - (sizeof(LC_NODE_FILES) - 1);
}

/* Is NODE/bin/... at the start of a text? */
static bool is_ours(const struct lc_node *node, const char *text, const char *name)
{
    size_t root = root_length(node), i = 0;

    while (i < root && text[i] == node->files[i])
        i++;
    return i == root && has_prefix(text + root, name);
}

/* Does a list such as LD_PRELOAD's hold NODE/bin/...? */
static bool names_ours(const struct lc_node *node, const char *list, const char *name)
{
    for (; list && *list; list++)
        if (is_ours(node, list, name))
            return true;
    return false;
}

/* Our objects would do nothing in it, but each auditor has its cost: see node/audit_fit.h. */
static bool is_off(char *const env[])
{
    const char *off = lc_variable(env, LC_NODE_OFF "=");

    return off && off[0] == '0' && !off[1];
}

enum lc_environment lc_environment_kind(char *const env[])
{
    const struct lc_node *node = lc_is_list(env) ? lc_client_attached() : NULL;
    bool audit = node && names_ours(node, lc_variable(env, "LD_AUDIT="), LC_NODE_AUDIT);
    bool preload = node && names_ours(node, lc_variable(env, "LD_PRELOAD="), LC_NODE_PRELOAD);

    if (!audit && !preload)
        return LC_ENVIRONMENT_OTHER;
    if (lc_client_hushed()) /* what the program writes will go unseen */
        lc_node_set_uncovered(node);
    if (lc_client_has_left() || is_off(env) || (!lc_client_hushed() && lc_space_is_tight()) ||
        (audit && !lc_node_has_object(node, LC_NODE_AUDIT)) ||
        !lc_node_has_object(node, LC_NODE_PRELOAD))
        return LC_ENVIRONMENT_BARRED;
    if (!audit || !lc_variable(env, LC_NODE_VARIABLE "="))
        return LC_ENVIRONMENT_OTHER;
    return preload ? LC_ENVIRONMENT_OURS : LC_ENVIRONMENT_LACKING;
}

static bool is_preload(const char *text)
{
    return has_prefix(text, "LD_PRELOAD=");
}

size_t lc_environment_size(const struct lc_node *node, char *const env[], enum lc_environment kind)
{
    size_t ours = sizeof("LD_PRELOAD=:") + root_length(node) + sizeof(LC_NODE_PRELOAD);
    size_t size = 2 * sizeof(char *) + ours;

    if (kind != LC_ENVIRONMENT_LACKING && kind != LC_ENVIRONMENT_BARRED)
        return 0;
    for (; env && *env; env++)
        size += sizeof(char *) + (has_prefix(*env, "LD_") ? lc_bytes_length(*env) + ours : 0);
    return (size + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);
}

/* The list without what is ours, into 'out'; false if nothing is left. */
static bool strip_list(const struct lc_node *node, const char *list, bool blank, char *out)
{
    size_t kept = 0;

    for (size_t n; *list; list += n + (list[n] != '\0')) {
        for (n = 0; list[n] && list[n] != ':' && !(blank && list[n] == ' '); n++)
            ;
        if (n == 0 || is_ours(node, list, "/bin/"))
            continue;
        if (kept)
            out[kept++] = ':';
        lc_bytes_move(out + kept, list, n);
        kept += n;
    }
    out[kept] = '\0';
    return kept;
}

/* A variable without what is ours; false if nothing is left of it. */
static bool strip(const struct lc_node *node, const char *variable, char *text)
{
    size_t name = 0;

    while (variable[name++] != '=')
        ;
    lc_bytes_move(text, variable, name);
    return strip_list(node, variable + name, is_preload(variable), text + name);
}

static char *const *strip_all(const struct lc_node *node, char *const env[], char **out, char *text)
{
    char **at = out;

    for (; *env; env++) {
        if (has_prefix(*env, LC_NODE_VARIABLE "="))
            continue;
        if (!has_prefix(*env, "LD_AUDIT=") && !is_preload(*env)) {
            *at++ = *env;
        } else if (strip(node, *env, text)) {
            *at++ = text;
            text += lc_bytes_length(text) + 1;
        }
    }
    *at = NULL;
    return out;
}

/* "LD_PRELOAD=the caller's own:ours" */
static size_t append_ours(const struct lc_node *node, const char *variable, char *text)
{
    size_t n = lc_bytes_length(variable), root = root_length(node);

    lc_bytes_move(text, variable, n);
    if (variable[n - 1] != '=' && variable[n - 1] != ':' && variable[n - 1] != ' ')
        text[n++] = ':';
    lc_bytes_move(text + n, node->files, root);
    lc_bytes_move(text + n + root, LC_NODE_PRELOAD, sizeof(LC_NODE_PRELOAD));
    return n + root + sizeof(LC_NODE_PRELOAD);
}

static char *const *restore(const struct lc_node *node, char *const env[], char **out, char *text)
{
    char **at = out;
    bool is_there = false;

    for (; *env; env++) {
        *at++ = is_preload(*env) ? text : *env;
        if (is_preload(*env))
            text += append_ours(node, *env, text);
        is_there |= is_preload(*env);
    }
    if (!is_there) {
        append_ours(node, "LD_PRELOAD=", text);
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
    return kind == LC_ENVIRONMENT_LACKING ? restore(node, env, out, text)
                                          : strip_all(node, env, out, text);
}
