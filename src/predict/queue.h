/* SPDX-License-Identifier: MIT */
/* queue.h - a closed network of queues: so many customers, each of whom computes, asks the
 * metadata servers and the data servers, and starts again
 *
 * Solved by exact mean value analysis, which needs only the demands: how long a station works for
 * one customer in all. What a job of N ranks takes is the response time with N customers, since
 * all of them ask at the same time. */
#ifndef LC_PREDICT_QUEUE_H
#define LC_PREDICT_QUEUE_H

enum lc_station { LC_STATION_META, LC_STATION_DATA, LC_STATION_CPU, LC_STATIONS };

struct lc_queue_demand {
    double think_s;              /* computing and waiting for round trips: never queues */
    double seconds[LC_STATIONS]; /* that one customer needs of a station */
    /* Servers of a station; 0 counts as 1. A station of several is one that is as many times as
     * fast, and a delay for the rest of the service (Seidmann's approximation). */
    double servers[LC_STATIONS];
};

struct lc_queue_result {
    double response_s;           /* of one customer, thinking included */
    double per_s;                /* customers served per second */
    double waiting[LC_STATIONS]; /* customers at a station, waiting or served */
    double share[LC_STATIONS];   /* of the time that a station works: 0 to 1 */
};

struct lc_queue_result lc_queue_solve(const struct lc_queue_demand *demand, double customers);

#endif
