/* SPDX-License-Identifier: MIT */
/* main.c - loadcast: find the subcommand and call it */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/completion.h"
#include "config.h"
#include "front/commands.h"
#include "front/hidden.h"
#include "node/watched.h"
#include "util/error.h"
#include "util/nearest.h"
#include "util/path.h"

#define COMMAND(name, summary) {#name, lc_cmd_##name, summary},
static const struct lc_command commands[] = {
    LC_COMMANDS(COMMAND){0},
};

enum { COUNT = sizeof(commands) / sizeof(*commands) - 1 };

static void print_help(FILE *out)
{
    fprintf(out, "usage: loadcast COMMAND [options]\n"
                 "       loadcast LAUNCH LINE          the same as: loadcast run -- LAUNCH LINE\n"
                 "Start programs on ten thousand nodes as fast as on one, and measure it.\n"
                 "\ncommands:\n");
    for (size_t i = 0; i < COUNT; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n'loadcast help COMMAND' lists its options; 'man loadcast' tells the story.\n");
}

static int unknown_command(const char *word)
{
    static const char *const others[] = {"help", "srun", "mpiexec", "mpirun", "python3"};
    const char *names[COUNT + sizeof(others) / sizeof(*others) + 1] = {NULL};

    for (size_t i = 0; i < COUNT; i++)
        names[i] = commands[i].name;
    memcpy(names + COUNT, others, sizeof(others));
    const char *near = lc_nearest(word, names);
    if (near)
        fprintf(stderr, "loadcast: no command or program '%s'; did you mean '%s'?\n", word, near);
    else
        fprintf(stderr, "loadcast: no command or program '%s'; 'loadcast --help' lists commands\n",
                word);
    return LC_EXIT_USAGE;
}

static const struct lc_command *command_find(const char *word)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(word, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

/* Is this the first word of a launch line? A path is, also if nothing is there: then the line fails
 * as it would without us. */
static bool is_program(const char *word)
{
    char path[PATH_MAX];

    return word[0] != '-' &&
           (strchr(word, '/') || lc_path_find_program(path, sizeof(path), word, NULL) == 0);
}

/* "loadcast srun ..." is "loadcast run -- srun ...". */
static int run_launch_line(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 3, sizeof(*words));

    if (!words) {
        fprintf(stderr, "loadcast: %s\n", strerror(errno));
        return LC_EXIT_SELF;
    }
    words[0] = "run";
    words[1] = "--";
    memcpy(words + 2, argv, (size_t)argc * sizeof(*words));
    int code = lc_cmd_run(argc + 2, words);
    free(words);
    return code;
}

/* Open /dev/null in place of standard streams that are closed, so that no file opened later gets
 * their numbers. Children still find those streams closed. */
static void occupy_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

/* Output that could not be written is a failure, also of --help. An earlier write may have failed
 * even if the last one succeeded. */
static int output_finish(int code)
{
    bool was_bad = ferror(stdout);

    if ((!fflush(stdout) && !was_bad) || code != LC_EXIT_OK)
        return code;
    fprintf(stderr, "loadcast: cannot write to standard output: %s\n",
            was_bad ? "some of it was lost" : strerror(errno));
    return LC_EXIT_FAILED;
}

/* Undo what the front changed in the environment, as if the user had started this program directly.
 */
static void front_undo(void)
{
    lc_front_swap_letter(environ, LC_FRONT_HIDDEN, LC_FRONT_LETTER);
    prctl(PR_SET_NAME, "loadcast");
}

/* A command of ours comes before a program of the same name. */
static int run_command(int argc, char **argv)
{
    const struct lc_command *command = command_find(argv[0]);

    if (command)
        return command->run(argc, argv);
    return is_program(argv[0]) ? run_launch_line(argc, argv) : unknown_command(argv[0]);
}

/* "help" prints the overview; "help run" is the same as "run --help". */
static int help_run(char *word)
{
    const struct lc_command *command = word ? command_find(word) : NULL;

    if (command)
        return command->run(2, (char *[]){word, "--help", NULL});
    if (word)
        return unknown_command(word);
    print_help(stdout);
    return LC_EXIT_OK;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

int main(int argc, char **argv)
{
    front_undo();
    occupy_standard_streams();
    if (argc < 2) {
        print_help(stderr);
        return LC_EXIT_USAGE;
    }
    if (is_help(argv[1]))
        return output_finish(help_run(argv[2]));
    if (strcmp(argv[1], "--version") == 0) {
        printf("loadcast %s\n", LC_VERSION);
        return output_finish(LC_EXIT_OK);
    }
    if (strcmp(argv[1], "--completion") == 0)
        return output_finish(lc_completion(argv[2], commands));
    if (strcmp(argv[1], LC_WATCHED_RANK) == 0 && argc > 3)
        return lc_watched_rank(argv + 2);
    return output_finish(run_command(argc - 1, argv + 1));
}
