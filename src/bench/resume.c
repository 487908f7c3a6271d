/* SPDX-License-Identifier: MIT */
/* resume.c - the file that says when an unfinished suite was begun */
#include "bench/resume.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "bench/copy.h"

/* FNV-1a: a name for a text. */
static uint64_t text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static bool begin_read(const char *file, int64_t *since_ns)
{
    FILE *in = fopen(file, "re");
    long long ns = 0;
    bool is_read = in && fscanf(in, "%lld", &ns) == 1 && ns > 0;

    if (in)
        fclose(in);
    *since_ns = ns;
    return is_read;
}

static int begin_write(const struct lc_resume *r, struct lc_error *err)
{
    FILE *out = fopen(r->file, "we");

    if (!out)
        return lc_error_errno(err, "cannot write '%s'", r->file);
    fprintf(out, "%lld\n", (long long)r->since_ns);
    return fclose(out) == 0 ? 0 : lc_error_errno(err, "cannot write '%s'", r->file);
}

int lc_resume_begin(struct lc_resume *r, const char *work, const char *text, bool is_wanted,
                    struct lc_error *err)
{
    struct timespec now;
    char dir[PATH_MAX - 32];

    if (snprintf(dir, sizeof(dir), "%s/unfinished", work) >= (int)sizeof(dir))
        return lc_error_set(err, "too long a path: '%s'", work);
    if (lc_make_dirs(dir, err) < 0)
        return -1;
    snprintf(r->file, sizeof(r->file), "%s/%016llx", dir, (unsigned long long)text_hash(text));
    r->is_on = is_wanted && begin_read(r->file, &r->since_ns);
    if (r->is_on)
        return 0;
    clock_gettime(CLOCK_REALTIME, &now);
    r->since_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return begin_write(r, err);
}

void lc_resume_end(const struct lc_resume *resume)
{
    unlink(resume->file);
}
