/* SPDX-License-Identifier: MIT */
/* redact.c - take out of a report what looks like a credential */
#include "doctor/redact.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/credentials.h"
#include "util/json.h"
#include "util/secret.h"

enum { SHORTEST = 4 }; /* a value of fewer bytes would be found everywhere */

/* If 'at' begins with the value of a variable that is named like a secret: its length. */
static size_t secret_value_len(const char *at)
{
    size_t longest = 0;

    for (char **v = environ; *v; v++) {
        const char *equals = strchr(*v, '=');
        size_t n = equals ? strlen(equals + 1) : 0;
        if (n < SHORTEST || n <= longest || strncmp(at, equals + 1, n) != 0)
            continue;
        char *name = strndup(*v, (size_t)(equals - *v));
        if (name && lc_secret_is_name(name))
            longest = n;
        free(name);
    }
    return longest;
}

/* If 'at' begins with a path where credentials are kept: its length. */
static size_t credential_path_len(const char *at)
{
    size_t n = at[0] == '/' ? strcspn(at, " \t'\",;:") : 0;
    char *path = n ? strndup(at, n) : NULL;
    bool is = path && (lc_credential_is_place(path) || lc_credential_is_likely(path));

    free(path);
    return is ? n : 0;
}

static void values_hide(struct lc_buf *out, const char *text)
{
    for (bool is_start = true; *text;) {
        size_t value = secret_value_len(text), path = is_start ? credential_path_len(text) : 0;
        if (value)
            lc_buf_puts(out, LC_SECRET_HIDDEN);
        else if (path)
            lc_buf_puts(out, "(a place for credentials)");
        else
            lc_buf_putc(out, *text);
        is_start = strchr(" \t'\",;:=", *text);
        text += value ? value : path ? path : 1;
    }
}

void lc_redact(struct lc_buf *out, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = strndup(text, n);
        struct lc_buf hidden = {0};
        if (line && *line)
            lc_secret_hide(&hidden, line, NULL);
        values_hide(out, lc_buf_text(&hidden));
        if (text[n])
            lc_buf_putc(out, '\n');
        lc_buf_free(&hidden);
        free(line);
        text += n + (text[n] == '\n');
    }
}

static json_t *string_redact(const json_t *value)
{
    struct lc_buf text = {0};

    lc_redact(&text, json_string_value(value));
    json_t *redacted = lc_json_text(lc_buf_text(&text));
    lc_buf_free(&text);
    return redacted;
}

void lc_redact_json(json_t *value)
{
    const char *key;
    json_t *one;
    size_t i;

    json_object_foreach(value, key, one)
    {
        if (json_is_string(one))
            json_object_set_new(value, key, string_redact(one));
        else
            lc_redact_json(one);
    }
    json_array_foreach(value, i, one)
    {
        if (json_is_string(one))
            json_array_set_new(value, i, string_redact(one));
        else
            lc_redact_json(one);
    }
}
