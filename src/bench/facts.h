/* SPDX-License-Identifier: MIT */
/* facts.h - where a run takes place, for its row */
#ifndef LC_BENCH_FACTS_H
#define LC_BENCH_FACTS_H

struct lc_facts {
    char host[256], cpu[256], kernel[256], glibc[64], mpi[256], job[128];
};

/* What can be found out; the rest stays empty. 'mpi' is what mpiexec says of itself. */
void lc_facts_find(struct lc_facts *facts);

#endif
