/* SPDX-License-Identifier: MIT */
/* rank_dummy.c - the program of the case DUMMY: what it takes is what measuring takes */
#include "bench/loadcast-mark.h"
#include "bench/rank.h"

int lc_rank_dummy(void)
{
    loadcast_mark("start");
    loadcast_mark("import");
    loadcast_mark("visit");
    return 0;
}
