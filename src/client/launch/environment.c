/* SPDX-License-Identifier: MIT */
/* environment.c - put our auditor before the user's LD_AUDIT and our preload object after the
 * user's LD_PRELOAD */
#include "client/launch/launch.h"

#include <linux/mman.h>

#include "image/bytes.h"
#include "node/launcher_protocol.h"
#include "node/parts.h"
#include "node/syscall.h"
#include "node/tls_room.h"

/* Does "NAME=value" have this name? */
static bool has_name(const char *text, const char *name)
{
    while (*name && *text == *name) {
        text++;
        name++;
    }
    return !*name && *text == '=';
}

const char *lc_launch_variable(char *const *env, const char *name)
{
    for (; *env; env++)
        if (has_name(*env, name))
            return *env + lc_bytes_length(name) + 1;
    return NULL;
}

bool lc_launch_is_off(const struct lc_rank_start *l, const char *name)
{
    const char *value = lc_launch_variable(l->env, name);

    return value && lc_bytes_same(value, "0");
}

static void launcher_variables_drop(char **env)
{
    char **to = env;

    for (; *env; env++)
        if (!has_name(*env, LC_NODE_VARIABLE) && !has_name(*env, LC_LAUNCH_TELL))
            *to++ = *env;
    *to = NULL;
}

/* The static buffer is enough for an environment of usual size; more is mapped. */
static void *memory_allocate(size_t size)
{
    static char room[16384] __attribute__((aligned(16)));
    static size_t used;
    size_t rounded = (size + 15) & ~(size_t)15;

    if (rounded <= sizeof(room) - used) {
        used += rounded;
        return room + used - rounded;
    }
    void *at = lc_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return lc_sys_is_error(at) ? NULL : at;
}

static bool text_contains(const char *text, size_t len, const char *part)
{
    size_t n = lc_bytes_length(part);

    for (size_t i = 0; i + n <= len; i++)
        if (lc_bytes_equal(text + i, part, n))
            return true;
    return false;
}

/* Is it NODE/bin/... of this or another node directory? The latter is left from an outer 'loadcast
 * exec'. */
static bool path_is_object(const char *item, size_t len, const char *tail)
{
    size_t n = lc_bytes_length(tail);

    return len > n && lc_bytes_equal(item + len - n, tail, n) &&
           text_contains(item, len, "/loadcast-");
}

static bool is_separator(char c, bool blank)
{
    return c == ':' || (blank && c == ' ');
}

static char *text_copy(char *out, const char *text, size_t len)
{
    lc_bytes_move(out, text, len);
    return out + len;
}

/* "NAME=OURS:the user's objects", in the user's order and with the user's separators. In LD_PRELOAD
 * ours comes last: a preload object of the user may wrap the same functions, and then calls ours as
 * the next. */
static char *list_merge(const char *name, const char *ours, const char *old, const char *tail,
                        bool is_preload)
{
    size_t a = lc_bytes_length(name), b = lc_bytes_length(ours), c = old ? lc_bytes_length(old) : 0;
    char *text = memory_allocate(a + b + c + 3), *list = text + a + 1, *out = list;

    if (!text)
        return NULL;
    *text_copy(text, name, a) = '=';
    if (!is_preload)
        out = text_copy(out, ours, b);
    for (size_t i = 0, n; i < c; i += n + 1) {
        for (n = 0; i + n < c && !is_separator(old[i + n], is_preload); n++)
            ;
        if (n == 0 || path_is_object(old + i, n, tail))
            continue;
        if (out > list)
            *out++ = i > 0 ? old[i - 1] : ':';
        out = text_copy(out, old + i, n);
    }
    if (is_preload && out > list)
        *out++ = ':';
    if (is_preload)
        out = text_copy(out, ours, b);
    *out = '\0';
    return text;
}

/* The path of one of our objects: in the node directory, or beside the launcher if nothing in the
 * node directory may be executed. False if 'tail' is not there. */
static bool object_find(const struct lc_rank_start *l, const char *tail, char *out, size_t size)
{
    const char *base = l->dir;
    size_t n = lc_bytes_length(base), skip = 0, m;

    if (l->node.state->flags & LC_STATE_NO_EXEC) {
        base = l->self;
        n = base && base[0] == '/' ? lc_bytes_length(base) : 0;
        while (n > 0 && base[n - 1] != '/')
            n--;
        n -= n > 0;
        skip = sizeof("/bin") - 1;
    }
    m = lc_bytes_length(tail + skip);
    if (n == 0 || n + m + 1 > size)
        return false;
    lc_bytes_move(out, base, n);
    lc_bytes_move(out + n, tail + skip, m + 1);
    const struct lc_state *state = l->node.state;
    bool is_audit = lc_bytes_same(tail, LC_NODE_AUDIT);
    return lc_is_readable_of_size(out, is_audit ? state->audit_bytes : state->preload_bytes);
}

