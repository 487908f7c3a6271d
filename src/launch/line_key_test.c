/* SPDX-License-Identifier: MIT */
/* line_key_test.c - launch lines, and what of them names an image */
#include "launch/line_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/words.h"
#include "util/test.h"

static char top[] = "/tmp/loadcast-keys-XXXXXX";

static void file_make(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    chmod(name, 0755);
}

static void script_make(const char *name, const char *shell, const char *text)
{
    char all[512];

    snprintf(all, sizeof(all), "#!%s/bin/%s\n%s", top, shell, text);
    file_make(name, all);
}

static int set_up(void **state)
{
    static const char *const programs[] = {"python3", "perl",    "bash", "sh",     "prog",
                                           "numactl", "mpiexec", "srun", "Rscript"};
    static const char *const variables[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH",
                                            "PYTHONHOME"};
    char name[64];

    (void)state;
    if (!mkdtemp(top) || chdir(top) < 0)
        return -1;
    mkdir("bin", 0755);
    mkdir("venv", 0755);
    mkdir("other", 0755);
    mkdir("mod", 0755);
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
        snprintf(name, sizeof(name), "bin/%s", programs[i]);
        file_make(name, "\177ELF");
    }
    file_make("other/prog", "\177ELF");
    file_make("app.py", "print()\n");
    file_make("mod/__init__.py", "");
    file_make("bin/tool", "#!/usr/bin/env python3\n");
    mkdir("shims", 0755);
    file_make("shims/python3", "#!/usr/bin/env bash\nexec /opt/pyenv exec python3 \"$@\"\n");
    file_make("bin/singularity", "#!/usr/bin/env bash\n");
    script_make("pinned.sh", "sh", "node=$((RANK % 2))\nexec numactl -N $node \"$@\"\n");
    script_make("fixed.sh", "bash", "module load x\nexec 2>log\nexec python3 app.py -n 3 \"$@\"\n");
    script_make("bound.sh", "sh", "# pin\n. ./env.sh && numactl -N ${node} \"$@\"\nexit $?\n");
    script_make("plain.sh", "sh", "for i in 1 2; do python3 app.py; done\n");
    script_make("shell.sh", "sh", "exec sh ./shell.sh \"$@\"\n");
    script_make("itself.sh", "sh", "exec ./itself.sh \"$@\"\n");
    snprintf(name, sizeof(name), "%s/bin/python3", top);
    assert_int_equal(symlink(name, "venv/python3"), 0);
    snprintf(name, sizeof(name), "%s/bin", top);
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        unsetenv(variables[i]);
    return setenv("PATH", name, 1);
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "/bin/rm -rf %s", top);
    return system(command);
}

/* "program T/bin/prog, script T/app.py": the parts but for the machine, with T for the directory.
 */
static void parts_describe(const struct lc_store_key *key, struct lc_buf *out)
{
    size_t n = strlen(top);

    for (size_t i = 0; i + 1 < json_array_size(key->parts); i++) {
        const json_t *part = json_array_get(key->parts, i);
        const char *value = json_string_value(json_array_get(part, 1));
        bool is_below = strncmp(value, top, n) == 0;
        lc_buf_printf(out, "%s%s %s%s", i ? ", " : "", json_string_value(json_array_get(part, 0)),
                      is_below ? "T" : "", is_below ? value + n : value);
    }
}

static int key_of(const char *text, struct lc_store_key *key)
{
    struct lc_argv words = {0};
    struct lc_error err = {""};

    assert_int_equal(lc_words_split(&words, text), 0);
    int rc = lc_line_key(words.item, key, &err);
    lc_argv_free(&words);
    return rc;
}

