/* SPDX-License-Identifier: MIT */
/* compose.c - the user's launch line with variables for its ranks */
#include "launch/compose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launcher_options.h"

#define OPENMPI_LIST "OMPI_MCA_mca_base_env_list"
#define SLURM_LIST   "SLURM_EXPORT_ENV"

void lc_composed_free(struct lc_composed *composed)
{
    lc_argv_free(&composed->words);
    lc_argv_free(&composed->environment);
}

/* old, then each variable, with 'separator' between them. */
static void join(struct lc_buf *out, const char *old, char *const *variables, char separator)
{
    if (old && *old) {
        lc_buf_puts(out, old);
        if (out->data[out->len - 1] != separator)
            lc_buf_putc(out, separator);
    }
    for (; *variables; variables++) {
        lc_buf_puts(out, *variables);
        if (variables[1])
            lc_buf_putc(out, separator);
    }
}

static int check_values(char *const *variables, char separator, struct lc_error *err)
{
    for (; *variables; variables++)
        if (strchr(*variables, separator)) {
            errno = EINVAL;
            return lc_error_set(err, "the launcher cannot carry '%s': it has a '%c' in it",
                                *variables, separator);
        }
    return 0;
}

/* NAME=LIST in the launcher's environment. */
static void set_list(struct lc_composed *out, const char *name, const char *first,
                     char *const *variables, char separator)
{
    struct lc_buf text = {0};
    const char *old = getenv(name);

    lc_buf_printf(&text, "%s=", name);
    struct lc_buf list = {0};
    join(&list, old && *old ? old : first, variables, separator);
    lc_buf_puts(&text, lc_buf_text(&list));
    lc_argv_add(&out->environment, lc_buf_text(&text));
    out->environment.failed |= text.failed | list.failed;
    lc_buf_free(&text);
    lc_buf_free(&list);
}

/* What stands before word i of the line by the launcher's own options. */
static void add_options(const struct lc_launch_line *line, int i, char *const *variables,
                        struct lc_argv *words)
{
    const struct lc_launcher_table *table = lc_launcher_table(line->launcher);
    bool by_word =
        table->carry == LC_CARRY_ASSIGN || (table->carry == LC_CARRY_LIST && line->has_x);
    bool here = false;

    for (int k = 0; k < line->parts; k++)
        here |= line->part[k] == i && (by_word || k == 0);
    if (!here || (!by_word && table->carry != LC_CARRY_PAIR))
        return;
    for (; *variables; variables++) {
        int n = (int)strcspn(*variables, "=");
        lc_argv_add(words, table->carry_option);
        if (table->carry == LC_CARRY_PAIR) {
            lc_argv_printf(words, "%.*s", n, *variables);
            lc_argv_add(words, *variables + n + 1);
        } else {
            lc_argv_add(words, *variables);
        }
    }
}

/* Word i itself: srun's own --export gets ours added. */
static void add_word(const struct lc_launch_line *line, int i, char *const *variables,
                     struct lc_argv *words)
{
    struct lc_buf text = {0};

    if (i == 0 || i != line->own_export || line->drops_environment || !*variables) {
        lc_argv_add(words, line->argv[i]);
        return;
    }
    join(&text, line->argv[i], variables, ',');
    lc_argv_add(words, lc_buf_text(&text));
    words->failed |= text.failed;
    lc_buf_free(&text);
}

static bool is_program(const struct lc_launch_line *line, int i)
{
    for (int k = 0; k < line->programs; k++)
        if (line->program[k] == i)
            return true;
    return false;
}

static int carry_by_environment(const struct lc_launch_line *line, char *const *variables,
                                struct lc_composed *out, struct lc_error *err)
{
    switch (lc_launcher_table(line->launcher)->carry) {
    case LC_CARRY_NONE:
        lc_argv_add_all(&out->environment, variables);
        return 0;
    case LC_CARRY_EXPORT:
        if (check_values(variables, ',', err) < 0)
            return -1;
        if (!line->own_export && !line->drops_environment)
            set_list(out, SLURM_LIST, "ALL", variables, ',');
        return 0;
    case LC_CARRY_LIST:
        if (line->has_x)
            return 0;
        if (check_values(variables, ';', err) < 0)
            return -1;
        set_list(out, OPENMPI_LIST, NULL, variables, ';');
        return 0;
    default:
        return 0;
    }
}

int lc_compose_ranks(const struct lc_launch_line *line, char *const *variables, char *const *front,
                     struct lc_composed *out, struct lc_error *err)
{
    if (*variables && carry_by_environment(line, variables, out, err) < 0)
        return -1;
    for (int i = 0; line->argv[i]; i++) {
        add_options(line, i, variables, &out->words);
        if (front && line->understood && is_program(line, i))
            lc_argv_add_all(&out->words, front);
        add_word(line, i, variables, &out->words);
    }
    if (!out->words.failed && !out->environment.failed)
        return 0;
    errno = ENOMEM;
    return lc_error_errno(err, "cannot compose the launch line");
}
