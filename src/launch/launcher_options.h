/* SPDX-License-Identifier: MIT */
/* launcher_options.h - the options of each launcher */
#ifndef LC_LAUNCH_LAUNCHER_OPTIONS_H
#define LC_LAUNCH_LAUNCHER_OPTIONS_H

#include <stdbool.h>

#include "launch/launch_line.h"

/* How a launcher is told to set a variable for the ranks and not for itself. */
enum lc_carry {
    LC_CARRY_NONE,   /* by the environment it was started in */
    LC_CARRY_EXPORT, /* srun: SLURM_EXPORT_ENV, or --export on the line */
    LC_CARRY_LIST,   /* OpenMPI: mca_base_env_list, or -x where the line uses it */
    LC_CARRY_PAIR,   /* OPTION NAME VALUE */
    LC_CARRY_ASSIGN, /* OPTION NAME=VALUE */
};

/* Lists of options, separated by blanks. An option written with "=" is one word, whichever list it
 * is in. */
struct lc_launcher_table {
    const char *name;
    const char *one;      /* options that take one word as their value */
    const char *two;      /* options that take two words */
    const char *flag;     /* options that take none */
    const char *opaque;   /* options after which no program stands on the line; take one word unless
                             they are flags */
    const char *keep;     /* options to keep for one process per node: they choose or reach nodes */
    const char *pilot;    /* options to keep for a pilot, so that its task runs like the others */
    const char *per_node; /* options for one process per node */
    enum lc_carry carry;
    const char *carry_option;
    bool getopt; /* options of one letter may have their value attached: -N4 */
    bool colon;  /* ":" begins another program */
};

const struct lc_launcher_table *lc_launcher_table(enum lc_launcher launcher);

/* Is 'word' (its first len characters) in a list? */
bool lc_option_list_has(const char *list, const char *word, int len);

/* How many words an option of 'two' takes with its value, by the word after it: hydra and PALS take
 * "-genv NAME=VALUE" as well as "-genv NAME VALUE". */
int lc_option_two_words(const char *next);

/* How many words a cluster of short options such as "-lN4" or "-ln" takes; -1: not known. */
int lc_option_cluster_words(const struct lc_launcher_table *table, const char *word);

#endif
