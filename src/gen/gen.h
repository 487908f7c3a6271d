/* SPDX-License-Identifier: MIT */
/* gen.h - make a workload directory: the modules, libraries, programs and drivers of Pynamic and
 * CLoadtest */
#ifndef LC_GEN_GEN_H
#define LC_GEN_GEN_H

#include "gen/model.h"
#include "gen/tools.h"

/* The ways to run a workload, each a program in the directory. */
enum lc_mode {
    LC_MODE_PYMPI,         /* modules imported one by one into an interpreter with MPI */
    LC_MODE_PYNAMIC,       /* the same interpreter with all libraries linked in */
    LC_MODE_SDB,           /* all code static */
    LC_MODE_BIGEXE,        /* all libraries linked in, and much code of its own */
    LC_MODE_MPI4PY,        /* the system's python with mpi4py */
    LC_MODE_CLOADTEST,     /* a C program with all libraries linked in */
    LC_MODE_CLOADTEST_MPI, /* the same with MPI */
    LC_MODES
};

const char *lc_mode_name(enum lc_mode mode);
bool lc_mode_needs_mpi(enum lc_mode mode);    /* at build time */
bool lc_mode_needs_python(enum lc_mode mode); /* at build time */

/* "pyMPI,cloadtest" to a set of bits 1 << enum lc_mode. 0, or -1 with err filled. */
int lc_mode_parse(const char *list, unsigned *out, struct lc_error *err);

struct lc_machine;

struct lc_gen_options {
    struct lc_gen_config config;
    const struct lc_machine
        *machine; /* write ELF files for it without a compiler; NULL: compile C */
    const char *out;
    bool force, beside;
    bool debug_info;
    bool keep_sources;
    long jobs;
    double total_bytes;  /* 0: as many functions as the config says */
    bool debug_counts;   /* debug information is part of total_bytes */
    double bigexe_bytes; /* size of the .text of pynamic-bigexe itself */
    unsigned modes;
    struct lc_tools_wish wish;
    char *const *argv; /* for the manifest; ends with NULL */
};

struct lc_gen_result {
    uint64_t library_bytes;
    uint64_t debug_bytes; /* debug information, included in the above */
    uint64_t functions;
    unsigned modes;                /* modes that were made */
    struct lc_error why[LC_MODES]; /* why a requested mode was left out; else "" */
    int signal;                    /* the signal that ended the run; else 0 */
    struct lc_gen_config config;   /* with the averages that --total-size chose */
};

/* Makes the workload directory. On failure the directory is as before, except for what 'force'
 * removed. 0, or -1 with err filled. */
int lc_gen(const struct lc_gen_options *options, struct lc_gen_result *result,
           struct lc_error *err);

/* A named configuration: coral, sierra, juropa, archer, small. 0, or -1 if there is none. */
int lc_gen_preset(const char *name, struct lc_gen_options *options);
extern const char *const lc_gen_presets[]; /* ends with NULL */

#endif
