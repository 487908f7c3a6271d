/* SPDX-License-Identifier: MIT */
/* control.h - the control socket: found by the path of a mount
 *
 * It stands in $STORMFS_DIR, or else in /tmp/stormfs-UID, a directory that only its owner may
 * enter; its name is made of the mount's path. Both ends check who is at the other. The same path
 * may be a mount in several mount namespaces: later ones get a name of their own. */
#ifndef LC_STORMFS_CONTROL_H
#define LC_STORMFS_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* Listen for 'mount' (canonical path). A descriptor, and the socket's file in *file (caller
 * frees); -1 with err filled. */
int lc_control_listen(const char *mount, char **file, struct lc_error *err);

/* Take a connection; -1 if there is none, or it is another user's (who is told so). */
int lc_control_accept(int listener);

/* Connect to the stormfs on 'mount'. A descriptor and the other end's process; -1 with err filled.
 */
int lc_control_connect(const char *mount, pid_t *pid, struct lc_error *err);

/* Does a stormfs of this user serve 'mount'? */
bool lc_control_is_alive(const char *mount);

#endif
