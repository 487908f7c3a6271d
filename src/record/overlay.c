/* SPDX-License-Identifier: MIT */
/* overlay.c - where the changes to an image go when it cannot be written itself */
#include "record/overlay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/path.h"
#include "util/private_dir.h"

/* Replacing a file by rename asks for the right to write its directory; the file's own mode says
 * whether its owner means it to change. */
static bool can_be_replaced(const char *file)
{
    char dir[LC_PATH_MAX];
    size_t len = lc_path_dir_len(file);

    if (len >= sizeof(dir))
        return false;
    memcpy(dir, file, len);
    strcpy(dir + len, len ? "" : ".");
    return access(file, W_OK) == 0 && access(dir, W_OK | X_OK) == 0;
}

/* What tells this job from others: the batch system's number, else the login session. */
static void job_name(char *out, size_t room)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID",
                                        "COBALT_JOBID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        snprintf(out, room, "%s", value);
        for (char *p = out; *p; p++)
            if (*p == '/')
                *p = '_';
        return;
    }
    snprintf(out, room, "s%ld", (long)getsid(0));
}

int lc_overlay_choose(const struct lc_image *image, const char *wanted, char *out, size_t room,
                      bool *is_overlay, struct lc_error *err)
{
    char job[128], dir[LC_PATH_MAX];
    const char *tmp = getenv("TMPDIR");

    *is_overlay = true;
    if (wanted) {
        snprintf(out, room, "%s", wanted);
        return 0;
    }
    if (can_be_replaced(image->file)) {
        *is_overlay = false;
        snprintf(out, room, "%s", image->file);
        return 0;
    }
    job_name(job, sizeof(job));
    snprintf(dir, sizeof(dir), "%s/loadcast-overlay-%ld", tmp && *tmp == '/' ? tmp : "/tmp",
             (long)geteuid());
    if (lc_private_dir_make(dir, "try --overlay", err) < 0)
        return -1;
    int n = snprintf(out, room, "%s/%016" PRIx64 "-%s.lcast", dir, lc_look_id(&image->look), job);
    return n > 0 && (size_t)n < room ? 0 : lc_error_set(err, "'%s' is too long a path", dir);
}
