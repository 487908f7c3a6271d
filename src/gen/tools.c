/* SPDX-License-Identifier: MIT */
/* tools.c - the compiler, MPI and Python of this system */
#include "gen/tools.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/embedded.h"
#include "gen/tree.h"
#include "util/path.h"

/* Commands run in another directory, so a relative path to a program is made absolute, by text only
 * (compiler wrappers go by the name they are called by); options ("ccache gcc") stay behind it.
 * NULL if it cannot be executed. */
static char *command_resolve(const char *command)
{
    size_t len = strcspn(command, " ");
    char *name = strndup(command, len), *out = NULL;
    char here[4096], path[4096];

    if (!name || !len || lc_path_find_program(path, sizeof(path), name, NULL) < 0)
        goto out;
    bool is_path = strchr(name, '/') && getcwd(here, sizeof(here)) &&
                   lc_path_absolute(path, sizeof(path), here, name) == 0;
    if (asprintf(&out, "%s%s", is_path ? path : name, command + len) < 0)
        out = NULL;
out:
    free(name);
    return out;
}

/* The first of the candidates that can be executed. A wish is binding: nothing else is tried. */
static char *program_find(const char *wish, const char *env, const char *const *usual)
{
    const char *said = wish ? wish : env ? getenv(env) : NULL;
    char *found = NULL;

    if (said && said[0])
        return command_resolve(said);
    for (; *usual && !found; usual++)
        found = command_resolve(*usual);
    return found;
}

/* Compiles and links a trial program; the libraries come last. */
static int trial_build(const char *cc, const char *scratch, const char *name, const char *source,
                       const struct lc_argv *compile, const struct lc_argv *link,
                       struct lc_error *err)
{
    struct lc_argv argv = {0};
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s.c", scratch, name);
    if (lc_output_tree_write(path, source, strlen(source), 0666, err) < 0)
        return -1;
    lc_argv_words(&argv, cc);
    for (size_t i = 0; compile && i < compile->count; i++)
        lc_argv_add(&argv, compile->item[i]);
    lc_argv_printf(&argv, "%s.c", name);
    lc_argv_add(&argv, "-o");
    lc_argv_printf(&argv, "%s.try", name);
    for (size_t i = 0; link && i < link->count; i++)
        lc_argv_add(&argv, link->item[i]);
    int rc = lc_run(&argv, scratch, err);
    lc_argv_free(&argv);
    return rc;
}

static int compiler_find(struct lc_tools *t, const struct lc_tools_wish *wish, struct lc_error *err)
{
    char cross[80];

    snprintf(cross, sizeof(cross), "%.64s-gcc", wish->triplet ? wish->triplet : "");
    t->cc = wish->triplet
                ? program_find(wish->cc ? wish->cc : cross, NULL, NULL)
                : program_find(wish->cc, "CC", (const char *const[]){"cc", "gcc", "clang", NULL});
    if (!t->cc && wish->triplet)
        return lc_error_set(err, "no C compiler found (%s); install it or name one by --with-cc",
                            wish->cc ? wish->cc : cross);
    if (!t->cc)
        return lc_error_set(err, "no C compiler found (%s); install gcc or name one by --with-cc",
                            wish->cc ? wish->cc : "tried $CC, cc, gcc, clang");
    return 0;
}

/* Tests the compiler, unless it has built a trial program with Python already. */
static int compiler_test(const struct lc_tools *t, const char *scratch, struct lc_error *err)
{
    struct lc_error why;

    if (t->py_link.count > 0 ||
        trial_build(t->cc, scratch, "try_cc", "int main(void) { return 0; }\n", NULL, NULL, &why) ==
            0)
        return 0;
    return lc_error_set(err, "the C compiler does not work: %s", why.text);
}

static void mpi_find(struct lc_tools *t, const struct lc_tools_wish *wish, const char *scratch)
{
    static const char source[] = "#include <mpi.h>\n"
                                 "int main(int c, char **v) { return MPI_Init(&c, &v); }\n";
    struct lc_error why;

    if (wish->triplet && !wish->mpicc) {
        lc_error_set(&t->no_mpi, "programs for another machine need its MPI: name its compiler by "
                                 "--with-mpicc");
        return;
    }
    char *mpicc = program_find(wish->mpicc, "MPICC", (const char *const[]){"mpicc", "cc", NULL});

    if (!mpicc) {
        lc_error_set(&t->no_mpi, "no MPI compiler found (%s)",
                     wish->mpicc ? wish->mpicc : "tried $MPICC, mpicc, cc");
        return;
    }
    if (trial_build(mpicc, scratch, "try_mpi", source, NULL, NULL, &why) == 0) {
        t->mpicc = mpicc;
        return;
    }
    lc_error_set(&t->no_mpi, "'%s' cannot build MPI programs: %s", mpicc, why.text);
    free(mpicc);
}

