/* SPDX-License-Identifier: MIT */
/* emit_c_python.h - the part of a C source that makes it a Python extension module */
#ifndef LC_GEN_EMIT_C_PYTHON_H
#define LC_GEN_EMIT_C_PYTHON_H

#include "util/buf.h"

struct lc_emit_c_method {
    const char *module; /* libmodule3 */
    char name[64];      /* its one method: libmodule3_entry; in C py_libmodule3_entry */
    const char *call;   /* unsigned f(void), already defined, whose value it returns; NULL: 0 */
};

void lc_emit_c_python(const struct lc_emit_c_method *method, struct lc_buf *out);

#endif
