/* SPDX-License-Identifier: MIT */
/* deaths.h - processes that died before their loading had settled, as node/starts.h noted it
 *
 * Loading has settled when a process has loaded no library and no Python module for LC_SETTLED_S. A
 * process that ends by itself (exit, _exit, return from main, or by executing another program)
 * counts as settled, too. */
#ifndef LC_STAGE_DEATHS_H
#define LC_STAGE_DEATHS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "node/format.h"
#include "node/starts.h"

#define LC_DEATHS_NOTE ".died." /* and the name of the node directory: see lc_deaths_leave() */

enum {
    LC_SETTLED_S = 10,
    LC_DEATHS_NOTE_S = 10, /* the run asks as soon as its line has ended; later nobody will */
};

struct lc_deaths {
    uint32_t count;
    enum lc_start_part part; /* in which one of them was; LC_PART_NONE: none was in our code */
    bool has_replayed;       /* recorded bindings were written in one of them */
};

/* Count them, and forget them: each is told of once. 'live' may be a copy. */
struct lc_deaths lc_deaths_take(struct lc_live *live);
/* The same, whether they had settled or not. */
struct lc_deaths lc_deaths_take_all(struct lc_live *live);

/* Add what another node, or another file, tells. */
void lc_deaths_add(struct lc_deaths *sum, const struct lc_deaths *more);

/* "died": [count, part, has_replayed] of a node's report. Nothing is set if there is none; none is
 * read if it is not set. */
void lc_deaths_report(const struct lc_deaths *deaths, json_t *report);
struct lc_deaths lc_deaths_of_report(const json_t *report);

/* A janitor removes the node directory before anybody has asked: it leaves a file beside it, in the
 * user's directory, which is read once. True if there was something to tell. A run that was killed
 * or interrupted never asks: the janitor removes the file after LC_DEATHS_NOTE_S. */
bool lc_deaths_leave(int user, const char *name);
bool lc_deaths_are_left(int user, const char *name);
struct lc_deaths lc_deaths_take_left(int user, const char *name);

#endif
