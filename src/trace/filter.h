/* SPDX-License-Identifier: MIT */
/* filter.h - a seccomp filter that stops a traced process at file-system calls only */
#ifndef LC_TRACE_FILTER_H
#define LC_TRACE_FILTER_H

/* Put the filter on this process and all it will start. Without privilege this also sets
 * no_new_privs. 0, or -1 with errno. From then on the calls of the table fail with ENOSYS unless a
 * tracer answers: a filter cannot be taken off. */
int lc_filter_install(void);

#endif
