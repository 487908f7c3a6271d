/* SPDX-License-Identifier: MIT */
/* replay_of_process.c - the one replay of this process. Freestanding. */
#include "client/bindings/replay.h"

static struct lc_replay replay;

struct lc_replay *lc_replay_of_process(void)
{
    return &replay;
}

void lc_thunk_hook(uint32_t thunk)
{
    lc_replay_relocated(&replay, thunk);
}
