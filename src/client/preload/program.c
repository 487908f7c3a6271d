/* SPDX-License-Identifier: MIT */
/* program.c - exec* and posix_spawn*: start the staged program under its original name
 *
 * These run between vfork and exec, in a borrowed address space: no allocation, no lock, rooms on
 * the stack. A staged program is started only with an environment that still leads to us; one that
 * the caller chose without us gets the original, untouched.
 */
#include <linux/fcntl.h>

#include "client/free/sys.h"
#include "client/preload/ask.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "image/bytes.h"

extern char **environ __attribute__((weak));

enum {
    NO_ENTRY = 2,
    NOT_EXECUTABLE = 8, /* ENOEXEC */
    NO_ACCESS = 13,
    NOT_A_DIRECTORY = 20,
    LINE = 256, /* of a #! line that the kernel reads */
    MOST_ARGUMENTS = 30000,
};

/* What is to be executed: a file, and arguments with up to two put before the script's own. */
struct plan {
    const char *file; /* staged, or as given */
    char *interpreter, *option;
    const char *script;
    char line[LINE];
};

static bool has_prefix(const char *text, const char *prefix)
{
    size_t i = 0;

    while (prefix[i] && text[i] == prefix[i])
        i++;
    return !prefix[i];
}

/* Does a list such as LD_PRELOAD's hold NODE/bin/...? */
static bool names_ours(const struct lc_node *node, const char *list, const char *name)
{
    size_t root = node->files_len - (sizeof(LC_NODE_FILES) - 1);

    for (const char *p = list; *p; p++) {
        size_t i = 0;
        while (i < root && p[i] == node->files[i])
            i++;
        if (i == root && has_prefix(p + root, name))
            return true;
    }
    return false;
}

static bool leads_to_us(const struct lc_node *node, char *const env[])
{
    bool audit = false, preload = false, dir = false;

    for (; env && *env; env++) {
        if (has_prefix(*env, "LD_AUDIT="))
            audit = names_ours(node, *env, LC_NODE_AUDIT);
        else if (has_prefix(*env, "LD_PRELOAD="))
            preload = names_ours(node, *env, LC_NODE_PRELOAD);
        else if (has_prefix(*env, LC_NODE_VARIABLE "="))
            dir = true;
    }
    return audit && preload && dir;
}

/* The staged file behind a path, into room->staged; false: use the original. */
static bool find_staged(struct lc_room *room, const char *path, int *error)
{
    struct lc_ask ask;

    *error = 0;
    lc_ask_in_room(&ask, room, AT_FDCWD, path, 0);
    if (ask.verdict == LC_ABSENT)
        *error = ask.error;
    if (ask.verdict != LC_KNOWN || (ask.node->state->flags & LC_STATE_NO_EXEC))
        return false;
    if (ask.what->kind == LC_KIND_FILE && (ask.inode->mode & 06000)) {
        lc_ask_pass(&ask, LC_COUNT_PASS_NO_CONTENT);
        return false;
    }
    if (!lc_ask_staged(&ask) || lc_sys_access(room->staged, 1 /* X_OK */) != 0)
        return false;
    lc_node_count(ask.node, LC_COUNT_EXEC);
    return true;
}

