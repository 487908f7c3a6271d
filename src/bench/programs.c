/* SPDX-License-Identifier: MIT */
/* programs.c - find bench-rank and stormfs, write scripts */
#include "bench/programs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stage/stage.h"
#include "util/output.h"
#include "util/own_path.h"
#include "util/path.h"

int lc_programs_find(struct lc_programs *programs, struct lc_error *err)
{
    char origin[PATH_MAX];

    if (lc_own_front(programs->loadcast, err) < 0 ||
        lc_stage_origin(origin, sizeof(origin), err) < 0)
        return -1;
    snprintf(programs->rank, sizeof(programs->rank), "%s/bench-rank", origin);
    snprintf(programs->dummy, sizeof(programs->dummy), "%s/bench-dummy", origin);
    if (access(programs->rank, X_OK) < 0)
        return lc_error_errno(err, "cannot execute '%s'; is Loadcast installed whole?",
                              programs->rank);
    snprintf(programs->stormfs, sizeof(programs->stormfs), "%.*s/stormfs",
             (int)lc_path_dir_len(programs->loadcast), programs->loadcast);
    if (access(programs->stormfs, X_OK) < 0 &&
        lc_path_find_program(programs->stormfs, sizeof(programs->stormfs), "stormfs", NULL) < 0)
        programs->stormfs[0] = '\0';
    return 0;
}

const char *lc_script_text(const char *name)
{
    return lc_embedded_text(lc_scripts, name);
}

static bool file_holds(const char *file, const char *text)
{
    FILE *in = fopen(file, "re");
    bool is_same = in != NULL;
    int c;

    while (is_same && (c = getc(in)) != EOF)
        is_same = *text && (unsigned char)*text++ == c;
    if (in)
        fclose(in);
    return is_same && !*text;
}

int lc_script_write(const char *name, const char *file, struct lc_error *err)
{
    const char *text = lc_script_text(name);
    struct lc_output out;

    if (file_holds(file, text))
        return 0;
    if (lc_output_open(&out, file, err) < 0)
        return -1;
    fputs(text, out.stream);
    return lc_output_close(&out, true, err);
}
