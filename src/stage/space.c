/* SPDX-License-Identifier: MIT */
/* space.c - how much may be put into a directory without harm to the job
 *
 * Staged pages are charged to the memory cgroup of the process that writes them, and unlike cached
 * pages they cannot be dropped: a stager that asked only the file system would get the job killed.
 */
#include "stage/space.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/human.h"

/* The two generations of cgroups name things differently. */
struct generation {
    const char *limit, *usage;
};
static const struct generation v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes"};
static const struct generation v2 = {"memory.max", "memory.current"};

/* Read a file with one number; UINT64_MAX if it is "max", very large or absent. */
static uint64_t read_number(const char *dir, const char *name)
{
    char path[PATH_MAX + 64], text[64] = "";
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "re");

    if (!f)
        return UINT64_MAX;
    char *got = fgets(text, sizeof(text), f), *end = text;
    fclose(f);
    uint64_t n = got ? strtoull(text, &end, 10) : 0;
    return end == text || n >= UINT64_MAX / 4 ? UINT64_MAX : n;
}

/* Bytes of cached files: they count as used, but the kernel drops them when memory is short. */
static uint64_t reclaimable(const char *dir)
{
    char path[PATH_MAX + 64], name[64];
    uint64_t n, sum = 0, total = 0;
    snprintf(path, sizeof(path), "%s/memory.stat", dir);
    FILE *f = fopen(path, "re");

    if (!f)
        return 0;
    while (fscanf(f, "%63s %" SCNu64, name, &n) == 2) {
        if (strcmp(name, "inactive_file") == 0 || strcmp(name, "active_file") == 0)
            sum += n;
        if (strcmp(name, "total_inactive_file") == 0 || strcmp(name, "total_active_file") == 0)
            total += n; /* v1: including the groups below */
    }
    fclose(f);
    return total > sum ? total : sum;
}

static void ask_group(const char *dir, const struct generation *g, uint64_t *left, uint64_t *limit)
{
    uint64_t most = read_number(dir, g->limit), used = read_number(dir, g->usage);

    if (most == UINT64_MAX || used == UINT64_MAX)
        return;
    uint64_t cached = reclaimable(dir);
    used -= cached < used ? cached : used;
    uint64_t here = most > used ? most - used : 0;
    if (here < *left) {
        *left = here;
        *limit = most;
    }
}

/* The group and all above it, up to where the hierarchy is mounted. */
static void ask_upwards(const char *mount, const char *group, const struct generation *g,
                        uint64_t *left, uint64_t *limit)
{
    char dir[PATH_MAX];
    size_t base = strlen(mount);

    if (snprintf(dir, sizeof(dir), "%s%s", mount, group) >= (int)sizeof(dir))
        return;
    for (;;) {
        ask_group(dir, g, left, limit);
        char *slash = strrchr(dir + base, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Where the memory controller is mounted: "v1" by its option, "v2" by its type. A container shows
 * part of the hierarchy: 'top' is the group that its mount point is. */
static bool find_mount(const char *root, bool is_v2, char *mount, char *top)
{
    char path[PATH_MAX], line[4 * PATH_MAX], point[PATH_MAX], from[PATH_MAX];
    bool found = false;
    snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
    FILE *f = fopen(path, "re");

    while (f && !found && fgets(line, sizeof(line), f)) {
        char *tail = strstr(line, " - ");
        if (!tail || sscanf(line, "%*s %*s %*s %4095s %4095s", from, point) != 2)
            continue;
        found = is_v2 ? strncmp(tail + 3, "cgroup2 ", 8) == 0
                      : strncmp(tail + 3, "cgroup ", 7) == 0 && strstr(tail, "memory");
    }
    if (f)
        fclose(f);
    if (!found || snprintf(mount, PATH_MAX, "%s%s", root, point) >= PATH_MAX)
        return false;
    strcpy(top, from);
    return true;
}

/* "ID:CONTROLLERS:PATH"; v2 is "0::PATH". */
static void ask_line(const char *root, char *line, uint64_t *left, uint64_t *limit)
{
    char mount[PATH_MAX], top[PATH_MAX];
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : 0;

    if (!group)
        return;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    bool is_v2 = controllers[1] == '\0';
    if ((!is_v2 && !strstr(controllers, "memory")) || !find_mount(root, is_v2, mount, top))
        return;
    size_t n = strlen(top);
    if (n > 1 && strncmp(group, top, n) == 0)
        group += n;
    ask_upwards(mount, group, is_v2 ? &v2 : &v1, left, limit);
}

uint64_t lc_space_cgroup(const char *root, uint64_t *limit)
{
    char path[PATH_MAX], line[PATH_MAX];
    uint64_t left = UINT64_MAX;
    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");

    *limit = UINT64_MAX;
    while (f && fgets(line, sizeof(line), f))
        ask_line(root, line, &left, limit);
    if (f)
        fclose(f);
    return left;
}

static uint64_t machine_memory(void)
{
    char line[128];
    uint64_t kib = 0, bytes = UINT64_MAX;
    FILE *f = fopen("/proc/meminfo", "re");

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
            bytes = kib * 1024;
    if (f)
        fclose(f);
    return bytes;
}

struct lc_space lc_space_ask(const struct statvfs *vfs, bool is_memory)
{
    struct lc_space room = {(uint64_t)vfs->f_bavail * vfs->f_frsize, "free"};
    uint64_t limit, n;

    if (!is_memory)
        return room;
    if (vfs->f_blocks == 0) /* tmpfs without a limit of its own */
        room.bytes = UINT64_MAX;
    if ((n = machine_memory()) / 2 < room.bytes) {
        room.bytes = n / 2;
        snprintf(room.limit, sizeof(room.limit), "half of the memory that the machine has left");
    }
    if ((n = lc_space_cgroup("", &limit)) / 2 < room.bytes) {
        room.bytes = n / 2;
        snprintf(room.limit, sizeof(room.limit), "half of what is left of the cgroup's limit of %s",
                 lc_human_bytes(limit).s);
    }
    return room;
}