/* "#!interpreter [option]": cut the line; false if there is none. */
static bool read_script(struct plan *plan, const char *file)
{
    long fd = lc_sys_open(file, O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? -1 : lc_sys_read((int)fd, plan->line, LINE - 1);
    char *p = plan->line;

    if (fd >= 0)
        lc_sys_close((int)fd);
    if (n < 3 || p[0] != '#' || p[1] != '!')
        return false;
    p[n] = '\0';
    for (p += 2; *p == ' ' || *p == '\t'; p++)
        ;
    plan->interpreter = p;
    while (*p && *p != ' ' && *p != '\t' && *p != '\n')
        p++;
    if (!*p)
        return false; /* longer than the kernel's limit: its business */
    char end = *p;
    *p++ = '\0';
    if (end == '\n')
        return plan->interpreter[0] == '/';
    while (*p == ' ' || *p == '\t')
        p++;
    plan->option = *p && *p != '\n' ? p : NULL;
    while (*p && *p != '\n')
        p++;
    while (p > plan->line && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    *p = '\0';
    return plan->interpreter[0] == '/';
}

/* An interpreter that is a script itself would learn its own path from the kernel. */
static bool is_script(const char *file)
{
    struct plan plan;

    return read_script(&plan, file);
}

/* Decide what to execute for 'path'. 0, or a positive errno when the image knows it cannot be. */
static int make_plan(struct plan *plan, struct lc_room *room, const char *path, char *const env[])
{
    const struct lc_node *node = lc_client_node();
    int error = 0, ignored;

    *plan = (struct plan){.file = path};
    if (!node || !path || !leads_to_us(node, env))
        return 0;
    if (!find_staged(room, path, &error))
        return error;
    if (!read_script(plan, room->staged)) {
        plan->interpreter = NULL;
        plan->file = room->staged;
        return 0;
    }
    plan->script = path;
    plan->file = find_staged(room, plan->interpreter, &ignored) && !is_script(room->staged)
                     ? room->staged
                     : plan->interpreter;
    return 0;
}

static size_t count_arguments(char *const argv[])
{
    size_t n = 0;

    while (argv && argv[n])
        n++;
    return n;
}

/* argv for a script: interpreter, option, script, the caller's from the second on. */
static void script_arguments(const struct plan *plan, char *const argv[], size_t n, char **out)
{
    size_t at = 0;

    out[at++] = plan->interpreter;
    if (plan->option)
        out[at++] = plan->option;
    out[at++] = (char *)(uintptr_t)plan->script;
    for (size_t i = 1; i < n; i++)
        out[at++] = argv[i];
    out[at] = NULL;
}

static int execute(const char *path, char *const argv[], char *const env[])
{
    struct lc_room room;
    struct plan plan;
    size_t n = count_arguments(argv);
    int error = make_plan(&plan, &room, path, env);

    if (error) {
        lc_set_errno(error);
        return -1;
    }
    if (plan.interpreter && n < MOST_ARGUMENTS) {
        char **list = __builtin_alloca((n + 4) * sizeof(*list));
        script_arguments(&plan, argv, n, list);
        LC_SYS3(__NR_execve, plan.file, list, env);
    } else if (plan.file != path && !plan.interpreter) {
        LC_SYS3(__NR_execve, plan.file, argv, env);
    }
    /* Not staged, or the staged one could not be executed. */
    return NEXT(int, execve, (const char *, char *const[], char *const[]))(path, argv, env);
}

EXPORT(int, execve, const char *path, char *const argv[], char *const env[])
{
    return execute(path, argv, env);
}

EXPORT(int, execv, const char *path, char *const argv[])
{
    return execute(path, argv, environ);
}

static const char *variable(char *const env[], const char *name_and_equals)
{
    for (; env && *env; env++)
        if (has_prefix(*env, name_and_equals))
            return *env + lc_bytes_length(name_and_equals);
    return NULL;
}

/* DIR/NAME into out; false if it does not fit. */
static bool join(char *out, const char *dir, size_t dir_len, const char *name)
{
    size_t n = lc_bytes_length(name);

    if (dir_len + n + 2 > LC_PATH_MAX)
        return false;
    lc_bytes_move(out, dir, dir_len);
    if (dir_len)
        out[dir_len++] = '/';
    lc_bytes_move(out + dir_len, name, n + 1);
    return true;
}

static bool try_next_directory(int error)
{
    return error == NO_ENTRY || error == NOT_A_DIRECTORY || error == NO_ACCESS ||
           error == 116 /* ESTALE */ || error == 19 /* ENODEV */ || error == 110 /* ETIMEDOUT */;
}

static int execute_by_shell(const char *path, char *const argv[], char *const env[])
{
    size_t n = count_arguments(argv);

    if (n >= MOST_ARGUMENTS)
        return -1;
    char **list = __builtin_alloca((n + 3) * sizeof(*list));
    list[0] = (char *)(uintptr_t) "/bin/sh";
    list[1] = (char *)(uintptr_t)path;
    for (size_t i = 1; i < n; i++)
        list[i + 1] = argv[i];
    list[n > 0 ? n + 1 : 2] = NULL;
    return execute("/bin/sh", list, env);
}

/* As execvp: the PATH is the caller's own, not the new environment's. */
static int execute_in_path(const char *name, char *const argv[], char *const env[])
{
    const char *path = variable(environ, "PATH=");
    char candidate[LC_PATH_MAX];
    bool was_denied = false, has_slash = false;

    for (const char *p = name; *p; p++)
        has_slash |= *p == '/';
    if (!*name) {
        lc_set_errno(NO_ENTRY);
        return -1;
    }
    for (const char *dir = has_slash ? "" : path ? path : "/bin:/usr/bin";;) {
        size_t n = 0;
        while (dir[n] && dir[n] != ':')
            n++;
        if (join(candidate, dir, has_slash ? 0 : n, name)) {
            execute(candidate, argv, env);
            if (lc_get_errno() == NOT_EXECUTABLE)
                return execute_by_shell(candidate, argv, env);
            was_denied |= lc_get_errno() == NO_ACCESS;
            if (has_slash || !try_next_directory(lc_get_errno()))
                return -1;
        }
        if (!dir[n])
            break;
        dir += n + 1;
    }
    lc_set_errno(was_denied ? NO_ACCESS : NO_ENTRY);
    return -1;
}

EXPORT(int, execvp, const char *name, char *const argv[])
{
    return execute_in_path(name, argv, environ);
}

EXPORT(int, execvpe, const char *name, char *const argv[], char *const env[])
{
    return execute_in_path(name, argv, env);
}

/* The arguments of execl and its kin, up to their NULL; 'list' then stands behind it. */
#define COLLECT(first, list, argv)                               \
    __builtin_va_list list, lc_copy;                             \
    __builtin_va_start(list, first);                             \
    __builtin_va_copy(lc_copy, list);                            \
    size_t lc_n = 1;                                             \
    while (first && __builtin_va_arg(lc_copy, char *))           \
        lc_n++;                                                  \
    __builtin_va_end(lc_copy);                                   \
    char **argv = __builtin_alloca((lc_n + 1) * sizeof(char *)); \
    argv[0] = (char *)(uintptr_t)first;                          \
    for (size_t lc_i = 1; first && lc_i <= lc_n; lc_i++)         \
    argv[lc_i] = __builtin_va_arg(list, char *)

EXPORT(int, execl, const char *path, const char *first, ...)
{
    COLLECT(first, list, argv);
    __builtin_va_end(list);
    return execute(path, argv, environ);
}

EXPORT(int, execlp, const char *name, const char *first, ...)
{
    COLLECT(first, list, argv);
    __builtin_va_end(list);
    return execute_in_path(name, argv, environ);
}

EXPORT(int, execle, const char *path, const char *first, ...)
{
    COLLECT(first, list, argv);
    char *const *env = __builtin_va_arg(list, char *const *);
    __builtin_va_end(list);
    return execute(path, argv, env);
}

typedef int (*spawn_fn)(int *, const char *, const void *, const void *, char *const[],
                        char *const[]);

/* posix_spawn of the staged program, or of the path as it is. */
static int spawn(spawn_fn next, int *pid, const char *path, const void *actions,
                 const void *attributes, char *const argv[], char *const env[])
{
    struct lc_room room;
    struct plan plan;
    size_t n = count_arguments(argv);

    /* File actions may change the directory before a relative path is looked up. */
    if ((actions && path && path[0] != '/') || make_plan(&plan, &room, path, env) ||
        plan.file == path || n >= MOST_ARGUMENTS)
        return next(pid, path, actions, attributes, argv, env);
    if (!plan.interpreter)
        return next(pid, plan.file, actions, attributes, argv, env);
    char **list = __builtin_alloca((n + 4) * sizeof(*list));
    script_arguments(&plan, argv, n, list);
    return next(pid, plan.file, actions, attributes, list, env);
}

EXPORT(int, posix_spawn, int *pid, const char *path, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawn,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));

    return spawn(next, pid, path, actions, attributes, argv, env);
}

