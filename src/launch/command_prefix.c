/* SPDX-License-Identifier: MIT */
/* command_prefix.c - commands that run the command behind them
 *
 * This decides what an image is named by, no more; so an option that is not known is taken for one
 * without a value. Where the launcher stands in a line is decided more strictly (launch_line.c). */
#include "launch/command_prefix.h"

#include <stdbool.h>
#include <string.h>

#include "launch/launcher_options.h"
#include "launch/words.h"
#include "util/path.h"

static const struct prefix {
    const char *name;
    const char *valued; /* options whose value is the next word */
    int operands;       /* words behind the options and before the command */
} prefixes[] = {
    {"env", "-u --unset -C --chdir", 0},
    {"time", "-f --format -o --output", 0},
    {"nice", "-n --adjustment", 0},
    {"ionice", "-c --class -n --classdata", 0},
    {"numactl",
     "-N --cpunodebind -m --membind -C --physcpubind -i --interleave -p --preferred -P "
     "--preferred-many -w --weighted-interleave",
     0},
    {"taskset", "", 1},
    {"chrt", "-T --sched-runtime -P --sched-period -D --sched-deadline", 1},
    {"timeout", "-k --kill-after -s --signal", 1},
    {"stdbuf", "-i --input -o --output -e --error", 0},
    {"likwid-pin", "-c -s -t", 0},
    {"exec", "-a", 0},
    {"command", "", 0},
    {"nohup", "", 0},
    {"setsid", "", 0},
    {"catchsegv", "", 0},
};

static const struct prefix *prefix_find(const char *word)
{
    const char *name = lc_path_base(word);

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (strcmp(name, prefixes[i].name) == 0)
            return &prefixes[i];
    return NULL;
}

static int assignments_take(char *const *words, struct lc_argv *assigned)
{
    int n = 0;

    for (; words[n] && lc_words_assignment(words[n]); n++)
        lc_argv_add(assigned, words[n]);
    return n;
}

/* The options at words[i], and the index behind them. */
static int options_skip(const struct prefix *prefix, char *const *words, int i)
{
    while (words[i] && words[i][0] == '-' && words[i][1]) {
        const char *word = words[i++];
        if (strcmp(word, "--") == 0)
            break;
        if (lc_option_list_has(prefix->valued, word, (int)strlen(word)) && words[i])
            i++;
    }
    return i;
}

int lc_command_prefix(char *const *words, struct lc_argv *assigned)
{
    const struct prefix *prefix = prefix_find(words[0]);
    int i = prefix ? options_skip(prefix, words, 1) : 0;

    i += assignments_take(words + i, assigned);
    for (int k = 0; prefix && k < prefix->operands && words[i]; k++)
        i++;
    return words[i] ? i : 0;
}
