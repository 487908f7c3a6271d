/* SPDX-License-Identifier: MIT */
/* cli_complete.c - an option table as shell code that completes command lines */
#include "util/cli.h"

#include <stdbool.h>
#include <string.h>

enum argument_kind { NOTHING, WORDS, FILES, DIRS, PROGRAMS };

/* The kind of completion for an option's argument, by the argument's name in the help text. */
static enum argument_kind argument_kind(const struct lc_opt *o)
{
    static const struct {
        const char *arg;
        enum argument_kind what;
    } known[] = {{"DIR", DIRS},        {"PREFIX", DIRS}, {"FILE", FILES},
                 {"IMAGE", FILES},     {"PATH", FILES},  {"LOG", FILES},
                 {"PATH|GLOB", FILES}, {"CC", PROGRAMS}, {"PYTHON", PROGRAMS}};

    if (o->type == LC_OPT_CHOICE)
        return WORDS;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (o->arg && strcmp(o->arg, known[i].arg) == 0)
            return known[i].what;
    return NOTHING;
}

static bool is_option(const struct lc_opt *o)
{
    return o->type != LC_OPT_HEADING;
}

static void print_choices(const struct lc_opt *o, FILE *out)
{
    for (const char *const *c = o->choices; *c; c++)
        fprintf(out, "%s%s", c == o->choices ? "" : " ", *c);
}

/* Print both names of an option, "-e --extern", separated by 'between'. */
static void print_names(const struct lc_opt *o, const char *between, FILE *out)
{
    if (o->letter)
        fprintf(out, "-%c%s", o->letter, o->name ? between : "");
    if (o->name)
        fprintf(out, "--%s", o->name);
}

/* Where a command line has the program to run: nowhere, as its first word, or behind "--". */
enum runs { RUNS_NOTHING, RUNS_FIRST_WORD, RUNS_BEHIND_DASHES };

static enum runs program_place(const struct lc_cli *cli)
{
    if (!cli->stop_at_word)
        return RUNS_NOTHING;
    return strstr(cli->usage, "[options] -- ") ? RUNS_FIRST_WORD : RUNS_BEHIND_DASHES;
}

/* ---- bash ---- */

static void print_all_names(const struct lc_cli *cli, bool all, FILE *out)
{
    for (const struct lc_opt *o = cli->opts; o->help; o++) {
        if (!is_option(o) || (!all && o->type == LC_OPT_FLAG))
            continue;
        print_names(o, " ", out);
        fputc(' ', out);
    }
}

static void print_bash_case(const struct lc_opt *o, FILE *out)
{
    static const char *const kind[] = {
        [FILES] = "file", [DIRS] = "directory", [PROGRAMS] = "command"};

    fprintf(out, "    ");
    print_names(o, "|", out);
    if (argument_kind(o) == WORDS) {
        fprintf(out, ") words='");
        print_choices(o, out);
        fprintf(out, "' ;;\n");
    } else {
        fprintf(out, ") kind=%s ;;\n", kind[argument_kind(o)]);
    }
}

void lc_cli_complete_bash(const struct lc_cli *cli, FILE *out)
{
    const char *blank = strrchr(cli->name, ' ');

    fprintf(out, "_loadcast_%s() {\n    options='", blank ? blank + 1 : cli->name);
    print_all_names(cli, true, out);
    fprintf(out, "--help'\n    valued=' ");
    print_all_names(cli, false, out);
    fprintf(out, "'\n    runs=%d\n    case $1 in\n", program_place(cli));
    for (const struct lc_opt *o = cli->opts; o->help; o++)
        if (is_option(o) && argument_kind(o) != NOTHING)
            print_bash_case(o, out);
    fprintf(out, "    esac\n}\n");
}

/* ---- zsh ---- */

/* Print text inside '...[text]', with zsh's special characters escaped. */
static void print_zsh_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr("[]\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* Print ":DIR:_files -/" for each argument of the option. */
static void print_zsh_argument(const struct lc_opt *o, FILE *out)
{
    static const char *const action[] = {[NOTHING] = " ",
                                         [FILES] = "_files",
                                         [DIRS] = "_files -/",
                                         [PROGRAMS] = "_command_names -e"};

    for (int i = 0; i < (o->type == LC_OPT_PAIR ? 2 : 1); i++) {
        fputc(':', out);
        for (const char *p = o->arg; *p; p++)
            fputc(*p == ':' ? ' ' : *p, out);
        fputc(':', out);
        if (argument_kind(o) == WORDS) {
            fputc('(', out);
            print_choices(o, out);
            fputc(')', out);
        } else {
            fputs(action[argument_kind(o)], out);
        }
    }
}

/* Print one spelling of an option: "'(-o --out)--out=[where to]:DIR:_files -/' \". */
static void print_zsh_spec(const struct lc_opt *o, bool is_letter, FILE *out)
{
    bool joined = o->type != LC_OPT_FLAG && o->type != LC_OPT_PAIR;

    fprintf(out, "        '");
    if (o->type == LC_OPT_STRINGS) {
        fputc('*', out);
    } else {
        fputc('(', out);
        print_names(o, " ", out);
        fputc(')', out);
    }
    if (is_letter)
        fprintf(out, "-%c%s[", o->letter, joined ? "+" : "");
    else
        fprintf(out, "--%s%s[", o->name, joined ? "=" : "");
    print_zsh_text(o->help, out);
    fputc(']', out);
    if (o->type != LC_OPT_FLAG)
        print_zsh_argument(o, out);
    fprintf(out, "' \\\n");
}

void lc_cli_complete_zsh(const struct lc_cli *cli, FILE *out)
{
    const char *blank = strrchr(cli->name, ' ');

    fprintf(out, "    (%s)\n        _arguments -s -S \\\n", blank ? blank + 1 : cli->name);
    for (const struct lc_opt *o = cli->opts; o->help; o++) {
        if (is_option(o) && o->letter)
            print_zsh_spec(o, true, out);
        if (is_option(o) && o->name)
            print_zsh_spec(o, false, out);
    }
    if (program_place(cli) == RUNS_FIRST_WORD)
        fprintf(out, "        '(-)1:command:_command_names -e' '*::arguments:_normal'\n");
    else if (program_place(cli) == RUNS_BEHIND_DASHES)
        fprintf(out, "        '(-)1:image:_files' '2:command:_command_names -e' "
                     "'*::arguments:_normal'\n");
    else
        fprintf(out, "        '*:file:_files'\n");
    fprintf(out, "        ;;\n");
}
