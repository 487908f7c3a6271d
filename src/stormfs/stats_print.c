/* SPDX-License-Identifier: MIT */
/* stats_print.c - statistics for a person: a table of operations, then the server */
#include "stormfs/stats.h"

#include <stdint.h>

#include "util/human.h"
#include "util/table.h"

static uint64_t count_at(const json_t *o, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

static double real_at(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static void print_operations(const json_t *total, FILE *out)
{
    struct lc_table table;
    const char *name;
    json_t *op;

    lc_table_begin(&table, 4);
    lc_table_add(&table, "<operation");
    lc_table_add(&table, "ok");
    lc_table_add(&table, "absent");
    lc_table_add(&table, "error");
    json_object_foreach(json_object_get(total, "operations"), name, op)
    {
        lc_table_add(&table, "%s", name);
        lc_table_add(&table, "%s", lc_human_count(count_at(op, "ok")).s);
        lc_table_add(&table, "%s", lc_human_count(count_at(op, "absent")).s);
        lc_table_add(&table, "%s", lc_human_count(count_at(op, "error")).s);
    }
    lc_table_print(&table, out);
    fprintf(out, "requests %s, read %s, written %s\n",
            lc_human_count(count_at(total, "requests")).s,
            lc_human_bytes(count_at(total, "bytes_read")).s,
            lc_human_bytes(count_at(total, "bytes_written")).s);
}

static void print_mounts(const json_t *mounts, FILE *out)
{
    size_t i;
    json_t *m;

    if (json_array_size(mounts) < 2)
        return;
    json_array_foreach(mounts, i, m)
    {
        fprintf(out, "  %s requests, read %s: %s\n", lc_human_count(count_at(m, "requests")).s,
                lc_human_bytes(count_at(m, "bytes_read")).s,
                json_string_value(json_object_get(m, "mount")));
    }
}

static void print_server(const json_t *server, FILE *out)
{
    const json_t *wait = json_object_get(server, "wait_s");

    fprintf(out,
            "server: %s metadata requests of %g us on %s, busy %s (data path %s)\n"
            "waited: mean %s, 99 %% below %s, longest %s\n",
            lc_human_count(count_at(server, "requests")).s, real_at(server, "service_us"),
            lc_human_count(count_at(server, "servers")).s,
            lc_human_seconds(real_at(server, "busy_s")).s,
            lc_human_seconds(real_at(server, "data_busy_s")).s,
            lc_human_seconds(real_at(wait, "mean")).s, lc_human_seconds(real_at(wait, "p99")).s,
            lc_human_seconds(real_at(wait, "max")).s);
    if (json_is_true(json_object_get(server, "frozen")))
        fprintf(out, "FROZEN: no answer until 'thaw'\n");
}

/* Programs that exist once per job: both totals, so that nobody has to trust the marks. */
static void print_once(const json_t *server, FILE *out)
{
    const json_t *once = json_object_get(server, "once");
    const json_t *programs = json_object_get(once, "programs");
    size_t i;
    json_t *p;

    if (json_array_size(programs) == 0)
        return;
    fprintf(out, "once per job:");
    json_array_foreach(programs, i, p)
    {
        fprintf(out, "%s %s (%s)", i ? "," : "", json_string_value(json_object_get(p, "name")),
                lc_human_count(count_at(p, "requests")).s);
    }
    fprintf(out, "; %s metadata requests charged without --scale, busy %s (data path %s)\n",
            lc_human_count(count_at(once, "requests")).s,
            lc_human_seconds(real_at(once, "busy_s")).s,
            lc_human_seconds(real_at(once, "data_busy_s")).s);
    fprintf(out, "all charged with --scale: busy %s (data path %s)\n",
            lc_human_seconds(real_at(once, "busy_all_scaled_s")).s,
            lc_human_seconds(real_at(once, "data_busy_all_scaled_s")).s);
}

void lc_stats_print(const json_t *stats, FILE *out)
{
    print_operations(json_object_get(stats, "total"), out);
    print_mounts(json_object_get(stats, "mounts"), out);
    print_server(json_object_get(stats, "server"), out);
    print_once(json_object_get(stats, "server"), out);
}
