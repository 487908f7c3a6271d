/* SPDX-License-Identifier: MIT */
/* exec_plan.c - what is to be executed for a path, and in which environment
 *
 * A staged program is started only with an environment that still names our objects; if the caller
 * chose one without them, the original is started and nothing is changed. Where our objects could
 * not be loaded (they are gone, or not visible, or the program is no 64-bit one of glibc) they are
 * taken out of the environment, because ld.so would print an error.
 */
#include "client/preload/exec_plan.h"

#include <linux/fcntl.h>

#include "client/preload/path_query.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/exec_path.h"
#include "node/launcher_protocol.h"
#include "node/mounts.h"
#include "node/preflight.h"
#include "node/syscall.h"
#include "node/tls_room.h"

static bool staged_file_is_whole(const struct lc_query *query)
{
    struct lc_file_status file;

    return lc_node_is_staged(query->node, query->scratch->staged, query->inode, &file);
}

/* The staged file by the path as the caller spelled it, in query->scratch->staged: the new process
 * derives its name from it. */
static bool staged_by_spelling(const struct lc_query *query, const char *path)
{
    return query->what->kind == LC_KIND_FILE && query->inode->data != LC_NO_CONTENT &&
           lc_exec_path_make(query->node, path, query->scratch->full, query->scratch->staged,
                             sizeof(query->scratch->staged)) &&
           staged_file_is_whole(query);
}

/* Find the staged file of a path, in the plan's buffers; false: use the original. *error is the
 * errno if the image knows that the path does not exist, else 0. */
static bool staged_find(struct lc_exec_plan *plan, const char *path, int *error)
{
    struct lc_query query;

    lc_query_with(&query, plan->scratch, AT_FDCWD, path, LC_QUERY_EXEC);
    *error = query.verdict == LC_ABSENT ? query.error : 0;
    if (query.verdict == LC_KNOWN && query.what->kind == LC_KIND_FILE &&
        (query.inode->mode & 06000))
        lc_query_pass(&query, LC_COUNT_PASS_NO_CONTENT);
    if (query.verdict != LC_KNOWN || (query.node->state->flags & LC_STATE_NO_EXEC) ||
        !(staged_by_spelling(&query, path) ||
          (lc_query_staged_path(&query) && staged_file_is_whole(&query))) ||
        lc_sys_access(query.scratch->staged, 1 /* X_OK */) != 0)
        return false;
    plan->file = query.scratch->staged;
    return true;
}

/* What the file to be executed is. The buffer of the last path look-up is used for reading it. */
static enum lc_program_kind program_kind(struct lc_exec_plan *plan, const char *path,
                                         struct lc_script *script)
{
    return lc_program_kind_in_buffer(plan->is_staged ? plan->file : path, script,
                                     (char *)&plan->scratch->walk, sizeof(plan->scratch->walk));
}

/* For a script: execute its staged interpreter with the script's original path. An interpreter that
 * is a script itself is left to the kernel. */
static enum lc_program_kind interpreter_plan(struct lc_exec_plan *plan)
{
    struct lc_script *inner = (struct lc_script *)plan->scratch->full;
    int ignored;

    plan->is_staged = plan->is_script = staged_find(plan, plan->script.interpreter, &ignored);
    if (plan->is_script)
        lc_exec_path_mark_script(plan->node, plan->scratch->staged, sizeof(plan->scratch->staged),
                                 plan->script.option ? 2 : 1);
    return program_kind(plan, plan->script.interpreter, inner);
}

/* Is this process in another mount namespace than when it attached? There the new program might run
 * without our objects and would see its staged path as its own name. */
static bool namespace_has_changed(const struct lc_node *node)
{
    return node->mount_namespace && lc_mounts_namespace() != node->mount_namespace;
}

