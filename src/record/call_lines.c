/* SPDX-License-Identifier: MIT */
/* call_lines.c - read the lines of a pilot's log that its processes have written to memory */
#include "record/call_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/call_lines.h"
#include "trace/log.h"
#include "util/io.h"

/* The whole file, allocated; NULL with errno. Its processes may go on writing. */
static char *file_read(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    char *all = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && st.st_size <= LC_CALL_LINES_MOST)
        all = malloc((size_t)st.st_size + 1);
    ssize_t n = all ? lc_read_at(fd, all, (size_t)st.st_size, 0) : -1;
    close(fd);
    *size = n < 0 ? 0 : (size_t)n;
    return all;
}

/* A line without its first byte, up to and with '\n'; 0: it was not completed. */
static size_t line_length(const char *line, size_t most)
{
    const char *end = memchr(line, '\n', most);
    size_t n = end ? (size_t)(end - line) + 1 : 0;

    return n && !memchr(line, '\0', n) && !memchr(line, LC_CALL_LINES_BEGIN, n) ? n : 0;
}

static void unit_copy(const struct lc_call_lines_unit *unit, FILE *out)
{
    size_t used = unit->used < LC_CALL_LINES_TEXT ? unit->used : LC_CALL_LINES_TEXT;

    for (size_t at = 0; at < used;) {
        const char *begin = memchr(unit->text + at, LC_CALL_LINES_BEGIN, used - at);
        if (!begin)
            return;
        at = (size_t)(begin - unit->text) + 1;
        size_t n = line_length(begin + 1, used - at);
        fwrite(begin + 1, 1, n, out);
        at += n;
    }
}

/* The lines as a trace log; allocated. */
static char *log_compose(const char *all, size_t size, size_t *len)
{
    char *text = NULL, *none[] = {NULL};
    FILE *out = open_memstream(&text, len);

    if (!out)
        return NULL;
    lc_trace_log_head(out, none);
    for (size_t at = LC_CALL_LINES_UNIT;
         size >= LC_CALL_LINES_UNIT && at <= size - LC_CALL_LINES_UNIT; at += LC_CALL_LINES_UNIT)
        unit_copy((const void *)(all + at), out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

int lc_call_lines_read(struct lc_seen *seen, const char *file, struct lc_error *err)
{
    size_t size = 0, len = 0;
    char *all = file_read(file, &size);

    if (!all && errno == ENOENT)
        return 0;
    char *text = all ? log_compose(all, size, &len) : NULL;
    FILE *in = text ? fmemopen(text, len, "r") : NULL;
    int rc = in ? lc_trace_log_read(in, file, lc_seen_event, seen, err)
                : lc_error_errno(err, "cannot read '%s'", file);
    if (in)
        fclose(in);
    free(text);
    free(all);
    return rc;
}

uint64_t lc_call_lines_bytes(const char *file)
{
    struct lc_call_lines_head head = {.bytes = 0};
    int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 && lc_read_at(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
        head.bytes = 0;
    if (fd >= 0)
        close(fd);
    return head.bytes;
}
