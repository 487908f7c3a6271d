/* SPDX-License-Identifier: MIT */
/* pyc.c - Python bytecode files, checked and compiled by the interpreter that will load them
 *
 * The interpreter itself checks and compiles, so that magic number, flags, time stamp and size are
 * what it expects. It runs compile_modules.py, with requests on standard input and results on
 * standard output, both anonymous files.
 *
 * A module whose compilation prints a warning is not compiled: with bytecode from us the warning,
 * which users see at each start, would disappear. */
#include "record/pyc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/format.h"
#include "util/path.h"

enum { COMPILE_SECONDS = 600 };

bool lc_pyc_parse(const char *path, char *source, size_t room, char *tag, size_t tag_room,
                  int *optimize)
{
    const char *base = lc_path_base(path), *end = base + strlen(base);
    size_t dir = lc_path_dir_len(path);

    if (end - base < 5 || strcmp(end - 4, ".pyc") != 0 || dir < 13 ||
        memcmp(path + dir - 12, "/__pycache__", 12) != 0)
        return false;
    end -= 4;
    *optimize = 0;
    if (end - base > 6 && memcmp(end - 6, ".opt-", 5) == 0 && (end[-1] == '1' || end[-1] == '2')) {
        *optimize = end[-1] - '0';
        end -= 6;
    }
    const char *dot = memrchr(base, '.', (size_t)(end - base));
    if (!dot || dot == base || dot + 1 == end)
        return false;
    int n = snprintf(source, room, "%.*s/%.*s.py", (int)(dir - 12), path, (int)(dot - base), base);
    int m = snprintf(tag, tag_room, "%.*s", (int)(end - dot - 1), dot + 1);
    return n > 0 && (size_t)n < room && m > 0 && (size_t)m < tag_room;
}

int lc_pyc_add(struct lc_pyc_list *list, const char *target, const char *source, int optimize,
               bool exists)
{
    struct lc_pyc *more = realloc(list->item, (list->count + 1) * sizeof(*more));

    if (!more)
        return -1;
    list->item = more;
    struct lc_pyc p = {
        .target = strdup(target), .source = strdup(source), .optimize = optimize, .exists = exists};
    list->item[list->count++] = p;
    return p.target && p.source ? 0 : -1;
}

void lc_pyc_free(struct lc_pyc_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i].target);
        free(list->item[i].source);
        lc_buf_free(&list->item[i].bytes);
    }
    free(list->item);
    *list = (struct lc_pyc_list){0};
}

static _Noreturn void exec_python(const char *executable, int in, int out)
{
    char *argv[] = {(char *)executable,
                    "-S",
                    "-B",
                    "-c",
                    (char *)(uintptr_t)lc_embedded_text(lc_record_scripts, "compile_modules.py"),
                    NULL};
    int null = open("/dev/null", O_WRONLY);

    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
        _exit(126);
    alarm(COMPILE_SECONDS); /* ends an interpreter that hangs */
    execv(executable, argv);
    _exit(127);
}

