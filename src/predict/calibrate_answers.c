/* SPDX-License-Identifier: MIT */
/* calibrate_answers.c - answers by their times; when a part of measuring ends */
#include "predict/calibrate_private.h"
#include "util/clock.h"
#include "util/ending.h"

void lc_calibrate_note(struct lc_answers *a)
{
    a->ns[a->count++] = lc_clock_ns();
}

/* Answers after 'from_ns', up to 'to_ns', of all threads together. */
static long answers_between(const struct lc_answers *of, int threads, uint64_t from_ns,
                            uint64_t to_ns)
{
    long found = 0;

    for (int i = 0; i < threads; i++)
        for (long k = 0; k < of[i].count; k++)
            found += of[i].ns[k] > from_ns && of[i].ns[k] <= to_ns;
    return found;
}

double lc_calibrate_rate(const struct lc_answers *of, int threads)
{
    uint64_t first_ns = UINT64_MAX, last_ns = 0, all_from_ns = 0, all_to_ns = UINT64_MAX;

    for (int i = 0; i < threads; i++) {
        uint64_t from_ns = of[i].ns[0], to_ns = of[i].ns[of[i].count - 1];
        first_ns = from_ns < first_ns ? from_ns : first_ns;
        last_ns = to_ns > last_ns ? to_ns : last_ns;
        all_from_ns = from_ns > all_from_ns ? from_ns : all_from_ns;
        all_to_ns = to_ns < all_to_ns ? to_ns : all_to_ns;
    }
    long total = answers_between(of, threads, first_ns, last_ns);
    long together = answers_between(of, threads, all_from_ns, all_to_ns);
    if (together > 0 && 2 * together >= total)
        return (double)together * 1e9 / (double)(all_to_ns - all_from_ns);
    return total > 0 ? (double)total * 1e9 / (double)(last_ns - first_ns) : 0;
}

uint64_t lc_calibrate_end_ns(double patience_s)
{
    return lc_clock_ns() + (uint64_t)(patience_s * 1e9);
}

bool lc_calibrate_is_over(uint64_t end_ns)
{
    return lc_ending_came() || lc_clock_ns() >= end_ns;
}
