/* SPDX-License-Identifier: MIT */
/* pool.c - jobs in parallel processes */
#include "gen/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigset_t held, before;
static int caught;

void lc_pool_hold_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;

    sigemptyset(&held);
    for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&held, ending[i]);
    sigaddset(&held, SIGCHLD);
    signal(SIGCHLD, SIG_DFL); /* whoever ignores it cannot wait for children */
    sigprocmask(SIG_BLOCK, &held, &before);
    caught = 0;
}

/* Wait up to 'wait' for any held signal and remember one that ends the run. */
static void signal_wait(const struct timespec *wait)
{
    int signal = sigtimedwait(&held, NULL, wait);

    if (signal > 0 && signal != SIGCHLD && !caught)
        caught = signal;
}

int lc_pool_signal(void)
{
    const struct timespec now = {0, 0};

    signal_wait(&now);
    signal_wait(&now); /* the first may have been SIGCHLD */
    return caught;
}

void lc_pool_release_signals(void)
{
    int signal = lc_pool_signal();

    sigprocmask(SIG_SETMASK, &before, NULL);
    if (signal)
        raise(signal);
}

struct slot {
    pid_t pid; /* 0: free */
    struct lc_error *err;
};

struct pool {
    lc_job job;
    void *context;
    struct slot *slot;
    struct lc_error *shared; /* one per slot, written by the job's process */
    size_t slots;
    size_t running;
};

static int pool_open(struct pool *p, long parallel)
{
    p->slots = (size_t)parallel;
    p->slot = calloc(p->slots, sizeof(*p->slot));
    p->shared = mmap(NULL, p->slots * sizeof(*p->shared), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!p->slot || p->shared == MAP_FAILED)
        return -1;
    for (size_t i = 0; i < p->slots; i++)
        p->slot[i].err = &p->shared[i];
    return 0;
}

static void pool_close(struct pool *p)
{
    free(p->slot);
    if (p->shared != MAP_FAILED)
        munmap(p->shared, p->slots * sizeof(*p->shared));
}

/* Starts a job in a process group of its own, so that the compiler's children are ended with it. */
static int job_start(struct pool *p, size_t number, struct lc_error *err)
{
    struct slot *s = p->slot;

    while (s->pid)
        s++;
    s->err->text[0] = '\0';
    s->pid = fork();
    if (s->pid < 0) {
        s->pid = 0;
        return lc_error_errno(err, "cannot start a job");
    }
    if (s->pid == 0) {
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, &before, NULL);
        _exit(p->job(p->context, number, s->err) < 0);
    }
    setpgid(s->pid, s->pid);
    p->running++;
    return 0;
}

/* Collect every job that has ended; -1 with err filled when one of them failed. */
static int jobs_reap(struct pool *p, size_t *ended, struct lc_error *err)
{
    int rc = 0, status;

    for (size_t i = 0; i < p->slots; i++) {
        struct slot *s = &p->slot[i];
        if (!s->pid || waitpid(s->pid, &status, WNOHANG) != s->pid)
            continue;
        s->pid = 0;
        p->running--;
        ++*ended;
        if (status != 0 && rc == 0)
            rc = lc_error_set(err, "%s", s->err->text[0] ? s->err->text : "a job ended abnormally");
    }
    return rc;
}

static void jobs_kill(struct pool *p)
{
    for (size_t i = 0; i < p->slots; i++) {
        if (!p->slot[i].pid)
            continue;
        kill(-p->slot[i].pid, SIGKILL);
        waitpid(p->slot[i].pid, NULL, 0);
        p->slot[i].pid = 0;
    }
}

int lc_pool_run(lc_job job, void *context, size_t count, long parallel, struct lc_progress *bar,
                size_t *done, struct lc_error *err)
{
    const struct timespec second = {1, 0};
    struct pool p = {.job = job, .context = context, .shared = MAP_FAILED};
    size_t started = 0, ended = 0;
    int rc = pool_open(&p, parallel);

    if (rc < 0)
        lc_error_errno(err, "cannot start jobs");
    while (rc == 0 && ended < count) {
        while (rc == 0 && started < count && p.running < p.slots)
            rc = job_start(&p, started++, err);
        if (rc == 0)
            signal_wait(&second);
        if (rc == 0)
            rc = jobs_reap(&p, &ended, err);
        if (caught)
            rc = lc_error_set(err, "ended by signal %d (%s)", caught, strsignal(caught));
        lc_progress_update(bar, *done + ended);
    }
    jobs_kill(&p);
    pool_close(&p);
    *done += ended;
    return rc;
}
