/* SPDX-License-Identifier: MIT */
/* once.c - the programs that a job runs once: their names, and how a request is recognized */
#include "stormfs/once.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The program of that name, which need not end with '\0'; NULL if it is not in the list. */
static struct lc_once_program *program_find(struct lc_once *once, const char *name, size_t len)
{
    unsigned count = atomic_load(&once->count);

    if (len >= LC_ONCE_NAME)
        len = LC_ONCE_NAME - 1;
    for (unsigned i = 0; i < count; i++)
        if (strncmp(once->program[i].name, name, len) == 0 && !once->program[i].name[len])
            return &once->program[i];
    return NULL;
}

static void program_add(struct lc_once *once, const char *name, size_t len)
{
    unsigned count = atomic_load(&once->count);

    if (program_find(once, name, len))
        return;
    snprintf(once->program[count].name, LC_ONCE_NAME, "%.*s", (int)len, name);
    atomic_store(&once->count, count + 1);
}

/* Checks a list of names. Returns how many there are, or -1 with err filled. */
static int names_check(const char *names, struct lc_error *err)
{
    int count = 0;

    for (const char *name = names;; count++) {
        size_t len = strcspn(name, ",");
        if (len == 0 || memchr(name, '/', len))
            return lc_error_set(err,
                                "'%s' is not a list of programs: names without directories, "
                                "separated by commas",
                                names);
        if (!name[len])
            return count + 1;
        name += len + 1;
    }
}

int lc_once_add(struct lc_once *once, const char *names, struct lc_error *err)
{
    int more = names_check(names, err);

    if (more < 0)
        return -1;
    if (atomic_load(&once->count) + (unsigned)more > LC_ONCE_MOST)
        return lc_error_set(err, "more than %d programs that exist once", LC_ONCE_MOST);
    for (; more > 0; more--) {
        size_t len = strcspn(names, ",");
        program_add(once, names, len);
        names += len + 1;
    }
    return 0;
}

bool lc_once_count(struct lc_once *once, pid_t tid)
{
    char path[40], name[LC_ONCE_NAME + 1];
    ssize_t n;

    if (tid <= 0 || atomic_load(&once->count) == 0)
        return false;
    snprintf(path, sizeof(path), "/proc/%ld/comm", (long)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, name, sizeof(name));
    close(fd);
    if (n > 0 && name[n - 1] == '\n')
        n--;
    struct lc_once_program *program = n > 0 ? program_find(once, name, (size_t)n) : NULL;
    if (program)
        atomic_fetch_add_explicit(&program->requests, 1, memory_order_relaxed);
    return program;
}

void lc_once_reset(struct lc_once *once)
{
    for (unsigned i = 0; i < LC_ONCE_MOST; i++)
        atomic_store(&once->program[i].requests, 0);
}
