/* SPDX-License-Identifier: MIT */
/* ahead.c - ask a file system about many paths at a time, before they are walked one by one
 *
 * A walk waits for each answer. On a server over a network that is most of its time, and which
 * paths it will come to is known before, except behind symbolic links: those it asks itself. */
#include "record/ahead.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/format.h"
#include "record/polite_threads.h"
#include "record/read_path.h"
#include "util/clock.h"
#include "util/path.h"

enum { MOST_THREADS = 32, NOT_KNOWN = -1 };

struct asking {
    struct lc_ahead_paths *all;
    size_t next;
};

/* Has the path a component "." or ".."? */
static bool has_dots(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/.")); at++) {
        size_t dots = strspn(at + 1, ".");
        if (dots <= 2 && (at[1 + dots] == '/' || !at[1 + dots]))
            return true;
    }
    return false;
}

static bool is_plain(const char *path)
{
    return path[0] == '/' && strlen(path) < LC_PATH_MAX && !strstr(path, "//") && !has_dots(path);
}

int lc_ahead_add(struct lc_ahead_paths *all, const char *path)
{
    char step[LC_PATH_MAX];

    if (!is_plain(path))
        return 0;
    strcpy(step, path);
    while (!lc_map_has(&all->known, step)) {
        struct lc_ahead *a = lc_map_object(&all->known, step, sizeof(*a));
        if (!a)
            return -1;
        a->error = NOT_KNOWN;
        size_t len = lc_path_dir_len(step);
        if (len == 0)
            break;
        step[len] = '\0';
    }
    return 0;
}

static void path_ask(const char *path, struct lc_ahead *a)
{
    char target[LC_PATH_MAX];

    int error = lstat(path, &a->st) < 0 ? errno : 0;

    if (error && error != ENOENT && error != ENOTDIR)
        return; /* no answer: the walk asks again */
    a->error = error;
    if (error)
        return;
    if (!S_ISLNK(a->st.st_mode)) {
        a->has_acl = lc_path_has_acl(path);
        return;
    }
    ssize_t n = readlink(path, target, sizeof(target) - 1);
    a->target = n < 0 ? NULL : strndup(target, (size_t)n);
}

static bool ask_next(void *arg, uint64_t *answer_ns)
{
    struct asking *q = arg;
    size_t i = __atomic_fetch_add(&q->next, 1, __ATOMIC_RELAXED);
    uint64_t asked_ns = lc_clock_ns();

    if (i >= q->all->known.count)
        return false;
    path_ask(q->all->known.entry[i].key, q->all->known.entry[i].value);
    *answer_ns = lc_clock_ns() - asked_ns + 1;
    return true;
}

void lc_ahead_ask(struct lc_ahead_paths *all)
{
    struct asking q = {.all = all};
    struct lc_polite polite = {.most = MOST_THREADS};

    lc_polite_run(&polite, ask_next, &q);
}

const struct lc_ahead *lc_ahead_find(const struct lc_ahead_paths *all, const char *path)
{
    const struct lc_ahead *a = lc_map_get(&all->known, path);

    return a && a->error != NOT_KNOWN ? a : NULL;
}

static void answer_free(void *value)
{
    struct lc_ahead *a = value;

    if (a)
        free(a->target);
    free(a);
}

void lc_ahead_free(struct lc_ahead_paths *all)
{
    lc_map_free(&all->known, answer_free);
}
