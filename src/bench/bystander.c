/* SPDX-License-Identifier: MIT */
/* bystander.c - a process that measures how long a stat takes */
#include "bench/bystander.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/quantile.h"

enum { KEPT = 1 << 16, PAUSE_US = 5000 };

struct lc_bystander_board {
    _Atomic uint64_t asked_ns; /* start of the call that has not returned; 0: none */
    _Atomic uint64_t count;
    uint64_t read;          /* number of calls that lc_bystander_read() has reported */
    uint64_t took_ns[KEPT]; /* duration of call i at index i % KEPT */
};

static _Noreturn void stat_forever(struct lc_bystander_board *board, int dir)
{
    char name[64];
    struct stat st;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (uint64_t i = 0;; i++) {
        snprintf(name, sizeof(name), ".loadcast-bystander-%d-%llu", (int)getpid(),
                 (unsigned long long)i);
        uint64_t start = lc_clock_ns();
        atomic_store(&board->asked_ns, start);
        if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT)
            _exit(1); /* the target is gone; the measured run notices that itself */
        board->took_ns[i % KEPT] = lc_clock_ns() - start;
        atomic_store(&board->asked_ns, 0);
        atomic_store(&board->count, i + 1);
        usleep(PAUSE_US);
    }
}

int lc_bystander_start(struct lc_bystander *b, const char *dir, struct lc_error *err)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    *b = (struct lc_bystander){.pid = -1};
    if (fd < 0)
        return lc_error_errno(err, "cannot open '%s'", dir);
    void *memory =
        mmap(NULL, sizeof(*b->board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        b->board = memory;
        b->pid = fork();
        if (b->pid == 0)
            stat_forever(b->board, fd);
    }
    close(fd);
    return b->pid < 0 ? lc_error_errno(err, "cannot start the bystander") : 0;
}

uint64_t lc_bystander_answers(const struct lc_bystander *b)
{
    return atomic_load(&b->board->count);
}

/* The median for a call at a random moment: sorted values, each weighted by its duration and pause.
 */
static double median_over_time(const double *value, size_t count)
{
    double all = 0, passed = 0;

    for (size_t i = 0; i < count; i++)
        all += value[i] + PAUSE_US / 1e6;
    for (size_t i = 0; i < count; i++)
        if ((passed += value[i] + PAUSE_US / 1e6) * 2 >= all)
            return value[i];
    return NAN;
}

size_t lc_bystander_read(struct lc_bystander *b, double *median_s, double *p95_s)
{
    uint64_t to = atomic_load(&b->board->count), asked = atomic_load(&b->board->asked_ns);
    uint64_t from = to > b->board->read + KEPT - 1 ? to - (KEPT - 1) : b->board->read;
    double *value = calloc(to - from + 1, sizeof(*value));
    size_t n = 0;

    *median_s = *p95_s = NAN;
    if (!value)
        return 0;
    for (uint64_t i = from; i < to; i++)
        value[n++] = (double)b->board->took_ns[i % KEPT] / 1e9;
    if (asked)
        value[n++] = (double)(lc_clock_ns() - asked) / 1e9;
    b->board->read = to;
    lc_sort_values(value, n);
    *p95_s = lc_tail_quantile(value, n, 0.95);
    *median_s = median_over_time(value, n);
    free(value);
    return n;
}

/* A process that waits for a dead server may not die at once: waits for it one second at most. */
void lc_bystander_stop(struct lc_bystander *b)
{
    if (b->pid > 0) {
        kill(b->pid, SIGKILL);
        for (int i = 0; i < 100 && waitpid(b->pid, NULL, WNOHANG) == 0; i++)
            usleep(10000);
    }
    if (b->board)
        munmap(b->board, sizeof(*b->board));
    *b = (struct lc_bystander){.pid = -1};
}
