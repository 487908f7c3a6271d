/* SPDX-License-Identifier: MIT */
/* gen.c - loadcast gen: make a Pynamic or CLoadtest workload */
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "gen/describe.h"
#include "gen/emit_elf.h"
#include "gen/gen.h"
#include "gen/pool.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/json.h"

enum { EXIT_LEFT_OUT = 3 }; /* the workload was made, but not in every mode */

/* The options of the command line; zero or NULL where an option is not given. */
static struct {
    struct lc_gen_options gen;
    long utilities[2];
    long depth, name_length, search_dirs, python_dirs, seed;
    bool bigexe, timing, configure, only_mpi4py, only_pympi, debug_info, no_debug_info, json;
    const char *preset, *modes, *describe, *emit, *arch;
} v;

static const char *const emitters[] = {"c", "elf", NULL};
static const char *const machines[] = {"x86-64", "aarch64", NULL};

static const struct lc_opt opts[] = {
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "the workload (Pynamic's own options)"},
    {'e', "extern", LC_OPT_FLAG, &v.gen.config.externs, NULL,
     "each module also calls a function of the module before it"},
    {'u', "utilities", LC_OPT_PAIR, v.utilities, "N F",
     "N of the files are utility libraries, with F functions each on average", -1e9, 1e9},
    {'d', "depth", LC_OPT_LONG, &v.depth, "D", "longest call chain inside a library", -1e9, 1e9},
    {'n', "name-length", LC_OPT_LONG, &v.name_length, "L",
     "append L characters to every function's name", -1e9, 1e9},
    {'p', "print", LC_OPT_FLAG, &v.gen.config.prints, NULL, "every function prints its name"},
    {'s', "seed", LC_OPT_LONG, &v.seed, "SEED", "the same seed gives the same bytes", 0, 9e15},
    {'b', "bigexe", LC_OPT_FLAG, &v.bigexe, NULL,
     "accepted: pynamic-bigexe is always made, see --modes"},
    {'t', "timing", LC_OPT_FLAG, &v.timing, NULL, "accepted: the drivers always measure"},
    {'i', "include", LC_OPT_STRING, &v.gen.wish.include, "DIR",
     "another directory with header files"},
    {'c', NULL, LC_OPT_FLAG, &v.configure, NULL,
     "accepted, and ignored with all that follows: it was for pyMPI's configure, and there is no "
     "pyMPI to configure"},
    {0, "with-cc", LC_OPT_STRING, &v.gen.wish.cc, "CC", "the C compiler; else $CC, cc, gcc, clang"},
    {0, "with-mpicc", LC_OPT_STRING, &v.gen.wish.mpicc, "CC",
     "the MPI compiler; else $MPICC, mpicc, cc"},
    {0, "with-python", LC_OPT_STRING, &v.gen.wish.python, "PYTHON",
     "the interpreter whose library is embedded; else /usr/bin/python3, python3"},
    {0, "with-mpi4py", LC_OPT_FLAG, &v.only_mpi4py, NULL,
     "only the mpi4py flavour: no pyMPI programs"},
    {0, "with-pympi", LC_OPT_FLAG, &v.only_pympi, NULL,
     "only the pyMPI flavour: mpi4py is not listed as a mode"},
    {'j', "jobs", LC_OPT_LONG, &v.gen.jobs, "N",
     "make so many files at a time; 0: one per processor", 0, 4096},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "more"},
    {'o', "out", LC_OPT_STRING, &v.gen.out, "DIR", "where to; must be empty or not exist"},
    {0, "force", LC_OPT_FLAG, &v.gen.force, NULL,
     "replace a workload that is already there; removes only what gen made"},
    {0, "beside", LC_OPT_FLAG, &v.gen.beside, NULL,
     "DIR may hold other files, unless gen would make files of the same names"},
    {0, "preset", LC_OPT_CHOICE, &v.preset, "NAME",
     "coral, sierra, juropa, archer or small: figures of published runs; other options change them",
     .choices = lc_gen_presets},
    {0, "total-size", LC_OPT_BYTES, &v.gen.total_bytes, "BYTES",
     "scale the functions so that the libraries take about BYTES together", 1, 1e13},
    {0, "search-dirs", LC_OPT_LONG, &v.search_dirs, "N",
     "N empty directories ahead in every search path", -1e9, 1e9},
    {0, "python-dirs", LC_OPT_LONG, &v.python_dirs, "N",
     "so many of them in Python's path; -1: all", -1e9, 1e9},
    {0, "modes", LC_OPT_STRING, &v.modes, "LIST",
     "only these: pyMPI, pynamic-pyMPI, pynamic-sdb-pyMPI, pynamic-bigexe, mpi4py, cloadtest, "
     "cloadtest-mpi"},
    {0, "bigexe-size", LC_OPT_BYTES, &v.gen.bigexe_bytes, "BYTES",
     "code that pynamic-bigexe brings along; 0: do not make it", 0, 1.5e9},
    {0, "emit", LC_OPT_CHOICE, &v.emit, "HOW",
     "elf: gen writes the libraries itself, the default on x86-64 and aarch64; c: the compiler and "
     "linker make them, on any machine",
     .choices = emitters},
    {0, "arch", LC_OPT_CHOICE, &v.arch, "ARCH",
     "x86-64 or aarch64, for --emit=elf; else this machine's own", .choices = machines},
    {0, "no-debug-info", LC_OPT_FLAG, &v.no_debug_info, NULL,
     "leave out debug information, which Pynamic had by -g: about half of the libraries"},
    {0, "debug-info", LC_OPT_FLAG, &v.debug_info, NULL,
     "debug information also with --total-size, in addition to that size; else it is the default"},
    {0, "keep-sources", LC_OPT_FLAG, &v.gen.keep_sources, NULL,
     "leave sources and objects in DIR/sources"},
    {0, "describe", LC_OPT_STRING, &v.describe, "DIR",
     "say what a workload holds and what running it asks of the file system"},
    {0, "json", LC_OPT_FLAG, &v.json, NULL, "with --describe: as JSON"},
    {0},
};

