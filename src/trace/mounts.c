/* SPDX-License-Identifier: MIT */
/* mounts.c - find the mount that a path lies on */
#include "trace/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/buf.h"
#include "util/path.h"

static struct lc_mountpoint no_file = {"-", "pipes, sockets", "-", .is_kernel = true};
/* For paths in a chroot, where the mount of "/" is not in the table. */
static struct lc_mountpoint unlisted = {"/", "not in the mount table", "-"};
/* For paths that could not be read from the program's memory. */
static struct lc_mountpoint unreadable = {"?", "path could not be read", "-"};

static bool is_kernel_type(const char *type)
{
    static const char *const types[] = {
        "proc",    "sysfs",   "devtmpfs", "devpts",      "cgroup",     "cgroup2",   "securityfs",
        "debugfs", "tracefs", "bpf",      "mqueue",      "pstore",     "configfs",  "efivarfs",
        "autofs",  "nsfs",    "fusectl",  "binfmt_misc", "rpc_pipefs", "selinuxfs",
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static void mountpoint_add(struct lc_mounts *mounts, const char *point, const char *type,
                           const char *source)
{
    struct lc_mountpoint **item = realloc(mounts->item, (mounts->count + 1) * sizeof(*item));
    struct lc_mountpoint *m = calloc(1, sizeof(*m));

    if (item)
        mounts->item = item;
    if (!item || !m) {
        free(m);
        return;
    }
    m->point = strdup(point);
    m->type = strdup(type);
    m->source = strdup(source);
    m->is_kernel = is_kernel_type(type);
    if (m->point && m->type && m->source)
        mounts->item[mounts->count++] = m;
    else
        free(m);
}

/* "ID PARENT MAJ:MIN ROOT POINT OPTIONS [...] - TYPE SOURCE OPTIONS" */
static void mountinfo_add_line(struct lc_mounts *mounts, char *line)
{
    char *tail = strstr(line, " - "), *field = line, *point = NULL;

    if (!tail)
        return;
    *tail = '\0';
    tail += 3;
    for (int i = 0; i <= 4 && field; i++)
        point = strsep(&field, " ");
    char *type = strsep(&tail, " "), *source = tail ? strsep(&tail, " ") : NULL;
    if (!point || !type || !source)
        return;
    lc_path_undo_octal(point);
    lc_path_undo_octal(source);
    for (size_t i = mounts->count; i-- > 0;)
        if (strcmp(mounts->item[i]->point, point) == 0 &&
            strcmp(mounts->item[i]->type, type) == 0 &&
            strcmp(mounts->item[i]->source, source) == 0) {
            mounts->item[i]->is_gone = false;
            return; /* known already; its address must not change */
        }
    mountpoint_add(mounts, point, type, source);
}

/* Read /proc/self/mountinfo. Later lines hide earlier ones with the same mount point. Mounts that
 * have disappeared stay in our table, since calls were counted on them. */
static int mountinfo_read(struct lc_mounts *mounts)
{
    struct lc_buf text = {0};
    char chunk[8192], *rest;
    ssize_t n;

    if (lseek(mounts->fd, 0, SEEK_SET) < 0)
        return -1;
    while ((n = read(mounts->fd, chunk, sizeof(chunk))) > 0)
        lc_buf_add(&text, chunk, (size_t)n);
    for (size_t i = 0; i < mounts->count; i++)
        mounts->item[i]->is_gone = true;
    rest = text.data;
    for (char *line; rest && (line = strsep(&rest, "\n"));)
        mountinfo_add_line(mounts, line);
    lc_buf_free(&text);
    return mounts->count ? 0 : -1;
}

int lc_mounts_open(struct lc_mounts *mounts)
{
    *mounts = (struct lc_mounts){.fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)};
    return mounts->fd < 0 ? -1 : mountinfo_read(mounts);
}

void lc_mounts_close(struct lc_mounts *mounts)
{
    for (size_t i = 0; i < mounts->count; i++) {
        free(mounts->item[i]->point);
        free(mounts->item[i]->type);
        free(mounts->item[i]->source);
        free(mounts->item[i]);
    }
    free(mounts->item);
    if (mounts->fd >= 0)
        close(mounts->fd);
    *mounts = (struct lc_mounts){.fd = -1};
}

bool lc_mounts_refresh(struct lc_mounts *mounts)
{
    struct pollfd p = {mounts->fd, POLLPRI, 0};

    if (poll(&p, 1, 0) <= 0 || !(p.revents & (POLLPRI | POLLERR)))
        return false;
    mountinfo_read(mounts);
    return true;
}

void lc_mounts_reread(struct lc_mounts *mounts)
{
    lc_mounts_refresh(mounts);
    mountinfo_read(mounts);
}

const struct lc_mountpoint *lc_mounts_find(struct lc_mounts *mounts, const char *path)
{
    const struct lc_mountpoint *best = &unlisted;
    size_t longest = 0;

    if (path[0] != '/')
        return strchr(path, ':') ? &no_file : &unreadable;
    for (size_t i = 0; i < mounts->count; i++) {
        size_t n = strlen(mounts->item[i]->point);
        if (!mounts->item[i]->is_gone && n >= longest &&
            lc_path_is_under(path, mounts->item[i]->point)) {
            best = mounts->item[i];
            longest = n;
        }
    }
    return best;
}
