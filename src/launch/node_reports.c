/* SPDX-License-Identifier: MIT */
/* node_reports.c - lines that stagers say, collected */
#include "launch/node_reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "@loadcast ";

/* One report per host: a failure is not overwritten by what a dying process says later. */
static void keep(json_t *nodes, json_t *report)
{
    const char *host = json_string_value(json_object_get(report, "host"));
    json_t *old;
    size_t i;

    json_array_foreach(nodes, i, old)
    {
        const char *other = json_string_value(json_object_get(old, "host"));
        if (host && other && strcmp(host, other) == 0)
            return;
    }
    json_array_append(nodes, report);
}

/* Neither if it does not say. */
static bool says(const json_t *report, const char *key, bool value)
{
    const json_t *said = json_object_get(report, key);

    return json_is_boolean(said) && json_boolean_value(said) == value;
}

json_t *lc_reports_with(const struct lc_cast_report *report, const char *key, bool value)
{
    json_t *node;
    size_t i;

    json_array_foreach(report->nodes, i, node)
    {
        if (says(node, key, value))
            return node;
    }
    return NULL;
}

/* "% DONE TOTAL" */
static void take_progress(const struct lc_reports *r, const char *text)
{
    char *end;
    uint64_t done = strtoull(text, &end, 10), total = strtoull(end, NULL, 10);

    if (r->cast && r->cast->progress)
        r->cast->progress(done, total);
}

/* "& OFFSET HEX" */
static void take_need(struct lc_reports *r, const char *text)
{
    char *hex, two[3] = "";
    size_t at = strtoul(text, &hex, 10);

    for (hex += strspn(hex, " "); hex[0] && hex[1] && at < r->need_len; hex += 2, at++) {
        memcpy(two, hex, 2);
        r->need[at] |= (uint8_t)strtoul(two, NULL, 16);
    }
}

bool lc_reports_take(void *arg, char *line)
{
    struct lc_reports *r = arg;
    const char *at = strstr(line, mark);

    if (!at) {
        if (*line)
            fprintf(stderr, "%s\n", line);
        return false;
    }
    at += sizeof(mark) - 1;
    if (*at == '.' && at[1] == ' ' && r->heard)
        json_object_set_new(r->heard, at + 2, json_true());
    if (*at == '!')
        r->expected = strtoul(at + 1, NULL, 10);
    if (*at == '%')
        take_progress(r, at + 1);
    if (*at == '&' && r->need)
        take_need(r, at + 1);
    r->holds |= *at == '+';
    json_t *report = *at == '{' ? json_loads(at, 0, NULL) : NULL;
    const char *host = json_string_value(json_object_get(report, "host"));
    if (host && r->heard)
        json_object_set_new(r->heard, host, json_true());
    if (says(report, "sender", true))
        fprintf(stderr, "loadcast: %s\n", json_string_value(json_object_get(report, "error")));
    else if (json_object_get(report, "path"))
        json_array_append(r->passed, report);
    else if (report)
        keep(r->nodes, report);
    bool in_vain = r->together && (says(report, "boot", false) || says(report, "crashed", true));
    json_decref(report);
    return in_vain || (r->expected > 0 && json_array_size(r->nodes) >= r->expected);
}

static uint64_t number(const json_t *report, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(report, key));
}

void lc_reports_sum(struct lc_cast_report *report)
{
    json_t *node;
    size_t i;

    report->ok = report->failed = report->fresh = 0;
    json_array_foreach(report->nodes, i, node)
    {
        bool ok = says(node, "ok", true);
        report->ok += ok;
        report->failed += !ok;
        report->fresh += says(node, "fresh", true);
        if (number(node, "bytes") > report->bytes)
            report->bytes = number(node, "bytes");
        if (number(node, "wire") > report->wire)
            report->wire = number(node, "wire");
    }
}

void lc_reports_node(struct lc_cast_report *report)
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
