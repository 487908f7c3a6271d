/* SPDX-License-Identifier: MIT */
/* deaths.c - processes that died before their loading had settled */
#include "stage/deaths.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stage/nodedir.h"
#include "stage/users.h"
#include "util/clock.h"
#include "util/io.h"

/* How many ticks LC_SETTLED_S are; 0: there is no such clock, or it began anew. */
static double settled_ticks(const struct lc_live *live, uint64_t now)
{
    uint64_t now_ns = lc_clock_ns();

    if (now <= live->clock_ticks || now_ns <= live->clock_ns)
        return 0;
    return LC_SETTLED_S * 1e9 * (double)(now - live->clock_ticks) /
           (double)(now_ns - live->clock_ns);
}

static bool row_is_settled(const struct lc_live_start *row, uint64_t now, double settled)
{
    return now < row->loaded_ticks || (double)(now - row->loaded_ticks) > settled;
}

static struct lc_deaths rows_take(struct lc_live *live, bool is_settled_too)
{
    struct lc_deaths deaths = {0};
    uint64_t now = lc_ticks();
    double settled = settled_ticks(live, now);

    for (int i = 0; i < LC_LIVE_STARTS; i++) {
        struct lc_live_start *row = &live->start[i];
        uint32_t pid = __atomic_load_n(&row->pid, __ATOMIC_ACQUIRE);
        if (pid == 0 || lc_users_is_alive((pid_t)pid))
            continue;
        const struct lc_deaths one = {is_settled_too || !row_is_settled(row, now, settled),
                                      row->part < LC_START_PARTS ? row->part : LC_PART_NONE,
                                      row->has_replayed};
        if (__atomic_compare_exchange_n(&row->pid, &pid, 0, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED) &&
            one.count > 0)
            lc_deaths_add(&deaths, &one);
    }
    return deaths;
}

struct lc_deaths lc_deaths_take(struct lc_live *live)
{
    return rows_take(live, false);
}

struct lc_deaths lc_deaths_take_all(struct lc_live *live)
{
    return rows_take(live, true);
}

void lc_deaths_add(struct lc_deaths *sum, const struct lc_deaths *more)
{
    sum->count += more->count;
    sum->has_replayed |= more->has_replayed;
    if (sum->part == LC_PART_NONE)
        sum->part = more->part;
}

void lc_deaths_report(const struct lc_deaths *deaths, json_t *report)
{
    if (deaths->count > 0)
        json_object_set_new(report, "died",
                            json_pack("[I, i, b]", (json_int_t)deaths->count, (int)deaths->part,
                                      deaths->has_replayed));
}

struct lc_deaths lc_deaths_of_report(const json_t *report)
{
    const json_t *died = json_object_get(report, "died");
    json_int_t part = json_integer_value(json_array_get(died, 1));

    return (struct lc_deaths){(uint32_t)json_integer_value(json_array_get(died, 0)),
                              part > 0 && part < LC_START_PARTS ? (enum lc_start_part)part
                                                                : LC_PART_NONE,
                              json_is_true(json_array_get(died, 2))};
}

static void file_name(char out[LC_NODEDIR_NAME + 8], const char *name)
{
    snprintf(out, LC_NODEDIR_NAME + 8, LC_DEATHS_NOTE "%s", name);
}

/* 'live' is read, not mapped: who has it mapped counts as a user of the directory. */
static struct lc_deaths deaths_read(int user, const char *name)
{
    char path[LC_NODEDIR_NAME + 8];
    struct lc_live *live = malloc(sizeof(*live));
    struct lc_deaths deaths = {0};

    snprintf(path, sizeof(path), "%s/live", name);
    int fd = openat(user, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (live && fd >= 0 && read(fd, live, sizeof(*live)) == (ssize_t)sizeof(*live) &&
        memcmp(live->magic, LC_LIVE_MAGIC, sizeof(live->magic)) == 0)
        deaths = lc_deaths_take(live);
    if (fd >= 0)
        close(fd);
    free(live);
    return deaths;
}

bool lc_deaths_leave(int user, const char *name)
{
    struct lc_deaths deaths = deaths_read(user, name);
    char path[LC_NODEDIR_NAME + 8];

    file_name(path, name);
    int fd = deaths.count == 0
                 ? -1
                 : openat(user, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    dprintf(fd, "%u %d %d\n", deaths.count, (int)deaths.part, deaths.has_replayed);
    close(fd);
    return true;
}

bool lc_deaths_are_left(int user, const char *name)
{
    char path[LC_NODEDIR_NAME + 8];

    file_name(path, name);
    return faccessat(user, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

struct lc_deaths lc_deaths_take_left(int user, const char *name)
{
    char path[LC_NODEDIR_NAME + 8], text[64] = "";
    struct lc_deaths deaths = {0};
    int part = 0, has_replayed = 0;

    file_name(path, name);
    int fd = openat(user, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return deaths;
    if (read(fd, text, sizeof(text) - 1) > 0 &&
        sscanf(text, "%u %d %d", &deaths.count, &part, &has_replayed) == 3) {
        deaths.part = part > 0 && part < LC_START_PARTS ? (enum lc_start_part)part : LC_PART_NONE;
        deaths.has_replayed = has_replayed;
    }
    close(fd);
    unlinkat(user, path, 0);
    return deaths;
}
