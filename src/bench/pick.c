/* SPDX-License-Identifier: MIT */
/* pick.c - choose pairs of case and target */
#include "bench/pick.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/human.h"

static double random_below(double limit)
{
    uint64_t bits = 0;

    if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
        bits = (uint64_t)random();
    return (double)(bits >> 11) / 9007199254740992.0 * limit;
}

static double pair_weight(const struct lc_picks *p, const struct lc_suite *s, unsigned at)
{
    return p->is_in[at] ? 0
                        : *s->cases[at / p->targets].weight * *s->targets[at % p->targets].weight;
}

/* Add one pair that is not in yet; false if none with a weight is left. */
static bool pair_draw(struct lc_picks *p, const struct lc_suite *s)
{
    unsigned all = p->cases * p->targets, last = all;
    double sum = 0;

    for (unsigned i = 0; i < all; i++)
        sum += pair_weight(p, s, i);
    double left = random_below(sum);
    for (unsigned i = 0; i < all; i++) {
        if (pair_weight(p, s, i) <= 0)
            continue;
        last = i;
        if ((left -= pair_weight(p, s, i)) < 0)
            break;
    }
    if (last < all)
        p->is_in[last] = true;
    return last < all;
}

int lc_picks_make(struct lc_picks *picks, const struct lc_suite *suite, const char *how,
                  struct lc_error *err)
{
    long count = 0;

    *picks = (struct lc_picks){NULL, suite->cases_count, suite->targets_count};
    if (how && strncmp(how, "random:", 7) != 0)
        return lc_error_set(err, "--pick '%s': there is random:N, e.g. random:1", how);
    if (how && lc_parse_long("--pick random", how + 7, 1, 1000000, &count, err) < 0)
        return -1;
    picks->is_in = calloc((size_t)picks->cases * picks->targets, sizeof(bool));
    if (!picks->is_in)
        return lc_error_set(err, "out of memory");
    if (!how)
        memset(picks->is_in, true, (size_t)picks->cases * picks->targets);
    while (count > 0 && pair_draw(picks, suite))
        count--;
    return 0;
}

void lc_picks_free(struct lc_picks *picks)
{
    free(picks->is_in);
    picks->is_in = NULL;
}

bool lc_picks_has(const struct lc_picks *picks, unsigned number, unsigned target)
{
    return picks->is_in[number * picks->targets + target];
}

bool lc_picks_has_target(const struct lc_picks *picks, unsigned target)
{
    for (unsigned i = 0; i < picks->cases; i++)
        if (lc_picks_has(picks, i, target))
            return true;
    return false;
}

uint64_t lc_picks_runs(const struct lc_picks *picks, const struct lc_suite *suite)
{
    uint64_t runs = 0;

    for (unsigned i = 0; i < picks->cases; i++)
        for (unsigned k = 0; k < picks->targets; k++)
            if (lc_picks_has(picks, i, k))
                runs += suite->cases[i].width_count * suite->caches_count * suite->with_count *
                        (uint64_t)*suite->max_runs;
    return runs;
}
