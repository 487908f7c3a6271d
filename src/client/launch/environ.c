/* SPDX-License-Identifier: MIT */
/* environ.c - the client before the user's own LD_AUDIT and after his LD_PRELOAD */
#include "client/launch/launch.h"

#include <linux/mman.h>

#include "image/bytes.h"
#include "node/launcher_protocol.h"
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

static void drop_words(char **env)
{
    char **to = env;

    for (; *env; env++)
        if (!has_name(*env, LC_NODE_VARIABLE) && !has_name(*env, LC_LAUNCH_TELL))
            *to++ = *env;
    *to = NULL;
}

/* What an environment of the usual size needs is here already. */
static void *allocate(size_t size)
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

static bool contains(const char *text, size_t len, const char *part)
{
    size_t n = lc_bytes_length(part);

    for (size_t i = 0; i + n <= len; i++)
        if (lc_bytes_equal(text + i, part, n))
            return true;
    return false;
}

/* NODE/bin/... of this or another node directory: from an exec around this one. */
static bool is_of_loadcast(const char *item, size_t len, const char *tail)
{
    size_t n = lc_bytes_length(tail);

    return len > n && lc_bytes_equal(item + len - n, tail, n) && contains(item, len, "/loadcast-");
}

static bool is_separator(char c, bool blank)
{
    return c == ':' || (blank && c == ' ');
}

static char *copy(char *out, const char *text, size_t len)
{
    lc_bytes_move(out, text, len);
    return out + len;
}

/* "NAME=OURS:the user's own, in his order, with his separators". As a preload ours comes last: his
 * may stand in front of the same functions, and calls the next. */
static char *merge(const char *name, const char *ours, const char *old, const char *tail,
                   bool is_preload)
{
    size_t a = lc_bytes_length(name), b = lc_bytes_length(ours), c = old ? lc_bytes_length(old) : 0;
    char *text = allocate(a + b + c + 3), *list = text + a + 1, *out = list;

    if (!text)
        return NULL;
    *copy(text, name, a) = '=';
    if (!is_preload)
        out = copy(out, ours, b);
    for (size_t i = 0, n; i < c; i += n + 1) {
        for (n = 0; i + n < c && !is_separator(old[i + n], is_preload); n++)
            ;
        if (n == 0 || is_of_loadcast(old + i, n, tail))
            continue;
        if (out > list)
            *out++ = i > 0 ? old[i - 1] : ':';
        out = copy(out, old + i, n);
    }
    if (is_preload && out > list)
        *out++ = ':';
    if (is_preload)
        out = copy(out, ours, b);
    *out = '\0';
    return text;
}

/* Where the objects are: in the node directory; beside the launcher that was started where nothing
 * in the node directory may be executed. False if 'tail' is not there. */
static bool find_object(const struct lc_rank_start *l, const char *tail, char *out, size_t size)
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
    return lc_is_file_of_size(out, is_audit ? state->audit_bytes : state->preload_bytes) &&
           lc_sys_access(out, 4 /* R_OK */) == 0;
}

/* A place for NAME in the new environment: its old one, or a new one at the end. */
static void set(char **env, size_t *count, const char *name, char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (has_name(env[i], name)) {
            env[i] = text;
            return;
        }
    env[(*count)++] = text;
    env[*count] = NULL;
}

/* True if the object is there and was put in. */
static bool put(struct lc_rank_start *l, size_t *count, const char *name, const char *tail,
                bool is_preload)
{
    char object[LC_NODE_LEN + 64];

    if (!find_object(l, tail, object, sizeof(object)))
        return false;
    char *text = merge(name, object, lc_launch_variable(l->env, name), tail, is_preload);
    if (text)
        set(l->ours, count, name, text);
    return text;
}

bool lc_launch_environment(struct lc_rank_start *l)
{
    unsigned flags = l->node.state->flags;
    size_t count = 0;
    bool any = false;

    while (l->env[count])
        count++;
    l->ours = allocate((count + 5) * sizeof(char *));
    char *node = merge(LC_NODE_VARIABLE, l->dir, NULL, "", false);
    if (!l->ours || !node)
        return false;
    lc_bytes_move((char *)l->ours, (const char *)l->env, (count + 1) * sizeof(char *));
    drop_words(l->ours);
    for (count = 0; l->ours[count];)
        count++;
    set(l->ours, &count, LC_NODE_VARIABLE, node);
    if (!(flags & LC_STATE_NO_EXEC))
        any |= put(l, &count, "LD_AUDIT", LC_NODE_AUDIT, false);
    if (!(flags & LC_STATE_ONLY_LIBS))
        any |= put(l, &count, "LD_PRELOAD", LC_NODE_PRELOAD, true);
    return any;
}

static void unset(char **env, const char *name)
{
    char **to = env;

    for (; *env; env++)
        if (!has_name(*env, name))
            *to++ = *env;
    *to = NULL;
}

static bool has_object(const char *list, const char *tail, bool is_preload)
{
    for (size_t n; *list; list += n + (list[n] != '\0')) {
        for (n = 0; list[n] && !is_separator(list[n], is_preload); n++)
            ;
        if (is_of_loadcast(list, n, tail))
            return true;
    }
    return false;
}

/* Take what is ours out of a list. */
static void drop_object(char **env, const char *name, const char *tail, bool is_preload)
{
    const char *old = lc_launch_variable(env, name);
    bool is_there = old && has_object(old, tail, is_preload);
    char *text = is_there ? merge(name, "", old, tail, is_preload) : NULL;
    size_t count = 0, n = lc_bytes_length(name) + 1;

    if (!text)
        return;
    if (is_preload && text[n] && text[lc_bytes_length(text) - 1] == ':') /* before ours: nothing */
        text[lc_bytes_length(text) - 1] = '\0';
    while (env[count])
        count++;
    if (text[n])
        set(env, &count, name, text);
    else
        unset(env, name);
}

void lc_launch_strip(struct lc_rank_start *l)
{
    drop_words(l->env);
    drop_object(l->env, "LD_AUDIT", LC_NODE_AUDIT, false);
    drop_object(l->env, "LD_PRELOAD", LC_NODE_PRELOAD, true);
}

void lc_launch_drop_audit(struct lc_rank_start *l)
{
    drop_object(l->ours, "LD_AUDIT", LC_NODE_AUDIT, false);
}

void lc_launch_set_tls_room(struct lc_rank_start *l, uint64_t bytes)
{
    static const char name[] = "GLIBC_TUNABLES";
    const char *old = lc_launch_variable(l->ours, name);
    char *text = allocate(lc_tls_room_size(old));
    size_t count = 0;

    if (!text)
        return;
    while (l->ours[count])
        count++;
    if (lc_tls_room_text(text, old, bytes))
        set(l->ours, &count, name, text);
    else
        unset(l->ours, name);
}

bool lc_launch_auditor(const struct lc_rank_start *l, char *out, size_t size)
{
    return !(l->node.state->flags & LC_STATE_NO_EXEC) && find_object(l, LC_NODE_AUDIT, out, size);
}
