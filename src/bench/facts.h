/* SPDX-License-Identifier: MIT */
/* facts.h - the machine that a run takes place on, for its row in the results */
#ifndef LC_BENCH_FACTS_H
#define LC_BENCH_FACTS_H

struct lc_facts {
    char host[256], cpu[256], kernel[256], glibc[64], mpi[256], job[128];
};

/* Fill what can be found out; the rest stays empty. 'mpi' is the first line of mpiexec --version.
 */
void lc_facts_find(struct lc_facts *facts);

#endif