/* Set NAME in the new environment: replace it, or append it. */
static void variable_set(char **env, size_t *count, const char *name, char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (has_name(env[i], name)) {
            env[i] = text;
            return;
        }
    env[(*count)++] = text;
    env[*count] = NULL;
}

static void variable_unset(char **env, const char *name)
{
    char **to = env;

    for (; *env; env++)
        if (!has_name(*env, name))
            *to++ = *env;
    *to = NULL;
}

static bool list_has_object(const char *list, const char *tail, bool is_preload)
{
    for (size_t n; *list; list += n + (list[n] != '\0')) {
        for (n = 0; list[n] && !is_separator(list[n], is_preload); n++)
            ;
        if (path_is_object(list, n, tail))
            return true;
    }
    return false;
}

/* Remove one of our objects from a list variable. */
static void object_drop(char **env, const char *name, const char *tail, bool is_preload)
{
    const char *old = lc_launch_variable(env, name);
    bool is_there = old && list_has_object(old, tail, is_preload);
    char *text = is_there ? list_merge(name, "", old, tail, is_preload) : NULL;
    size_t count = 0, n = lc_bytes_length(name) + 1;

    if (!text)
        return;
    if (is_preload && text[n] &&
        text[lc_bytes_length(text) - 1] == ':') /* an empty element before ours */
        text[lc_bytes_length(text) - 1] = '\0';
    while (env[count])
        count++;
    if (text[n])
        variable_set(env, &count, name, text);
    else
        variable_unset(env, name);
}

/* Put one of our objects into a list variable of the program. True if it is there. */
static bool object_add(struct lc_rank_start *l, const char *name, const char *tail, bool is_preload)
{
    char object[LC_NODE_LEN + 64];
    size_t count = 0;

    if (!object_find(l, tail, object, sizeof(object)))
        return false;
    while (l->ours[count])
        count++;
    char *text = list_merge(name, object, lc_launch_variable(l->env, name), tail, is_preload);
    if (text)
        variable_set(l->ours, &count, name, text);
    return text;
}

/* As object_add(), unless the part is switched off: then an outer 'loadcast exec''s is taken out.
 */
static bool object_choose(struct lc_rank_start *l, const char *part, const char *name,
                          const char *tail, bool is_preload)
{
    if (!lc_launch_is_off(l, part))
        return object_add(l, name, tail, is_preload);
    object_drop(l->ours, name, tail, is_preload);
    return false;
}

bool lc_launch_environment(struct lc_rank_start *l)
{
    unsigned flags = l->node.state->flags;
    size_t count = 0;
    bool any = false;

    while (l->env[count])
        count++;
    l->ours = memory_allocate((count + 5) * sizeof(char *));
    char *node = list_merge(LC_NODE_VARIABLE, l->dir, NULL, "", false);
    if (!l->ours || !node)
        return false;
    lc_bytes_move((char *)l->ours, (const char *)l->env, (count + 1) * sizeof(char *));
    launcher_variables_drop(l->ours);
    for (count = 0; l->ours[count];)
        count++;
    variable_set(l->ours, &count, LC_NODE_VARIABLE, node);
    if (!(flags & LC_STATE_NO_EXEC))
        any |= object_choose(l, LC_AUDIT_VARIABLE, "LD_AUDIT", LC_NODE_AUDIT, false);
    if (!(flags & LC_STATE_ONLY_LIBS))
        any |= object_choose(l, LC_PRELOAD_VARIABLE, "LD_PRELOAD", LC_NODE_PRELOAD, true);
    return any;
}

void lc_launch_strip(struct lc_rank_start *l)
{
    launcher_variables_drop(l->env);
    object_drop(l->env, "LD_AUDIT", LC_NODE_AUDIT, false);
    object_drop(l->env, "LD_PRELOAD", LC_NODE_PRELOAD, true);
}

void lc_launch_drop_audit(struct lc_rank_start *l)
{
    object_drop(l->ours, "LD_AUDIT", LC_NODE_AUDIT, false);
}

void lc_launch_set_tls_room(struct lc_rank_start *l, uint64_t bytes)
{
    static const char name[] = "GLIBC_TUNABLES";
    const char *old = lc_launch_variable(l->ours, name);
    char *text = memory_allocate(lc_tls_room_size(old));
    size_t count = 0;

    if (!text)
        return;
    while (l->ours[count])
        count++;
    if (lc_tls_room_text(text, old, bytes))
        variable_set(l->ours, &count, name, text);
    else
        variable_unset(l->ours, name);
}

bool lc_launch_auditor(const struct lc_rank_start *l, char *out, size_t size)
{
    return !(l->node.state->flags & LC_STATE_NO_EXEC) && object_find(l, LC_NODE_AUDIT, out, size);
}
