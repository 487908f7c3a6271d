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

#include "client/preload/ask.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/exec_path.h"
#include "node/launcher_protocol.h"
#include "node/mounts.h"
#include "node/preflight.h"
#include "node/syscall.h"
#include "node/tls_room.h"

static bool is_whole(const struct lc_ask *ask)
{
    bool is_object;

    return lc_node_is_staged(ask->node, ask->room->staged, ask->inode, &is_object);
}

/* The staged file by the caller's own spelling, from which the new process learns its name. */
static bool leads_there(const struct lc_ask *ask, const char *path)
{
    return ask->what->kind == LC_KIND_FILE && ask->inode->data != LC_NO_CONTENT &&
           lc_started_path(ask->node, path, ask->room->full, ask->room->staged,
                           sizeof(ask->room->staged)) &&
           is_whole(ask);
}

/* The staged file behind a path, in the plan's room; false: use the original. *error: the image
 * knows that there is none. */
static bool find_staged(struct lc_plan *plan, const char *path, int *error)
{
    struct lc_ask ask;

    lc_ask_in_room(&ask, plan->room, AT_FDCWD, path, 0);
    *error = ask.verdict == LC_ABSENT ? ask.error : 0;
    if (ask.verdict == LC_KNOWN && ask.what->kind == LC_KIND_FILE && (ask.inode->mode & 06000))
        lc_ask_pass(&ask, LC_COUNT_PASS_NO_CONTENT);
    if (ask.verdict != LC_KNOWN || (ask.node->state->flags & LC_STATE_NO_EXEC) ||
        !(leads_there(&ask, path) || (lc_ask_staged(&ask) && is_whole(&ask))) ||
        lc_sys_access(ask.room->staged, 1 /* X_OK */) != 0)
        return false;
    plan->file = ask.room->staged;
    return true;
}

/* What the file to be executed is. The walk of the last question is over: its room is free. */
static enum lc_program_kind kind_of(struct lc_plan *plan, const char *path,
                                    struct lc_script *script)
{
    return lc_program_kind_by(plan->is_staged ? plan->file : path, script,
                              (char *)&plan->room->walk, sizeof(plan->room->walk));
}

/* A staged script: its interpreter, staged too, with the script by its own path. Interpreters that
 * are scripts themselves are the kernel's to unfold. */
static enum lc_program_kind plan_interpreter(struct lc_plan *plan)
{
    struct lc_script *inner = (struct lc_script *)plan->room->full;
    int ignored;

    plan->is_staged = plan->is_script = find_staged(plan, plan->script.interpreter, &ignored);
    if (plan->is_script)
        lc_started_script(plan->node, plan->room->staged, sizeof(plan->room->staged),
                          plan->script.option ? 2 : 1);
    return kind_of(plan, plan->script.interpreter, inner);
}

/* Has this process come to other mounts, by a call that did not pass through here? There the new
 * one may have no part in us, and would know itself by a staged name. */
static bool has_moved(const struct lc_node *node)
{
    return node->mount_namespace && lc_mounts_namespace() != node->mount_namespace;
}

static char *name_launcher(const struct lc_node *node, char *out)
{
    size_t root = node->files_len - (sizeof(LC_NODE_FILES) - 1);

    lc_bytes_move(out, node->files, root);
    lc_bytes_move(out + root, LC_NODE_LAUNCH, sizeof(LC_NODE_LAUNCH));
    return out;
}

/* What is known of a program; if nothing, the launcher looks at it. */
static struct lc_fit find_fit(const struct lc_plan *plan, const char *file)
{
    const struct lc_fit_slot *known = plan->node->live->fit;
    uint64_t key = lc_fit_key(file, plan->env);
    struct lc_fit fit = lc_fit_find(known, key);
    char *const argv[] = {(char *)(uintptr_t)LC_LAUNCH_MEASURE, (char *)(uintptr_t)plan->path,
                          (char *)(uintptr_t)plan->path, NULL};

