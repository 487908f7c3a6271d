/* SPDX-License-Identifier: MIT */
/* run_statistics.h - run --stats, on standard error */
#ifndef LC_CMD_RUN_STATISTICS_H
#define LC_CMD_RUN_STATISTICS_H

#include "launch/run.h"

void lc_run_statistics_print(const struct lc_run_statistics *s);

#endif
