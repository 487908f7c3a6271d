/* SPDX-License-Identifier: MIT */
/* mode.c - the ways to run a workload, and the named configurations */
#include "gen/gen.h"

#include <string.h>

static const struct {
    const char *name;
    bool mpi, python;
} modes[LC_MODES] = {
    [LC_MODE_PYMPI] = {"pyMPI", true, true},
    [LC_MODE_PYNAMIC] = {"pynamic-pyMPI", true, true},
    [LC_MODE_SDB] = {"pynamic-sdb-pyMPI", true, true},
    [LC_MODE_BIGEXE] = {"pynamic-bigexe", true, true},
    [LC_MODE_MPI4PY] = {"mpi4py", false, false},
    [LC_MODE_CLOADTEST] = {"cloadtest", false, false},
    [LC_MODE_CLOADTEST_MPI] = {"cloadtest-mpi", true, false},
};

const char *lc_mode_name(enum lc_mode mode)
{
    return modes[mode].name;
}

bool lc_mode_needs_mpi(enum lc_mode mode)
{
    return modes[mode].mpi;
}

bool lc_mode_needs_python(enum lc_mode mode)
{
    return modes[mode].python;
}

static int mode_find(const char *word, size_t len)
{
    for (int i = 0; i < LC_MODES; i++)
        if (strlen(modes[i].name) == len && memcmp(modes[i].name, word, len) == 0)
            return i;
    return -1;
}

int lc_mode_parse(const char *list, unsigned *out, struct lc_error *err)
{
    *out = 0;
    for (;;) {
        size_t len = strcspn(list, ",");
        int mode = mode_find(list, len);
        if (mode < 0)
            return lc_error_set(err,
                                "--modes: '%.*s' is none of pyMPI, pynamic-pyMPI, "
                                "pynamic-sdb-pyMPI, pynamic-bigexe, mpi4py, cloadtest, "
                                "cloadtest-mpi",
                                (int)len, list);
        *out |= 1u << mode;
        if (!list[len])
            return 0;
        list += len + 1;
    }
}

const char *const lc_gen_presets[] = {"coral", "sierra", "juropa", "archer", "small", NULL};

enum { MIB = 1 << 20 };

/* Where the figures come from: doc/decisions/gen.md. */
static const struct {
    struct lc_gen_config config;
    double total_bytes;
    bool debug_counts;
} presets[] = {
    {{900, 1250, 350, 1250, 10, 150, 0, 0, .externs = true}, 0},
    {{495, 1850, 215, 1850, 10, 100, 5, 1, .externs = true}, 1.1 * 1024 * MIB, true},
    {{710, 20, 215, 20, 10, 0, 6, 6, .externs = true}, 32.0 * MIB},
    {{10, 1850, 4, 1850, 10, 100, 0, 0, .externs = true}, 9e6},
    {{20, 100, 10, 100, 10, 0, 0, 0}, 0},
};

int lc_gen_preset(const char *name, struct lc_gen_options *options)
{
    uint64_t seed = options->config.seed;

    for (size_t i = 0; lc_gen_presets[i]; i++) {
        if (strcmp(lc_gen_presets[i], name) != 0)
            continue;
        options->config = presets[i].config;
        options->config.seed = seed;
        options->total_bytes = presets[i].total_bytes;
        options->debug_counts = presets[i].debug_counts;
        return 0;
    }
    return -1;
}
