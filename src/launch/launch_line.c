/* SPDX-License-Identifier: MIT */
/* launch_line.c - what does a launch line start, and where? */
#include "launch/launch_line.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "launch/launcher_facts.h"
#include "launch/launcher_options.h"
#include "launch/step.h"
#include "launch/words.h"
#include "store/facts.h"
#include "util/path.h"

static bool word_starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static bool word_is(const char *word, const char *other)
{
    return word && strcmp(word, other) == 0;
}

/* How many words at the beginning are a command that runs the rest, such as env or nice; 0: none.
 */
static int command_prefix_words(char *const *argv)
{
    const char *name = lc_path_base(argv[0]);
    int n = 1;

    if (word_is(name, "env") || word_is(name, "time")) {
        while (argv[n] &&
               (lc_words_assignment(argv[n]) || word_is(argv[n], "-p") || word_is(argv[n], "-v")))
            n++;
        return n;
    }
    if (word_is(name, "ionice")) {
        while (argv[n] && argv[n][0] == '-')
            n += word_is(argv[n], "-c") || word_is(argv[n], "-n") ? 2 : 1;
        return argv[n - 1] ? n : 0;
    }
    if (word_is(name, "nohup") || word_is(name, "exec") || word_is(name, "setsid"))
        return n;
    if (word_is(name, "timeout")) {
        while (argv[n] && argv[n][0] == '-')
            n += word_is(argv[n], "-k") || word_is(argv[n], "-s") ? 2 : 1;
        return argv[n] ? n + 1 : 0;
    }
    if (word_is(name, "nice"))
        return word_is(argv[1], "-n") && argv[2] ? 3 : argv[1] && argv[1][0] == '-' ? 2 : 1;
    return 0;
}

/* The launcher that a program's name stands for; LC_LAUNCHER_NONE if it stands for several. */
static enum lc_launcher launcher_by_own_name(const char *name)
{
    static const struct {
        const char *name;
        enum lc_launcher is;
    } known[] = {
        {"srun", LC_LAUNCHER_SRUN},
        {"jsrun", LC_LAUNCHER_JSRUN},
        {"aprun", LC_LAUNCHER_APRUN},
        {"orterun", LC_LAUNCHER_OPENMPI},
        {"prterun", LC_LAUNCHER_OPENMPI},
        {"mpiexec.openmpi", LC_LAUNCHER_OPENMPI},
        {"mpirun.openmpi", LC_LAUNCHER_OPENMPI},
        {"mpiexec.hydra", LC_LAUNCHER_HYDRA},
        {"mpiexec.mpich", LC_LAUNCHER_HYDRA},
        {"mpirun.mpich", LC_LAUNCHER_HYDRA},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (word_is(name, known[i].name))
            return known[i].is;
    return LC_LAUNCHER_NONE;
}

static enum lc_launcher launcher_by_name(const char *word, const char *next, lc_launcher_ask *ask)
{
    const char *name = lc_path_base(word);
    enum lc_launcher is = launcher_by_own_name(name);

