/* SPDX-License-Identifier: MIT */
/* job_image.c - a job from an image */
#include <stdio.h>

#include "image/image.h"
#include "predict/job.h"

int lc_job_from_image(struct lc_job *job, const char *file, struct lc_error *err)
{
    struct lc_image *image = lc_image_open(file, err);

    *job = (struct lc_job){.name = ""};
    if (!image)
        return -1;
    struct lc_image_totals t = lc_image_count(image);
    job->opens = (double)t.files;
    job->lookups = (double)(t.stat_only + t.directories + t.links);
    job->misses = (double)t.absent;
    job->files = (double)t.files;
    job->bytes = (double)t.bytes;
    job->image_bytes = (double)(t.content_bytes + t.index_bytes + t.names_bytes);
    job->image_entries = (double)(t.files + t.stat_only + t.directories + t.links + t.absent);
    snprintf(job->name, sizeof(job->name), "%s", file);
    snprintf(job->note, sizeof(job->note),
             "an image tells what is asked, not how often, nor the CPU time: each path is taken "
             "to be asked for once; --cpu tells the time");
    lc_image_close(image);
    return 0;
}