#define APP "program T/bin/python3, script T/app.py"
static const struct {
    const char *line, *label, *parts;
} lines[] = {
    /* launchers and their options do not count, nor do arguments */
    {"prog", "prog", "program T/bin/prog"},
    {"bin/prog -x 3", "prog", "program T/bin/prog"},
    {"srun -n 4 prog 5", "prog", "program T/bin/prog"},
    {"mpiexec -n 4 -x A=1 prog", "prog", "program T/bin/prog"},
    {"mpiexec -n 4 -genv A 1 prog", "prog", "program T/bin/prog"},
    {"time mpiexec -n 4 prog", "prog", "program T/bin/prog"},
    {"numactl -m 0 mpiexec -n 4 prog", "prog", "program T/bin/prog"},
    {"srun -n 1 prog : -n 2 other/prog", "prog", "program T/bin/prog, program T/other/prog"},
    /* two programs of one name; one that only the nodes have */
    {"other/prog", "prog", "program T/other/prog"},
    {"srun nowhere", "nowhere", "program nowhere"},
    {"srun /opt/nowhere/x", "x", "program /opt/nowhere/x"},
    /* interpreters */
    {"python3 app.py", "app.py", APP},
    {"python3 -u -X dev -Wall app.py -m x", "app.py", APP},
    {"srun python3 -W ignore ./app.py", "app.py", APP},
    {"python3 -m mod --flag", "mod", "program T/bin/python3, module mod, script T/mod/__init__.py"},
    {"python3 -um far.away", "far.away", "program T/bin/python3, module far.away"},
    {"python3 -m mpi4py app.py", "app.py", "program T/bin/python3, module mpi4py, script T/app.py"},
    {"python3", "python3", "program T/bin/python3"},
    {"venv/python3 app.py", "app.py",
     "program T/venv/python3, file T/bin/python3, script T/app.py"},
    {"perl -I lib run.pl", "run.pl", "program T/bin/perl, script T/run.pl"},
    {"Rscript --vanilla a.R", "a.R", "program T/bin/Rscript, script T/a.R"},
    {"tool x", "tool", "program T/bin/python3, script T/bin/tool"},
    {"tool --nproc 2 app.py b.py", "app.py",
     "program T/bin/python3, script T/bin/tool, script T/app.py"},
    /* what stands for an interpreter, or runs it elsewhere */
    {"shims/python3 app.py", "app.py", "program T/shims/python3, script T/app.py"},
    {"singularity exec a.sif python3 app.py x", "app.py",
     "program T/bin/singularity, through e6d0faf1dba39d48, " APP},
    /* commands before it */
    {"env A=1 python3 app.py", "app.py", APP},
    {"env -u X LD_LIBRARY_PATH=/a:/b:/a python3 app.py", "app.py", APP ", LD_LIBRARY_PATH /a:/b"},
    {"srun env PYTHONPATH=/p nice -n 5 python3 app.py", "app.py", APP ", PYTHONPATH /p"},
    {"numactl --cpunodebind=0 -m 0 python3 app.py", "app.py", APP},
    {"taskset -c 0-3 python3 app.py", "app.py", APP},
    {"taskset 0xff time -f %e python3 app.py", "app.py", APP},
    {"timeout -k 5 60 nohup stdbuf -o L python3 app.py", "app.py", APP},
    /* shells and wrappers */
    {"bash -c 'exec python3 app.py'", "app.py", APP},
    {"bash -lc 'LD_PRELOAD=/x.so python3 app.py 2>&1'", "app.py", APP ", LD_PRELOAD /x.so"},
    {"bash -c 'exec \"$@\"' name python3 app.py", "app.py", APP},
    {"bash -c 'mpiexec -n 2 python3 app.py'", "app.py", APP},
    {"sh ./fixed.sh", "app.py", "program T/bin/sh, script T/fixed.sh, " APP},
    {"./pinned.sh python3 app.py", "app.py", "program T/bin/sh, script T/pinned.sh, " APP},
    {"srun ./pinned.sh other/prog", "prog",
     "program T/bin/sh, script T/pinned.sh, program T/other/prog"},
    {"./bound.sh prog 1", "prog", "program T/bin/sh, script T/bound.sh, program T/bin/prog"},
    {"./plain.sh a b", "plain.sh", "program T/bin/sh, script T/plain.sh"},
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct lc_store_key key = {.parts = NULL};
        struct lc_buf parts = {0};
        assert_int_equal(key_of(lines[i].line, &key), 0);
        parts_describe(&key, &parts);
        if (strcmp(lc_buf_text(&parts), lines[i].parts) != 0 ||
            strcmp(key.label, lines[i].label) != 0)
            fail_msg("%s\n is   %s: %s\n want %s: %s", lines[i].line, key.label,
                     lc_buf_text(&parts), lines[i].label, lines[i].parts);
        lc_buf_free(&parts);
        lc_store_key_free(&key);
    }
}

