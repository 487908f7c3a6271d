/* SPDX-License-Identifier: MIT */
/* follow.c - a watched program starts another: watch that too, if it can be started under our
 * auditor
 *
 * May run between vfork and exec, in the parent's memory: see client/preload/exec_plan.h. */
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "client/pilot/watched.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/audit_fit.h"
#include "node/preflight.h"
#include "node/syscall.h"
#include "node/tight_limits.h"
#include "node/watched.h"

enum { MOST_SCRIPTS = 4, HEAD = 2048, VERDICT_NAME = 512, MOST_TEXT = 1 << 20 };
enum { MANY_PAGES = 1 << 18 /* 1 GiB, of 4 KiB each */ };

/* Mapped while it is needed, because the stack may be that of a coroutine. */
struct room {
    char head[HEAD]; /* of a program's file */
    struct lc_script script[2];
    char verdict[VERDICT_NAME];
};

/* The program that ld.so starts: for a script its interpreter. NULL if that is not a program which
 * ld.so of this C library starts. */
static const char *loaded_program(const char *path, struct room *r)
{
    for (int i = 0; i < MOST_SCRIPTS; i++) {
        switch (lc_program_kind_in_buffer(path, &r->script[i % 2], r->head, HEAD)) {
        case LC_PROGRAM_SCRIPT:
            path = r->script[i % 2].interpreter;
            break;
        case LC_PROGRAM_DYNAMIC:
            return path;
        default:
            return NULL;
        }
    }
    return NULL;
}

/* DIR/fit.HASH: what was found out about a program is kept there for the other processes. */
static bool verdict_name(char out[VERDICT_NAME], const char *dir, uint64_t key)
{
    static const char middle[] = "/fit.";
    size_t n = lc_bytes_length(dir);

    if (n + sizeof(middle) + 16 > VERDICT_NAME)
        return false;
    lc_bytes_move(out, dir, n);
    lc_bytes_move(out + n, middle, sizeof(middle) - 1);
    n += sizeof(middle) - 1;
    for (int i = 60; i >= 0; i -= 4)
        out[n++] = "0123456789abcdef"[key >> i & 15];
    out[n] = '\0';
    return true;
}

/* 'y', 'n', or 0: not known. */
static char verdict_read(const char *file)
{
    long fd = lc_sys_open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char verdict = 0;

    if (fd < 0)
        return 0;
    if (lc_sys_read((int)fd, &verdict, 1) != 1)
        verdict = 0;
    lc_sys_close((int)fd);
    return verdict;
}

static void verdict_write(const char *file, char verdict)
{
    long fd = lc_sys_openat(LC_AT_FDCWD, file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            0600);

    if (fd < 0)
        return;
    lc_sys_append((int)fd, &verdict, 1);
    lc_sys_close((int)fd);
}

/* A fork copies the page tables, and every page that is written to until the child has executed:
 * seconds for a process of 100 GB, which would not fork to start a program. */
static bool process_is_large(void)
{
    char text[64];
    long fd = lc_sys_open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? 0 : lc_sys_read((int)fd, text, sizeof(text) - 1), at = 0;
    uint64_t resident = 0; /* the second number */

    if (fd >= 0)
        lc_sys_close((int)fd);
    while (at < n && text[at] != ' ')
        at++;
    for (at++; at < n && text[at] >= '0' && text[at] <= '9'; at++)
        resident = 10 * resident + (uint64_t)(text[at] - '0');
    return !resident || resident >= MANY_PAGES;
}

/* Measured once for each program. Without a place to keep the answer the program is not watched. */
static bool program_fits(const struct lc_watched *w, const char *file, char *const env[],
                         char name[VERDICT_NAME])
{
    if (!verdict_name(name, w->dir, lc_fit_key(file, env)))
        return false;
    char verdict = verdict_read(name);
    if (!verdict && !process_is_large() && lc_sys_access(w->dir, 2 /* W_OK */) == 0) {
        verdict = lc_preflight_fits(file, env, w->audit) ? 'y' : 'n';
        verdict_write(name, verdict);
    }
    return verdict == 'y';
}

