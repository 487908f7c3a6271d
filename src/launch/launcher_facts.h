/* SPDX-License-Identifier: MIT */
/* launcher_facts.h - what was found out about a launcher once, so that it need not be started to
 * ask
 *
 * Facts are kept in the user's store. A fact's name changes with the program's file and with what
 * the answer depends on, so an outdated fact is never found. */
#ifndef LC_LAUNCH_LAUNCHER_FACTS_H
#define LC_LAUNCH_LAUNCHER_FACTS_H

#include <stdbool.h>

enum { LC_FACT_NAME = 64 };

/* Name a fact of the kind 'what' on a program, found by PATH; 'more' is what else the answer
 * depends on. False if the program is not found, or is a script, which may do something else every
 * time. */
bool lc_launcher_fact_name(char out[LC_FACT_NAME], const char *what, const char *program,
                           const char *more);

#endif
