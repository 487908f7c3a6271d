/* SPDX-License-Identifier: MIT */
/* held_time.c - how long the end of a line may be held up for the sake of the next one */
#include "launch/held_time.h"

/* On a busy machine nothing is kept in less than SHORTEST_S: then nothing is held up. */
static const double PART = 0.1, LONGEST_S = 1, COUNTED_PART = 0.5, SHORTEST_S = 0.05;

double lc_held_time_s(double line_s)
{
    double held_s = line_s > 0 ? line_s * PART : 0;

    return held_s < LONGEST_S ? held_s : LONGEST_S;
}

double lc_held_time_of_watched_s(double line_s, bool ranks_wait)
{
    double held_s = ranks_wait ? 0 : lc_held_time_s(line_s * COUNTED_PART);

    return held_s < SHORTEST_S ? 0 : held_s;
}