static char *launcher_path(const struct lc_node *node, char *out)
{
    size_t root = node->files_len - (sizeof(LC_NODE_FILES) - 1);

    lc_bytes_move(out, node->files, root);
    lc_bytes_move(out + root, LC_NODE_LAUNCH, sizeof(LC_NODE_LAUNCH));
    return out;
}

/* Can a program run under our auditor? If that is not known yet, the launcher is run to find out.
 */
static struct lc_fit fit_find(const struct lc_exec_plan *plan, const char *file)
{
    const struct lc_fit_slot *known = plan->node->live->fit;
    uint64_t key = lc_fit_key(file, plan->env);
    struct lc_fit fit = lc_fit_find(known, key);
    char *const argv[] = {(char *)(uintptr_t)LC_LAUNCH_MEASURE, (char *)(uintptr_t)plan->path,
                          (char *)(uintptr_t)plan->path, NULL};

    if (fit.kind != LC_FIT_UNKNOWN)
        return fit;
    lc_preflight_wait_for(launcher_path(plan->node, plan->scratch->full), argv, plan->env);
    return lc_fit_find(known, key);
}

/* If the program can run under our auditor, perhaps with more memory for thread variables, it is
 * executed directly: debuggers count the execs of a shell. Otherwise our launcher is executed,
 * which starts the program in a way that works. */
static bool launcher_plan(struct lc_exec_plan *plan)
{
    const char *file = plan->is_staged            ? plan->file
                       : plan->script.interpreter ? plan->script.interpreter
                                                  : plan->path;

    if ((plan->node->state->flags & LC_STATE_NO_EXEC) || namespace_has_changed(plan->node) ||
        !plan->argv || !lc_is_pointers(plan->argv) || !plan->argv[0])
        return false;
    struct lc_fit fit = fit_find(plan, file);
    struct lc_fit_room room = lc_fit_room(lc_variable(plan->env, "GLIBC_TUNABLES="));
    plan->tls_room = lc_fit_wanted(&fit, plan->node->state->tls_bytes, room.users);
    plan->sets_tls_room = fit.kind == LC_FIT_YES && plan->tls_room != room.ours;
    if (fit.kind == LC_FIT_YES)
        return false;
    plan->file = launcher_path(plan->node, plan->scratch->full);
    plan->script.interpreter = (char *)(uintptr_t)LC_LAUNCH_CHILD;
    plan->script.option = plan->argv[0];
    return plan->is_staged = plan->is_script = true;
}

static int program_plan(struct lc_exec_plan *plan, const char *path)
{
    int error;

    plan->script.interpreter = NULL;
    plan->is_staged = staged_find(plan, path, &error);
    if (error)
        return error;
    enum lc_program_kind kind = program_kind(plan, path, &plan->script);
    if (kind == LC_PROGRAM_SCRIPT && lc_is_pointers(plan->argv))
        kind = interpreter_plan(plan);
    if (kind == LC_PROGRAM_DYNAMIC && launcher_plan(plan))
        return 0;
    if (kind == LC_PROGRAM_FOREIGN || kind == LC_PROGRAM_NO_DESCRIPTOR)
        plan->kind = LC_ENVIRONMENT_BARRED;
    /* A static program may open files next to its own path, by calls that we do not see. */
    if (kind != LC_PROGRAM_DYNAMIC || (plan->is_staged && namespace_has_changed(plan->node)))
        plan->is_staged = plan->is_script = false;
    if (plan->is_staged)
        lc_node_count(plan->node, LC_COUNT_EXEC);
    return 0;
}

static void scratch_release(struct lc_exec_plan *plan)
{
    lc_scratch_give(plan->scratch);
    plan->scratch = NULL;
}

/* Bytes for a copy of the environment with another GLIBC_TUNABLES; a multiple of a pointer's size.
 */
static size_t tls_room_size(char *const env[])
{
    size_t text = lc_tls_room_size(lc_variable(env, "GLIBC_TUNABLES="));

    return (lc_count_arguments(env) + 3) * sizeof(char *) +
           (text + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);
}

