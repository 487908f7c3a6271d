/* SPDX-License-Identifier: MIT */
/* pyc_header.c - find bytecode good by its header, without starting an interpreter
 *
 * A header (PEP 552) is the magic number of the interpreter, flags, and the time and size of the
 * source. An interpreter compares the four; which magic number it wants shows in a file that it has
 * read in the pilot without reading the source afterwards. */
#include "record/pyc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/polite_threads.h"
#include "util/clock.h"
#include "util/io.h"

enum { MOST_THREADS = 32 };

struct header {
    uint32_t magic, flags, mtime, bytes;
};

struct reading {
    const struct lc_pyc_list *list;
    struct header *header;
    size_t next;
};

static void header_read(const struct lc_pyc *pyc, struct header *out)
{
    int fd = open(pyc->target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return;
    if (lc_read_at(fd, out, sizeof(*out), 0) != (ssize_t)sizeof(*out))
        *out = (struct header){0};
    close(fd);
}

static bool read_next(void *arg, uint64_t *answer_ns)
{
    struct reading *r = arg;
    size_t i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
    uint64_t asked_ns = lc_clock_ns();

    if (i >= r->list->count)
        return false;
    if (!r->list->item[i].exists)
        return true;
    header_read(&r->list->item[i], &r->header[i]);
    *answer_ns = lc_clock_ns() - asked_ns + 1;
    return true;
}

/* Is it bytecode for the source as it is now? Files that are checked by a hash of the source are
 * left to the interpreter. */
static bool is_current(const struct lc_pyc *pyc, const struct header *h)
{
    return h->magic && h->flags == 0 && h->mtime == pyc->source_mtime &&
           h->bytes == pyc->source_bytes;
}

/* 0 if none is known, or if there are several. */
static uint32_t magic_find(const struct lc_pyc_list *list, const struct header *header)
{
    uint32_t magic = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (!list->item[i].is_used || !is_current(&list->item[i], &header[i]))
            continue;
        if (magic && magic != header[i].magic)
            return 0;
        magic = header[i].magic;
    }
    return magic;
}

size_t lc_pyc_check_headers(struct lc_pyc_list *list)
{
    struct reading r = {.list = list, .header = calloc(list->count, sizeof(*r.header))};
    struct lc_polite polite = {.most = MOST_THREADS};
    size_t left = list->count;

    if (!r.header)
        return left;
    lc_polite_run(&polite, read_next, &r);
    uint32_t magic = magic_find(list, r.header);
    for (size_t i = 0; i < list->count; i++)
        if (magic && r.header[i].magic == magic && is_current(&list->item[i], &r.header[i])) {
            list->item[i].state = LC_PYC_GOOD;
            left--;
        }
    free(r.header);
    return left;
}
