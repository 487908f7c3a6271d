/* SPDX-License-Identifier: MIT */
/* copy_send.h - bring the archive of the arm 'copy' to the memory of every node of a job
 *
 * Under Slurm sbcast sends it. By other launchers it goes the way of Loadcast's own images
 * ('loadcast stage'), for which the archive is packed into an image once; that is not part of what
 * 'copy' is measured with. On one node it is read from the target. */
#ifndef LC_BENCH_COPY_SEND_H
#define LC_BENCH_COPY_SEND_H

#include "bench/arm_packed.h"

struct lc_copy_sent {
    char image[PATH_MAX];       /* the archive as an image; "": not made yet */
    char path[2 * PATH_MAX];    /* of the archive on the nodes; "": it was not sent */
    char garbage[2 * PATH_MAX]; /* what the nodes remove when it is unpacked */
    struct lc_argv clean;       /* the command that removes it from all of them */
};

/* Make what lc_copy_send() needs before a job can be measured. 0, or -1 with err filled. */
int lc_copy_send_prepare(const struct lc_arm_setup *setup, const struct lc_arm_job *job,
                         struct lc_copy_sent *sent, struct lc_error *err);

/* Send it, if these nodes are not to read it themselves. The guard removes it if bench is killed.
 * 0, or -1 with err filled, and no node has it. */
int lc_copy_send(const struct lc_arm_setup *setup, const struct lc_arm_job *job,
                 struct lc_copy_sent *sent, struct lc_error *err);

/* Remove what is left of it. */
void lc_copy_send_end(const struct lc_arm_setup *setup, struct lc_copy_sent *sent);

#endif
