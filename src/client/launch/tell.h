/* SPDX-License-Identifier: MIT */
/* tell.h - between 'loadcast exec' and the launcher */
#ifndef LC_CLIENT_TELL_H
#define LC_CLIENT_TELL_H

/* In the launcher's environment, and never in the program's: say on stderr what is not covered. */
#define LC_LAUNCH_TELL "LOADCAST_TELL"

#endif
