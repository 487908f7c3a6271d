/* SPDX-License-Identifier: MIT */
/* compress_choice.h - does compressing pay on this wire?
 *
 * That depends on links, cores and content, so it is measured: the rate at which raw bytes leave is
 * compared between stretches of chunks sent either way, and asked again now and then. */
#ifndef LC_STAGER_COMPRESS_CHOICE_H
#define LC_STAGER_COMPRESS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed at first. */
struct lc_compress_choice {
    bool on, known;
    double rate[2]; /* raw bytes per second: plain, compressed; 0: not measured */
    uint64_t since_ns, bytes;
    unsigned chunks, stretch;
};

/* Asked before each chunk, told after it. */
bool lc_compress_choice_next(struct lc_compress_choice *choice, uint64_t now_ns);
void lc_compress_choice_report(struct lc_compress_choice *choice, size_t raw);

#endif
