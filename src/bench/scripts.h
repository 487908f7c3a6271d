/* SPDX-License-Identifier: MIT */
/* scripts.h - the Python scripts in scripts/, carried inside the executable (gen/embed.c) */
#ifndef LC_BENCH_SCRIPTS_H
#define LC_BENCH_SCRIPTS_H

#include <stddef.h>

struct lc_script {
    const char *name;
    const char *data;
    size_t len;
};

extern const struct lc_script lc_scripts[]; /* ends with a zeroed entry */

#endif
