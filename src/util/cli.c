/* SPDX-License-Identifier: MIT */
/* cli.c - parse a command line by its table */
#include "util/cli.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "util/human.h"
#include "util/nearest.h"

enum { MOST_OPTIONS = 64 };

/* State of parsing; words are moved behind the options. */
struct parser {
    const struct lc_cli *cli;
    int argc;
    char **argv;
    int at;
    struct lc_error *err;
};

static bool is_end(const struct lc_opt *opt)
{
    return !opt->help;
}

static const struct lc_opt *find_long(const struct lc_cli *cli, const char *name, size_t len)
{
    for (const struct lc_opt *o = cli->opts; !is_end(o); o++)
        if (o->name && o->type != LC_OPT_HEADING && strlen(o->name) == len &&
            memcmp(o->name, name, len) == 0)
            return o;
    return NULL;
}

static const struct lc_opt *find_letter(const struct lc_cli *cli, char letter)
{
    for (const struct lc_opt *o = cli->opts; !is_end(o); o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

static int unknown_long_option(const struct parser *p, const char *name, size_t len)
{
    const char *names[MOST_OPTIONS + 1];
    char word[64];
    size_t n = 0;

    for (const struct lc_opt *o = p->cli->opts; !is_end(o) && n < MOST_OPTIONS; o++)
        if (o->name)
            names[n++] = o->name;
    names[n] = NULL;
    snprintf(word, sizeof(word), "%.*s", (int)len, name);
    const char *near = lc_nearest(word, names);
    if (near)
        return lc_error_set(p->err, "unknown option '--%s'; did you mean '--%s'?", word, near);
    return lc_error_set(p->err, "unknown option '--%s'", word);
}

static int set_choice(const struct lc_opt *o, const char *what, const char *text,
                      struct lc_error *err)
{
    char all[256] = "";

    for (const char *const *c = o->choices; *c; c++) {
        if (strcmp(*c, text) == 0) {
            *(const char **)o->value = *c;
            return 0;
        }
        size_t n = strlen(all);
        snprintf(all + n, sizeof(all) - n, "%s%s", n ? ", " : "", *c);
    }
    return lc_error_set(err, "%s: '%s' is none of %s", what, text, all);
}

static int add_string(const struct lc_opt *o, const char *what, const char *text,
                      struct lc_error *err)
{
    struct lc_strings *list = o->value;

    if (list->count == sizeof(list->item) / sizeof(*list->item))
        return lc_error_set(err, "%s: given more than %zu times", what, list->count);
    list->item[list->count++] = text;
    return 0;
}

static int set_value(const struct lc_opt *o, const char *what, const char *text,
                     struct lc_error *err)
{
    switch (o->type) {
    case LC_OPT_LONG:
        return lc_parse_long(what, text, (long)o->min, (long)o->max, o->value, err);
    case LC_OPT_DOUBLE:
        return lc_parse_double(what, text, o->min, o->max, o->value, err);
    case LC_OPT_BYTES:
        return lc_parse_bytes(what, text, o->min, o->max, o->value, err);
    case LC_OPT_SECONDS:
        return lc_parse_seconds(what, text, o->min, o->max, o->value, err);
    case LC_OPT_CHOICE:
        return set_choice(o, what, text, err);
    case LC_OPT_STRINGS:
        return add_string(o, what, text, err);
    default:
        *(const char **)o->value = text;
        return 0;
    }
}

/* The option's argument: the text behind '=' or the letter, or the next word. */
static const char *option_argument(struct parser *p, const struct lc_opt *o, const char *what,
                                   const char *attached)
{
    if (attached)
        return attached;
    if (p->at + 1 < p->argc)
        return p->argv[++p->at];
    lc_error_set(p->err, "%s: needs an argument (%s)", what, o->arg);
    return NULL;
}

static int set_pair(struct parser *p, const struct lc_opt *o, const char *what,
                    const char *attached)
{
    long *pair = o->value;

    for (int i = 0; i < 2; i++) {
        const char *text = option_argument(p, o, what, i ? NULL : attached);
        if (!text || lc_parse_long(what, text, (long)o->min, (long)o->max, &pair[i], p->err) < 0)
            return -1;
    }
    return 0;
}

static int set_option(struct parser *p, const struct lc_opt *o, const char *what,
                      const char *attached)
{
    if (o->type == LC_OPT_FLAG) {
        if (attached)
            return lc_error_set(p->err, "%s: takes no argument", what);
        *(bool *)o->value = true;
        return 0;
    }
    if (o->type == LC_OPT_PAIR)
        return set_pair(p, o, what, attached);
    const char *text = option_argument(p, o, what, attached);
    return text ? set_value(o, what, text, p->err) : -1;
}

static int parse_long_option(struct parser *p, const char *name)
{
    const char *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct lc_opt *o = find_long(p->cli, name, len);
    char what[72];

    if (!o)
        return unknown_long_option(p, name, len);
    snprintf(what, sizeof(what), "--%s", o->name);
    return set_option(p, o, what, equals ? equals + 1 : NULL);
}

/* Report an unknown letter, with a hint: it is often meant for the program that the command runs.
 */
static int unknown_letter_option(const struct parser *p, char letter)
{
    if (p->cli->example)
        return lc_error_set(
            p->err, "unknown option '-%c'; options of the program stand behind its name: '%s'",
            letter, p->cli->example);
    return lc_error_set(p->err, "unknown option '-%c'", letter);
}

/* "-abc": flags may be joined; the first letter that takes an argument takes the rest. */
static int parse_letters(struct parser *p, const char *letters)
{
    for (; *letters; letters++) {
        const struct lc_opt *o = find_letter(p->cli, *letters);
        const char what[] = {'-', *letters, '\0'};
        if (!o)
            return unknown_letter_option(p, *letters);
        if (o->type != LC_OPT_FLAG)
            return set_option(p, o, what, letters[1] ? letters + 1 : NULL);
        if (set_option(p, o, what, NULL) < 0)
            return -1;
    }
    return 0;
}

static void print_version(const struct lc_cli *cli, FILE *out)
{
    fprintf(out, "%.*s %s\n", (int)strcspn(cli->name, " "), cli->name, LC_VERSION);
}

/* Handle --help and --version, and what the build asks for: --help=man (source of the manual),
 * --help=bash and --help=zsh (completion). */
static bool help_answer(const struct lc_cli *cli, const char *word)
{
    static const struct {
        const char *word;
        void (*print)(const struct lc_cli *cli, FILE *out);
    } all[] = {{"--help", lc_cli_help},
               {"--version", print_version},
               {"--help=man", lc_cli_man},
               {"--help=bash", lc_cli_complete_bash},
               {"--help=zsh", lc_cli_complete_zsh}};

    if (strcmp(word, "-h") == 0 && !find_letter(cli, 'h'))
        word = "--help";
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (strcmp(word, all[i].word) == 0) {
            all[i].print(cli, stdout);
            return true;
        }
    return false;
}

int lc_cli_parse(const struct lc_cli *cli, int argc, char **argv, int *first, struct lc_error *err)
{
    struct parser p = {cli, argc, argv, 1, err};
    char **words = calloc((size_t)argc + 1, sizeof(*words));
    int count = 0, rc = -1;

    if (!words)
        return lc_error_errno(err, "cannot read the command line");
    for (; p.at < argc; p.at++) {
        char *word = argv[p.at];
        if (strcmp(word, "--") == 0) {
            p.at++;
            break;
        }
        if (help_answer(cli, word)) {
            rc = LC_CLI_DONE;
            goto out;
        }
        if (word[0] == '-' && word[1] == '-') {
            if (parse_long_option(&p, word + 2) < 0)
                goto out;
        } else if (word[0] == '-' && word[1]) {
            if (parse_letters(&p, word + 1) < 0)
                goto out;
        } else if (cli->stop_at_word) {
            break;
        } else {
            words[count++] = word;
        }
    }
    *first = p.at - count;
    memcpy(argv + *first, words, (size_t)count * sizeof(*words));
    rc = 0;
out:
    free(words);
    return rc;
}

int lc_cli_parse_options(const struct lc_cli *cli, int argc, char **argv, struct lc_error *err)
{
    int first, rc = lc_cli_parse(cli, argc, argv, &first, err);

    return rc == 0 && first != argc ? lc_error_set(err, "takes no arguments, got '%s'", argv[first])
                                    : rc;
}

int lc_cli_fail(const struct lc_cli *cli, int code, const struct lc_error *err)
{
    fprintf(stderr, "%s: %s\n", cli->name, err->text);
    return code;
}