    if (fit.kind != LC_FIT_UNKNOWN)
        return fit;
    lc_preflight_wait_for(name_launcher(plan->node, plan->room->full), argv, plan->env);
    return lc_fit_find(known, key);
}

/* Can a program be started under our auditor? Where room for thread variables is all it lacks, that
 * is set when the plan is settled. Else the launcher becomes that program; not always, because
 * debuggers count what a shell executes. */
static bool plan_launcher(struct lc_plan *plan)
{
    const char *file = plan->is_staged            ? plan->file
                       : plan->script.interpreter ? plan->script.interpreter
                                                  : plan->path;

    if ((plan->node->state->flags & LC_STATE_NO_EXEC) || has_moved(plan->node) || !plan->argv ||
        !lc_is_pointers(plan->argv) || !plan->argv[0])
        return false;
    struct lc_fit fit = find_fit(plan, file);
    struct lc_fit_room room = lc_fit_room(lc_variable(plan->env, "GLIBC_TUNABLES="));
    plan->tls_room = lc_fit_wanted(&fit, plan->node->state->tls_bytes, room.users);
    plan->sets_room = fit.kind == LC_FIT_YES && plan->tls_room != room.ours;
    if (fit.kind == LC_FIT_YES)
        return false;
    plan->file = name_launcher(plan->node, plan->room->full);
    plan->script.interpreter = (char *)(uintptr_t)LC_LAUNCH_CHILD;
    plan->script.option = plan->argv[0];
    return plan->is_staged = plan->is_script = true;
}

static int plan_program(struct lc_plan *plan, const char *path)
{
    int error;

    plan->script.interpreter = NULL;
    plan->is_staged = find_staged(plan, path, &error);
    if (error)
        return error;
    enum lc_program_kind kind = kind_of(plan, path, &plan->script);
    if (kind == LC_PROGRAM_SCRIPT && lc_is_pointers(plan->argv))
        kind = plan_interpreter(plan);
    if (kind == LC_PROGRAM_DYNAMIC && plan_launcher(plan))
        return 0;
    if (kind == LC_PROGRAM_FOREIGN || kind == LC_PROGRAM_NO_DESCRIPTOR)
        plan->kind = LC_ENVIRONMENT_BARRED;
    /* Static ones may look for their own files beside themselves. */
    if (kind != LC_PROGRAM_DYNAMIC || (plan->is_staged && has_moved(plan->node)))
        plan->is_staged = plan->is_script = false;
    if (plan->is_staged)
        lc_node_count(plan->node, LC_COUNT_EXEC);
    return 0;
}

static void give_room(struct lc_plan *plan)
{
    lc_room_give(plan->room);
    plan->room = NULL;
}

/* For the environment once more, with another GLIBC_TUNABLES; a multiple of a pointer's size. */
static size_t room_size(char *const env[])
{
    size_t text = lc_tls_room_size(lc_variable(env, "GLIBC_TUNABLES="));

    return (lc_count_arguments(env) + 3) * sizeof(char *) +
           (text + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);
}

static char *const *set_room(char *const env[], uint64_t bytes, char **out)
{
    const char *old = lc_variable(env, "GLIBC_TUNABLES=");
    char **at = out, *text = (char *)(out + lc_count_arguments(env) + 3);

    for (; *env; env++)
        if (!lc_fit_value(*env, "GLIBC_TUNABLES"))
            *at++ = *env;
    if (lc_tls_room_text(text, old, bytes))
        *at++ = text;
    *at = NULL;
    return out;
}

static size_t space_needed(const struct lc_plan *plan)
{
    size_t size = plan->node ? lc_environment_size(plan->node, plan->env, plan->kind) : 0;

    if (plan->sets_room)
        size += room_size(plan->env) + sizeof(char *); /* LD_PRELOAD may be added */
    if (plan->is_staged)
        size += lc_bytes_length(plan->file) + 1;
    if (plan->is_script)
        size += (lc_count_arguments(plan->argv) + 4) * sizeof(char *);
    return size;
}

