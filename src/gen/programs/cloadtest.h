/* SPDX-License-Identifier: MIT */
/* cloadtest.h - the table that gen writes for cloadtest */
#ifndef CLOADTEST_H
#define CLOADTEST_H

struct visit {
    const char *library;
    unsigned (*entry)(void);
    unsigned expected;
};

extern const struct visit visits[];
extern const int visit_count;
extern const int library_count; /* utilities included */

#endif
