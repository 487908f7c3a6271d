/* SPDX-License-Identifier: MIT */
/* calibrate_private.h - private to calibrate*.c: answers by their times, when a part ends, data */
#ifndef LC_PREDICT_CALIBRATE_PRIVATE_H
#define LC_PREDICT_CALIBRATE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

enum { LC_CALIBRATE_ANSWERS = 32 }; /* of one thread, at most */

/* The answers that one thread got, by their times. */
struct lc_answers {
    long count;
    uint64_t ns[LC_CALIBRATE_ANSWERS];
};

void lc_calibrate_note(struct lc_answers *answers);

/* Answers per second of all threads together while each of them was asking; where that time holds
 * less than half of the answers, from the first answer to the last of all. At its begin the server
 * may have answered one request of each thread that is not noted yet: the rate is too high by that
 * share at most. 0 if there were not two answers. Each thread has one. */
double lc_calibrate_rate(const struct lc_answers *of, int threads);

/* When a part that begins now ends, and whether it has, or a signal asks us to end. */
uint64_t lc_calibrate_end_ns(double patience_s);
bool lc_calibrate_is_over(uint64_t end_ns);

enum { LC_CALIBRATE_BLOCK = 1 << 18 }; /* bytes that are written and read at a time */

/* Writes a file of so many bytes below 'dir' and reads it from its server: MB/s, or -1 with errno.
 */
double lc_calibrate_read_mb_s(const char *dir, double bytes, double patience_s);

/* Writing to memory that is touched for the first time, as staging does: MB/s; -1 with errno. */
double lc_calibrate_memory_mb_s(void);

#endif
