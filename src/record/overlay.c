/* SPDX-License-Identifier: MIT */
/* overlay.c - where the changes to an image go when it cannot be written itself */
#include "record/overlay.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/path.h"
#include "util/private_dir.h"

#define LC_OVERLAY_ENDING ".overlay-"

/* Replacing a file by rename needs write permission for its directory and, if that is sticky,
 * ownership of the file. A read-only mode of the file says that its owner wants it unchanged. */
bool lc_overlay_is_needed(const char *file)
{
    char dir[LC_PATH_MAX];
    size_t len = lc_path_dir_len(file);
    struct stat above, st;

    if (len >= sizeof(dir))
        return true;
    memcpy(dir, file, len);
    strcpy(dir + len, len ? "" : ".");
    if (access(dir, W_OK | X_OK) < 0 || stat(dir, &above) < 0)
        return true;
    if (stat(file, &st) < 0)
        return errno != ENOENT;
    bool is_sticky = (above.st_mode & S_ISVTX) && geteuid() != 0 && above.st_uid != geteuid() &&
                     st.st_uid != geteuid();
    return is_sticky || !(st.st_mode & 0222) || access(file, W_OK) < 0;
}

bool lc_overlay_is_shorter(const struct lc_image *image, const struct lc_tree *tree)
{
    const uint64_t large = 64 << 20; /* written within some 0.2 s by a disk of 300 MB/s */
    uint64_t fresh = 0;
    struct stat st;

    if (image->base || fstat(image->fd, &st) < 0 || (uint64_t)st.st_size < large)
        return false;
    for (size_t i = 0; i < tree->entries.count; i++) {
        const struct lc_tree_entry *node = tree->entries.entry[i].value;
        if (node->source == LC_SOURCE_FILE || node->source == LC_SOURCE_BYTES)
            fresh += node->stat.size;
    }
    return fresh < (uint64_t)st.st_size / 8;
}

bool lc_overlay_name_beside(const char *image, const char *line, char *out)
{
    int n = snprintf(out, PATH_MAX, "%s" LC_OVERLAY_ENDING "%s", image, line);

    return n > 0 && n < PATH_MAX;
}

/* Of an overlay's name: so far go the names of all overlays of its image. 0: it is named otherwise.
 */
static size_t common_len(const char *name)
{
    const char *ending = NULL;

    for (const char *at = name; (at = strstr(at, LC_OVERLAY_ENDING)); at++)
        ending = at;
    return ending ? (size_t)(ending - name) + strlen(LC_OVERLAY_ENDING) : 0;
}

void lc_overlay_remove_old(const char *overlay)
{
    const time_t day_s = 24 * 3600;
    const char *base = lc_path_base(overlay);
    size_t len = common_len(base);
    char dir[LC_PATH_MAX];
    struct stat st;

    if (len == 0)
        return;
    snprintf(dir, sizeof(dir), "%.*s.", (int)(base - overlay), overlay);
    DIR *stream = opendir(dir);
    for (const struct dirent *entry; stream && (entry = readdir(stream));)
        if (strncmp(entry->d_name, base, len) == 0 &&
            fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && st.st_mtime + day_s < time(NULL))
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
}

/* A name for this job: the batch system's job number, else the login session's. */
static void job_name_get(char *out, size_t room)
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

/* Below $HOME because compute nodes see home directories, but not /tmp of this machine. */
int lc_overlay_home_dir(char *out, size_t room)
{
    const char *home = getenv("HOME");
    struct lc_error err;

    if (!home || *home != '/' || strlen(home) + sizeof("/.cache/loadcast") > room)
        return -1;
    snprintf(out, room, "%s/.cache", home);
    mkdir(out, 0700);
    snprintf(out, room, "%s/.cache/loadcast", home);
    return lc_private_dir_make(out, "", &err) < 0 ? -1 : access(out, W_OK | X_OK);
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
    if (!lc_overlay_is_needed(image->file)) {
        *is_overlay = false;
        snprintf(out, room, "%s", image->file);
        return 0;
    }
    job_name_get(job, sizeof(job));
    if (lc_overlay_home_dir(dir, sizeof(dir)) < 0) {
        snprintf(dir, sizeof(dir), "%s/loadcast-overlay-%ld", tmp && *tmp == '/' ? tmp : "/tmp",
                 (long)geteuid());
        if (lc_private_dir_make(dir, "try --overlay", err) < 0)
            return -1;
    }
    int n = snprintf(out, room, "%s/%016" PRIx64 "-%s.lcast", dir, lc_look_id(&image->look), job);
    return n > 0 && (size_t)n < room ? 0 : lc_error_set(err, "'%s' is too long a path", dir);
}
