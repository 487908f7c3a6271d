/* SPDX-License-Identifier: MIT */
/* exec_suspect.c - did the program that 'exec' ran here before die inside of our code?
 *
 * 'exec' becomes the program, so nobody sees how that ends. What it noted in the node directory is
 * looked at by the next 'exec' of the image on this node. It does not know the signal, so only a
 * process that died in a part of the client counts. */
#include "cmd/exec_suspect.h"

#include <stdio.h>
#include <string.h>

#include "image/image.h"
#include "launch/suspect_parts.h"
#include "record/ranks.h"
#include "stage/deaths.h"
#include "stage/users.h"

enum { UNKNOWN_SIGNAL = 128 };

/* Ranks of a job must not ask the store one by one. */
static bool is_alone(void)
{
    struct lc_ranks ranks;
    char job[64];

    lc_users_job(job, sizeof(job));
    lc_ranks_detect(&ranks);
    return !job[0] && ranks.size <= 1;
}

bool lc_exec_suspect(const char *image, struct lc_live *live, bool quiet)
{
    struct lc_suspect s, before;
    struct lc_error said;
    uint64_t id;

    if (!is_alone() || lc_image_id(image, &id, NULL) < 0)
        return false;
    struct lc_deaths deaths = lc_deaths_take_all(live);
    lc_suspect_read(id, &s);
    before = s;
    if (deaths.count > 0 && deaths.part != LC_PART_NONE)
        lc_suspect_died(&s, lc_suspect_off_of(deaths.part), deaths.has_replayed, UNKNOWN_SIGNAL);
    else if (s.status == UNKNOWN_SIGNAL)
        lc_suspect_lived(&s);
    if (memcmp(&s, &before, sizeof(s)) != 0)
        lc_suspect_write(id, &s);
    if (!s.seen ||
        s.off == LC_OFF_NOTHING) /* what 'run' suspects without having seen it is its own */
        return false;
    lc_suspect_text(&s, &said);
    if (!quiet)
        fprintf(stderr, "loadcast exec: %s\n", said.text);
    lc_suspect_switch_off(s.off);
    return s.off == LC_OFF_ALL;
}
