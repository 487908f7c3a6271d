/* SPDX-License-Identifier: MIT */
/* build.h - build the files of a workload from its model: the steps of a build */
#ifndef LC_GEN_BUILD_H
#define LC_GEN_BUILD_H

#include "config.h"
#include "gen/elf_bigexe.h"
#include "gen/elf_static.h"
#include "gen/gen.h"
#include "gen/interp.h"
#include "gen/name.h"
#include "gen/tree.h"

/* The drivers print the version of the original Pynamic, and that this is Loadcast's. */
#define LC_PYNAMIC_VERSION "1.3.3-loadcast-" LC_VERSION

struct lc_build {
    const struct lc_gen_options *options;
    const struct lc_model *model;
    const struct lc_tools *tools;
    const char *dir;  /* where finished files go */
    const char *work; /* where sources, objects and stubs are; programs run there */
    unsigned modes;   /* bits 1 << enum lc_mode: the modes to build */
    struct lc_structure
        *structure;     /* of each library; set by lc_build_compute_expected(), as is 'expected' */
    uint32_t *expected; /* what each module's entry returns */
    struct lc_static code; /* code of pynamic-sdb-pyMPI; set by lc_build_static_open() */
};

/* Compute expected results and structures. 0, or -1 with err filled; call lc_build_free() in either
 * case. */
int lc_build_compute_expected(struct lc_build *build, struct lc_error *err);
void lc_build_free(struct lc_build *build);

/* Libraries, numbered for lc_pool_run(): the model's, then the two hooks. */
size_t lc_build_libs(const struct lc_build *build);
int lc_build_stubs(const struct lc_build *build, struct lc_error *err);
int lc_build_lib(const struct lc_build *build, size_t number, struct lc_error *err);
const char *lc_build_lib_name(const struct lc_build *build, size_t number,
                              struct lc_symbol_name *room);
bool lc_build_has_programs(const struct lc_build *build); /* if not, no compiler is needed */

/* Without compiler and linker: write a library; write all static code as one object, and after
 * linking the names of its functions into the program (both by processes forked after
 * lc_build_static_open()); write the object of pynamic-bigexe's own code, and after linking by
 * 'link' the code into the program. */
int lc_build_lib_elf(const struct lc_build *build, size_t number, struct lc_error *err);
int lc_build_static_open(struct lc_build *build, struct lc_error *err);
int lc_build_static_elf(const struct lc_build *build, struct lc_error *err);
int lc_build_static_names(const struct lc_build *build, struct lc_error *err);
int lc_build_bigexe_elf(const struct lc_build *build, struct lc_error *err);
int lc_build_bigexe_whole(const struct lc_build *build, const struct lc_argv *link,
                          struct lc_error *err);
int lc_build_bigexe_fill(const struct lc_build *build, const struct lc_argv *link,
                         struct lc_error *err);
bool lc_build_has_static(
    const struct lc_build *build); /* all static code is written as one object */
bool lc_build_fits_program(
    const struct lc_build *build); /* the code of all libraries fits into one program */
bool lc_build_compiles_static(
    const struct lc_build *build); /* the static code is compiled from C */

/* Objects of the programs, then the programs themselves; both in any order. */
size_t lc_build_objects(const struct lc_build *build);
int lc_build_object(const struct lc_build *build, size_t number, struct lc_error *err);
size_t lc_build_programs(const struct lc_build *build);
int lc_build_program(const struct lc_build *build, size_t number, struct lc_error *err);

/* Run all of the above in parallel processes, with a progress bar. 0, or -1 with err filled. */
int lc_build_all(struct lc_build *build, struct lc_error *err);

/* Write the sources of the programs to the work directory, the drivers to the output directory. */
int lc_build_sources(const struct lc_build *build, struct lc_error *err);
int lc_build_drivers(const struct lc_build *build, struct lc_error *err);

/* Helpers of the steps: write text to a file in the work directory; add the options of every
 * compiler and linker call. */
int lc_build_write(const struct lc_build *build, const char *name, const struct lc_buf *text,
                   struct lc_error *err);
void lc_build_add_compile(const struct lc_build *build, struct lc_argv *argv);
void lc_build_add_link(const struct lc_build *build, struct lc_argv *argv);
/* Add DT_NEEDED entries for all libraries of a list file in the work directory, used or not. */
void lc_build_add_needed(struct lc_argv *argv, const char *list);

/* Choose the averages so that the libraries take about options->total_bytes; compiles a few trial
 * libraries in 'work'. 0, or -1 with err filled. */
int lc_build_fit_total_size(struct lc_build *build, struct lc_gen_config *config,
                            struct lc_error *err);

/* pynamic-bigexe's own code: a table of functions with about options->bigexe_bytes of .text. */
struct lc_bigexe lc_build_bigexe_size(const struct lc_build *build);
int lc_build_bigexe(const struct lc_build *build, struct lc_error *err);

/* Write manifest.json. 0, or -1 with err filled. */
int lc_build_manifest(const struct lc_build *build, struct lc_error *err);

#endif
