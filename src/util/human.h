/* SPDX-License-Identifier: MIT */
/* human.h - numbers as people write them, and read back from what they type */
#ifndef LC_UTIL_HUMAN_H
#define LC_UTIL_HUMAN_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* A number as text, held by value so that several can stand in one printf. */
struct lc_text {
    char s[40];
};

struct lc_text lc_human_count(uint64_t n);       /* 1,234,567 */
struct lc_text lc_human_bytes(uint64_t bytes);   /* 98.1 MB (powers of 1000) */
struct lc_text lc_human_seconds(double seconds); /* 250 us, 1.2 s, 14 min, 3.1 h, 2.5 days */

/* Strict readers: the whole text must be the number and lie within [min, max]. 'what' names the
 * thing in the message ("--ranks"). 0, or -1 with err filled. */
int lc_parse_long(const char *what, const char *text, long min, long max, long *out,
                  struct lc_error *err);
int lc_parse_double(const char *what, const char *text, double min, double max, double *out,
                    struct lc_error *err);
/* "64k", "10M", "1.5GB", "2GiB": k/M/G/T are powers of 1000, Ki/Mi/Gi/Ti of 1024. */
int lc_parse_bytes(const char *what, const char *text, double min, double max, double *out,
                   struct lc_error *err);
/* "2", "1.5s", "250ms", "3min", "1h". */
int lc_parse_seconds(const char *what, const char *text, double min, double max, double *out,
                     struct lc_error *err);
/* "1,24,1024": allocates *out (caller frees); 1 to 64 numbers. */
int lc_parse_long_list(const char *what, const char *text, long min, long max, long **out,
                       size_t *count, struct lc_error *err);

#endif
