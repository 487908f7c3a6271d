/* SPDX-License-Identifier: MIT */
/* exec_suspect.h - did the program that 'exec' ran here before die inside of our code? */
#ifndef LC_CMD_EXEC_SUSPECT_H
#define LC_CMD_EXEC_SUSPECT_H

#include <stdbool.h>

#include "node/format.h"

/* If so, switch the part off by the environment, say so and remember it in the store. True: run the
 * command without Loadcast. Nothing is done in ranks and jobs. */
bool lc_exec_suspect(const char *image, struct lc_live *live, bool quiet);

#endif
