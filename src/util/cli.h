/* SPDX-License-Identifier: MIT */
/* cli.h - a command line as a table: parsing, --help and the manual's OPTIONS come from it */
#ifndef LC_UTIL_CLI_H
#define LC_UTIL_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

enum lc_opt_type {
    LC_OPT_FLAG,    /* bool: becomes true */
    LC_OPT_LONG,    /* long within [min, max] */
    LC_OPT_PAIR,    /* long[2]: takes two words, each within [min, max] */
    LC_OPT_DOUBLE,  /* double within [min, max] */
    LC_OPT_BYTES,   /* double: "64M", within [min, max] */
    LC_OPT_SECONDS, /* double: "60s", within [min, max] */
    LC_OPT_STRING,  /* const char *: points into argv */
    LC_OPT_STRINGS, /* struct lc_strings: the option may be given several times */
    LC_OPT_CHOICE,  /* const char *: one of choices */
    LC_OPT_HEADING, /* no option: 'help' is a heading in the help text */
};

struct lc_strings {
    const char *item[64];
    size_t count;
};

struct lc_opt {
    char letter;      /* 0: long name only */
    const char *name; /* NULL: letter only */
    enum lc_opt_type type;
    void *value;      /* holds the default; the parser overwrites it */
    const char *arg;  /* name of its argument in the help text */
    const char *help; /* one sentence, no full stop */
    double min, max;
    const char *const *choices; /* ends with NULL */
};

struct lc_cli {
    const char *name;          /* "loadcast trace" */
    const char *usage;         /* "[options] -- CMD [ARG...]" */
    const char *summary;       /* one line */
    const char *notes;         /* lines below the options; may be NULL */
    const struct lc_opt *opts; /* ends with a zeroed entry */
    bool stop_at_word;         /* options end at the first word (commands that run a program) */
    const char
        *example; /* for such a command: an example that shows where the program's own options go */
};

enum { LC_CLI_DONE = 1 };

/* Parse argv[1..]. The words that are not options are moved to the end and *first is the index of
 * the first of them. 0; LC_CLI_DONE when --help or --version was asked for and printed; -1 with err
 * filled. A default shown by --help is the value before parsing. */
int lc_cli_parse(const struct lc_cli *cli, int argc, char **argv, int *first, struct lc_error *err);

/* As lc_cli_parse, for a command that takes no words. */
int lc_cli_parse_options(const struct lc_cli *cli, int argc, char **argv, struct lc_error *err);

void lc_cli_help(const struct lc_cli *cli, FILE *out);

/* The OPTIONS section of the manual, in scdoc's notation. */
void lc_cli_man(const struct lc_cli *cli, FILE *out);

/* Shell code that completes the command's options: parts of what 'loadcast --completion' prints
 * (cmd/completion.c). For bash a function that lists the options and what may follow one of them;
 * for zsh a call of _arguments. */
void lc_cli_complete_bash(const struct lc_cli *cli, FILE *out);
void lc_cli_complete_zsh(const struct lc_cli *cli, FILE *out);

/* "loadcast trace: MESSAGE" on stderr. Returns code. */
int lc_cli_fail(const struct lc_cli *cli, int code, const struct lc_error *err);

#endif
