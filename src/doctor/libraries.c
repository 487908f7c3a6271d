/* SPDX-License-Identifier: MIT */
/* libraries.c - which libraries the programs of a traced run loaded */
#include "doctor/libraries.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/log.h"
#include "util/path.h"

/* What reading a log needs to know. */
struct reading {
    struct lc_libraries *all;
    const char *memory;
    struct lc_map process; /* the program of each process: values are char * */
};

/* The original of a path: NODE/files/PATH below the directory of staged images is PATH. NULL: it is
 * an object of Loadcast's own. */
static const char *original_path(const char *path, const char *memory)
{
    if (!memory || !lc_path_is_under(path, memory))
        return path;
    const char *files = strstr(path + strlen(memory), "/files/");
    return files ? files + strlen("/files") : NULL;
}

/* "libm.so.6" or "x.so", but not "ld.so.cache". */
static bool is_library(const char *path)
{
    const char *name = lc_path_base(path), *so = strstr(name, ".so");

    if (path[0] != '/' || strncmp(path, "/memfd:", 7) == 0)
        return false;
    for (; so; so = strstr(so + 1, ".so"))
        if (so[3] == '\0' || (so[3] == '.' && isdigit((unsigned char)so[4])))
            return true;
    return false;
}

/* Note that this process runs this program now. */
static void program_note(struct reading *r, const char *process, const char *program)
{
    void **at = lc_map_at(&r->process, process);

    if (!at)
        return;
    free(*at);
    *at = strdup(program);
    lc_map_object(&r->all->program, program, sizeof(struct lc_map));
}

static void event_use(void *arg, const struct lc_trace_event *event)
{
    struct reading *r = arg;
    char process[24];
    const char *path = original_path(event->real ? event->real : event->path, r->memory);

    snprintf(process, sizeof(process), "%d", (int)event->pid);
    if (!path || event->result < 0)
        return;
    if (event->kind == LC_TRACE_EXEC)
        program_note(r, process, path);
    if (event->kind != LC_TRACE_MMAP || !is_library(path))
        return;
    const char *program = lc_map_get(&r->process, process); /* none: a child that executed none */
    struct lc_map *libraries =
        lc_map_object(&r->all->program, program ? program : "a child process", sizeof(*libraries));
    if (libraries)
        lc_map_at(libraries, path);
}

int lc_libraries_read(struct lc_libraries *all, const char *log, const char *memory,
                      struct lc_error *err)
{
    struct reading r = {.all = all, .memory = memory};
    FILE *f = fopen(log, "re");

    if (!f)
        return lc_error_errno(err, "cannot read '%s'", log);
    int rc = lc_trace_log_read(f, log, event_use, &r, err);
    fclose(f);
    lc_map_free(&r.process, free);
    return rc;
}

static void libraries_free(void *value)
{
    lc_map_free(value, NULL);
    free(value);
}

void lc_libraries_free(struct lc_libraries *all)
{
    lc_map_free(&all->program, libraries_free);
    *all = (struct lc_libraries){0};
}

/* The first key of 'a' that 'b' lacks, or NULL. */
static const char *first_missing(const struct lc_map *a, const struct lc_map *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!lc_map_has(b, a->entry[i].key))
            return a->entry[i].key;
    return NULL;
}

static bool program_matches(const char *program, const struct lc_map *plain,
                            const struct lc_map *other, struct lc_buf *why)
{
    const char *less = other ? first_missing(plain, other) : NULL;
    const char *more = other ? first_missing(other, plain) : NULL;

    if (other && !less && !more)
        return true;
    lc_buf_printf(why, "'%s' ", program);
    if (!other)
        lc_buf_puts(why, "is not started");
    if (less)
        lc_buf_printf(why, "does not load '%s'", less);
    if (more)
        lc_buf_printf(why, "%sloads '%s', which it does not load plainly", less ? " and " : "",
                      more);
    return false;
}

bool lc_libraries_match(const struct lc_libraries *plain, const struct lc_libraries *other,
                        struct lc_buf *why)
{
    for (size_t i = 0; i < plain->program.count; i++) {
        const struct lc_map_entry *e = &plain->program.entry[i];
        if (!program_matches(e->key, e->value, lc_map_get(&other->program, e->key), why))
            return false;
    }
    return true;
}

void lc_libraries_text(const struct lc_libraries *all, struct lc_buf *out)
{
    for (size_t i = 0; i < all->program.count; i++) {
        const struct lc_map *libraries = all->program.entry[i].value;
        for (size_t k = 0; k < libraries->count; k++)
            lc_buf_printf(out, "%s: %s\n", all->program.entry[i].key, libraries->entry[k].key);
    }
}
