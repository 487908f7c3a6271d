/* SPDX-License-Identifier: MIT */
/* check.h - what all checks of fs-write-check use: see main.c */
#ifndef FS_WRITE_CHECK_H
#define FS_WRITE_CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct check {
    const char *name;
    void (*run)(void);
};

/* Each ends with an entry without a name. */
extern const struct check names_checks[], content_checks[], attributes_checks[], locks_checks[];

#define CHECK(what)                                                                       \
    do {                                                                                  \
        if (!(what)) {                                                                    \
            fprintf(stderr, "%s:%d: not so: %s (errno: %s)\n", __func__, __LINE__, #what, \
                    strerror(errno));                                                     \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)
/* The call fails with exactly this errno. */
#define FAILS(error, call)                     \
    do {                                       \
        errno = 0;                             \
        CHECK((call) < 0 && errno == (error)); \
    } while (0)

void put(const char *path, const char *text);   /* write a file anew */
bool holds(const char *path, const char *text); /* is that its content? */
struct stat stat_of(const char *path);          /* of itself, if it is a link */

#endif
