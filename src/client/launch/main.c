/* SPDX-License-Identifier: MIT */
/* main.c - the launcher's main function */
#include "client/launch/launch.h"

#include "image/bytes.h"
#include "node/audit_fit.h"
#include "node/launcher_protocol.h"
#include "node/message.h"
#include "node/syscall.h"
#include "node/tight_limits.h"

enum { AT_SECURE_ = 23, AT_EXECFN_ = 31, SELF_FAILED = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* The start of the stack, as the kernel lays it out. */
struct start {
    long argc;
    char *argv[];
};

_Noreturn void lc_entry_point(struct start *stack);

/* Static because it is too large for a limited stack; there is one thread. */
static struct lc_rank_start launch;

static unsigned long auxv_value(char **env, unsigned long type)
{
    while (*env)
        env++;
    for (unsigned long *aux = (unsigned long *)(env + 1); aux[0]; aux += 2)
        if (aux[0] == type)
            return aux[1];
    return 0;
}

void lc_launch_tell(const struct lc_rank_start *l, const char *program, const char *what)
{
    if (!l->tells)
        return;
    lc_message_write("loadcast: '");
    lc_message_write(program);
    lc_message_write("' ");
    lc_message_write(what);
    lc_message_write("\n");
}

static const char *errno_text(int error)
{
    switch (error) {
    case LC_ENOENT:
        return "No such file or directory";
    case LC_E2BIG:
        return "Argument list too long";
    case LC_ENOEXEC:
        return "Exec format error";
    case LC_EACCES:
        return "Permission denied";
    case LC_ENOTDIR:
        return "Not a directory";
    case LC_ETXTBSY:
        return "Text file busy";
    case LC_ENAMETOOLONG:
        return "File name too long";
    case LC_ELOOP:
        return "Too many levels of symbolic links";
    default:
        return "it cannot be executed";
    }
}

_Noreturn static void process_exit(int code)
{
    for (;;)
        LC_SYS3(__NR_exit_group, code, 0, 0);
}

_Noreturn static void execution_failed(const char *program, int error)
{
    lc_message_write("loadcast: cannot execute '");
    lc_message_write(program);
    lc_message_write("': ");
    lc_message_write(errno_text(error));
    lc_message_write("\n");
    process_exit(error == LC_ENOENT || error == LC_ENOTDIR ? NOT_FOUND : NOT_EXECUTABLE);
}

/* If the launcher was started as /proc/self/fd/N, close that descriptor, so that the program does
 * not inherit it. The launcher's own path is read from /proc/self/exe. */
static void self_find(struct lc_rank_start *l)
{
    static const char by[] = "/proc/self/fd/";
    const char *p = l->self;
    int number = 0;

    if (!p || lc_bytes_length(p) < sizeof(by) || !lc_bytes_equal(p, by, sizeof(by) - 1))
        return;
    for (p += sizeof(by) - 1; *p >= '0' && *p <= '9'; p++)
        number = number * 10 + (*p - '0');
    long n = lc_sys_readlink("/proc/self/exe", l->own, sizeof(l->own));
    if (number > 2) /* not before: an emulator follows the descriptor again for /proc/self/exe */
        lc_sys_close(number);
    l->self = n > 0 && (size_t)n < sizeof(l->own) ? l->own : NULL;
    if (l->self)
        l->own[n] = '\0';
}

/* The node directory: LOADCAST_NODE, or from the launcher's own path NODE/bin/launch. */
static bool node_dir_find(struct lc_rank_start *l)
{
    const char *dir = lc_launch_variable(l->env, LC_NODE_VARIABLE);
    size_t n = dir ? lc_bytes_length(dir) : 0, tail = sizeof(LC_NODE_LAUNCH) - 1;

    if (!n && l->self && l->self[0] == '/') {
        dir = l->self;
        n = lc_bytes_length(dir);
        if (n <= tail || !lc_bytes_same(dir + n - tail, LC_NODE_LAUNCH))
            return false;
        n -= tail;
    }
    if (!n || n >= sizeof(l->dir))
        return false;
    lc_bytes_move(l->dir, dir, n);
    l->dir[n] = '\0';
    return true;
}

static bool client_is_wanted(const struct lc_rank_start *l, bool secure)
{
    return !secure && !lc_launch_is_off(l, LC_NODE_OFF);
}

static bool node_attach(struct lc_rank_start *l)
{
    int fd = lc_launch_open_trusted(l->dir);

    if (fd < 0)
        return false;
    bool is_attached = lc_node_attach_at(&l->node, fd, l->dir);
    lc_sys_close(fd);
    return is_attached;
}

static bool rank_prepare(struct lc_rank_start *l, bool secure)
{
    if (!client_is_wanted(l, secure) || !node_dir_find(l) || !node_attach(l))
        return false;
    if (lc_space_is_tight()) {
        lc_fit_note_refusal(l->node.live, LC_SPACE_WHY, l->name);
        return false;
    }
    lc_launch_register(l);
    return !lc_node_is_off(&l->node) && lc_launch_environment(l);
}

_Noreturn void lc_entry_point(struct start *stack)
{
    struct lc_rank_start *l = &launch;
    char **env = stack->argv + stack->argc + 1;

    if (stack->argc < 2) {
        lc_message_write("usage: launch PROGRAM [ARGUMENT...]; 'loadcast exec' runs it\n");
        process_exit(SELF_FAILED);
    }
    l->argv = stack->argv + 1;
    l->name = l->argv[0];
    l->is_measuring = stack->argc > 2 && lc_bytes_same(stack->argv[0], LC_LAUNCH_MEASURE);
    if (l->is_measuring || (stack->argc > 2 && lc_bytes_same(stack->argv[0], LC_LAUNCH_CHILD))) {
        l->is_child = true;
        l->name = l->argv[1];
        l->argv[1] = l->argv[0];
        l->argv++;
    }
    l->env = env;
    l->self = (const char *)auxv_value(env, AT_EXECFN_);
    self_find(l);
    l->path = lc_launch_variable(env, "PATH");
    l->tells = lc_launch_variable(env, LC_LAUNCH_TELL);
    if (rank_prepare(l, auxv_value(env, AT_SECURE_)))
        lc_launch_run(l);
    if (l->is_measuring)
        process_exit(0);
    execution_failed(l->name, lc_launch_without_client(l));
}
