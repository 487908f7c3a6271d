/* SPDX-License-Identifier: MIT */
/* settled_lines.c - launch lines after which the image had nothing to learn
 *
 * Inside a job, and where ranks stage, a step at the end of a line is for learning alone. So the
 * nodes are asked once for each state of the image and each line: arguments are not in the key of
 * an image, and other arguments may load other modules. A script that passes another argument in
 * each job shall not have a step in all of them: after LINES lines with nothing to learn, no line
 * is asked any more, until the image changes or trimming the store removes the fact. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image/hash.h"
#include "launch/job_run.h"
#include "store/facts.h"

/* The fact's value: hashes of lines, each with a space behind it. */
enum { LINES = 32, LINE_TEXT = 17, TEXT = LINES * LINE_TEXT };

static void fact_name(const struct lc_job_run *run, char out[LC_STORE_FACT_NAME])
{
    snprintf(out, LC_STORE_FACT_NAME, "misses-%016" PRIx64, lc_job_run_image_id(run));
}

static void line_text(const struct lc_job_run *run, char out[LINE_TEXT + 1])
{
    struct lc_buf words = {0};

    for (char *const *word = run->argv; *word; word++)
        lc_buf_add(&words, *word, strlen(*word) + 1);
    snprintf(out, LINE_TEXT + 1, "%016" PRIx64 " ",
             lc_hash(words.data ? words.data : "", words.len));
    lc_buf_free(&words);
}

static bool line_is_settled(const char *settled, const char *line)
{
    return strstr(settled, line) || strlen(settled) >= TEXT;
}

bool lc_job_run_wants_misses(struct lc_job_run *run)
{
    char name[LC_STORE_FACT_NAME], settled[TEXT + 1], line[LINE_TEXT + 1];

    if (run->knows_settled || !lc_job_run_learns(run))
        return run->wants_misses;
    fact_name(run, name);
    line_text(run, line);
    run->wants_misses =
        !lc_store_fact_read(name, settled, sizeof(settled)) || !line_is_settled(settled, line);
    run->knows_settled = true;
    return run->wants_misses;
}

void lc_job_run_note_settled(const struct lc_job_run *run)
{
    char name[LC_STORE_FACT_NAME], settled[TEXT + LINE_TEXT + 1] = "", line[LINE_TEXT + 1];

    if (!run->wants_misses)
        return;
    fact_name(run, name);
    line_text(run, line);
    /* What an older version has written there is no list. */
    if (!lc_store_fact_read(name, settled, TEXT + 1) || strlen(settled) % LINE_TEXT != 0)
        settled[0] = '\0';
    if (line_is_settled(settled, line))
        return;
    strcat(settled, line);
    lc_store_fact_write(name, settled);
}