static bool program_can_be_watched(const struct lc_watched *w, const char *path, char *const env[])
{
    struct room *r =
        lc_sys_mmap(sizeof(*r), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    if (lc_sys_is_error(r))
        return false;
    const char *file = loaded_program(path, r);
    bool can_be = file && !lc_program_is_privileged(file) && !lc_space_is_tight() &&
                  program_fits(w, file, env, r->verdict);
    lc_sys_munmap(r, sizeof(*r));
    return can_be;
}

static const char *replaced_value(const char *variable, const char **name)
{
    static const char *const replaced[] = {"LD_AUDIT", "LD_PRELOAD"};

    for (int i = 0; i < 2; i++) {
        const char *value = lc_fit_value(variable, replaced[i]);
        *name = replaced[i];
        if (value)
            return value;
    }
    return NULL;
}

/* Memory that is being filled. */
struct space {
    char **list;
    size_t count;
    char *text;
};

static void text_put(struct space *s, const char *text)
{
    size_t n = lc_bytes_length(text);

    lc_bytes_move(s->text, text, n);
    s->text += n;
}

static void entry_begin(struct space *s)
{
    s->list[s->count++] = s->text;
}

static void entry_end(struct space *s)
{
    *s->text++ = '\0';
}

/* NAME=USERS:OURS */
static void list_put(struct space *s, const char *name, const char *users, const char *ours)
{
    entry_begin(s);
    text_put(s, name);
    text_put(s, "=");
    text_put(s, users ? users : "");
    text_put(s, users && *users ? ":" : "");
    text_put(s, ours);
    entry_end(s);
}

static void environment_write(const struct lc_watched *w, char *const env[], void *space,
                              size_t count)
{
    struct space s = {space, 0, (char *)((char **)space + count)};
    const char *name;

    for (char *const *v = env; *v; v++) {
        if (!replaced_value(*v, &name)) {
            s.list[s.count++] = *v;
            continue;
        }
        entry_begin(&s);
        text_put(&s, LC_WATCHED_WAS);
        text_put(&s, *v);
        entry_end(&s);
    }
    s.list[s.count++] = (char *)(uintptr_t)w->mark;
    for (int i = 0; i < LC_WATCHED_PADDING; i++)
        s.list[s.count++] = (char *)(uintptr_t) "";
    for (unsigned i = 0; i < w->variables; i++)
        if (w->variable[i])
            s.list[s.count++] = (char *)(uintptr_t)w->variable[i];
    list_put(&s, "LD_AUDIT", lc_fit_variable(env, "LD_AUDIT"), w->audit);
    list_put(&s, "LD_PRELOAD", lc_fit_variable(env, "LD_PRELOAD"), w->preload);
    s.list[s.count++] = (char *)(uintptr_t)(LC_WATCHED_LAST "=");
    s.list[s.count] = NULL;
}

/* How many entries the new list has, and the bytes of its own strings in *text. */
static size_t environment_measure(const struct lc_watched *w, char *const env[], size_t *text)
{
    size_t count = 0;
    const char *name;

    *text = lc_bytes_length(w->audit) + lc_bytes_length(w->preload) + 64;
    for (; env[count]; count++)
        if (replaced_value(env[count], &name))
            *text += 2 * (lc_bytes_length(env[count]) + sizeof(LC_WATCHED_WAS));
    return count + 1 + LC_WATCHED_PADDING + LC_WATCHED_VARIABLES + 2 + 1 + 1;
}

char *const *lc_watched_follow(struct lc_exec_plan *memory, const char *path, char *const env[])
{
    const struct lc_watched *w = lc_watched();
    size_t text;

    memory->mapped = NULL;
    if (!w->dir || !lc_is_text(path) || !env || !lc_is_list(env) ||
        lc_fit_variable(env, LC_WATCHED_VARIABLE) || !program_can_be_watched(w, path, env))
        return env;
    size_t count = environment_measure(w, env, &text);
    memory->bytes = count * sizeof(char *) + text;
    void *space = text < MOST_TEXT ? lc_exec_plan_map(memory) : NULL;
    if (!space)
        return env;
    environment_write(w, env, space, count);
    return space;
}