static int run_python(const char *executable, int in, int out, struct lc_error *err)
{
    int status;
    pid_t pid = fork();

    if (pid < 0)
        return lc_error_errno(err, "cannot run '%s'", executable);
    if (pid == 0)
        exec_python(executable, in, out);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return lc_error_errno(err, "cannot wait for '%s'", executable);
    if (status != 0)
        return lc_error_set(err, "'%s' cannot be used to compile modules (%s %d)", executable,
                            WIFSIGNALED(status) ? "signal" : "status",
                            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}

/* Reads a whole file. */
static int read_whole_file(int fd, struct lc_buf *out)
{
    char chunk[65536];
    ssize_t n;

    for (off_t at = 0; (n = pread(fd, chunk, sizeof(chunk), at)) > 0; at += n)
        if (lc_buf_add(out, chunk, (size_t)n) < 0)
            return -1;
    return n < 0 ? -1 : 0;
}

static int python_exchange(const char *executable, const struct lc_buf *ask, struct lc_buf *answer,
                           struct lc_error *err)
{
    int in = memfd_create("ask", MFD_CLOEXEC), out = memfd_create("answer", MFD_CLOEXEC);
    int rc = -1;

    if (in < 0 || out < 0 || (ask->len && write(in, ask->data, ask->len) != (ssize_t)ask->len) ||
        lseek(in, 0, SEEK_SET))
        lc_error_errno(err, "cannot talk to '%s'", executable);
    else
        rc = run_python(executable, in, out, err);
    if (rc == 0 && read_whole_file(out, answer) < 0)
        rc = lc_error_errno(err, "cannot talk to '%s'", executable);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return rc;
}

/* Each answer starts with two strings: version and cache tag. Returns what follows them, NULL if
 * they are missing. */
static const char *parse_python(const struct lc_buf *answer, struct lc_python *out)
{
    const char *end = answer->data + answer->len;
    const char *tag = answer->data ? memchr(answer->data, '\0', answer->len) : NULL;
    const char *rest = tag ? memchr(tag + 1, '\0', (size_t)(end - tag - 1)) : NULL;

    if (!rest)
        return NULL;
    snprintf(out->version, sizeof(out->version), "%s", answer->data);
    snprintf(out->cache_tag, sizeof(out->cache_tag), "%s", tag + 1);
    return rest + 1;
}

static int parse_states(struct lc_pyc_list *list, const char *p, const char *end)
{
    for (size_t i = 0; i < list->count; i++) {
        struct lc_pyc *item = &list->item[i];
        uint64_t len;
        if (item->state == LC_PYC_GOOD)
            continue;
        if (p >= end)
            return -1;
        char state = *p++;
        item->state = state == 'G' ? LC_PYC_GOOD : LC_PYC_FAILED;
        if (state != 'M')
            continue;
        if (end - p < 8)
            return -1;
        memcpy(&len, p, 8);
        p += 8;
        if (len > (uint64_t)(end - p) || lc_buf_add(&item->bytes, p, len) < 0)
            return -1;
        p += len;
        item->state = LC_PYC_MADE;
    }
    return 0;
}

/* As compile_modules.py reads it. */
static void write_questions(struct lc_buf *ask, const char *tag, const struct lc_pyc_list *list)
{
    lc_buf_add(ask, tag, strlen(tag) + 1);
    for (size_t i = 0; i < list->count; i++) {
        const struct lc_pyc *p = &list->item[i];
        if (p->state == LC_PYC_GOOD)
            continue;
        lc_buf_printf(ask, "%d", p->optimize);
        lc_buf_putc(ask, '\0');
        lc_buf_add(ask, p->source, strlen(p->source) + 1);
        lc_buf_add(ask, p->exists ? p->target : "", (p->exists ? strlen(p->target) : 0) + 1);
    }
}

int lc_pyc_compile(const char *executable, const char *tag, struct lc_pyc_list *list,
                   struct lc_python *who, struct lc_error *err)
{
    struct lc_buf ask = {0}, answer = {0};
    int rc = 0;

    write_questions(&ask, tag, list);
    if (ask.failed)
        rc = lc_error_set(err, "cannot compile modules: out of memory");
    if (rc == 0)
        rc = python_exchange(executable, &ask, &answer, err);
    const char *states = rc == 0 ? parse_python(&answer, who) : NULL;
    if (rc == 0 && !states)
        rc = lc_error_set(err, "'%s' is no Python", executable);
    if (rc == 0 && strcmp(who->cache_tag, tag) != 0)
        rc = lc_error_set(err, "'%s' makes bytecode of another kind (%s)", executable,
                          who->cache_tag);
    if (rc == 0 && parse_states(list, states, answer.data + answer.len) < 0)
        rc = lc_error_set(err, "'%s' gave no proper answer", executable);
    lc_buf_free(&ask);
    lc_buf_free(&answer);
    return rc;
}
