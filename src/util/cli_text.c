/* SPDX-License-Identifier: MIT */
/* cli_text.c - print an option table as --help text and as manual source */
#include "util/cli.h"

#include <ctype.h>
#include <string.h>

#include "util/human.h"

/* The option's present value as a user would type it; "" if there is nothing to show. */
static void default_format(const struct lc_opt *o, char *out, size_t size)
{
    const long *pair = o->value;

    out[0] = '\0';
    switch (o->type) {
    case LC_OPT_LONG:
        snprintf(out, size, "%ld", *(const long *)o->value);
        break;
    case LC_OPT_PAIR:
        snprintf(out, size, "%ld %ld", pair[0], pair[1]);
        break;
    case LC_OPT_DOUBLE:
        snprintf(out, size, "%g", *(const double *)o->value);
        break;
    case LC_OPT_BYTES:
        if (*(const double *)o->value > 0)
            snprintf(out, size, "%s", lc_human_bytes((uint64_t) * (const double *)o->value).s);
        break;
    case LC_OPT_SECONDS:
        if (*(const double *)o->value > 0)
            snprintf(out, size, "%s", lc_human_seconds(*(const double *)o->value).s);
        break;
    case LC_OPT_STRING:
    case LC_OPT_CHOICE:
        if (*(const char **)o->value)
            snprintf(out, size, "%s", *(const char **)o->value);
        break;
    default:
        break;
    }
}

/* "-u, --utilities N F" */
static void names_format(const struct lc_opt *o, char *out, size_t size)
{
    int n = 0;

    if (o->letter)
        n = snprintf(out, size, "-%c%s", o->letter, o->name ? ", " : "");
    if (o->name)
        n += snprintf(out + n, size - (size_t)n, "--%s", o->name);
    if (o->arg)
        snprintf(out + n, size - (size_t)n, " %s", o->arg);
}

/* The help sentence with its default value. */
static void help_format(const struct lc_opt *o, char *out, size_t size)
{
    char value[160];

    default_format(o, value, sizeof(value));
    snprintf(out, size, value[0] ? "%s (default: %s)" : "%s%s", o->help, value);
}

/* Wrap text into lines of at most 'width' columns, indented. */
static void text_wrap(FILE *out, const char *text, int indent, int width)
{
    int column = 0;

    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + n > width) {
            fprintf(out, "\n%*s", indent, "");
            column = 0;
        }
        column += fprintf(out, "%s%.*s", column ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    fputc('\n', out);
}

void lc_cli_help(const struct lc_cli *cli, FILE *out)
{
    char names[80], help[768];

    fprintf(out, "usage: %s %s\n%s\n", cli->name, cli->usage, cli->summary);
    if (cli->opts[0].help && cli->opts[0].type != LC_OPT_HEADING)
        fprintf(out, "\noptions:\n");
    for (const struct lc_opt *o = cli->opts; o->help; o++) {
        if (o->type == LC_OPT_HEADING) {
            fprintf(out, "\n%s:\n", o->help);
            continue;
        }
        names_format(o, names, sizeof(names));
        help_format(o, help, sizeof(help));
        if (strlen(names) > 22)
            fprintf(out, "  %s\n%26s", names, "");
        else
            fprintf(out, "  %-24s", names);
        text_wrap(out, help, 26, 72);
    }
    if (cli->notes)
        fprintf(out, "\n%s\n", cli->notes);
}

/* Print text with a backslash before the characters that scdoc treats specially. */
static void man_text_print(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("_*\\", *text) || (*text == '.' && !text[1]))
            fputc('\\', out);
        fputc(*text, out);
    }
}

void lc_cli_man(const struct lc_cli *cli, FILE *out)
{
    char help[768];

    for (const struct lc_opt *o = cli->opts; o->help; o++) {
        if (o->type == LC_OPT_HEADING) {
            fprintf(out, "## %c%s\n\n", toupper((unsigned char)o->help[0]), o->help + 1);
            continue;
        }
        if (o->letter)
            fprintf(out, "*-%c*%s", o->letter, o->name ? ", " : "");
        if (o->name)
            fprintf(out, "*--%s*", o->name);
        if (o->arg) {
            fprintf(out, " _");
            man_text_print(out, o->arg);
            fprintf(out, "_");
        }
        help_format(o, help, sizeof(help));
        fprintf(out, "\n\t");
        man_text_print(out, help);
        fprintf(out, ".\n\n");
    }
}
