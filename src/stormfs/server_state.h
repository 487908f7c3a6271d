/* SPDX-License-Identifier: MIT */
/* server_state.h - the server's memory, private to server.c and server_file.c */
#ifndef LC_STORMFS_SERVER_STATE_H
#define LC_STORMFS_SERVER_STATE_H

#include "stormfs/server.h"

#define LC_SERVER_MAGIC 0x33736d726f747363ull /* changes with the layout below */

struct lc_server_state {
    uint64_t magic; /* written last: if it is there, the rest is valid */
    uint64_t size;  /* of this struct; differs if another build wrote the file */
    struct lc_server_model model;
    _Atomic uint32_t frozen; /* a futex */
    _Atomic uint64_t free_at_ns[LC_SERVER_MOST];
    _Atomic uint64_t data_free_at_ns;
    _Atomic uint64_t reading_tasks; /* between lc_server_transfer and its end */
    _Atomic uint64_t busy_ns;
    _Atomic uint64_t data_busy_ns;
    _Atomic uint64_t once_requests, once_busy_ns, once_data_busy_ns; /* part of the above */
    struct lc_histogram wait;
};

/* Creates or joins a named server (see lc_server_open). */
int lc_server_map_file(struct lc_server *server, const char *name,
                       const struct lc_server_model *model, struct lc_error *err);
void lc_server_leave_file(struct lc_server *server);

#endif
