/* SPDX-License-Identifier: MIT */
/* job_trace.c - a job from a trace */
#include "predict/job.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "util/json.h"

enum { TRACE_VERSION = 1 };

/* ld.so maps a library once whole and once more in parts: half of what was mapped is its size. */
static void bytes_estimate(struct lc_job *job, double read, double mapped)
{
    job->bytes = read + mapped / 2;
}

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
                           .cpu_s = wall_s};
    snprintf(job->name, sizeof(job->name), "%s", name);
    job->lookups = (double)(t.metadata.ok - t.on_descriptor.ok) - job->opens;
    bytes_estimate(job, (double)t.bytes_read, (double)t.bytes_mapped);
    image_estimate(job);
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
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

static int totals_take(struct lc_job *job, const json_t *root, const char *file,
                       struct lc_error *err)
{
    const json_t *totals = json_object_get(root, "totals");
    const json_t *metadata = json_object_get(totals, "metadata");
    const json_t *known = json_object_get(totals, "on_descriptor"); /* older traces have none */
    const json_t *open = json_object_get(json_object_get(totals, "kinds"), "open");

    job->opens = number_of(open, "ok");
    job->misses = number_of(metadata, "failed") - number_of(known, "failed");
    job->lookups = number_of(metadata, "ok") - number_of(known, "ok") - job->opens;
    job->files = number_of(totals, "files");
    job->cpu_s = number_of(json_object_get(root, "outcome"), "wall_s");
    if (!metadata || job->lookups < 0 || job->misses < 0 || job->opens < 0 || job->cpu_s < 0 ||
        number_of(totals, "bytes_read") < 0 || number_of(totals, "bytes_mapped") < 0)
        return lc_error_set(err, "the trace '%s' lacks its totals, or they are impossible", file);
    bytes_estimate(job, number_of(totals, "bytes_read"), number_of(totals, "bytes_mapped"));
    image_estimate(job);
    return 0;
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
    json_decref(root);
    return rc;
}
