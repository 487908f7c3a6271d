/* SPDX-License-Identifier: MIT */
/* reports.c - lines that stagers say, collected */
#include "launch/reports.h"

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
    if (*at == '!')
        r->expected = strtoul(at + 1, NULL, 10);
    json_t *report = *at == '{' ? json_loads(at, 0, NULL) : NULL;
    if (report && json_is_true(json_object_get(report, "sender")))
        fprintf(stderr, "loadcast: %s\n", json_string_value(json_object_get(report, "error")));
    else if (json_object_get(report, "path"))
        json_array_append(r->passed, report);
    else if (report)
        keep(r->nodes, report);
    json_decref(report);
    return r->expected > 0 && json_array_size(r->nodes) >= r->expected;
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
        bool ok = json_is_true(json_object_get(node, "ok"));
        report->ok += ok;
        report->failed += !ok;
        report->fresh += json_is_true(json_object_get(node, "fresh"));
        if (number(node, "bytes") > report->bytes)
            report->bytes = number(node, "bytes");
        if (number(node, "wire") > report->wire)
            report->wire = number(node, "wire");
    }
}
