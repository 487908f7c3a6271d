/* SPDX-License-Identifier: MIT */
/* job_trace.c - a job from a trace */
#include "predict/job.h"

#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/json.h"

enum { TRACE_VERSION = 1 };

/* What the image of this job will hold: a path for each thing asked for. */
static void image_estimate(struct lc_job *job)
{
    job->image_bytes = job->bytes;
    job->image_entries = job->lookups + job->misses + job->opens;
    snprintf(job->note, sizeof(job->note),
             "the image is taken to be as large as the files, with an entry per request; "
             "--image knows it");
}

void lc_job_from_summary(struct lc_job *job, const char *name, const struct lc_summary *summary,
                         double wall_s)
{
    struct lc_totals t = lc_summary_totals(summary);

    *job = (struct lc_job){.opens = (double)t.kind[LC_TRACE_OPEN].ok,
                           .misses = (double)(t.metadata.failed - t.on_descriptor.failed),
                           .files = (double)summary->files.count,
                           .bytes = (double)t.bytes_of_files,
                           .cpu_s = wall_s};
    snprintf(job->name, sizeof(job->name), "%s", name);
    job->lookups = (double)(t.metadata.ok - t.on_descriptor.ok) - job->opens;
    image_estimate(job);
}

static void command_name(struct lc_job *job, const json_t *root, const char *file)
{
    const json_t *command = json_object_get(json_object_get(root, "provenance"), "command");
    size_t i, n = 0;
    const json_t *word;
    int words = 0;

    json_array_foreach(command, i, word)
    {
        const char *text = json_string_value(word);
        if (text && strcmp(text, "--") == 0)
            words = 1;
        else if (text && words && n < sizeof(job->name))
            n += (size_t)snprintf(job->name + n, sizeof(job->name) - n, "%s%s", n ? " " : "", text);
    }
    if (!job->name[0])
        snprintf(job->name, sizeof(job->name), "%s", file);
}

static int format_check(const json_t *root, const char *file, struct lc_error *err)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    json_int_t version = json_integer_value(json_object_get(root, "format_version"));

    if (!format || strcmp(format, "loadcast-trace") != 0)
        return lc_error_set(err, "'%s' is no trace; make one: loadcast trace --json FILE -- CMD",
                            file);
    if (version != TRACE_VERSION)
        return lc_error_set(err,
                            "'%s' is a trace of version %lld; this program reads version %d: "
                            "trace the program again",
                            file, (long long)version, TRACE_VERSION);
    return 0;
}

/* What a trace tells; 0 where it does not. */
struct counts {
    double ok, failed, known_ok, known_failed, opens, files, read, mapped, of_files, wall_s;
};

static const struct count_place {
    const char *path; /* of the member */
    size_t at;
    bool is_needed;
} count_places[] = {
    {"totals.metadata.ok", offsetof(struct counts, ok), true},
    {"totals.metadata.failed", offsetof(struct counts, failed), true},
    {"totals.on_descriptor.ok", offsetof(struct counts, known_ok), false}, /* not in older traces */
    {"totals.on_descriptor.failed", offsetof(struct counts, known_failed), false},
    {"totals.kinds.open.ok", offsetof(struct counts, opens), false},
    {"totals.files", offsetof(struct counts, files), false},
    {"totals.bytes_read", offsetof(struct counts, read), false},
    {"totals.bytes_mapped", offsetof(struct counts, mapped), false},
    {"totals.bytes_of_files", offsetof(struct counts, of_files), false}, /* nor this */
    {"outcome.wall_s", offsetof(struct counts, wall_s), false},
};

static const json_t *member_of(const json_t *object, const char *path)
{
    char key[40];

    for (size_t n; object && *path; path += n + (path[n] == '.')) {
        n = strcspn(path, ".");
        snprintf(key, sizeof(key), "%.*s", (int)n, path);
        object = json_object_get(object, key);
    }
    return object;
}

static int counts_read(struct counts *c, const json_t *root, const char *file, struct lc_error *err)
{
    const double most = 1e15; /* what is larger is a mistake */

    for (size_t i = 0; i < sizeof(count_places) / sizeof(*count_places); i++) {
        const struct count_place *p = &count_places[i];
        const json_t *member = member_of(root, p->path);
        double value = json_number_value(member);
        if (member ? !json_is_number(member) || value < 0 || value > most : p->is_needed)
            return lc_error_set(err, "the trace '%s': '%s' is %s (0 to %g)", file, p->path,
                                member ? "impossible" : "missing", most);
        memcpy((char *)c + p->at, &value, sizeof(value));
    }
    return 0;
}

/* A trace without the files' size: ld.so maps a library once whole and once more in parts. */
static double bytes_of(const struct counts *c)
{
    return c->of_files > 0 ? c->of_files : c->read + c->mapped / 2;
}

static int totals_take(struct lc_job *job, const json_t *root, const char *file,
                       struct lc_error *err)
{
    struct counts c;

    if (counts_read(&c, root, file, err) < 0)
        return -1;
    job->opens = c.opens;
    job->misses = c.failed - c.known_failed;
    job->lookups = c.ok - c.known_ok - c.opens;
    job->files = c.files;
    job->cpu_s = c.wall_s;
    job->bytes = bytes_of(&c);
    if (job->lookups < 0 || job->misses < 0)
        return lc_error_set(err, "the trace '%s' is impossible: its parts are more than its totals",
                            file);
    image_estimate(job);
    return 0;
}

/* What makes a trace tell something else than what one rank asks. */
static void doubts_note(struct lc_job *job, const json_t *root)
{
    double processes = json_number_value(member_of(root, "outcome.processes"));
    size_t n = strlen(job->note);

    if (json_is_true(member_of(root, "outcome.partial")))
        n += (size_t)snprintf(job->note + n, sizeof(job->note) - n,
                              "; the trace ended before the program did");
    if (processes > 1)
        snprintf(job->note + n, sizeof(job->note) - n, "; a rank is all %.0f processes",
                 fmin(processes, 1e9));
}

int lc_job_from_trace(struct lc_job *job, const char *file, struct lc_error *err)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    json_t *root = NULL;
    int rc;

    *job = (struct lc_job){.name = ""};
    if (fd < 0)
        return lc_error_errno(err, "cannot read the trace '%s'", file);
    root = lc_json_read(fd);
    rc = format_check(root, file, err);
    if (rc == 0) {
        command_name(job, root, file);
        rc = totals_take(job, root, file, err);
    }
    if (rc == 0)
        doubts_note(job, root);
    json_decref(root);
    return rc;
}