static void keys_compare(const char *a, const char *b, bool are_same)
{
    struct lc_store_key first = {.parts = NULL}, second = {.parts = NULL};

    assert_int_equal(key_of(a, &first), 0);
    assert_int_equal(key_of(b, &second), 0);
    if ((strcmp(first.text, second.text) == 0) != are_same)
        fail_msg("'%s' and '%s' should %s one image", a, b, are_same ? "be" : "not be");
    lc_store_key_free(&first);
    lc_store_key_free(&second);
}

static void test_pairs(void **state)
{
    (void)state;
    keys_compare("python3 app.py", "srun -n 9 python3 ./app.py 7", true);
    keys_compare("python3 -c 'import a'", "python3 -c 'import b'", false);
    keys_compare("python3 -m a", "python3 -m b", false);
    keys_compare("prog", "other/prog", false);
    keys_compare("python3 app.py", "venv/python3 app.py", false);
    keys_compare("bash -c 'a; b'", "bash -c 'a; c'", false);
    keys_compare("./itself.sh a", "./itself.sh b", true);
    keys_compare("sh shell.sh a", "sh shell.sh b", true);
    keys_compare("singularity exec a.sif prog 1", "singularity exec b.sif prog 1", false);
    keys_compare("singularity exec a.sif prog 1", "singularity exec a.sif other 1", false);
    setenv("LD_LIBRARY_PATH", "/a", 1);
    keys_compare("prog", "env LD_LIBRARY_PATH=/a prog", true);
    keys_compare("prog", "env LD_LIBRARY_PATH=/b prog", false);
    unsetenv("LD_LIBRARY_PATH");
}

/* Arguments are no part of the key, but of the words; the launcher's options of neither. */
static void test_words(void **state)
{
    static const char *const same[] = {"prog -x 3", "srun -n 4 prog -x 3",
                                       "mpiexec -n 2 -x A=1 prog -x 3"};
    static const char *const others[] = {"prog",        "prog -x 4",      "prog -x3",
                                         "prog '-x 3'", "nice prog -x 3", "./bin/prog -x 3"};
    struct lc_store_key first = {.parts = NULL}, key = {.parts = NULL};

    (void)state;
    assert_int_equal(key_of(same[0], &first), 0);
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        assert_int_equal(key_of(same[i], &key), 0);
        assert_true(key.words == first.words);
        lc_store_key_free(&key);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        assert_int_equal(key_of(others[i], &key), 0);
        assert_string_equal(key.text, first.text);
        assert_true(key.words != first.words);
        lc_store_key_free(&key);
    }
    lc_store_key_free(&first);
}

/* Any words at all: nothing is read beyond them, and the end is reached. */
static void test_any_words(void **state)
{
    static char *const words[] = {"env",     "-u",     "--",         "bash",       "-c",
                                  "exec $@", "A=1",    "python3",    "-m",         "-",
                                  "",        "srun",   ":",          "numactl",    "tool",
                                  "sh",      "app.py", "./bound.sh", "./shell.sh", "singularity",
                                  "-lc",     "$@",     "exec",       "timeout",    "-I"};
    enum { WORDS = sizeof(words) / sizeof(*words), MOST = 6 };

    (void)state;
    srandom(1);
    for (int i = 0; i < 3000; i++) {
        struct lc_store_key key = {.parts = NULL};
        struct lc_error err;
        char *line[MOST + 1] = {NULL};
        for (long k = random() % MOST; k >= 0; k--)
            line[k] = words[random() % WORDS];
        lc_line_key(line, &key, &err);
        assert_true(key.text[0]);
        lc_store_key_free(&key);
    }
}

static void test_not_understood(void **state)
{
    static const char *const bad[] = {"srun --no-such-option 3 prog", "srun -n 4",
                                      "srun --multi-prog list", "mpiexec --strange 1 prog"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct lc_store_key key = {.parts = NULL};
        assert_int_equal(key_of(bad[i], &key), -1);
        lc_store_key_free(&key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),          cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_not_understood), cmocka_unit_test(test_words),
        cmocka_unit_test(test_any_words),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
