/* SPDX-License-Identifier: MIT */
/* node_reports.c - lines that stagers print, collected on the first node */
#include "launch/node_reports.h"

#include <stdlib.h>
#include <string.h>

#include "stage/nodedir.h"
#include "util/json.h"
#include "util/path.h"

static const char mark[] = "@loadcast ";

/* A node that has another image than the one that was checked has none: the report becomes that of
 * a failure. */
static void report_judge(const struct lc_job_staging *staging, json_t *report)
{
    const char *node = json_string_value(json_object_get(report, "node"));
    char name[LC_NODEDIR_NAME];
    struct lc_error err;

    lc_nodedir_name(name, staging->id, staging->only_libs);
    if (!node || strcmp(lc_path_base(node), name) == 0)
        return;
    lc_error_set(&err, "it has another image: '%s'", node);
    json_object_set_new(report, "ok", json_false());
    json_object_set_new(report, "error", lc_json_text(err.text));
    json_object_del(report, "node");
    json_object_del(report, "fresh");
}

/* Keep the first report of each host: what a dying process says later must not hide a failure. */
static void report_keep(json_t *nodes, json_t *report)
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

/* "% DONE TOTAL" */
static void progress_take(const struct lc_node_reports *r, const char *text)
{
    char *end;
    uint64_t done = strtoull(text, &end, 10), total = strtoull(end, NULL, 10);

    if (r->staging->progress && total > 0)
        r->staging->progress(r->staging->messages.arg, done, total);
}

/* "& OFFSET HEX" */
static void need_take(struct lc_node_reports *r, const char *text)
{
    char *hex, two[3] = "";
    size_t at = strtoul(text, &hex, 10);

    for (hex += strspn(hex, " "); hex[0] && hex[1] && at < r->need_len; hex += 2, at++) {
        memcpy(two, hex, 2);
        r->need[at] |= (uint8_t)strtoul(two, NULL, 16);
    }
}

static uint64_t number_of(const json_t *report, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(report, key));
}

/* A line of a miss log. */
static void miss_take(struct lc_node_reports *r, const json_t *report, const char *host)
{
    const char *path = json_string_value(json_object_get(report, "miss"));

    if (!r->misses || !r->sampled || !host)
        return;
    if (!json_object_get(r->sampled, host) && json_object_size(r->sampled) >= LC_MISS_NODES)
        return;
    json_object_set_new(r->sampled, host, json_true());
    if (path)
        lc_misses_add(r->misses, path, (unsigned)number_of(report, "kinds"));
    else
        lc_misses_add_node(r->misses, number_of(report, "miss_began"), number_of(report, "lost"),
                           number_of(report, "lost_writes"));
}

bool lc_node_reports_is_idle(const char *line)
{
    const char *at = strstr(line, mark);

    return at && at[sizeof(mark) - 1] == '?';
}

static void sender_take(struct lc_node_reports *r, json_t *report)
{
    if (r->sender && !*r->sender)
        *r->sender = json_incref(report);
}

bool lc_node_reports_take(void *arg, char *line)
{
    struct lc_node_reports *r = arg;
    const char *at = strstr(line, mark);

    if (!at) {
        if (*line)
            lc_message(&r->staging->messages, LC_MESSAGE_OUTPUT, "%s", line);
        return false;
    }
    at += sizeof(mark) - 1;
    if (*at == '.' && at[1] == ' ' && r->heard)
        json_object_set_new(r->heard, at + 2, json_true());
    if (*at == '!')
        r->expected = strtoul(at + 1, NULL, 10);
    if (*at == '%')
        progress_take(r, at + 1);
    if (*at == '&' && r->need)
        need_take(r, at + 1);
    r->holds |= *at == '+';
    r->awaits_verdict = *at == '?';
    json_t *report = *at == '{' ? json_loads(at, 0, NULL) : NULL;
    report_judge(r->staging, report);
    const char *host = json_string_value(json_object_get(report, "host"));
    if (host && r->heard)
        json_object_set_new(r->heard, host, json_true());
    if (lc_node_report_says(report, "sender", true))
        sender_take(r, report);
    else if (json_object_get(report, "miss") || json_object_get(report, "miss_began"))
        miss_take(r, report, host);
    else if (json_object_get(report, "path"))
        json_array_append(r->passed, report);
    else if (report)
        report_keep(r->nodes, report);
    bool is_hopeless = r->together && (lc_node_report_says(report, "boot", false) ||
                                       lc_node_report_says(report, "crashed", true));
    json_decref(report);
    return is_hopeless || (r->expected > 0 && json_array_size(r->nodes) >= r->expected);
}
