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

/* Add 'old' and each variable to 'out', with 'separator' between them. */
static void list_join(struct lc_buf *out, const char *old, char *const *variables, char separator)
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

static int values_check(char *const *variables, char separator, struct lc_error *err)
{
    for (; *variables; variables++)
        if (strchr(*variables, separator)) {
            errno = EINVAL;
            return lc_error_set(err, "the launcher cannot carry '%s': it has a '%c' in it",
                                *variables, separator);
        }
    return 0;
}

/* Add NAME=LIST to the environment of the launcher. */
static void environment_set_list(struct lc_composed *out, const char *name, const char *first,
                                 char *const *variables, char separator)
{
    struct lc_buf text = {0};
    const char *old = getenv(name);

    lc_buf_printf(&text, "%s=", name);
    struct lc_buf list = {0};
    list_join(&list, old && *old ? old : first, variables, separator);
    lc_buf_puts(&text, lc_buf_text(&list));
    lc_argv_add(&out->environment, lc_buf_text(&text));
    out->environment.failed |= text.failed | list.failed;
    lc_buf_free(&text);
    lc_buf_free(&list);
}

/* Add the launcher's options that carry our variables, if they belong before word i. */
static void carrying_options_add(const struct lc_launch_line *line, int i, char *const *variables,
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

/* Add word i. The value of srun's --export gets our variables appended. */
static void word_add(const struct lc_launch_line *line, int i, char *const *variables,
                     struct lc_argv *words)
{
    struct lc_buf text = {0};

    if (i == 0 || i != line->own_export || line->drops_environment || !*variables) {
        lc_argv_add(words, line->argv[i]);
        return;
    }
    list_join(&text, line->argv[i], variables, ',');
    lc_argv_add(words, lc_buf_text(&text));
    words->failed |= text.failed;
    lc_buf_free(&text);
}

static bool word_is_program(const struct lc_launch_line *line, int i)
{
    for (int k = 0; k < line->programs; k++)
        if (line->program[k] == i)
            return true;
    return false;
}

static int variables_carry_by_environment(const struct lc_launch_line *line, char *const *variables,
                                          struct lc_composed *out, struct lc_error *err)
{
    switch (lc_launcher_table(line->launcher)->carry) {
    case LC_CARRY_NONE:
        lc_argv_add_all(&out->environment, variables);
        return 0;
    case LC_CARRY_EXPORT:
        if (values_check(variables, ',', err) < 0)
            return -1;
        if (!line->own_export && !line->drops_environment)
            environment_set_list(out, SLURM_LIST, "ALL", variables, ',');
        return 0;
    case LC_CARRY_LIST:
        if (line->has_x)
            return 0;
        if (values_check(variables, ';', err) < 0)
            return -1;
        environment_set_list(out, OPENMPI_LIST, NULL, variables, ';');
        return 0;
    default:
        return 0;
    }
}

int lc_compose_ranks(const struct lc_launch_line *line, char *const *variables, char *const *prefix,
                     struct lc_composed *out, struct lc_error *err)
{
    if (*variables && variables_carry_by_environment(line, variables, out, err) < 0)
        return -1;
    for (int i = 0; line->argv[i]; i++) {
        carrying_options_add(line, i, variables, &out->words);
        if (prefix && line->understood && word_is_program(line, i))
            lc_argv_add_all(&out->words, prefix);
        word_add(line, i, variables, &out->words);
    }
    if (!out->words.failed && !out->environment.failed)
        return 0;
    errno = ENOMEM;
    return lc_error_errno(err, "cannot compose the launch line");
}
