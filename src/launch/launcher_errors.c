/* SPDX-License-Identifier: MIT */
/* launcher_errors.c - what a launcher wrote to standard error, for messages of ours */
#include "launch/launcher_errors.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launcher_options.h"
#include "util/buf.h"

enum { MOST_NAMED = 8, MOST_NODES = 100000 };

static bool line_has_word(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (isalpha((unsigned char)line[i]))
            return true;
    return false;
}

/* Has the line a prefix, as in "srun: error: ..."? Then it is a sentence of its own. */
static bool line_has_prefix(const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);

    return colon && colon[1] == ' ' && !memchr(line, ' ', (size_t)(colon - line));
}

/* Append a line behind a blank, the first behind ": ", as far as there is room. */
static size_t line_add(char *out, size_t at, const char *line, size_t len)
{
    for (; len > 0 && isspace((unsigned char)*line); line++)
        len--;
    if (at == 0)
        out[at++] = ':';
    if (at + 1 < LC_SENTENCE)
        out[at++] = ' ';
    for (size_t i = 0; i < len && at + 1 < LC_SENTENCE; i++)
        out[at++] = iscntrl((unsigned char)line[i]) ? ' ' : line[i];
    return at;
}

const char *lc_launcher_sentence(char out[LC_SENTENCE], const char *said)
{
    size_t at = 0;

    for (size_t n; *said; said += n + (said[n] == '\n')) {
        n = strcspn(said, "\n");
        if (!line_has_word(said, n)) {
            if (at > 0)
                break;
            continue;
        }
        at = line_add(out, at, said, n);
        if (line_has_prefix(said, n) || said[n - 1] == '.')
            break;
    }
    while (at > 0 && strchr(".: ", out[at - 1]))
        at--;
    out[at] = '\0';
    return out;
}

/* Copy a host's name up to its first dot. */
static void host_shorten(char out[256], const char *host, size_t len)
{
    size_t n = strcspn(host, ".");

    snprintf(out, 256, "%.*s", (int)(n < len ? n : len), host);
}

static bool host_is_heard(const json_t *heard, const char *host)
{
    const char *key;
    json_t *value;
    char is[256], wanted[256];

    host_shorten(wanted, host, strlen(host));
    json_object_foreach((json_t *)(uintptr_t)heard, key, value)
    {
        host_shorten(is, key, strlen(key));
        if (strcmp(is, wanted) == 0)
            return true;
    }
    return false;
}

/* Add the names that "n[1-3,08-10]x" stands for; one pair of brackets at most. */
static void range_add(json_t *out, const char *item, size_t len)
{
    const char *open = memchr(item, '[', len), *close = open ? memchr(open, ']', len) : NULL;
    char name[256];

    if (!open || !close) {
        json_array_append_new(out, json_stringn(item, len));
        return;
    }
    for (const char *at = open + 1; at < close; at += strspn(at, ",")) {
        char *end;
        int width = (int)strspn(at, "0123456789");
        unsigned long from = strtoul(at, &end, 10),
                      to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
        if (width == 0)
            return;
        for (; from <= to && json_array_size(out) < MOST_NODES; from++) {
            snprintf(name, sizeof(name), "%.*s%0*lu%.*s", (int)(open - item), item, width, from,
                     (int)(item + len - close - 1), close + 1);
            json_array_append_new(out, json_string(name));
        }
        at = end;
    }
}

/* Add the hosts of a list with commas; they may have slots ("n1:8") or ranges. */
static void hosts_add(json_t *out, const char *list)
{
    while (*list) {
        size_t n = 0;
        for (bool inside = false; list[n] && (inside || list[n] != ','); n++)
            inside = list[n] == '[' || (inside && list[n] != ']');
        const char *colon = memchr(list, ':', n);
        if (n > 0)
            range_add(out, list, colon ? (size_t)(colon - list) : n);
        list += n + (list[n] == ',');
    }
}

static json_t *expected_hosts(char *const *argv)
{
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    json_t *all = json_array();

    for (int i = 0; argv[i] && argv[i + 1]; i++)
        if (lc_option_list_has("-H -host --host -hosts --hosts", argv[i], (int)strlen(argv[i]))) {
            hosts_add(all, argv[i + 1]);
            return all;
        }
    if (nodes && getenv("SLURM_JOB_ID"))
        hosts_add(all, nodes);
    return all;
}

void lc_launcher_add_silent_nodes(char *const *argv, const json_t *heard, struct lc_error *err)
{
    int saved = errno;
    json_t *all = expected_hosts(argv), *host;
    size_t i, silent = 0, answered = json_object_size(heard);
    struct lc_buf text = {0};

    json_array_foreach(all, i, host)
    {
        const char *name = json_string_value(host);
        if (name && !host_is_heard(heard, name) && silent++ < MOST_NAMED)
            lc_buf_printf(&text, "%s%s", silent > 1 ? ", " : "; nothing was heard of ", name);
    }
    if (silent > MOST_NAMED)
        lc_buf_printf(&text, " and %zu more", silent - MOST_NAMED);
    if (silent == 0)
        lc_buf_printf(&text, "; %zu node%s had answered", answered, answered == 1 ? "" : "s");
    struct lc_error first = *err;
    lc_error_set(err, "%s%s", first.text, lc_buf_text(&text));
    lc_buf_free(&text);
    json_decref(all);
    errno = saved;
}
