/* SPDX-License-Identifier: MIT */
/* launch_line_test.c - launch lines that centres and manuals print (corpus.txt), and what is made
 * of them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/compose.h"
#include "launch/launcher_options.h"
#include "util/test.h"

static enum lc_launcher bare; /* what a bare mpiexec is */

static enum lc_launcher ask(const char *program)
{
    (void)program;
    return bare;
}

static const char *const names[LC_LAUNCHERS] = {"none", "srun", "openmpi", "hydra",
                                                "pals", "flux", "jsrun",   "aprun"};

static enum lc_launcher by_name(const char *name)
{
    for (int i = 0; i < LC_LAUNCHERS; i++)
        if (strcmp(names[i], name) == 0)
            return (enum lc_launcher)i;
    fail_msg("no launcher '%s' in the corpus", name);
    return LC_LAUNCHER_NONE;
}

static void programs_of(const struct lc_launch_line *line, struct lc_buf *out)
{
    lc_buf_clear(out);
    for (int i = 0; i < line->programs; i++)
        lc_buf_printf(out, "%s%s", i ? "," : "", line->argv[line->program[i]]);
    if (!line->understood || line->programs == 0) {
        lc_buf_clear(out);
        lc_buf_puts(out, "-");
    }
}

/* The prefix stands before each program, and nothing else has changed. */
static void check_front(const struct lc_launch_line *line, const char *text)
{
    char *none[] = {NULL}, *front[] = {(char *)"@front", NULL};
    struct lc_composed c = {0};
    size_t at = 0, fronts = 0;
    struct lc_error err;

    assert_int_equal(lc_compose_ranks(line, none, front, &c, &err), 0);
    for (size_t i = 0; i < c.words.count; i++)
        if (strcmp(c.words.item[i], "@front") == 0)
            fronts++;
        else if (strcmp(c.words.item[i], line->argv[at++]) != 0)
            fail_msg("changed: %s", text);
    assert_null(line->argv[at]);
    assert_int_equal(fronts, line->understood ? (size_t)line->programs : 0);
    assert_int_equal(c.environment.count, 0);
    lc_composed_free(&c);
}

/* The variable is carried to the ranks, once per part if the options belong to parts. */
static void check_carried(const struct lc_launch_line *line, const char *text)
{
    char *one[] = {(char *)"LOADCAST_NODE=/dev/shm/x", NULL};
    struct lc_composed c = {0};
    struct lc_error err;
    size_t found = 0;

    assert_int_equal(lc_compose_ranks(line, one, NULL, &c, &err), 0);
    for (size_t i = 0; i < c.words.count; i++)
        found += strstr(c.words.item[i], "LOADCAST_NODE") != NULL;
    for (size_t i = 0; i < c.environment.count; i++)
        found += strstr(c.environment.item[i], "LOADCAST_NODE") != NULL;
    bool dropped = line->launcher == LC_LAUNCHER_SRUN && line->drops_environment;
    if ((found == 0) != dropped)
        fail_msg("not carried: %s", text);
    lc_composed_free(&c);
}

static void check_entry(char *entry)
{
    char *launcher = strtok(entry, " "), *programs = strtok(NULL, " "), *text = strtok(NULL, "");
    size_t n = strlen(launcher);
    bool understood = launcher[n - 1] != '?', drops = launcher[n - 1] == '!';
    struct lc_argv words = {0};
    struct lc_buf is = {0};
    struct lc_launch_line line;

    if (!understood || drops)
        launcher[n - 1] = '\0';
    bare = by_name(launcher);
    assert_int_equal(lc_words_split(&words, text), 0);
    lc_launch_line_parse(&line, words.item, ask);
    programs_of(&line, &is);
    if (line.launcher != bare || line.understood != understood || line.drops_environment != drops ||
        strcmp(lc_buf_text(&is), programs) != 0)
        fail_msg("%s: %s, %sunderstood (%s), programs %s%s", text, names[line.launcher],
                 line.understood ? "" : "not ", line.why, lc_buf_text(&is),
                 line.drops_environment ? ", drops the environment" : "");
    check_front(&line, text);
    check_carried(&line, text);
    lc_buf_free(&is);
    lc_argv_free(&words);
}

static void test_corpus(void **state)
{
    char entry[1024];
    int count = 0;
    FILE *f = fopen(CORPUS, "re");

    (void)state;
    assert_non_null(f);
    unsetenv("SLURM_EXPORT_ENV");
    unsetenv("OMPI_MCA_mca_base_env_list");
    while (fgets(entry, sizeof(entry), f)) {
        entry[strcspn(entry, "\n")] = '\0';
        if (!entry[0] || entry[0] == '#')
            continue;
        check_entry(entry);
        count++;
    }
    fclose(f);
    assert_true(count >= 60);
}

