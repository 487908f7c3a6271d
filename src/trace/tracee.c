/* SPDX-License-Identifier: MIT */
/* tracee.c - the table of traced threads */
#include "trace/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct lc_tracee **bucket_of(struct lc_tracees *all, pid_t tid)
{
    return &all->bucket[(unsigned)tid % LC_TRACEE_BUCKETS];
}

struct lc_tracee *lc_tracee_find(struct lc_tracees *all, pid_t tid)
{
    struct lc_tracee *t = *bucket_of(all, tid);

    while (t && t->tid != tid)
        t = t->next;
    return t;
}

/* The number behind a label in /proc/TID/status. */
static pid_t status_field(const char *status, const char *label, pid_t otherwise)
{
    const char *at = strstr(status, label);

    return at ? (pid_t)strtol(at + strlen(label), NULL, 10) : otherwise;
}

static void read_family(struct lc_tracee *t)
{
    char file[48], status[1024];

    t->pid = t->tid;
    snprintf(file, sizeof(file), "/proc/%d/status", (int)t->tid);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, status, sizeof(status) - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    status[n] = '\0';
    t->pid = status_field(status, "\nTgid:", t->tid);
    t->parent = status_field(status, "\nPPid:", 0);
}

struct lc_tracee *lc_tracee_add(struct lc_tracees *all, pid_t tid)
{
    struct lc_tracee *t = calloc(1, sizeof(*t));

    if (!t || !(t->text = calloc(1, sizeof(*t->text)))) {
        free(t);
        errno = ENOMEM;
        return NULL;
    }
    t->tid = tid;
    read_family(t);
    t->next = *bucket_of(all, tid);
    *bucket_of(all, tid) = t;
    all->alive++;
    all->threads_seen++;
    all->processes_seen += t->pid == tid;
    return t;
}

void lc_tracee_remove(struct lc_tracees *all, pid_t tid)
{
    for (struct lc_tracee **at = bucket_of(all, tid); *at; at = &(*at)->next) {
        struct lc_tracee *t = *at;
        if (t->tid != tid)
            continue;
        *at = t->next;
        free(t->text);
        free(t);
        all->alive--;
        return;
    }
}

void lc_tracee_remove_all(struct lc_tracees *all)
{
    for (unsigned i = 0; i < LC_TRACEE_BUCKETS; i++)
        while (all->bucket[i])
            lc_tracee_remove(all, all->bucket[i]->tid);
}
