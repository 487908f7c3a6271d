/* SPDX-License-Identifier: MIT */
/* counters.c - NODE/live, the client's shared counters */
#include "stage/counters.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "node/starts.h"
#include "util/clock.h"

const struct lc_count_name lc_count_names[LC_COUNTS] = {
    [LC_COUNT_PROCESSES] = {"processes", "processes"},
    [LC_COUNT_STAT] = {"stat", "stat and access"},
    [LC_COUNT_ABSENT] = {"absent", "known to be absent"},
    [LC_COUNT_OPEN] = {"open", "files opened"},
    [LC_COUNT_READLINK] = {"readlink", "links read"},
    [LC_COUNT_LIST] = {"list", "directories listed"},
    [LC_COUNT_EXEC] = {"exec", "programs started"},
    [LC_COUNT_SEARCH] = {"search", "library searches"},
    [LC_COUNT_LOAD] = {"load", "libraries mapped"},
    [LC_COUNT_CODE] = {"code", "Python modules"},
    [LC_COUNT_PASS_UNKNOWN] = {"pass_unknown", "not recorded"},
    [LC_COUNT_PASS_OUTSIDE] = {"pass_outside", "on other file systems"},
    [LC_COUNT_PASS_WRITTEN] = {"pass_written", "writes, or written since"},
    [LC_COUNT_PASS_NO_CONTENT] = {"pass_no_content", "recorded without content"},
    [LC_COUNT_PASS_DIRECTORY] = {"pass_directory", "directories opened as descriptors"},
    [LC_COUNT_PASS_CALL] = {"pass_call", "calls that are never answered"},
    [LC_COUNT_PASS_SEARCH] = {"pass_search", "library searches not recorded"},
    [LC_COUNT_PASS_CONFIRM] = {"pass_confirm", "asked again, as they may be written unseen"},
};

bool lc_count_is_passed(int kind)
{
    return kind >= LC_COUNT_PASS_UNKNOWN && kind < LC_COUNTS;
}

bool lc_count_is_answered(int kind)
{
    return kind > LC_COUNT_PROCESSES && kind < LC_COUNT_PASS_UNKNOWN;
}

uint64_t lc_counts_passed(const struct lc_counts *counts)
{
    uint64_t sum = 0;

    for (int i = 0; i < LC_COUNTS; i++)
        sum += lc_count_is_passed(i) && i != LC_COUNT_PASS_OUTSIDE ? counts->count[i] : 0;
    return sum;
}

struct lc_counts lc_live_read(const struct lc_live *live)
{
    struct lc_counts c;

    for (int i = 0; i < LC_COUNTS; i++)
        c.count[i] = __atomic_load_n(&live->count[i], __ATOMIC_RELAXED);
    c.bytes_opened = __atomic_load_n(&live->bytes_opened, __ATOMIC_RELAXED);
    return c;
}

struct lc_counts lc_live_since(const struct lc_live *live, const struct lc_counts *before)
{
    struct lc_counts c = lc_live_read(live);

    for (int i = 0; i < LC_COUNTS; i++)
        c.count[i] -= before->count[i];
    c.bytes_opened -= before->bytes_opened;
    return c;
}

static int by_count(const void *a, const void *b)
{
    uint64_t x = ((const struct lc_passed_path *)a)->count;
    uint64_t y = ((const struct lc_passed_path *)b)->count;

    return (x < y) - (x > y);
}

static uint64_t count_of(const struct lc_passed *p)
{
    return __atomic_load_n(&p->state, __ATOMIC_ACQUIRE) == 2
               ? __atomic_load_n(&p->count, __ATOMIC_RELAXED)
               : 0;
}

size_t lc_live_passed(const struct lc_live *live, const struct lc_live *before,
                      struct lc_passed_path out[LC_PASSED_PATHS])
{
    size_t n = 0;

    for (int i = 0; i < LC_PASSED_PATHS; i++) {
        const struct lc_passed *p = &live->passed[i];
        uint64_t count = count_of(p), then = before ? count_of(&before->passed[i]) : 0;
        if (count <= then)
            continue;
        out[n].kind = p->kind;
        out[n].count = count - then;
        memcpy(out[n].path, p->path, LC_PASSED_LEN - 1);
        out[n++].path[LC_PASSED_LEN - 1] = '\0';
    }
    qsort(out, n, sizeof(*out), by_count);
    return n;
}

static int by_refused(const void *a, const void *b)
{
    const struct lc_live_process *x = a, *y = b;

    if (x->refused != y->refused)
        return x->refused < y->refused ? 1 : -1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

size_t lc_live_processes(const struct lc_live *live, struct lc_live_process out[LC_LIVE_PROCESSES])
{
    size_t n = 0;

    for (int i = 0; i < LC_LIVE_PROCESSES; i++) {
        if (__atomic_load_n(&live->process[i].pid, __ATOMIC_ACQUIRE) == 0)
            continue;
        struct lc_live_process *p = &out[n];
        *p = live->process[i];
        p->name[sizeof(p->name) - 1] = '\0';
        p->refusal_text[p->refusal == 2 ? LC_PASSED_LEN - 1 : 0] = '\0';
        n += p->pid != 0;
    }
    qsort(out, n, sizeof(*out), by_refused);
    return n;
}

/* The miss log begins at a page, so that pages of counters and of the log are not the same. */
enum { PAGE = 4096 };

static size_t bitmap_offset(void)
{
    return (sizeof(struct lc_live) + 7) / 8 * 8;
}

static size_t misses_offset(uint32_t entries)
{
    return (bitmap_offset() + ((size_t)entries + 31) / 32 * 4 + PAGE - 1) / PAGE * PAGE;
}

size_t lc_live_size(uint32_t entries)
{
    return misses_offset(entries) + sizeof(struct lc_miss_log);
}

size_t lc_live_filled(uint32_t entries)
{
    return misses_offset(entries) + offsetof(struct lc_miss_log, seen);
}

void lc_live_begin(struct lc_live *live, uint32_t entries)
{
    struct lc_miss_log *log = (void *)((char *)live + misses_offset(entries));

    memset(live, 0, lc_live_filled(entries));
    memcpy(live->magic, LC_LIVE_MAGIC, sizeof(live->magic));
    live->length = lc_live_size(entries);
    live->written_offset = bitmap_offset();
    live->misses_offset = misses_offset(entries);
    log->began_wall_ns = lc_clock_wall_ns();
    live->clock_ticks = lc_ticks();
    live->clock_ns = lc_clock_ns();
}
