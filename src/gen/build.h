/* SPDX-License-Identifier: MIT */
/* build.h - from the model to files: what the steps of a build share */
#ifndef LC_GEN_BUILD_H
#define LC_GEN_BUILD_H

#include "config.h"
#include "gen/elf_bigexe.h"
#include "gen/elf_static.h"
#include "gen/gen.h"
#include "gen/interp.h"
#include "gen/name.h"
#include "gen/tree.h"

/* What the drivers print: the original's last version, and whose work this is. */
#define LC_PYNAMIC_VERSION "1.3.3-loadcast-" LC_VERSION

struct lc_build {
    const struct lc_gen_options *options;
    const struct lc_model *model;
    const struct lc_tools *tools;
    const char *dir;                /* where finished files go */
    const char *work;               /* where sources, objects and stubs are; programs run there */
    unsigned modes;                 /* to make */
    struct lc_structure *structure; /* of each library; both from lc_build_foretell */
    uint32_t *expected;             /* what each module's entry returns */
    struct lc_static code;          /* of pynamic-sdb-pyMPI; from lc_build_static_open */
};

/* Work out results and structures. 0, or -1 with err filled; forget in either case. */
int lc_build_foretell(struct lc_build *build, struct lc_error *err);
void lc_build_forget(struct lc_build *build);

/* The parts of a build, each a number for lc_pool_run. Libraries: the model's, then the two hooks.
 */
size_t lc_build_libs(const struct lc_build *build);
int lc_build_stubs(const struct lc_build *build, struct lc_error *err);
int lc_build_lib(const struct lc_build *build, size_t number, struct lc_error *err);
const char *lc_build_lib_name(const struct lc_build *build, size_t number,
                              struct lc_symbol_name *room);
bool lc_build_has_programs(const struct lc_build *build); /* else no compiler is needed */

/* The same without compiler and linker; then all static code as one object, and the names of its
 * functions into the program linked from it, by processes forked after its opening; the large
 * code's object, and the code into the program that 'link' has linked from it. */
int lc_build_lib_elf(const struct lc_build *build, size_t number, struct lc_error *err);
int lc_build_static_open(struct lc_build *build, struct lc_error *err);
int lc_build_static_elf(const struct lc_build *build, struct lc_error *err);
int lc_build_static_names(const struct lc_build *build, struct lc_error *err);
int lc_build_bigexe_elf(const struct lc_build *build, struct lc_error *err);
int lc_build_bigexe_fill(const struct lc_build *build, const struct lc_argv *link,
                         struct lc_error *err);
bool lc_build_has_static(const struct lc_build *build);      /* that object is made */
bool lc_build_fits_program(const struct lc_build *build);    /* the code of all, into one */
bool lc_build_compiles_static(const struct lc_build *build); /* or every library is, by C */

/* Objects of the programs, then the programs themselves; both in any order. */
size_t lc_build_objects(const struct lc_build *build);
int lc_build_object(const struct lc_build *build, size_t number, struct lc_error *err);
size_t lc_build_programs(const struct lc_build *build);
int lc_build_program(const struct lc_build *build, size_t number, struct lc_error *err);

/* All of the above, in processes side by side, with a progress bar. 0, or -1 with err filled. */
int lc_build_all(struct lc_build *build, struct lc_error *err);

/* Sources of the programs into the work directory, drivers into the output directory. */
int lc_build_sources(const struct lc_build *build, struct lc_error *err);
int lc_build_drivers(const struct lc_build *build, struct lc_error *err);

/* Shared by the steps: put text into the work directory; the options every link gets. */
int lc_build_write(const struct lc_build *build, const char *name, const struct lc_buf *text,
                   struct lc_error *err);
void lc_build_add_compile(const struct lc_build *build, struct lc_argv *argv);
void lc_build_add_link(const struct lc_build *build, struct lc_argv *argv);
/* DT_NEEDED for what the list file in the work directory names, whether used or not. */
void lc_build_add_needed(struct lc_argv *argv, const char *list);

/* Choose the averages so that the libraries take about options->total_bytes; compiles a few trial
 * libraries in 'work'. 0, or -1 with err filled. */
int lc_build_fit(struct lc_build *build, struct lc_gen_config *config, struct lc_error *err);

/* The pynamic-bigexe's own code: a table of real functions, about options->bigexe_bytes of .text.
 */
struct lc_bigexe lc_build_bigexe_size(const struct lc_build *build);
int lc_build_bigexe(const struct lc_build *build, struct lc_error *err);

/* Write manifest.json. 0, or -1 with err filled. */
int lc_build_manifest(const struct lc_build *build, struct lc_error *err);

#endif