/* Compare 'text' with one variable added, quoted; the environment stands after " | ". */
static void composed(const char *text, struct lc_buf *out)
{
    char *one[] = {(char *)"A=1", NULL};
    struct lc_argv words = {0};
    struct lc_composed c = {0};
    struct lc_error err;
    struct lc_launch_line line;

    lc_buf_clear(out);
    lc_words_split(&words, text);
    lc_launch_line_parse(&line, words.item, ask);
    assert_int_equal(lc_compose_ranks(&line, one, NULL, &c, &err), 0);
    lc_words_quote(out, c.words.item);
    if (c.environment.count > 0) {
        lc_buf_puts(out, " | ");
        lc_words_quote(out, c.environment.item);
    }
    lc_composed_free(&c);
    lc_argv_free(&words);
}

static void test_means(void **state)
{
    static const struct {
        enum lc_launcher is;
        const char *line, *becomes;
    } want[] = {
        {0, "srun -n 2 a", "srun -n 2 a | SLURM_EXPORT_ENV=ALL,A=1"},
        {0, "srun --export=ALL -n 2 a", "srun --export=ALL,A=1 -n 2 a"},
        {0, "srun --export PATH a", "srun --export PATH,A=1 a"},
        {LC_LAUNCHER_OPENMPI, "mpirun -n 2 a", "mpirun -n 2 a | OMPI_MCA_mca_base_env_list=A=1"},
        {LC_LAUNCHER_OPENMPI, "mpirun -x B a : -n 1 b", "mpirun -x A=1 -x B a : -x A=1 -n 1 b"},
        {LC_LAUNCHER_HYDRA, "mpiexec -n 2 a : -n 1 b", "mpiexec -genv A 1 -n 2 a : -n 1 b"},
        {LC_LAUNCHER_PALS, "mpiexec -n 2 a : b", "mpiexec --env A=1 -n 2 a : --env A=1 b"},
        {0, "flux run -n 2 a", "flux run --env A=1 -n 2 a"},
        {0, "jsrun -n 2 a", "jsrun --env A=1 -n 2 a"},
        {0, "./job.sh 'a b'", "./job.sh 'a b' | A=1"},
    };
    struct lc_buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        bare = want[i].is;
        composed(want[i].line, &out);
        assert_string_equal(lc_buf_text(&out), want[i].becomes);
    }
    lc_buf_free(&out);
}

static void per_node(const char *text, const char *want)
{
    struct lc_argv words = {0}, out = {0};
    struct lc_buf quoted = {0};
    struct lc_error err = {"none"};
    struct lc_launch_line line;

    lc_words_split(&words, text);
    lc_launch_line_parse(&line, words.item, ask);
    int rc = lc_compose_per_node(&line, &out, &err);
    if (want)
        assert_int_equal(rc, 0);
    else
        assert_int_equal(rc, -1);
    if (want && *want)
        lc_words_quote(&quoted, out.item);
    if (want)
        assert_string_equal(lc_buf_text(&quoted), want);
    lc_buf_free(&quoted);
    lc_argv_free(&words);
    lc_argv_free(&out);
}

static void test_per_node(void **state)
{
    (void)state;
    unsetenv("SLURM_JOB_ID");
    unsetenv("PBS_NODEFILE");
    bare = LC_LAUNCHER_OPENMPI;
    per_node("mpirun -np 64 --hostfile h --mca btl tcp -x P ./a -np 3",
             "mpirun --hostfile h --mca btl tcp --map-by ppr:1:node --bind-to none");
    bare = LC_LAUNCHER_HYDRA;
    per_node("mpiexec -n 64 -hosts a,b ./a", "mpiexec -hosts a,b -ppn 1");
    bare = LC_LAUNCHER_PALS;
    per_node("mpiexec -n 64 --ppn 4 ./a", NULL); /* how many nodes? */
    per_node("srun -N4 ./a", NULL);
    per_node("./a", "");
    setenv("SLURM_JOB_ID", "1", 1);
    setenv("SLURM_JOB_NUM_NODES", "8", 1);
    per_node("srun -N4 -n 16 ./a",
             "srun --nodes=8 --ntasks=8 --ntasks-per-node=1 --overlap --kill-on-bad-exit=0");
    unsetenv("SLURM_JOB_ID");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_per_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
