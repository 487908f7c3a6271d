/* SPDX-License-Identifier: MIT */
/* traced.c - run one process under loadcast-trace(1) */
#include "bench/traced.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/wire.h"
#include "util/clock.h"
#include "util/path.h"

void lc_program_words(const struct lc_rank_program *p, struct lc_argv *words)
{
    /* As in a rank: what is measured, and no more. */
    lc_argv_words(words, "env " LC_MARKS_ASKED "=1");
    for (size_t i = 0; i < p->variable.count; i++)
        lc_argv_add(words, p->variable.item[i]);
    for (size_t i = 0; i < p->argv.count; i++)
        if (strcmp(p->argv.item[i], "{start}") == 0)
            lc_argv_printf(words, "%.9f", (double)lc_clock_wall_ns() / 1e9);
        else
            lc_argv_add(words, p->argv.item[i]);
}

static int read_figures(const char *file, struct lc_traced *t)
{
    json_t *all = json_load_file(file, 0, NULL);
    json_int_t ok, failed, data, data_failed, bytes;
    int rc = json_unpack(all, "{s:{s:{s:I, s:I}, s:{s:I, s:I}, s:I}}", "totals", "metadata", "ok",
                         &ok, "failed", &failed, "data", "ok", &data, "failed", &data_failed,
                         "bytes_read", &bytes);

    if (rc == 0) {
        t->is_counted = true;
        t->metadata = (double)(ok + failed);
        t->failed = (double)failed;
        t->data = (double)(data + data_failed);
        t->bytes = (double)bytes;
    }
    json_decref(all);
    return rc;
}

/* Does this line of the log (doc/trace-log.md: TID, CALL, RESULT, PATH) open a file below 'source'?
 */
static bool opens_below(const char *line, const char *source, char *path, size_t size)
{
    const char *field[4] = {line};

    for (int i = 1; i < 4; i++) {
        const char *tab = strchr(field[i - 1], '\t');
        if (!tab)
            return false;
        field[i] = tab + 1;
    }
    if ((strncmp(field[1], "open", 4) != 0 && strncmp(field[1], "execve", 6) != 0) ||
        *field[2] == '-')
        return false;
    snprintf(path, size, "%.*s", (int)strcspn(field[3], "\t\n"), field[3]);
    return lc_path_is_under(path, source) && strlen(path) > strlen(source);
}

static void find_open_below(const char *file, const char *source, struct lc_traced *t)
{
    FILE *in = fopen(file, "r");
    char *line = NULL;
    size_t size = 0;
    bool is_found = false;

    while (in && !is_found && getline(&line, &size, in) > 0)
        is_found = opens_below(line, source, t->elsewhere, sizeof(t->elsewhere));
    if (!is_found)
        t->elsewhere[0] = '\0';
    free(line);
    if (in)
        fclose(in);
}

static void trace_command_make(const struct lc_case *c, const struct lc_argv *command,
                               const char *json, const char *log, double timeout_s,
                               struct lc_argv *argv)
{
    lc_argv_words(argv, "timeout -k 5");
    lc_argv_printf(argv, "%.3f", timeout_s);
    lc_argv_add(argv, c->programs->loadcast);
    lc_argv_words(argv, "trace -o /dev/null --json");
    lc_argv_add(argv, json);
    if (log) {
        lc_argv_add(argv, "--log");
        lc_argv_add(argv, log);
    }
    lc_argv_add(argv, "--under");
    lc_argv_add(argv, c->target->root);
    lc_argv_add(argv, "--");
    for (size_t i = 0; i < command->count; i++)
        lc_argv_add(argv, command->item[i]);
}

int lc_trace_one(const struct lc_case *c, const struct lc_argv *command, const char *source,
                 double timeout_s, struct lc_buf *out, struct lc_traced *traced,
                 struct lc_error *err)
{
    const char *tmp = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char dir[PATH_MAX], json[PATH_MAX + 8], log[PATH_MAX + 8];
    struct lc_argv argv = {0};
    struct lc_buf ignored = {0};

    *traced = (struct lc_traced){0};
    if ((size_t)snprintf(dir, sizeof(dir), "%s/loadcast-bench-trace.XXXXXX", tmp) >= sizeof(dir))
        return lc_error_set(err, "TMPDIR is too long a path");
    if (!mkdtemp(dir))
        return lc_error_errno(err, "cannot make a directory in '%s'", tmp);
    snprintf(json, sizeof(json), "%s/json", dir);
    snprintf(log, sizeof(log), "%s/log", dir);
    trace_command_make(c, command, json, source ? log : NULL, timeout_s, &argv);
    int rc = lc_run_output_quiet(&argv, out ? out : &ignored, err);
    if (read_figures(json, traced) < 0 && rc == 0)
        rc = lc_error_set(err, "trace gave no totals");
    if (source)
        find_open_below(log, source, traced);
    lc_argv_free(&argv);
    lc_buf_free(&ignored);
    unlink(json);
    unlink(log);
    rmdir(dir);
    return rc;
}