static const struct lc_cli cli = {
    "loadcast gen",
    "[options] FILES FUNCTIONS | --preset NAME | --describe DIR",
    "Make the Pynamic and CLoadtest workloads: FILES libraries with FUNCTIONS functions on "
    "average.",
    "exit codes: 0 made; 1 failed, nothing left behind; 2 usage; 3 made, but modes had to be left "
    "out\n(no MPI or no libpython); 128 + N ended by signal N, nothing left behind.",
    opts,
    false};

static long usable_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0 ? CPU_COUNT(&set)
                                                                               : 1;
}

static void set_defaults(void)
{
    memset(&v, 0, sizeof(v));
    v.depth = 10;
    v.seed = 1;
    v.python_dirs = -1;
    v.gen.out = ".";
    v.gen.bigexe_bytes = 200e6;
}

/* Command lines pasted from documents may have a typographic dash where '-' was typed. */
static void mend_dash(char *word)
{
    static const char *const dash[] = {"\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92",
                                       "\xe2\x80\x90", "\xe2\x80\x91"};

    for (size_t i = 0; i < sizeof(dash) / sizeof(*dash); i++)
        if (strncmp(word, dash[i], 3) == 0) {
            word[0] = '-';
            memmove(word + 1, word + 3, strlen(word + 3) + 1);
        }
}

/* In Pynamic "-c ..." passes all following arguments to pyMPI's configure. There is no pyMPI here:
 * drop them. */
static int configure_cut(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        mend_dash(argv[i]);
        if (strcmp(argv[i], "-c") != 0)
            continue;
        fprintf(stderr, "loadcast gen: note: nothing to configure, ignored: -c and what follows\n");
        argv[i] = NULL;
        return i;
    }
    return argc;
}

/* A negative count such as "-5" would be read as an option. Only --python-dirs accepts -1. */
static int negative_find(int argc, char **argv, struct lc_error *err)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && isdigit((unsigned char)argv[i][1]) &&
            strcmp(argv[i - 1], "--python-dirs") != 0)
            return lc_error_set(err, "'%s': counts cannot be negative", argv[i]);
    return 0;
}