static char *const *tls_room_write(char *const env[], uint64_t bytes, char **out)
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

static size_t space_needed(const struct lc_exec_plan *plan)
{
    size_t size = plan->node ? lc_environment_size(plan->node, plan->env, plan->kind) : 0;

    if (plan->sets_tls_room)
        size += tls_room_size(plan->env) + sizeof(char *); /* LD_PRELOAD may be added */
    if (plan->is_staged)
        size += lc_bytes_length(plan->file) + 1;
    if (plan->is_script)
        size += (lc_count_arguments(plan->argv) + 4) * sizeof(char *);
    return size;
}

/* Is it a launcher of jobs or ranks, judged by its name? "mpiexec.openmpi" is one too. */
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

/* Take all our settings out of the environment. */
static void environment_without_us(struct lc_exec_plan *plan)
{
    plan->node = lc_client_last_node();
    plan->kind = plan->node ? LC_ENVIRONMENT_BARRED : LC_ENVIRONMENT_OTHER;
    plan->tls_room = 0;
    plan->sets_tls_room = plan->node && lc_fit_room(lc_variable(plan->env, "GLIBC_TUNABLES=")).ours;
}

void lc_exec_plan_make_environment(struct lc_exec_plan *plan, const char *path, char *const env[])
{
    plan->scratch = NULL;
    plan->mapped = NULL;
    plan->is_staged = plan->is_script = plan->sets_tls_room = false;
    plan->argv = NULL;
    plan->env = env;
    plan->kind = lc_environment_kind(env);
    plan->node = plan->kind == LC_ENVIRONMENT_OTHER ? NULL : lc_client_last_node();
    if (path && lc_client_last_node() && lc_is_text(path) && lc_is_list(env) && is_launcher(path))
        environment_without_us(plan);
    plan->bytes = space_needed(plan);
}

int lc_exec_plan_make(struct lc_exec_plan *plan, const char *path, char *const argv[],
                      char *const env[])
{
    int error = 0;

    lc_exec_plan_make_environment(plan, path, env);
    plan->path = path;
    plan->argv = argv;
    if (!path || !plan->node || !lc_is_text(path) || !path[0] ||
        (plan->kind != LC_ENVIRONMENT_OURS && plan->kind != LC_ENVIRONMENT_LACKING))
        return 0;
    plan->scratch = lc_scratch_take();
    if (plan->scratch)
        error = program_plan(plan, path);
    if (error)
        scratch_release(plan);
    else
        plan->bytes = space_needed(plan);
    return error;
}

/* argv for a script: interpreter, its option, the script, then the caller's arguments. */
static char **arguments_write(const struct lc_exec_plan *plan, char **out)
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

void lc_exec_plan_write(struct lc_exec_plan *plan, void *space)
{
    size_t environment = plan->node ? lc_environment_size(plan->node, plan->env, plan->kind) : 0;
    char *at = space ? (char *)space + environment : NULL; /* aligned for pointers */

    if (!space)
        plan->is_staged = plan->is_script = false;
    if (space && environment)
        plan->env = lc_environment_make(plan->node, plan->env, plan->kind, space);
    if (space && plan->sets_tls_room) {
        size_t size =
            tls_room_size(plan->env); /* of the caller's variables, and perhaps one more */
        plan->env = tls_room_write(plan->env, plan->tls_room, (char **)at);
        at += size;
    }
    if (plan->is_script) {
        char **list = (char **)at;
        at = (char *)arguments_write(plan, list);
        plan->argv = list;
    }
    if (plan->is_staged) {
        lc_bytes_move(at, plan->file, lc_bytes_length(plan->file) + 1);
        plan->file = at;
    }
    scratch_release(plan);
}

size_t lc_count_arguments(char *const argv[])
{
    size_t n = 0;

    while (argv && argv[n])
        n++;
    return n;
}
