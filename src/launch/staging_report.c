/* SPDX-License-Identifier: MIT */
/* staging_report.c - what the nodes reported: sums, and text for people */
#include "launch/node_reports.h"

#include <string.h>

#include "util/human.h"

enum { MOST_NAMED = 8 };

bool lc_node_report_says(const json_t *report, const char *key, bool value)
{
    const json_t *said = json_object_get(report, key);

    return json_is_boolean(said) && json_boolean_value(said) == value;
}

json_t *lc_staging_report_find(const struct lc_staging_report *report, const char *key, bool value)
{
    json_t *node;
    size_t i;

    json_array_foreach(report->nodes, i, node)
    {
        if (lc_node_report_says(node, key, value))
            return node;
    }
    return NULL;
}

static uint64_t number_of(const json_t *report, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(report, key));
}

void lc_staging_report_sum(struct lc_staging_report *report)
{
    json_t *node;
    size_t i;

    report->ok = report->failed = report->fresh = 0;
    json_array_foreach(report->nodes, i, node)
    {
        bool ok = lc_node_report_says(node, "ok", true);
        report->ok += ok;
        report->failed += !ok;
        report->fresh += lc_node_report_says(node, "fresh", true);
        if (number_of(node, "bytes") > report->bytes)
            report->bytes = number_of(node, "bytes");
        if (number_of(node, "wire") > report->wire)
            report->wire = number_of(node, "wire");
    }
}

void lc_staging_report_name_node(struct lc_staging_report *report)
{
    const char *first = NULL;
    json_t *node;
    size_t i;

    report->differs = false;
    json_array_foreach(report->nodes, i, node)
    {
        const char *path = json_string_value(json_object_get(node, "node"));
        if (!path)
            continue;
        report->differs |= first && strcmp(first, path) != 0;
        first = first ? first : path;
    }
    if (first && !report->differs && strlen(first) < sizeof(report->node))
        strcpy(report->node, first);
}

void lc_staging_report_free(struct lc_staging_report *report)
{
    json_decref(report->nodes);
    json_decref(report->passed);
    json_decref(report->sender);
    lc_buf_free(&report->said);
    lc_misses_free(&report->misses);
    report->nodes = report->passed = report->sender = NULL;
}

void lc_staging_tell_summary(const struct lc_staging_report *report,
                             const struct lc_messages *messages)
{
    struct lc_buf text = {0};

    lc_buf_printf(&text, "staged on %zu node%s by %s in %s", report->ok, report->ok == 1 ? "" : "s",
                  lc_via_names[report->via], lc_human_seconds(report->seconds).s);
    if (report->fresh > 0)
        lc_buf_printf(&text, "; takes %s of each, %s were sent", lc_human_bytes(report->bytes).s,
                      lc_human_bytes(report->wire).s);
    else
        lc_buf_puts(&text, "; all had it already");
    lc_message(messages, LC_MESSAGE_NOTE, "%s", lc_buf_text(&text));
    lc_buf_free(&text);
}

void lc_staging_tell_failed(const struct lc_staging_report *report,
                            const struct lc_messages *messages)
{
    size_t i, named = 0;
    json_t *node;

    json_array_foreach(report->nodes, i, node)
    {
        if (json_is_true(json_object_get(node, "ok")))
            continue;
        const char *host = json_string_value(json_object_get(node, "host"));
        const char *why = json_string_value(json_object_get(node, "error"));
        if (named++ < MOST_NAMED)
            lc_message(messages, LC_MESSAGE_WARNING, "%s runs without it: %s",
                       host ? host : "a node", why ? why : "no reason was given");
    }
    if (named > MOST_NAMED)
        lc_message(messages, LC_MESSAGE_WARNING, "and %zu nodes more", named - MOST_NAMED);
}

void lc_staging_tell_said(const struct lc_staging_report *report,
                          const struct lc_messages *messages)
{
    const char *at = lc_buf_text(&report->said);

    for (size_t n; *at; at += n + (at[n] == '\n')) {
        n = strcspn(at, "\n");
        if (n > 0)
            lc_message(messages, LC_MESSAGE_QUOTE, "%.*s", (int)n, at);
    }
}
