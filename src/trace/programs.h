/* SPDX-License-Identifier: MIT */
/* programs.h - record which program ran in which process, and explain why it searched a directory
 */
#ifndef LC_TRACE_PROGRAMS_H
#define LC_TRACE_PROGRAMS_H

#include <stddef.h>

#include "trace/summary.h"

/* Record what an event tells: programs started, objects opened, Python packages found. */
void lc_traced_programs_note(struct lc_summary *sum, const struct lc_trace_event *event,
                             const char *path);

/* The program of a process; the parent's program if the process has not called execve. */
struct lc_traced_program *lc_traced_program_of(struct lc_summary *sum, pid_t pid, pid_t parent);

void lc_traced_program_destroy(void *traced);

/* Why was 'dir' searched? "RUNPATH of /opt/x/bin/app", "sys.path entry (PYTHONPATH)"... Reads the
 * ELF headers of objects the program opened, so call it after the run. "" if unknown. */
void lc_traced_program_why(const struct lc_summary *sum, const char *dir,
                           const struct lc_dir_sum *found, char *out, size_t size);

#endif