static void answer_read(struct lc_tools *t, char *answer)
{
    for (char *line = strtok(answer, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == 'I')
            lc_argv_add(&t->py_compile, line + 2);
        else if (line[0] == 'L')
            lc_argv_add(&t->py_link, line + 2);
        else if (line[0] == 'S')
            t->py_static = line[2] == '1';
    }
}

/* Whether the headers are there and the library can be linked; to compile all of Python.h once more
 * would take as long as twenty libraries. An archive may have been made for executables at a fixed
 * address only. */
static int try_python(struct lc_tools *t, const char *scratch, struct lc_error *why)
{
    static const char source[] = "#if !__has_include(<Python.h>)\n"
                                 "#error no Python.h\n"
                                 "#endif\n"
                                 "#include <pyconfig.h>\n"
                                 "int Py_BytesMain(int, char **);\n"
                                 "int main(int c, char **v) { return Py_BytesMain(c, v); }\n";
    int rc = trial_build(t->cc, scratch, "try_python", source, &t->py_compile, &t->py_link, why);

    if (rc == 0 || !t->py_static)
        return rc;
    lc_argv_add(&t->py_link, "-no-pie");
    return trial_build(t->cc, scratch, "try_python", source, &t->py_compile, &t->py_link, why);
}

static void python_find(struct lc_tools *t, const struct lc_tools_wish *wish, const char *scratch)
{
    struct lc_argv ask = {0};
    struct lc_buf answer = {0};
    struct lc_error why;

    if (wish->triplet && !wish->python) {
        lc_error_set(&t->no_python, "programs for another machine need its libpython: name its "
                                    "interpreter by --with-python");
        return;
    }
    t->python = program_find(wish->python, NULL,
                             (const char *const[]){"/usr/bin/python3", "python3", NULL});
    if (!t->python) {
        lc_error_set(&t->no_python, "no Python found (%s)",
                     wish->python ? wish->python : "tried /usr/bin/python3, python3");
        return;
    }
    lc_argv_add(&ask, t->python);
    lc_argv_add(&ask, "-c");
    lc_argv_add(&ask, lc_embedded_text(lc_embedded, "python_link.py"));
    if (lc_run_output(&ask, &answer, &why) == 0 && answer.data) {
        answer_read(t, answer.data);
        if (try_python(t, scratch, &why) == 0)
            goto out;
    }
    lc_error_set(&t->no_python, "'%s' has no libpython to embed: %s", t->python, why.text);
    lc_argv_free(&t->py_compile);
    lc_argv_free(&t->py_link);
out:
    lc_argv_free(&ask);
    lc_buf_free(&answer);
}

struct search {
    struct lc_tools *tools;
    const struct lc_tools_wish *wish;
    const char *scratch;
};

static void *search_mpi(void *arg)
{
    struct search *s = arg;

    mpi_find(s->tools, s->wish, s->scratch);
    return NULL;
}

int lc_tools_open(struct lc_tools *tools, const struct lc_tools_wish *wish, const char *scratch,
                  struct lc_error *err)
{
    *tools = (struct lc_tools){0};
    if (wish->include && !(tools->include = realpath(wish->include, NULL)))
        return lc_error_errno(err, "cannot include from '%s'", wish->include);
    if (wish->needs_cc && compiler_find(tools, wish, err) < 0)
        return -1;
    struct search search = {tools, wish, scratch};
    pthread_t thread;
    /* Both compile a trial program, which takes longer than writing a library: side by side. */
    bool beside = wish->needs_mpi && pthread_create(&thread, NULL, search_mpi, &search) == 0;
    if (wish->needs_mpi && !beside)
        search_mpi(&search);
    if (wish->needs_python)
        python_find(tools, wish, scratch);
    if (beside)
        pthread_join(thread, NULL);
    return wish->needs_cc ? compiler_test(tools, scratch, err) : 0;
}

void lc_tools_close(struct lc_tools *tools)
{
    free(tools->cc);
    free(tools->mpicc);
    free(tools->python);
    free(tools->include);
    lc_argv_free(&tools->py_compile);
    lc_argv_free(&tools->py_link);
    *tools = (struct lc_tools){0};
}
