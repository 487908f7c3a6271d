/* SPDX-License-Identifier: MIT */
/* mode.h - are bindings to be replayed in this process? Freestanding. */
#ifndef LC_CLIENT_BINDINGS_MODE_H
#define LC_CLIENT_BINDINGS_MODE_H

/* LOADCAST_BINDINGS=0: no; =verify: yes, but let ld.so look up everything as well, and compare. */
#define LC_BIND_VARIABLE "LOADCAST_BINDINGS"

enum lc_bind_mode {
    LC_BIND_MODE_ON,
    LC_BIND_MODE_OFF,
    LC_BIND_MODE_VERIFY,
    LC_BIND_MODE_ODD, /* a variable is set that changes how ld.so binds, or none can be read */
};

enum lc_bind_mode lc_bind_mode(void);

#endif
