/* SPDX-License-Identifier: MIT */
/* plain_line.c - find the user's line in the arguments of 'loadcast', and execute it. Freestanding
 */
#include "front/plain_line.h"

#include <stdbool.h>

#include "front/commands.h"
#include "image/bytes.h"
#include "node/syscall.h"
#include "node/watched.h"

enum { PATH_SIZE = 4096, MOST_WORDS = 1024, NO_ENTRY = 2, NO_FORMAT = 8, NO_ACCESS = 13 };

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && !lc_bytes_same(word, *list))
        list++;
    return *list;
}

static bool is_command(const char *word)
{
#define NAME(name, summary) #name,
    static const char *const names[] = {LC_COMMANDS(NAME) "help", NULL};
#undef NAME

    return is_one_of(word, names);
}

/* The words behind "--", or those of 'run' without an option. */
static char **line_of_command(char **argv)
{
    static const char *const not_left_out[] = {"--strict", "--dry-run", "--help", "-h", NULL};
    char **word = argv + 2;

    if (lc_bytes_same(argv[1], "run") && *word && (*word)[0] != '-')
        return word;
    for (; *word && !lc_bytes_same(*word, "--"); word++)
        if (is_one_of(*word, not_left_out))
            return NULL;
    return *word && word[1] ? word + 1 : NULL;
}

char **lc_plain_line_find(char **argv)
{
    static const char *const runs[] = {"run", "exec", NULL};

    if (!argv[0] || !argv[1])
        return NULL;
    if (lc_bytes_same(argv[1], LC_WATCHED_RANK))
        return argv[2] && argv[3] ? argv + 3 : NULL;
    if (is_one_of(argv[1], runs))
        return line_of_command(argv);
    return argv[1][0] == '-' || is_command(argv[1]) ? NULL : argv + 1;
}

static const char *path_variable(char **env)
{
    for (; *env; env++)
        if (lc_bytes_compare("PATH=", *env, 5) == 0)
            return *env + 5;
    return "/bin:/usr/bin";
}

/* A file without #! is for the shell, as execvp has it. */
static long path_execute(const char *path, char **line, char **env)
{
    static char *words[MOST_WORDS]; /* too large for a limited stack */
    long rc = LC_SYS3(__NR_execve, path, line, env);
    int n = 1;

    if (-rc != NO_FORMAT)
        return rc;
    words[0] = "/bin/sh";
    words[1] = (char *)(unsigned long)path;
    for (; line[n] && n + 2 < MOST_WORDS; n++)
        words[n + 1] = line[n];
    return line[n] ? rc : LC_SYS3(__NR_execve, words[0], words, env);
}

static bool has_slash(const char *name)
{
    while (*name && *name != '/')
        name++;
    return *name;
}

int lc_plain_line_execute(char **line, char **env)
{
    char path[PATH_SIZE];
    int error = NO_ENTRY;

    if (has_slash(line[0]))
        return (int)-path_execute(line[0], line, env);
    for (const char *dir = path_variable(env);;) {
        size_t n = 0;
        while (dir[n] && dir[n] != ':')
            n++;
        if (lc_bytes_join(path, PATH_SIZE, dir, n, line[0])) {
            long rc = path_execute(path, line, env);
            error = -rc == NO_ACCESS ? NO_ACCESS : error;
        }
        if (!dir[n])
            return error;
        dir += n + 1;
    }
}
