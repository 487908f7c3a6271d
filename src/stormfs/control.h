/* SPDX-License-Identifier: MIT */
/* control.h - the control socket of a mount
 *
 * The socket is a file in $STORMFS_DIR or, if that is not set, in /tmp/stormfs-UID, a directory
 * that only its owner may enter. Its name is a hash of the mount's path. Both ends check that the
 * other one runs as the same user or as root. If the same path is a mount in several mount
 * namespaces, the later ones add the namespace to the hash. */
#ifndef LC_STORMFS_CONTROL_H
#define LC_STORMFS_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* Creates the control socket of 'mount' (a canonical path). Returns a listening descriptor and, in
 * *file, the socket's path, which the caller frees; -1 with err filled. */
int lc_control_listen(const char *mount, char **file, struct lc_error *err);

/* Accepts one connection. -1 if there is none, or if it comes from another user, who gets an error
 * text. */
int lc_control_accept(int listener);

/* Connects to the stormfs on 'mount'. Returns a descriptor and, in *pid, the process id of that
 * stormfs; -1 with err filled. */
int lc_control_connect(const char *mount, pid_t *pid, struct lc_error *err);

/* Does a stormfs of this user serve 'mount'? */
bool lc_control_is_alive(const char *mount);

#endif