/* A launcher of jobs or ranks, by its name; "mpiexec.openmpi" is one too. */
static bool is_launcher(const char *path)
{
    static const char known[] = " srun sbatch salloc mpiexec mpirun orterun prterun prun flux jsrun"
                                " aprun bsub qsub ";
    const char *name = path;
    size_t n = 0;

    for (; *path; path++)
        name = *path == '/' ? path + 1 : name;
    while (name[n] && name[n] != '.' && name[n] != ' ')
        n++;
    for (const char *at = known; n > 0 && at + n + 1 < known + sizeof(known) - 1; at++)
        if (at[0] == ' ' && at[n + 1] == ' ' && lc_bytes_equal(at + 1, name, n))
            return true;
    return false;
}

/* Nothing of ours, whatever the program has left of it. */
static void plan_without_us(struct lc_plan *plan)
{
    plan->node = lc_client_attached();
    plan->kind = plan->node ? LC_ENVIRONMENT_BARRED : LC_ENVIRONMENT_OTHER;
    plan->tls_room = 0;
    plan->sets_room = plan->node && lc_fit_room(lc_variable(plan->env, "GLIBC_TUNABLES=")).ours;
}

void lc_plan_make_environment(struct lc_plan *plan, const char *path, char *const env[])
{
    plan->room = NULL;
    plan->mapped = NULL;
    plan->is_staged = plan->is_script = plan->sets_room = false;
    plan->argv = NULL;
    plan->env = env;
    plan->kind = lc_environment_kind(env);
    plan->node = plan->kind == LC_ENVIRONMENT_OTHER ? NULL : lc_client_attached();
    if (path && lc_is_text(path) && lc_is_list(env) && is_launcher(path))
        plan_without_us(plan);
    plan->bytes = space_needed(plan);
}

int lc_plan_make(struct lc_plan *plan, const char *path, char *const argv[], char *const env[])
{
    int error = 0;

    lc_plan_make_environment(plan, path, env);
    plan->path = path;
    plan->argv = argv;
    if (!path || !plan->node || !lc_is_text(path) || !path[0] ||
        (plan->kind != LC_ENVIRONMENT_OURS && plan->kind != LC_ENVIRONMENT_LACKING))
        return 0;
    plan->room = lc_room_take();
    if (plan->room)
        error = plan_program(plan, path);
    if (error)
        give_room(plan);
    else
        plan->bytes = space_needed(plan);
    return error;
}

/* argv for a script: interpreter, option, script, the caller's from the second on. */
static char **write_arguments(const struct lc_plan *plan, char **out)
{
    *out++ = plan->script.interpreter;
    if (plan->script.option)
        *out++ = plan->script.option;
    *out++ = (char *)(uintptr_t)plan->path;
    for (size_t i = 1; plan->argv && plan->argv[0] && plan->argv[i]; i++)
        *out++ = plan->argv[i];
    *out++ = NULL;
    return out;
}

void lc_plan_settle(struct lc_plan *plan, void *space)
{
    size_t environment = plan->node ? lc_environment_size(plan->node, plan->env, plan->kind) : 0;
    char *at = (char *)space + environment; /* which is a multiple of a pointer's size */

    if (!space)
        plan->is_staged = plan->is_script = false;
    if (space && environment)
        plan->env = lc_environment_make(plan->node, plan->env, plan->kind, space);
    if (space && plan->sets_room) {
        size_t size = room_size(plan->env); /* of the caller's variables, and perhaps one more */
        plan->env = set_room(plan->env, plan->tls_room, (char **)at);
        at += size;
    }
    if (plan->is_script) {
        char **list = (char **)at;
        at = (char *)write_arguments(plan, list);
        plan->argv = list;
    }
    if (plan->is_staged) {
        lc_bytes_move(at, plan->file, lc_bytes_length(plan->file) + 1);
        plan->file = at;
    }
    give_room(plan);
}

size_t lc_count_arguments(char *const argv[])
{
    size_t n = 0;

    while (argv && argv[n])
        n++;
    return n;
}
