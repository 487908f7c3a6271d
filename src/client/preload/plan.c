/* SPDX-License-Identifier: MIT */
/* plan.c - what is to be executed for a path, and in which environment
 *
 * A staged program is started only with an environment that still leads to us; one that the caller
 * chose without us gets the original, untouched. Where our objects could not be loaded (they are
 * gone, or out of sight, or the program is none of glibc's 64-bit ones) they are taken out of the
 * environment: ld.so would complain to the user.
 */
#include "client/preload/plan.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "client/free/sys.h"
#include "client/preload/ask.h"
#include "image/bytes.h"

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

/* Is NODE/bin/... at the start of a text? */
static bool is_ours(const struct lc_node *node, const char *text, const char *name)
{
    size_t root = node->files_len - (sizeof(LC_NODE_FILES) - 1), i = 0;

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

/* Room for a copy of the environment without us; NULL if there is none. */
static char **environment_room(char *const env[])
{
    size_t size = sizeof(char *);

    for (; *env; env++)
        size += sizeof(char *) + (has_prefix(*env, "LD_") ? lc_bytes_length(*env) + 1 : 0);
    void *at = lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return lc_sys_is_error(at) ? NULL : at;
}

static char *const *strip(const struct lc_node *node, char *const env[])
{
    size_t count = 0, at = 0;
    char **out = environment_room(env);

    while (env[count])
        count++;
    char *text = (char *)(out + count + 1);
    for (size_t i = 0; out && i < count; i++) {
        const char *tail = NULL;
        if (has_prefix(env[i], LC_NODE_VARIABLE "="))
            continue;
        if (has_prefix(env[i], "LD_AUDIT=") || has_prefix(env[i], "LD_PRELOAD="))
            for (tail = env[i]; *tail++ != '=';)
                ;
        size_t name = tail ? (size_t)(tail - env[i]) : 0;
        if (!tail) {
            out[at++] = env[i];
        } else if (strip_list(node, tail, env[i][3] == 'P', text + name)) {
            lc_bytes_move(text, env[i], name);
            out[at++] = text;
            text += lc_bytes_length(text) + 1;
        }
    }
    return out ? out : env;
}

/* The staged file behind a path, into plan->file; false: use the original. *error: the image knows
 * that there is none. */
static bool find_staged(struct lc_plan *plan, const char *path, int *error)
{
    struct lc_ask ask;
    bool is_found = false;

    lc_ask_begin(&ask, AT_FDCWD, path, 0);
    *error = ask.verdict == LC_ABSENT ? ask.error : 0;
    if (ask.verdict == LC_KNOWN && ask.what->kind == LC_KIND_FILE && (ask.inode->mode & 06000))
        lc_ask_pass(&ask, LC_COUNT_PASS_NO_CONTENT);
    if (ask.verdict == LC_KNOWN && !(ask.node->state->flags & LC_STATE_NO_EXEC) &&
        lc_ask_staged(&ask) && lc_is_file_of(ask.room->staged, ask.inode->size) &&
        lc_sys_access(ask.room->staged, 1 /* X_OK */) == 0) {
        lc_bytes_move(plan->file, ask.room->staged, lc_bytes_length(ask.room->staged) + 1);
        is_found = true;
    }
    lc_ask_end(&ask);
    return is_found;
}

/* A staged script: its interpreter, staged too, with the script by its own path. Interpreters that
 * are scripts themselves are the kernel's to unfold. */
static enum lc_program_kind plan_interpreter(struct lc_plan *plan)
{
    struct lc_script inner;
    int ignored;

    plan->is_staged = plan->is_script = find_staged(plan, plan->script.interpreter, &ignored);
    return lc_program_kind(plan->is_staged ? plan->file : plan->script.interpreter, &inner);
}

static int plan_program(struct lc_plan *plan, const struct lc_node *node, const char *path)
{
    int error;

    plan->is_staged = find_staged(plan, path, &error);
    if (error)
        return error;
    enum lc_program_kind kind = lc_program_kind(plan->is_staged ? plan->file : path, &plan->script);
    if (kind == LC_PROGRAM_SCRIPT)
        kind = plan_interpreter(plan);
    if (kind == LC_PROGRAM_FOREIGN)
        plan->env = strip(node, plan->env);
    if (kind != LC_PROGRAM_DYNAMIC) /* static ones may look for their own files beside themselves */
        plan->is_staged = plan->is_script = false;
    if (plan->is_staged)
        lc_node_count(node, LC_COUNT_EXEC);
    return 0;
}

int lc_plan_make(struct lc_plan *plan, const char *path, char *const env[])
{
    const struct lc_node *node = lc_client_attached();

    plan->is_staged = plan->is_script = false;
    plan->env = env;
    bool audit = node && names_ours(node, lc_variable(env, "LD_AUDIT="), LC_NODE_AUDIT);
    bool preload = node && names_ours(node, lc_variable(env, "LD_PRELOAD="), LC_NODE_PRELOAD);
    if (!path || !path[0] || !(audit || preload))
        return 0;
    if (lc_client_has_left() || (audit && !lc_node_has_object(node, LC_NODE_AUDIT)) ||
        (preload && !lc_node_has_object(node, LC_NODE_PRELOAD))) {
        plan->env = strip(node, env);
        return 0;
    }
    return audit && preload && lc_variable(env, LC_NODE_VARIABLE "=")
               ? plan_program(plan, node, path)
               : 0;
}

size_t lc_count_arguments(char *const argv[])
{
    size_t n = 0;

    while (argv && argv[n])
        n++;
    return n;
}

void lc_plan_arguments(const struct lc_plan *plan, const char *path, char *const argv[], char **out)
{
    *out++ = plan->script.interpreter;
    if (plan->script.option)
        *out++ = plan->script.option;
    *out++ = (char *)(uintptr_t)path;
    for (size_t i = 1; argv && argv[0] && argv[i]; i++)
        *out++ = argv[i];
    *out = NULL;
}
