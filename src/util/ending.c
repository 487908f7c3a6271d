/* SPDX-License-Identifier: MIT */
/* ending.c - note a signal that asks us to end */
#include "util/ending.h"

#include <stddef.h>

static volatile sig_atomic_t ended_by;

static const int ending[LC_ENDINGS] = {SIGINT, SIGTERM, SIGHUP};

static void ending_note(int number)
{
    ended_by = number;
}

void lc_ending_catch(struct sigaction before[LC_ENDINGS])
{
    struct sigaction note = {.sa_handler = ending_note, .sa_flags = (int)SA_RESETHAND};

    for (int i = 0; i < LC_ENDINGS; i++)
        if (sigaction(ending[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &note, NULL);
}

bool lc_ending_came(void)
{
    return ended_by;
}

void lc_ending_release(const struct sigaction before[LC_ENDINGS])
{
    for (int i = 0; i < LC_ENDINGS; i++)
        sigaction(ending[i], &before[i], NULL);
    if (ended_by)
        raise(ended_by);
}
