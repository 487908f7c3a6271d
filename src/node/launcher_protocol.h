/* SPDX-License-Identifier: MIT */
/* launcher_protocol.h - between 'loadcast exec', the preload and the launcher */
#ifndef LC_NODE_LAUNCHER_PROTOCOL_H
#define LC_NODE_LAUNCHER_PROTOCOL_H

/* In the launcher's environment, and never in the program's: say on stderr what is not covered. */
#define LC_LAUNCH_TELL "LOADCAST_TELL"

/* As argv[0] of the launcher, instead of its name: the preload has it start a program, as if by
 * execve; or only look whether it can be started (node/audit_fit.h), and end.
 *
 *   loadcast-child ARGV0 PATH [ARGUMENT...] */
#define LC_LAUNCH_CHILD   "loadcast-child"
#define LC_LAUNCH_MEASURE "loadcast-measure"

#endif