static bool was_given(int argc, char **argv, char letter, const char *name)
{
    size_t len = strlen(name);

    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            continue;
        if (argv[i][1] == '-' && strncmp(argv[i] + 2, name, len) == 0 &&
            (argv[i][2 + len] == '\0' || argv[i][2 + len] == '='))
            return true;
        if (letter && argv[i][1] != '-' && strchr(argv[i] + 1, letter))
            return true;
    }
    return false;
}

/* Take the values of the preset for options that are not given. */
static void apply_preset(int argc, char **argv)
{
    struct lc_gen_options said = v.gen;
    struct lc_gen_config *c = &v.gen.config;

    lc_gen_preset(v.preset, &v.gen);
    c->externs |= said.config.externs;
    c->prints |= said.config.prints;
    if (was_given(argc, argv, 0, "total-size")) {
        v.gen.total_bytes = said.total_bytes;
        v.gen.debug_counts = false;
    }
    if (!was_given(argc, argv, 'u', "utilities")) {
        v.utilities[0] = c->utilities;
        v.utilities[1] = c->utility_avg;
    }
    if (!was_given(argc, argv, 'd', "depth"))
        v.depth = c->depth;
    if (!was_given(argc, argv, 'n', "name-length"))
        v.name_length = c->name_pad;
    if (!was_given(argc, argv, 0, "search-dirs"))
        v.search_dirs = c->search_dirs;
    if (!was_given(argc, argv, 0, "search-dirs") && !was_given(argc, argv, 0, "python-dirs"))
        v.python_dirs = c->python_dirs;
    if (strcmp(v.preset, "small") == 0 && !was_given(argc, argv, 0, "bigexe-size"))
        v.gen.bigexe_bytes = 2e6;
}

static int counts_read(int argc, char **argv, int first, struct lc_error *err)
{
    struct lc_gen_config *c = &v.gen.config;
    long *const count[] = {&c->files, &c->module_avg};
    const char *const what[] = {"number of files", "functions per module"};

    if (argc - first > 2)
        return lc_error_set(err, "'%s': only FILES and FUNCTIONS are expected", argv[first + 2]);
    for (int i = 0; first + i < argc; i++)
        if (lc_parse_long(what[i], argv[first + i], 1, i ? LC_MOST_FUNCTIONS : LC_MOST_FILES,
                          count[i], err) < 0)
            return -1;
    if (c->files == 0)
        return lc_error_set(err, "how many files? e.g. loadcast gen 20 100 -u 10 100 --out DIR");
    if (c->module_avg == 0 && v.gen.total_bytes < 1)
        return lc_error_set(err, "how many functions per file? or --total-size BYTES");
    if (c->module_avg == 0)
        c->module_avg = 100; /* only its ratio to the utilities' average matters */
    return 0;
}

static int choose_modes(struct lc_error *err)
{
    unsigned pympis =
        1u << LC_MODE_PYMPI | 1u << LC_MODE_PYNAMIC | 1u << LC_MODE_SDB | 1u << LC_MODE_BIGEXE;

    v.gen.modes = (1u << LC_MODES) - 1;
    if (v.only_mpi4py && !v.only_pympi)
        v.gen.modes &= ~pympis;
    if (v.only_pympi && !v.only_mpi4py)
        v.gen.modes &= ~(1u << LC_MODE_MPI4PY);
    return v.modes ? lc_mode_parse(v.modes, &v.gen.modes, err) : 0;
}

static int choose_emitter(struct lc_error *err)
{
    const struct lc_machine *here = lc_machine_find(NULL);

    if (v.emit ? strcmp(v.emit, "c") == 0 : !v.arch && !here) {
        if (v.arch)
            return lc_error_set(err, "--arch does not go with --emit=c; name a cross compiler by "
                                     "--with-cc");
        return 0;
    }
    v.gen.machine = lc_machine_find(v.arch);
    if (!v.gen.machine)
        return lc_error_set(err, "--emit=elf does not know this machine's instructions; use "
                                 "--emit=c");
    if (v.gen.machine != here)
        v.gen.wish.triplet = v.gen.machine->triplet;
    return 0;
}

