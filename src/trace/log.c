/* SPDX-License-Identifier: MIT */
/* log.c - write and read events as text, one per line
 *
 * TID CALL RESULT PATH [key=value...], separated by tabs, each field escaped by lc_buf_escape. */
#include "trace/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/calls.h"
#include "util/buf.h"
#include "util/secret.h"

static const char magic[] = "# loadcast trace log 1";

static void put_field(FILE *out, const char *label, const char *value)
{
    struct lc_buf text = {0};

    lc_buf_escape(&text, value, strlen(value));
    fprintf(out, "\t%s%s", label, lc_buf_text(&text));
    lc_buf_free(&text);
}

static void put_result(FILE *out, long result)
{
    const char *name = result < 0 && result > -4096 ? lc_errno_name((int)-result) : NULL;

    if (name)
        fprintf(out, "\t-%s", name);
    else
        fprintf(out, "\t%ld", result);
}

void lc_trace_log_head(FILE *out, char *const argv[])
{
    fprintf(out, "%s\n# command", magic);
    for (size_t i = 0; argv[i]; i++) {
        struct lc_buf word = {0};
        lc_secret_hide(&word, argv[i], i > 0 ? argv[i - 1] : NULL);
        put_field(out, "", lc_buf_text(&word));
        lc_buf_free(&word);
    }
    fputs("\n# tid\tcall\tresult\tpath\tdetails\n", out);
}

void lc_trace_log_event(FILE *out, const struct lc_trace_event *e)
{
    fprintf(out, "%d\t%s", (int)e->tid, e->call);
    put_result(out, e->result);
    put_field(out, "", e->path);
    if (e->given && strcmp(e->given, e->path) != 0)
        put_field(out, "given=", e->given);
    if (e->real)
        put_field(out, "real=", e->real);
    if (e->second)
        put_field(out, "second=", e->second);
    if (e->flags)
        fprintf(out, "\tflags=0x%" PRIx64, e->flags);
    if (e->bytes)
        fprintf(out, "\tbytes=%" PRIu64, e->bytes);
    if (e->is_write)
        fputs("\twrite", out);
    if (e->pid != e->tid)
        fprintf(out, "\tpid=%d", (int)e->pid);
    if (e->kind == LC_TRACE_EXEC)
        fprintf(out, "\tparent=%d", (int)e->parent);
    fputc('\n', out);
}

/* Unescaped fields of one line, valid until the next line. */
struct reader {
    struct lc_buf text[6];
    struct lc_trace_event event;
};

enum { PATH_TEXT, GIVEN_TEXT, REAL_TEXT, SECOND_TEXT };

static const char *field_unescape(struct reader *r, int which, const char *value)
{
    struct lc_buf *buf = &r->text[which];

    lc_buf_clear(buf);
    if (lc_buf_unescape(buf, value, strlen(value)) < 0)
        return NULL;
    return lc_buf_text(buf);
}

static int errno_by_name(const char *name)
{
    for (int code = 1; code < 600; code++) {
        const char *known = lc_errno_name(code);
        if (known && strcmp(known, name) == 0)
            return code;
    }
    return 0;
}

static bool parse_result(const char *text, long *result)
{
    char *end;

    if (text[0] == '-' && text[1] >= 'A') {
        *result = -errno_by_name(text + 1);
        return *result != 0;
    }
    *result = strtol(text, &end, 10);
    return *text && !*end;
}

static const struct lc_call *call_by_name(const char *name)
{
    size_t count;
    const struct lc_call *call = lc_call_table(&count);

    for (size_t i = 0; i < count; i++)
        if (call[i].kind != LC_TRACE_SILENT && strcmp(call[i].name, name) == 0)
            return &call[i];
    return NULL;
}

static bool parse_detail(struct reader *r, const char *field)
{
    struct lc_trace_event *e = &r->event;
    const char *equals = strchr(field, '='), *value = equals ? equals + 1 : "";
    size_t n = equals ? (size_t)(equals - field) : strlen(field);

#define IS(label) (n == strlen(label) && memcmp(field, label, n) == 0)
    if (IS("given"))
        return (e->given = field_unescape(r, GIVEN_TEXT, value));
    if (IS("real"))
        return (e->real = field_unescape(r, REAL_TEXT, value));
    if (IS("second"))
        return (e->second = field_unescape(r, SECOND_TEXT, value));
    if (IS("flags"))
        e->flags = strtoull(value, NULL, 16);
    else if (IS("bytes"))
        e->bytes = strtoull(value, NULL, 10);
    else if (IS("calls"))
        e->more_calls = (int64_t)(strtoull(value, NULL, 10) & INT32_MAX) - 1;
    else if (IS("write"))
        e->is_write = true;
    else if (IS("pid"))
        e->pid = (pid_t)strtol(value, NULL, 10);
    else if (IS("parent"))
        e->parent = (pid_t)strtol(value, NULL, 10);
#undef IS
    return true; /* skip fields that a newer version may add */
}

/* Parse one line. NULL, or what is wrong with it. */
static const char *parse_line(struct reader *r, char *line)
{
    char *tid = strsep(&line, "\t"), *name = strsep(&line, "\t");
    char *result = line ? strsep(&line, "\t") : NULL, *path = line ? strsep(&line, "\t") : NULL;
    const struct lc_call *call;

    r->event = (struct lc_trace_event){0};
    if (!path)
        return "fewer than four fields";
    if (!(call = call_by_name(name)))
        return "unknown call";
    r->event.tid = r->event.pid = (pid_t)strtol(tid, NULL, 10);
    r->event.call = call->name;
    r->event.kind = (enum lc_trace_kind)call->kind;
    if (r->event.tid <= 0)
        return "bad process id";
    if (!parse_result(result, &r->event.result))
        return "bad result";
    if (!(r->event.path = field_unescape(r, PATH_TEXT, path)))
        return "bad escape";
    if (call->path != LC_CALL_NONE)
        r->event.given = r->event.path;
    for (char *field; line && (field = strsep(&line, "\t"));)
        if (!parse_detail(r, field))
            return "bad escape";
    return NULL;
}

int lc_trace_log_read(FILE *in, const char *name, lc_trace_fn fn, void *arg, struct lc_error *err)
{
    struct reader r = {0};
    char *line = NULL;
    size_t cap = 0, number = 0;
    const char *wrong = NULL;
    ssize_t n;

    while (!wrong && (n = getline(&line, &cap, in)) >= 0) {
        number++;
        if (n > 0 && line[n - 1] == '\n')
            line[n - 1] = '\0';
        if (number == 1 && strcmp(line, magic) != 0)
            wrong = "not a trace log of version 1; make one with 'loadcast trace --log FILE'";
        else if (line[0] != '#' && !(wrong = parse_line(&r, line)))
            fn(arg, &r.event);
    }
    if (!wrong && number == 0)
        wrong = "empty";
    for (size_t i = 0; i < sizeof(r.text) / sizeof(*r.text); i++)
        lc_buf_free(&r.text[i]);
    free(line);
    return wrong ? lc_error_set(err, "cannot read log '%s', line %zu: %s", name, number, wrong) : 0;
}
