/* SPDX-License-Identifier: MIT */
/* width.c - a launch line for so many ranks on so many nodes */
#include "launch/width.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/human.h"
#include "util/nearest.h"
#include "util/path.h"

static const char *const names[] = {"auto", "plain", "mpiexec", "srun", NULL};

static bool launcher_is_template(const char *launcher)
{
    return strchr(launcher, ' ') || strchr(launcher, '{') || strchr(launcher, '/');
}

int lc_width_check(const char *launcher, struct lc_error *err)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(launcher, names[i]) == 0)
            return 0;
    if (launcher_is_template(launcher)) {
        if (strstr(launcher, "{ranks}"))
            return 0;
        return lc_error_set(err,
                            "launcher '%s' does not say {ranks}; e.g. 'mpiexec -n {ranks} "
                            "--map-by ppr:{per_node}:node'",
                            launcher);
    }
    const char *near = lc_nearest(launcher, names);
    return lc_error_set(err, "launcher '%s' is unknown; %s%s%s", launcher,
                        near ? "did you mean '" : "",
                        near ? near
                             : "there are auto, plain, "
                               "mpiexec, srun, or a line with {ranks}",
                        near ? "'?" : "");
}

static bool program_exists(const char *name)
{
    char path[PATH_MAX];

    return lc_path_find_program(path, sizeof(path), name, NULL) == 0;
}

const char *lc_width_resolve(const char *launcher, bool needs_mpi)
{
    if (strcmp(launcher, "auto") != 0)
        return launcher;
    if (getenv("SLURM_JOB_ID") && program_exists("srun"))
        return "srun";
    return needs_mpi || getenv("PBS_NODEFILE") ? "mpiexec" : "plain";
}

/* The sum of a list like "4(x2),1", which is 9; 0 if it has another form. */
static long cpus_sum(const char *text)
{
    long sum = 0;

    while (text && *text) {
        char *end;
        long cpus = strtol(text, &end, 10), times = 1;
        if (end == text)
            return 0;
        if (strncmp(end, "(x", 2) == 0) {
            times = strtol(end + 2, &end, 10);
            end += *end == ')';
        }
        sum += cpus * times;
        text = end + (*end == ',');
        if (*end && *end != ',')
            return 0;
    }
    return sum;
}

static int width_fits(const char *what, long wanted, const char *variable, long there,
                      struct lc_error *err)
{
    if (there <= 0 || wanted <= there)
        return 0;
    return lc_error_set(err, "%ld %s are more than the allocation's %ld ($%s)", wanted, what, there,
                        variable);
}

static long variable_number(const char *name)
{
    long value = 0;

    if (getenv(name))
        lc_parse_long(name, getenv(name), 1, LONG_MAX, &value, NULL);
    return value;
}

int lc_width_possible(const char *launcher, long ranks, long nodes, struct lc_error *err)
{
    char program[PATH_MAX];

    if (strcmp(launcher, "plain") == 0)
        return nodes > 1 ? lc_error_set(err,
                                        "plain processes run on one node, not on %ld; choose "
                                        "launcher mpiexec or srun",
                                        nodes)
                         : 0;
    snprintf(program, sizeof(program), "%.*s", (int)strcspn(launcher, " "), launcher);
    if (!program_exists(program))
        return lc_error_set(err,
                            "the launcher '%s' is not installed; set 'launcher:' or --launcher "
                            "(auto, plain, mpiexec, srun, or a line with {ranks})",
                            program);
    if (strcmp(launcher, "srun") != 0)
        return 0;
    if (!getenv("SLURM_JOB_ID"))
        return 0;
    if (width_fits("nodes", nodes, "SLURM_JOB_NUM_NODES", variable_number("SLURM_JOB_NUM_NODES"),
                   err) < 0)
        return -1;
    long tasks = variable_number("SLURM_NTASKS");
    return tasks ? width_fits("ranks", ranks, "SLURM_NTASKS", tasks, err)
                 : width_fits("ranks", ranks, "SLURM_JOB_CPUS_PER_NODE",
                              cpus_sum(getenv("SLURM_JOB_CPUS_PER_NODE")), err);
}

