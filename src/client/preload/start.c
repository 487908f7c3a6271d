/* SPDX-License-Identifier: MIT */
/* start.c - attach this process to its node directory, once */
#include "client/preload/ask.h"

#include <elf.h>
#include <linux/prctl.h>

#include "client/preload/complete_needed.h"
#include "client/preload/python_hook.h"
#include "client/preload/search_path.h"
#include "image/bytes.h"
#include "node/exec_path.h"
#include "node/syscall.h"

extern char **environ __attribute__((weak));

enum { NOT_YET, BUSY, ON, OFF };

static struct lc_node node;
static int progress; /* NOT_YET → BUSY → ON or OFF */
static bool has_left;

static const char *variable(char **env, const char *name)
{
    size_t n = lc_bytes_length(name);

    for (; *env; env++) {
        size_t i = 0;
        while (i < n && (*env)[i] == name[i])
            i++;
        if (i == n && (*env)[n] == '=')
            return *env + n + 1;
    }
    return NULL;
}

static bool is_secure(void)
{
    return LC_SYS3(__NR_getuid, 0, 0, 0) != LC_SYS3(__NR_geteuid, 0, 0, 0) ||
           LC_SYS3(__NR_getgid, 0, 0, 0) != LC_SYS3(__NR_getegid, 0, 0, 0);
}

/* Share what the auditor of this process mapped a moment ago: it asked all that attaching asks, and
 * ld.so starts none in a set-user-ID program. */
static bool share(const char *dir)
{
    const struct lc_node *its = loadcast_dlopen_notes.node;
    size_t n = lc_bytes_length(dir);

    if (!its || n + sizeof(LC_NODE_FILES) - 1 != its->files_len ||
        !lc_bytes_equal(dir, its->files, n))
        return false;
    node = *its;
    return true;
}

static bool may_attach(char **env)
{
    const char *off = variable(env, LC_NODE_OFF), *dir = variable(env, LC_NODE_VARIABLE);

    return !(off && off[0] == '0' && !off[1]) && dir &&
           (share(dir) || (!is_secure() && lc_node_attach(&node, dir))) &&
           !(node.state->flags & LC_STATE_ONLY_LIBS);
}

static bool begin(char **env)
{
    if (!may_attach(env))
        return false;
    lc_node_count(&node, LC_COUNT_PROCESSES);
    return true;
}

static void attach(char **env)
{
    int expected = NOT_YET;

    if (env && __atomic_compare_exchange_n(&progress, &expected, BUSY, false, __ATOMIC_ACQUIRE,
                                           __ATOMIC_RELAXED))
        __atomic_store_n(&progress, begin(env) ? ON : OFF, __ATOMIC_RELEASE);
}

/* Another object's constructor may open files before ours has run: then this is the start. While
 * one thread is at it, others pass through. */
const struct lc_node *lc_client_node(void)
{
    int now = __atomic_load_n(&progress, __ATOMIC_ACQUIRE);

    if (now == NOT_YET && &environ) {
        attach(environ);
        now = __atomic_load_n(&progress, __ATOMIC_ACQUIRE);
    }
    return now == ON ? &node : NULL;
}

void lc_client_leave(void)
{
    if (!lc_client_node())
        return;
    __atomic_store_n(&has_left, true, __ATOMIC_RELAXED);
    __atomic_store_n(&progress, OFF, __ATOMIC_RELEASE);
}

void lc_client_hush(void)
{
    if (!lc_client_node())
        return;
    __atomic_store_n(&loadcast_dlopen_notes.is_hushed, 1, __ATOMIC_RELAXED);
    lc_client_leave();
}

const struct lc_node *lc_client_hushed(void)
{
    return __atomic_load_n(&loadcast_dlopen_notes.is_hushed, __ATOMIC_RELAXED) ? &node : NULL;
}

bool lc_client_has_left(void)
{
    return __atomic_load_n(&has_left, __ATOMIC_RELAXED);
}

const struct lc_node *lc_client_attached(void)
{
    const struct lc_node *now = lc_client_node();

    return now || !lc_client_has_left() ? now : &node;
}

/* The kernel names a process after its program, or after the script it was asked to run. */
static void take_name(const char *path)
{
    const char *name = path;

    for (; *path; path++)
        name = *path == '/' ? path + 1 : name;
    LC_SYS4(__NR_prctl, PR_SET_NAME, name, 0, 0);
}

/* What getauxval(AT_EXECFN) tells: the path that was asked for, not the staged one. */
static void mend_started_as(char *const argv[], char *const env[])
{
    bool is_script;

    while (*env)
        env++;
    for (Elf64_auxv_t *aux = (Elf64_auxv_t *)(uintptr_t)(env + 1); aux->a_type != AT_NULL; aux++) {
        const char *path =
            aux->a_type == AT_EXECFN && aux->a_un.a_val
                ? lc_exec_path_original(&node, (const char *)aux->a_un.a_val, argv, &is_script)
                : NULL;
        if (!path)
            continue;
        aux->a_un.a_val = (uintptr_t)path;
        if (is_script)
            take_name(path);
    }
}

__attribute__((constructor)) static void start(int argc, char **argv, char **env)
{
    attach(env);
    if (!lc_client_node())
        return;
    if (argv && env == argv + argc + 1) /* as the kernel left them */
        mend_started_as(argv, env);
    lc_search_path_learn(&loadcast_dlopen_notes); /* the C library may open modules by itself */
    lc_python_start(env);
}
