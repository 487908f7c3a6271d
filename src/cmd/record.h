/* SPDX-License-Identifier: MIT */
/* record.h - the parts of loadcast record */
#ifndef LC_CMD_RECORD_H
#define LC_CMD_RECORD_H

#include <limits.h>
#include <stdbool.h>

#include "record/pilot.h"
#include "record/record.h"
#include "store/key.h"

/* record_tell.c: messages on stderr about the image and about the program. */
void lc_record_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void lc_record_tell_nothing(const struct lc_recorded *did);
int lc_record_tell(const struct lc_record *how, const struct lc_recorded *did, double seconds,
                   bool is_verbose, struct lc_error *err);
void lc_record_tell_waiting(void *arg, unsigned threads);
void lc_record_tell_outcome(const struct lc_trace_outcome *o, double settle_s);

/* record_store.c: the image of a command in the user's store. */
struct lc_record_store {
    struct lc_store_key key; /* finished: the image is one of the store; the owner frees it */
    char image[PATH_MAX];
};
int lc_record_store_choose(struct lc_record_store *store, char *const *argv, struct lc_error *err);
/* If 'image' is the path of the command's own image in the store, fill 'store'. */
void lc_record_store_recognize(struct lc_record_store *store, const char *image, char *const *argv);
/* It was written, or there was nothing to write: describe it, and keep the store below its cap. */
void lc_record_store_keep(const struct lc_record_store *store, bool has_nothing);

/* record_pilot.c: as lc_pilot_run(). Where ptrace is forbidden, calls are recorded from inside the
 * program; if recording bindings kept the program from running, it is run again without them. */
int lc_record_run_pilot(struct lc_pilot *pilot, struct lc_error *err);

#endif
