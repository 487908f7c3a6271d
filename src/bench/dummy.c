/* SPDX-License-Identifier: MIT */
/* dummy.c - bench-dummy, the program of the case DUMMY: what it takes is what measuring takes */
#include "bench/loadcast-mark.h"

int main(void)
{
    loadcast_mark("start");
    loadcast_mark("import");
    loadcast_mark("visit");
    return 0;
}
