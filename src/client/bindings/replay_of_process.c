/* SPDX-License-Identifier: MIT */
/* replay_of_process.c - the one replay of this process. Freestanding. */
#include "client/bindings/replay.h"
#include "node/starts.h"

static struct lc_replay replay;

struct lc_replay *lc_replay_of_process(void)
{
    return &replay;
}

void lc_thunk_hook(uint32_t thunk)
{
    uint32_t part = lc_part_enter(replay.node, LC_PART_BINDINGS);
    lc_replay_relocated(&replay, thunk);
    lc_part_leave(replay.node, part);
}
