/* SPDX-License-Identifier: MIT */
/* per_node.c - one process on each node that a launch line may use
 *
 * Options that choose nodes are kept, those that place ranks are dropped. It does no harm to stage
 * on more nodes than the line will use. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/compose.h"
#include "launch/launcher_options.h"
#include "util/path.h"

static long variable_number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;

    return text && end != text && !*end && n > 0 ? n : 0;
}

long lc_compose_slurm_nodes(void)
{
    long n = variable_number("SLURM_JOB_NUM_NODES");

    return getenv("SLURM_JOB_ID") ? (n ? n : variable_number("SLURM_NNODES")) : 0;
}

/* Count the different lines of a file: PBS lists a node once per slot. */
static long hosts_count(const char *file)
{
    char line[512], last[64][256];
    long n = 0;
    FILE *f = file ? fopen(file, "re") : NULL;

    while (f && fgets(line, sizeof(line), f)) {
        bool seen = false;
        line[strcspn(line, "\n")] = '\0';
        for (long k = n > 64 ? n - 64 : 0; k < n; k++)
            seen |= strncmp(last[k % 64], line, 255) == 0;
        if (!seen && line[0])
            snprintf(last[n++ % 64], sizeof(last[0]), "%.255s", line);
    }
    if (f)
        fclose(f);
    return n;
}

/* How many words the option at 'at' takes with its value. */
static int option_words(const struct lc_launcher_table *table, char *const *at)
{
    const char *word = at[0];
    int len = (int)strcspn(word, "=");

    if (word[len] == '=')
        return 1;
    if (lc_option_list_has(table->two, word, len))
        return lc_option_two_words(at[1]);
    if (lc_option_list_has(table->one, word, len) || lc_option_list_has(table->opaque, word, len))
        return 2;
    int n = table->getopt && word[1] != '-' ? lc_option_cluster_words(table, word) : 1;
    return n > 0 ? n : 1;
}

static bool option_is_kept(const struct lc_launcher_table *table, const char *list,
                           const char *word)
{
    int len = (int)strcspn(word, "=");

    return lc_option_list_has(list, word, len) ||
           (table->getopt && word[1] != '-' && lc_option_list_has(list, word, 2));
}

void lc_compose_kept(const struct lc_launch_line *line, int part, const char *list,
                     struct lc_argv *out)
{
    const struct lc_launcher_table *table = lc_launcher_table(line->launcher);

    for (int i = line->part[part]; line->argv[i] && line->argv[i][0] == '-';) {
        int n = option_words(table, line->argv + i);
        bool keep = option_is_kept(table, list, line->argv[i]);
        for (; n > 0 && line->argv[i]; n--, i++)
            if (keep)
                lc_argv_add(out, line->argv[i]);
    }
}

static bool words_have_nodes(const struct lc_argv *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (strncmp(words->item[i], "-N", 2) == 0 || strncmp(words->item[i], "--nodes", 7) == 0)
            return true;
    return false;
}

/* Add words for all nodes of the allocation, however many the line asks for. */
static int slurm_words_add(const char *srun, struct lc_argv *out, struct lc_error *err)
{
    long nodes = lc_compose_slurm_nodes();

    if (nodes == 0) {
        errno = ENOENT;
        return lc_error_set(err, "outside an allocation srun would choose other nodes for staging "
                                 "than for the program; use salloc or sbatch, or --via fs");
    }
    lc_argv_add(out, srun);
    lc_argv_printf(out, "--nodes=%ld", nodes);
    lc_argv_printf(out, "--ntasks=%ld", nodes);
    lc_words_split(out, lc_launcher_table(LC_LAUNCHER_SRUN)->per_node);
    return 0;
}

static int pbs_nodes_add(struct lc_argv *out, struct lc_error *err)
{
    long nodes = hosts_count(getenv("PBS_NODEFILE"));

    if (nodes == 0) {
        errno = ENOENT;
        return lc_error_set(err,
                            "outside a PBS job (no $PBS_NODEFILE): cannot tell how many nodes "
                            "there are; give the words that start one process per node by --with");
    }
    lc_argv_printf(out, "-n");
    lc_argv_printf(out, "%ld", nodes);
    return 0;
}

int lc_compose_allocation(struct lc_argv *out, struct lc_error *err)
{
    char path[4096];

    if (lc_compose_slurm_nodes() > 0 && lc_path_find_program(path, sizeof(path), "srun", NULL) == 0)
        return slurm_words_add("srun", out, err);
    return 0;
}

int lc_compose_per_node(const struct lc_launch_line *line, struct lc_argv *out,
                        struct lc_error *err)
{
    const struct lc_launcher_table *table = lc_launcher_table(line->launcher);

    if (line->launcher == LC_LAUNCHER_NONE)
        return lc_compose_allocation(out, err);
    if (line->launcher == LC_LAUNCHER_SRUN)
        return slurm_words_add(line->argv[line->at], out, err);
    for (int i = line->at; i < line->options; i++)
        lc_argv_add(out, line->argv[i]);
    for (int k = 0; line->understood && k < line->parts; k++)
        lc_compose_kept(line, k, table->keep, out);
    if (line->launcher == LC_LAUNCHER_FLUX && !words_have_nodes(out)) {
        lc_argv_free(out);
        return lc_words_split(out, "flux exec -r all");
    }
    lc_words_split(out, table->per_node);
    return line->launcher == LC_LAUNCHER_PALS ? pbs_nodes_add(out, err) : 0;
}
