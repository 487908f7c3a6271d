/* SPDX-License-Identifier: MIT */
/* emit_c.h - the model as C source: the reference for every other emitter
 *
 * Each function adds its text to 'out'; a failed allocation shows in out->failed. The sources
 * declare the parts of Python's stable ABI that they use themselves, so that they compile, and
 * cloadtest runs, without Python. */
#ifndef LC_GEN_EMIT_C_H
#define LC_GEN_EMIT_C_H

#include "gen/model.h"
#include "util/buf.h"

/* The source of one library. */
void lc_emit_c_lib(const struct lc_model *model, struct lc_lib lib, struct lc_buf *out);

/* libmodulebegin and libmodulefinal: a module with one method that does nothing. */
void lc_emit_c_hook(const char *module, const char *method, struct lc_buf *out);

/* Empty functions named like every module's entry, for a stub to link cloadtest with. */
void lc_emit_c_entry_stubs(const struct lc_model *model, struct lc_buf *out);

/* The table of entries and their expected values that cloadtest visits. */
void lc_emit_c_visit_table(const struct lc_model *model, const uint32_t *expected,
                           struct lc_buf *out);

/* The table of static modules that pynamic-sdb-pyMPI registers; an empty one without a model. */
void lc_emit_c_inittab(const struct lc_model *model, struct lc_buf *out);

#endif