static bool mpiexec_is_open_mpi(void)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};

    lc_argv_words(&argv, "mpiexec --version");
    bool is = lc_run_output(&argv, &out, NULL) == 0 &&
              (strstr(lc_buf_text(&out), "Open MPI") || strstr(lc_buf_text(&out), "OpenRTE"));
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return is;
}

/* Are there more ranks than cores, on this machine alone? (Open MPI refuses those unless asked; it
 * counts cores, of which there may be half as many as processors.) */
static bool is_wider_than_machine(long ranks)
{
    return !getenv("SLURM_JOB_ID") && !getenv("PBS_NODEFILE") &&
           ranks * 2 > sysconf(_SC_NPROCESSORS_ONLN);
}

static void mpiexec_add(struct lc_argv *out, long ranks, long nodes)
{
    lc_argv_printf(out, "mpiexec");
    lc_argv_add(out, "-n");
    lc_argv_printf(out, "%ld", ranks);
    if (nodes <= 1 && is_wider_than_machine(ranks) && mpiexec_is_open_mpi())
        lc_argv_add(out, "--oversubscribe");
    if (nodes == 0)
        return;
    long per_node = (ranks + nodes - 1) / nodes;
    if (mpiexec_is_open_mpi()) {
        lc_argv_add(out, "--map-by");
        lc_argv_printf(out, "ppr:%ld:node", per_node);
    } else {
        lc_argv_add(out, "-ppn");
        lc_argv_printf(out, "%ld", per_node);
    }
}

static void srun_add(struct lc_argv *out, long ranks, long nodes)
{
    lc_argv_words(out, "srun --kill-on-bad-exit=1 -n");
    lc_argv_printf(out, "%ld", ranks);
    if (nodes > 0)
        lc_argv_printf(out, "-N%ld", nodes);
}

/* Add one word of a template, with numbers in place of {ranks}, {nodes} and {per_node}. */
static void template_word_add(struct lc_argv *out, const char *word, long ranks, long nodes)
{
    const struct {
        const char *name;
        long value;
    } known[] = {{"{ranks}", ranks},
                 {"{nodes}", nodes ? nodes : 1},
                 {"{per_node}", nodes ? (ranks + nodes - 1) / nodes : ranks}};
    struct lc_buf text = {0};

    while (*word) {
        size_t i = 0;
        while (i < 3 && strncmp(word, known[i].name, strlen(known[i].name)) != 0)
            i++;
        if (i < 3) {
            lc_buf_printf(&text, "%ld", known[i].value);
            word += strlen(known[i].name);
        } else {
            lc_buf_putc(&text, *word++);
        }
    }
    lc_argv_add(out, lc_buf_text(&text));
    lc_buf_free(&text);
}

static void command_add(struct lc_argv *out, const struct lc_argv *command, size_t from)
{
    for (size_t i = from; i < command->count; i++)
        lc_argv_add(out, command->item[i]);
}

static void template_add(struct lc_argv *out, const char *template, long ranks, long nodes,
                         const struct lc_argv *command)
{
    struct lc_argv word = {0};
    bool is_in = false;

    lc_argv_words(&word, template);
    for (size_t i = 0; i < word.count; i++)
        if (strcmp(word.item[i], "{command}") == 0) {
            command_add(out, command, 0);
            is_in = true;
        } else {
            template_word_add(out, word.item[i], ranks, nodes);
        }
    if (!is_in)
        command_add(out, command, 0);
    out->failed |= word.failed;
    lc_argv_free(&word);
}

int lc_width_line(const char *launcher, long ranks, long nodes, const struct lc_argv *command,
                  struct lc_argv *out, struct lc_error *err)
{
    if (strcmp(launcher, "plain") == 0) {
        lc_argv_add(out, command->item[0]);
        lc_argv_add(out, "-n");
        lc_argv_printf(out, "%ld", ranks);
        command_add(out, command, 1);
    } else if (strcmp(launcher, "mpiexec") == 0) {
        mpiexec_add(out, ranks, nodes);
        command_add(out, command, 0);
    } else if (strcmp(launcher, "srun") == 0) {
        srun_add(out, ranks, nodes);
        command_add(out, command, 0);
    } else {
        template_add(out, launcher, ranks, nodes, command);
    }
    return out->failed || command->failed ? lc_error_set(err, "out of memory") : 0;
}
