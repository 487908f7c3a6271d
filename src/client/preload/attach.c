/* SPDX-License-Identifier: MIT */
/* attach.c - attach this process to its node directory, once */
#include "client/preload/path_query.h"
#include "client/preload/readable.h"

#include <elf.h>
#include <linux/prctl.h>

#include "client/preload/complete_needed.h"
#include "client/preload/python_hook.h"
#include "client/preload/search_path.h"
#include "image/bytes.h"
#include "node/call_log.h"
#include "node/exec_path.h"
#include "node/search_key.h"
#include "node/starts.h"
#include "node/syscall.h"

extern char **environ __attribute__((weak));

enum { NOT_YET, BUSY, ON, OFF };

static struct lc_node node;
static int progress; /* NOT_YET → BUSY → ON or OFF */
static bool has_left;

static const char *variable_find(char **env, const char *name)
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

static bool ids_differ(void)
{
    return LC_SYS3(__NR_getuid, 0, 0, 0) != LC_SYS3(__NR_geteuid, 0, 0, 0) ||
           LC_SYS3(__NR_getgid, 0, 0, 0) != LC_SYS3(__NR_getegid, 0, 0, 0);
}

/* Use the node directory that the auditor of this process has attached already. It has made the
 * same checks, and ld.so runs no auditor in set-user-ID programs. */
static bool auditor_node_share(const char *dir)
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
    const char *off = variable_find(env, LC_NODE_OFF), *dir = variable_find(env, LC_NODE_VARIABLE);

    return !(off && off[0] == '0' && !off[1]) && dir &&
           (auditor_node_share(dir) || (!ids_differ() && lc_node_attach(&node, dir))) &&
           !(node.state->flags & LC_STATE_ONLY_LIBS);
}

static bool attach_and_count(char **env)
{
    if (!may_attach(env))
        return false;
    if (!node.start)
        lc_start_begin(&node);
    lc_node_count(&node, LC_COUNT_PROCESSES);
    return true;
}

static void attach_once(char **env)
{
    int expected = NOT_YET;

    if (env && __atomic_compare_exchange_n(&progress, &expected, BUSY, false, __ATOMIC_ACQUIRE,
                                           __ATOMIC_RELAXED))
        __atomic_store_n(&progress, attach_and_count(env) ? ON : OFF, __ATOMIC_RELEASE);
}

/* A constructor of another object may open files before ours has run: then the process is attached
 * here. While one thread attaches, calls of other threads are passed through. */
const struct lc_node *lc_client_node(void)
{
    int now = __atomic_load_n(&progress, __ATOMIC_ACQUIRE);

    if (now == NOT_YET && &environ) {
        attach_once(environ);
        now = __atomic_load_n(&progress, __ATOMIC_ACQUIRE);
    }
    return now == ON ? &node : NULL;
}

bool lc_readable_may_ask(void)
{
    return lc_client_node();
}

void lc_client_detach(void)
{
    if (!lc_client_node())
        return;
    if (node.start) /* what happens to it now is not our doing; getpid() may be forbidden by now */
        __atomic_store_n(&node.start->pid, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&has_left, true, __ATOMIC_RELAXED);
    __atomic_store_n(&progress, OFF, __ATOMIC_RELEASE);
}

void lc_client_stop_syscalls(void)
{
    if (!lc_client_node())
        return;
    __atomic_store_n(&loadcast_dlopen_notes.is_hushed, 1, __ATOMIC_RELAXED);
    lc_client_detach();
}

const struct lc_node *lc_client_node_no_syscalls(void)
{
    return __atomic_load_n(&loadcast_dlopen_notes.is_hushed, __ATOMIC_RELAXED) ? &node : NULL;
}

void lc_client_note_part(uint32_t from, uint32_t to)
{
    struct lc_live_start *row = node.start;

    if (row && __atomic_load_n(&row->part, __ATOMIC_RELAXED) == from)
        __atomic_store_n(&row->part, to, __ATOMIC_RELAXED);
}

bool lc_client_has_detached(void)
{
    return __atomic_load_n(&has_left, __ATOMIC_RELAXED);
}

const struct lc_node *lc_client_last_node(void)
{
    const struct lc_node *now = lc_client_node();

    return now || !lc_client_has_detached() ? now : &node;
}

/* The kernel gives a process the name of its program file, or of the script that was executed: set
 * it to the original's. */
static void process_name_set(const char *path)
{
    const char *name = path;

    for (; *path; path++)
        name = *path == '/' ? path + 1 : name;
    LC_SYS4(__NR_prctl, PR_SET_NAME, name, 0, 0);
}

/* Replace the staged path in the auxiliary vector, which getauxval(AT_EXECFN) returns, by the path
 * that was executed. */
static void execfn_replace(char *const argv[], char *const env[])
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
            process_name_set(path);
    }
}

/* Is this a pilot, or a watched program? That has taken our variables out of its environment. */
static bool is_recorded(char **env)
{
    char value[2];

    return variable_find(env, LC_PILOT_IMPORTS_VARIABLE) ||
           lc_key_environment(LC_PILOT_IMPORTS_VARIABLE, value, sizeof(value));
}

__attribute__((constructor)) static void preload_start(int argc, char **argv, char **env)
{
    attach_once(env);
    lc_client_note_part(LC_PART_NONE, LC_PART_PRELOAD);
    if (!lc_client_node()) {
        if (env && is_recorded(env))
            lc_python_start(env);
        return;
    }
    if (argv && env == argv + argc + 1) /* they are still the kernel's arrays */
        execfn_replace(argv, env);
    lc_search_path_learn(&loadcast_dlopen_notes); /* the C library may open modules by itself */
    lc_python_start(env);
    lc_client_note_part(LC_PART_PRELOAD, LC_PART_NONE);
}
