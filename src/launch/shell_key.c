/* SPDX-License-Identifier: MIT */
/* shell_key.c - what a shell is told to run
 *
 * A command is seen through if it is one command, with "$@" for the arguments. Of a script the last
 * "exec" is, or the last command that runs "$@". All else is known by the script's path, or by the
 * code itself. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/command_prefix.h"
#include "launch/program_key.h"
#include "launch/words.h"
#include "util/io.h"
#include "util/path.h"

enum { SCRIPT = 65536 }; /* bytes of a script that are looked at */

static bool is_shell(const char *program)
{
    static const char *const shells[] = {"sh", "bash", "dash", "ksh", "ksh93", "mksh", "zsh"};

    for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
        if (strcmp(lc_path_base(program), shells[i]) == 0)
            return true;
    return false;
}

static bool word_is_arguments(const char *word)
{
    return strcmp(word, "$@") == 0 || strcmp(word, "${@}") == 0 || strcmp(word, "$*") == 0;
}

/* Is the text one command: no list, pipe, substitution or background? */
static bool text_is_one_command(const char *text)
{
    if (strpbrk(text, ";|`()\n"))
        return false;
    for (const char *p = strchr(text, '&'); p; p = strchr(p + 1, '&'))
        if (p[1] != '>' && (p == text || p[-1] != '>'))
            return false;
    return true;
}

/* Split one command, with the arguments for "$@". False: it is more than that. */
static bool command_split(const char *text, char *const *arguments, struct lc_argv *out)
{
    struct lc_argv words = {0};
    bool is_one = text_is_one_command(text) && lc_words_split(&words, text) == 0;

    for (size_t i = 0; is_one && i < words.count; i++)
        if (word_is_arguments(words.item[i]))
            lc_argv_add_all(out, arguments);
        else
            lc_argv_add(out, words.item[i]);
    is_one = is_one && out->count > 0 && !out->failed && !words.failed;
    lc_argv_free(&words);
    return is_one;
}

/* Does the command name its program? Variables among options before it, as in "numactl -N $node
 * app", do no harm. */
static bool command_is_known(char *const *words)
{
    struct lc_argv ignored = {0};
    int n;

    while ((n = lc_command_prefix(words, &ignored)) > 0)
        words += n;
    lc_argv_free(&ignored);
    return words[0][0] != '-' && !strpbrk(words[0], "$*?[~{#!<>");
}

/* Add what a command runs. False if it cannot be seen through. */
static bool command_see_through(struct lc_key_search *search, const char *text,
                                char *const *arguments)
{
    struct lc_argv words = {0};
    bool is_known = search->depth < LC_KEY_DEPTH && command_split(text, arguments, &words) &&
                    command_is_known(words.item) && lc_program_key_add(search, words.item) == 0;

    lc_argv_free(&words);
    return is_known;
}

/* "exec 2>log" is not. */
static bool line_is_exec(const char *line)
{
    if (strncmp(line, "exec", 4) != 0 || (line[4] != ' ' && line[4] != '\t'))
        return false;
    line += 4 + strspn(line + 4, " \t");
    return !strchr("<>", line[strspn(line, "0123456789")]);
}

/* Does a line run the script's arguments: "$@", or numactl and the like before it? */
static bool line_runs_arguments(const char *line)
{
    struct lc_argv words = {0}, ignored = {0};
    char *const literal[] = {"$@", NULL};
    bool is_split = strchr(line, '@') && command_split(line, literal, &words);
    char *const *at = words.item;
    int n;

    while (is_split && (n = lc_command_prefix(at, &ignored)) > 0)
        at += n;
    bool runs = is_split && word_is_arguments(at[0]);
    lc_argv_free(&words);
    lc_argv_free(&ignored);
    return runs;
}

/* The command in a line that the script becomes or ends in, or NULL: the line, or what stands
 * behind its last ";" or "&&". */
static const char *line_command(const char *line)
{
    const char *last = line;

    for (const char *p = line; *p; p++)
        if (*p == ';' || (p[0] == '&' && p[1] == '&'))
            last = p + (*p == ';' ? 1 : 2);
    last += strspn(last, " \t");
    if (line_is_exec(last) || line_runs_arguments(last))
        return last;
    return line_is_exec(line) ? line : NULL;
}

static void script_see_through(struct lc_key_search *search, char *text, char *const *arguments)
{
    const char *last = NULL;
    char *next;

    for (char *line = text; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        const char *command = line_command(line + strspn(line, " \t"));
        if (command)
            last = command;
    }
    if (last)
        command_see_through(search, last, arguments);
}

static void script_add(struct lc_key_search *search, const char *file, char *const *arguments)
{
    char text[SCRIPT + 1];
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : lc_read_at(fd, text, SCRIPT, 0);

    if (fd >= 0)
        close(fd);
    lc_key_add_file(search, "script", file);
    if (n > 0 && !memchr(text, '\0', (size_t)n)) {
        text[n] = '\0';
        script_see_through(search, text, arguments);
    }
    lc_store_key_name(search->key, file);
}

/* "bash -c CODE [NAME ARGUMENT...]": the shell itself leaves no trace in what the command loads. */
static void code_add(struct lc_key_search *search, const char *program, char *const *words)
{
    char *none[] = {NULL};
    char *const *arguments = words[1] ? words + 2 : none;

    if (command_see_through(search, words[0], arguments))
        return;
    lc_key_add_file(search, "program", program);
    lc_key_add_code(search, words[0]);
    if (strstr(words[0], "$@") && *arguments)
        lc_program_key_add(search, arguments);
}

bool lc_shell_key_add(struct lc_key_search *search, const char *program, char *const *words)
{
    bool is_code = false;
    int i = 1;

    if (!is_shell(program))
        return false;
    for (; words[i] && (words[i][0] == '-' || words[i][0] == '+') && words[i][1]; i++) {
        if (strcmp(words[i], "--") == 0) {
            i++;
            break;
        }
        bool is_long = words[i][1] == '-';
        is_code |= !is_long && words[i][0] == '-' && strchr(words[i], 'c');
        if ((!is_long && strpbrk(words[i] + 1, "oO")) || strcmp(words[i], "--rcfile") == 0)
            i += words[i + 1] != NULL;
    }
    if (words[i] && is_code) {
        code_add(search, program, words + i);
        return true;
    }
    lc_key_add_file(search, "program", program);
    if (words[i])
        script_add(search, words[i], words + i + 1);
    return true;
}
