/* SPDX-License-Identifier: MIT */
/* images_forget.c - loadcast images forget */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/images.h"
#include "record/learn.h"
#include "util/clock.h"
#include "util/human.h"

int lc_images_parse_time(const char *text, uint64_t *wall_ns, struct lc_error *err)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M",
                                        "%Y-%m-%d"};
    double ago_s;

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        struct tm parts = {0};
        const char *end = strptime(text, forms[i], &parts);
        if (!end || *end)
            continue;
        *wall_ns = (uint64_t)timegm(&parts) * 1000000000u;
        return 0;
    }
    if (lc_parse_seconds("--since", text, 0, 1e9, &ago_s, err) < 0)
        return lc_error_set(err,
                            "--since: '%s' is neither a time (2026-01-31T12:34:56Z) nor a "
                            "duration (2h)",
                            text);
    *wall_ns = lc_clock_wall_ns() - (uint64_t)(ago_s * 1e9);
    return 0;
}

int lc_images_forget(const struct lc_store_dir *dir, const char *key, uint64_t since_wall_ns,
                     struct lc_error *err)
{
    char path[PATH_MAX];
    struct lc_learnt did;

    if (!lc_store_entry_has_image(dir, key))
        return errno == ENOENT ? 0 : lc_error_errno(err, "cannot use the image '%s'", key);
    if (lc_store_entry_path(dir, key, path, err) < 0 ||
        lc_learn_forget(path, since_wall_ns, &did, err) < 0)
        return -1;
    if (did.entries > 0)
        printf("%s: %s entries taken out, %s left\n", key, lc_human_count(did.entries).s,
               lc_human_bytes(did.file_bytes).s);
    else
        printf("%s: nothing was learnt since\n", key);
    return 0;
}
