/* SPDX-License-Identifier: MIT */
/* programs.h - which program ran in which process, and which search sent it to a directory */
#ifndef LC_TRACE_PROGRAMS_H
#define LC_TRACE_PROGRAMS_H

#include <stddef.h>

#include "trace/summary.h"

/* Learn from an event: programs started, objects opened, packages found. */
void lc_traced_programs_note(struct lc_summary *sum, const struct lc_trace_event *event,
                             const char *path);

/* The program that runs in a process: its own, or its parent's where it has not executed one. */
struct lc_traced_program *lc_traced_program_of(struct lc_summary *sum, pid_t pid, pid_t parent);

void lc_traced_program_destroy(void *image);

/* Why was 'dir' searched? "RUNPATH of /opt/x/bin/app", "sys.path entry (PYTHONPATH)"... Reads the
 * ELF headers of objects the program opened, so call it after the run. "" if unknown. */
void lc_traced_program_why(const struct lc_summary *sum, const char *dir,
                           const struct lc_dir_sum *found, char *out, size_t size);

#endif