/* As in the original, debug information is made by default; not if a size was asked for, because
 * that means the size that is loaded, unless a preset's size has it in it. */
static int choose_debug_info(struct lc_error *err)
{
    if (v.debug_info && v.no_debug_info)
        return lc_error_set(err, "--debug-info and --no-debug-info contradict each other");
    v.gen.debug_info =
        !v.no_debug_info && (v.debug_info || v.gen.debug_counts || v.gen.total_bytes < 1);
    return 0;
}

static int command_line_read(int argc, char **argv, int first, struct lc_error *err)
{
    struct lc_gen_config *c = &v.gen.config;

    if (v.preset)
        apply_preset(first, argv);
    c->seed = (uint64_t)v.seed;
    if (v.gen.jobs == 0)
        v.gen.jobs = usable_cpus();
    if (counts_read(argc, argv, first, err) < 0)
        return -1;
    c->utilities = v.utilities[0];
    c->utility_avg = v.utilities[1];
    c->depth = v.depth;
    c->name_pad = v.name_length;
    c->search_dirs = v.search_dirs;
    c->python_dirs = v.python_dirs < 0 ? v.search_dirs : v.python_dirs;
    return choose_debug_info(err) < 0 || choose_emitter(err) < 0 || choose_modes(err) < 0 ||
                   lc_gen_check(c, err) < 0
               ? -1
               : 0;
}

static void print_result(const struct lc_gen_result *r)
{
    printf("%s libraries, %s functions, %s in '%s'\n", lc_human_count((uint64_t)r->config.files).s,
           lc_human_count(r->functions).s, lc_human_bytes(r->library_bytes - r->debug_bytes).s,
           v.gen.out);
    if (r->debug_bytes)
        printf("and %s of debug information\n", lc_human_bytes(r->debug_bytes).s);
    printf("modes:");
    for (int i = 0; i < LC_MODES; i++)
        if (r->modes & 1u << i)
            printf(" %s", lc_mode_name(i));
    printf("\n");
}

/* Returns 0, or EXIT_LEFT_OUT after printing which modes are missing and why. */
static int print_left_out(const struct lc_gen_result *r)
{
    int code = LC_EXIT_OK;

    for (int i = 0; i < LC_MODES; i++) {
        if (!r->why[i].text[0])
            continue;
        fprintf(stderr, "loadcast gen: left out %s: %s\n", lc_mode_name(i), r->why[i].text);
        code = EXIT_LEFT_OUT;
    }
    return code;
}

static int workload_describe(struct lc_error *err)
{
    json_t *all = lc_describe(v.describe, err);
    int rc = 0;

    if (!all)
        return lc_cli_fail(&cli, LC_EXIT_FAILED, err);
    if (v.json)
        rc = lc_json_write(all, "-", err);
    else
        lc_describe_print(all, stdout);
    json_decref(all);
    return rc < 0 ? lc_cli_fail(&cli, LC_EXIT_FAILED, err) : LC_EXIT_OK;
}

static int workload_generate(struct lc_error *err)
{
    struct lc_gen_result result;
    int rc = lc_gen(&v.gen, &result, err);

    if (rc < 0) {
        lc_cli_fail(&cli, LC_EXIT_FAILED, err);
        lc_pool_release_signals();
        return LC_EXIT_FAILED;
    }
    lc_pool_release_signals();
    print_result(&result);
    json_t *all = lc_describe(v.gen.out, err);
    if (all)
        lc_describe_summaries(all, stdout);
    json_decref(all);
    return print_left_out(&result);
}

int lc_cmd_gen(int argc, char **argv)
{
    struct lc_error err;
    int first;

    set_defaults();
    argc = configure_cut(argc, argv);
    if (negative_find(argc, argv, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    int rc = lc_cli_parse(&cli, argc, argv, &first, &err);
    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    if (v.describe)
        return workload_describe(&err);
    if (command_line_read(argc, argv, first, &err) < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    return workload_generate(&err);
}
