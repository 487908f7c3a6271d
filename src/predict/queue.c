/* SPDX-License-Identifier: MIT */
/* queue.c - exact mean value analysis of a few stations and a delay */
#include "predict/queue.h"

#include <math.h>

/* With a station this close to always working, each further customer lengthens the response by
 * that station's demand, and the recursion can be left. */
static const double SATURATED = 1 - 1e-9;

struct network {
    double think_s, demand_s[LC_STATIONS];
    int busiest; /* the station with the largest demand */
};

static struct network network_of(const struct lc_queue_demand *d)
{
    struct network n = {.think_s = d->think_s};

    for (int i = 0; i < LC_STATIONS; i++) {
        n.demand_s[i] = d->seconds[i] / (d->servers[i] > 1 ? d->servers[i] : 1);
        n.think_s += d->seconds[i] - n.demand_s[i];
        if (n.demand_s[i] > n.demand_s[n.busiest])
            n.busiest = i;
    }
    return n;
}

/* One customer more: it finds at each station what was there without it (arrival theorem). */
static void customer_add(struct lc_queue_result *r, const struct network *net, double customers)
{
    double at_s[LC_STATIONS];

    r->response_s = net->think_s;
    for (int i = 0; i < LC_STATIONS; i++) {
        at_s[i] = net->demand_s[i] * (1 + r->waiting[i]);
        r->response_s += at_s[i];
    }
    r->per_s = customers / r->response_s;
    for (int i = 0; i < LC_STATIONS; i++)
        r->waiting[i] = r->per_s * at_s[i];
}

/* The customers that are left all queue at the station that is always working. */
static void customers_add_saturated(struct lc_queue_result *r, const struct network *net,
                                    double customers, double left)
{
    r->waiting[net->busiest] += left;
    r->response_s += left * net->demand_s[net->busiest];
    r->per_s = customers / r->response_s;
}

struct lc_queue_result lc_queue_solve(const struct lc_queue_demand *d, double customers)
{
    const struct network net = network_of(d);
    struct lc_queue_result r = {0};

    if (net.think_s <= 0 && net.demand_s[net.busiest] <= 0)
        return (struct lc_queue_result){.per_s = INFINITY};
    for (double n = 1; n <= customers; n++) {
        customer_add(&r, &net, n);
        if (r.per_s * net.demand_s[net.busiest] > SATURATED && n < customers) {
            customers_add_saturated(&r, &net, customers, customers - n);
            break;
        }
    }
    for (int i = 0; i < LC_STATIONS; i++)
        r.share[i] = r.per_s * net.demand_s[i];
    return r;
}