    if (is != LC_LAUNCHER_NONE)
        return is;
    if (word_is(name, "flux") && (word_is(next, "run") || word_is(next, "submit")))
        return LC_LAUNCHER_FLUX;
    if (word_is(name, "mpiexec") || word_is(name, "mpirun"))
        return ask ? ask(word) : lc_launcher_flavour(word);
    return LC_LAUNCHER_NONE;
}

static void __attribute__((format(printf, 2, 3)))
line_fail(struct lc_launch_line *line, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(line->why, sizeof(line->why), fmt, args);
    va_end(args);
    line->understood = false;
}

/* Note options that decide how variables reach the ranks. */
static void option_note(struct lc_launch_line *line, int i, int name_len)
{
    const char *word = line->argv[i];
    bool attached = word[name_len] == '=';
    const char *value = attached ? word + name_len + 1 : line->argv[i + 1];

    if (line->launcher == LC_LAUNCHER_SRUN && name_len == 8 && word_starts(word, "--export")) {
        line->own_export = attached ? i : i + 1;
        if (value && (strcasecmp(value, "NONE") == 0 || strcasecmp(value, "NIL") == 0)) {
            line->drops_environment = true;
            line->dropped_by = i;
        }
    }
    if (line->launcher == LC_LAUNCHER_OPENMPI && name_len == 2 && word_starts(word, "-x"))
        line->has_x = true;
}

/* How many words the option at i takes with its values; -1: unknown. */
static int option_words(struct lc_launch_line *line, int i)
{
    const struct lc_launcher_table *table = lc_launcher_table(line->launcher);
    const char *word = line->argv[i];
    int len = (int)strcspn(word, "=");
    bool attached = word[len] == '=';

    option_note(line, i, len);
    if (lc_option_list_has(table->opaque, word, len) && !attached)
        return line->launcher == LC_LAUNCHER_SRUN ? 1 : 2;
    if (lc_option_list_has(table->one, word, len))
        return attached ? 1 : 2;
    if (lc_option_list_has(table->two, word, len))
        return attached ? -1 : lc_option_two_words(line->argv[i + 1]);
    if (lc_option_list_has(table->flag, word, len))
        return 1;
    if (attached && word[1] == '-')
        return 1; /* --new-option=value is one word, whatever it means */
    return table->getopt && word[1] != '-' ? lc_option_cluster_words(table, word) : -1;
}

/* Note a program of the line. 'env -i' drops the variables that we set. */
static void program_note(struct lc_launch_line *line, int i)
{
    if (line->programs < LC_LAUNCH_LINE_PROGRAMS)
        line->program[line->programs++] = i;
    else
        line_fail(line, "more than %d programs", LC_LAUNCH_LINE_PROGRAMS);
    if (!word_is(lc_path_base(line->argv[i]), "env"))
        return;
    for (int k = i + 1; line->argv[k] && line->argv[k][0] == '-'; k++)
        if (word_is(line->argv[k], "-i") || word_is(line->argv[k], "-") ||
            word_is(line->argv[k], "--ignore-environment")) {
            line->drops_environment = true;
            line->dropped_by = k;
        }
}

/* Parse one part of the line, from its options at i on. The index of its ":" or of the end; -1 if
 * an option is not known. */
static int part_parse(struct lc_launch_line *line, int i)
{
    const struct lc_launcher_table *table = lc_launcher_table(line->launcher);
    bool opaque = false;

    if (line->parts < LC_LAUNCH_LINE_PROGRAMS)
        line->part[line->parts++] = i;
    while (line->argv[i] && line->argv[i][0] == '-' && line->argv[i][1]) {
        if (word_is(line->argv[i], "--")) {
            i++;
            break;
        }
        opaque |=
            lc_option_list_has(table->opaque, line->argv[i], (int)strcspn(line->argv[i], "="));
        int n = option_words(line, i);
        if (n < 0) {
            line_fail(line, "'%s' is no option of %s that is known here", line->argv[i],
                      table->name);
            return -1;
        }
        while (n-- > 0 && line->argv[i])
            i++;
    }
    if (!line->argv[i] && !opaque)
        line_fail(line, "no program is on the line");
    else if (line->argv[i] && !opaque)
        program_note(line, i);
    while (line->argv[i] && !(table->colon && word_is(line->argv[i], ":")))
        i++;
    return i;
}

void lc_launch_line_parse(struct lc_launch_line *line, char *const *argv, lc_launcher_ask *ask)
{
    int at = 0, n;

    *line = (struct lc_launch_line){.argv = argv, .understood = true};
    while (argv[at] && (n = command_prefix_words(argv + at)) > 0 && argv[at + n] &&
           argv[at + n][0] != '-')
        at += n;
    line->launcher = argv[at] ? launcher_by_name(argv[at], argv[at + 1], ask) : LC_LAUNCHER_NONE;
    if (line->launcher == LC_LAUNCHER_NONE) {
        program_note(line, 0);
        return;
    }
    line->at = at;
    line->options = at + (line->launcher == LC_LAUNCHER_FLUX ? 2 : 1);
    for (int i = line->options; i >= 0;) {
        i = part_parse(line, i);
        if (i < 0 || !argv[i])
            break;
        i++;
    }
    const char *exported = getenv("SLURM_EXPORT_ENV");
    if (line->launcher == LC_LAUNCHER_SRUN && !line->own_export && exported &&
        (strcasecmp(exported, "NONE") == 0 || strcasecmp(exported, "NIL") == 0)) {
        line->drops_environment = true;
        line->dropped_by = -1;
    }
}

/* "mpiexec" is often a link to a program that is named after its implementation: orterun,
 * mpiexec.hydra. */
static enum lc_launcher launcher_by_link(const char *program)
{
    char path[PATH_MAX], real[PATH_MAX];

    if (lc_path_find_program(path, sizeof(path), program, NULL) < 0 || !realpath(path, real))
        return LC_LAUNCHER_NONE;
    return launcher_by_own_name(lc_path_base(real));
}

static enum lc_launcher flavour_ask(const char *program)
{
    char text[4096];

    lc_step_ask(program, "--version", NULL, text, sizeof(text));
    if (strstr(text, "Open MPI") || strstr(text, "OpenRTE") || strstr(text, "PRRTE"))
        return LC_LAUNCHER_OPENMPI;
    if (strstr(text, "HYDRA") || strstr(text, "Intel(R) MPI"))
        return LC_LAUNCHER_HYDRA;
    if (strstr(text, "PALS") || strstr(text, "pals"))
        return LC_LAUNCHER_PALS;
    return LC_LAUNCHER_NONE;
}

/* Names of flavours in the store. */
static const char *const flavours[LC_LAUNCHERS] = {
    [LC_LAUNCHER_OPENMPI] = "openmpi",
    [LC_LAUNCHER_HYDRA] = "hydra",
    [LC_LAUNCHER_PALS] = "pals",
};

static enum lc_launcher flavour_by_name(const char *name)
{
    for (int i = 0; i < LC_LAUNCHERS; i++)
        if (flavours[i] && strcmp(flavours[i], name) == 0)
            return (enum lc_launcher)i;
    return LC_LAUNCHER_NONE;
}

/* A launcher is started once to be asked, not several times in each run: its start may search the
 * shared file system for its libraries. */
static enum lc_launcher flavour_ask_once(const char *program)
{
    static char asked[LC_FACT_NAME]; /* the last one, for users without a store */
    static enum lc_launcher answer;
    char name[LC_FACT_NAME], known[16] = "";

    if (!lc_launcher_fact_name(name, "flavour", program, ""))
        return flavour_ask(program);
    if (strcmp(name, asked) == 0)
        return answer;
    if (lc_store_fact_read(name, known, sizeof(known)))
        answer = flavour_by_name(known);
    else
        answer = LC_LAUNCHER_NONE;
    if (answer == LC_LAUNCHER_NONE) {
        answer = flavour_ask(program);
        if (flavours[answer])
            lc_store_fact_write(name, flavours[answer]);
    }
    strcpy(asked, name);
    return answer;
}

enum lc_launcher lc_launcher_flavour(const char *program)
{
    enum lc_launcher is = launcher_by_link(program);

    return is != LC_LAUNCHER_NONE ? is : flavour_ask_once(program);
}