/* Is there such a program here? From the image, else from the file system. */
static bool is_program(struct lc_room *room, const char *path)
{
    struct lc_ask ask;

    lc_ask_in_room(&ask, room, AT_FDCWD, path, 0);
    if (ask.verdict == LC_KNOWN)
        return ask.what->kind == LC_KIND_FILE && (ask.inode->mode & 0111);
    return ask.verdict == LC_PASS && lc_sys_access(path, 1 /* X_OK */) == 0;
}

EXPORT(int, posix_spawnp, int *pid, const char *name, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawnp,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));
    const char *dir = variable(environ, "PATH=");
    char candidate[LC_PATH_MAX];
    struct lc_room room;

    for (const char *p = name; *p; p++)
        if (*p == '/')
            return spawn(next, pid, name, actions, attributes, argv, env);
    while (lc_client_node() && dir) {
        size_t n = 0;
        while (dir[n] && dir[n] != ':')
            n++;
        if (n > 0 && dir[0] == '/' && join(candidate, dir, n, name) && is_program(&room, candidate))
            return spawn(next, pid, candidate, actions, attributes, argv, env);
        if (n == 0 || dir[0] != '/' || !dir[n])
            break; /* the working directory, or the end: as the C library does it */
        dir += n + 1;
    }
    return next(pid, name, actions, attributes, argv, env);
}
