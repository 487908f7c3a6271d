/* SPDX-License-Identifier: MIT */
/* launcher_protocol.h - how 'loadcast exec' and the preload talk to the launcher */
#ifndef LC_NODE_LAUNCHER_PROTOCOL_H
#define LC_NODE_LAUNCHER_PROTOCOL_H

/* Environment variable for the launcher, never passed to the program: report on stderr what is not
 * covered. */
#define LC_LAUNCH_TELL "LOADCAST_TELL"

/* argv[0] of the launcher if the preload starts it: start a program as if by execve, or only check
 * whether it can be started (node/audit_fit.h), and exit.
 *
 *   loadcast-child ARGV0 PATH [ARGUMENT...] */
#define LC_LAUNCH_CHILD   "loadcast-child"
#define LC_LAUNCH_MEASURE "loadcast-measure"

#endif
