/* SPDX-License-Identifier: MIT */
/* machine.c - the keys of a machine file, their ranges and defaults; presets */
#include "predict/machine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/machine_fields.h"
#include "predict/presets.h"
#include "util/buf.h"
#include "util/human.h"
#include "util/nearest.h"

static const char *const topologies[] = {"flat", "fat-tree", "dragonfly", "torus", NULL};

#define AT(member) offsetof(struct lc_machine_model, member)
#define TEXT(section, key, member)                                  \
    {                                                               \
        section, key, LC_FIELD_TEXT, AT(member), 0,                 \
            sizeof(((struct lc_machine_model *)0)->member), 0, NULL \
    }

static const double REQUIRED = -1;

/* Ranges are what a value can be on any machine, not what is usual. */
const struct lc_machine_field lc_machine_fields[] = {
    TEXT("", "name", name),
    TEXT("about", "source", about.source),
    TEXT("about", "fitted", about.fitted),
    TEXT("about", "assumed", about.assumed),
    TEXT("about", "error", about.error),
    {"about", "fitted_ranks", LC_FIELD_COUNT, AT(fitted_ranks), 0, 1e9, 0, NULL},
    {"", "nodes", LC_FIELD_COUNT, AT(nodes), 1, 1e7, REQUIRED, NULL},
    {"", "ranks_per_node", LC_FIELD_COUNT, AT(ranks_per_node), 1, 1e5, REQUIRED, NULL},
    {"metadata", "servers", LC_FIELD_COUNT, AT(meta_servers), 1, 1e4, 1, NULL},
    {"metadata", "lookups_per_s", LC_FIELD_NUMBER, AT(lookups_per_s), 1, 1e9, REQUIRED, NULL},
    {"metadata", "misses_per_s", LC_FIELD_NUMBER, AT(misses_per_s), 1, 1e9, REQUIRED, NULL},
    {"metadata", "opens_per_s", LC_FIELD_NUMBER, AT(opens_per_s), 1, 1e9, REQUIRED, NULL},
    {"metadata", "latency_us", LC_FIELD_NUMBER, AT(meta_latency_us), 0, 1e7, 100, NULL},
    {"data", "servers", LC_FIELD_COUNT, AT(data_servers), 1, 1e5, 1, NULL},
    {"data", "server_mb_s", LC_FIELD_NUMBER, AT(server_mb_s), 0.1, 1e7, REQUIRED, NULL},
    {"data", "total_mb_s", LC_FIELD_NUMBER, AT(total_mb_s), 0.1, 1e9, REQUIRED, NULL},
    {"data", "halved_at_nodes", LC_FIELD_NUMBER, AT(halved_at_nodes), 0, 1e9, 0, NULL},
    {"data", "node_mb_s", LC_FIELD_NUMBER, AT(node_mb_s), 0.1, 1e7, 1000, NULL},
    {"client", "names_cached", LC_FIELD_SWITCH, AT(names_cached), 0, 1, 0, NULL},
    {"client", "absent_cached", LC_FIELD_SWITCH, AT(absent_cached), 0, 1, 0, NULL},
    {"client", "data_cached", LC_FIELD_SWITCH, AT(data_cached), 0, 1, 1, NULL},
    {"network", "link_mb_s", LC_FIELD_NUMBER, AT(link_mb_s), 0.1, 1e7, REQUIRED, NULL},
    {"network", "latency_us", LC_FIELD_NUMBER, AT(link_latency_us), 0, 1e6, 2, NULL},
    {"network", "topology", LC_FIELD_CHOICE, AT(topology), 0, 0, 0, topologies},
    {"node", "memory_mb_s", LC_FIELD_NUMBER, AT(memory_mb_s), 0.1, 1e7, 1500, NULL},
    {"node", "cpu_speed", LC_FIELD_NUMBER, AT(cpu_speed), 0.001, 1000, 1, NULL},
    {"node", "shared_cores", LC_FIELD_COUNT, AT(shared_cores), 0, 1e6, 0, NULL},
    {"launch", "base_s", LC_FIELD_NUMBER, AT(launch_s), 0, 1e5, 1, NULL},
    {"launch", "per_node_ms", LC_FIELD_NUMBER, AT(launch_per_node_ms), 0, 1e5, 0, NULL},
    {"launch", "rank_cpu_ms", LC_FIELD_NUMBER, AT(launch_rank_cpu_ms), 0, 1e5, 0, NULL},
    {"launch", "waiting_cores", LC_FIELD_NUMBER, AT(launch_waiting_cores), 0, 1, 0, NULL},
    {0},
};

static double *value_at(struct lc_machine_model *m, const struct lc_machine_field *f)
{
    return (double *)((char *)m + f->offset);
}

const struct lc_machine_field *lc_machine_field(const char *section, const char *key)
{
    for (const struct lc_machine_field *f = lc_machine_fields; f->key; f++)
        if (strcmp(f->section, section) == 0 && strcmp(f->key, key) == 0)
            return f;
    return NULL;
}

const char *lc_machine_nearest_key(const char *section, const char *key)
{
    const char *names[LC_MACHINE_FIELDS_MOST] = {NULL};
    size_t n = 0;

    for (const struct lc_machine_field *f = lc_machine_fields; f->key; f++)
        if (strcmp(f->section, section) == 0)
            names[n++] = f->key;
    return lc_nearest(key, names);
}

/* "no number" and "outside" both name the range. */
static int number_set(double *out, const struct lc_machine_field *f, const char *text,
                      struct lc_error *err)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || isnan(value))
        return lc_error_set(err, "'%.60s' is not a number (%.10g to %.10g)", text, f->min, f->max);
    if (value < f->min || value > f->max)
        return lc_error_set(err, "%.60s is outside %.10g to %.10g", text, f->min, f->max);
    if (f->kind == LC_FIELD_COUNT && value != floor(value))
        return lc_error_set(err, "%.60s is not a whole number (%.10g to %.10g)", text, f->min,
                            f->max);
    *out = value;
    return 0;
}

static int choice_set(double *out, const struct lc_machine_field *f, const char *text,
                      struct lc_error *err)
{
    struct lc_buf all = {0};

    for (int i = 0; f->choices[i]; i++) {
        if (strcmp(f->choices[i], text) == 0) {
            *out = i;
            lc_buf_free(&all);
            return 0;
        }
        lc_buf_printf(&all, "%s%s", i ? ", " : "", f->choices[i]);
    }
    lc_error_set(err, "'%.60s' is none of %s", text, lc_buf_text(&all));
    lc_buf_free(&all);
    return -1;
}

static int switch_set(double *out, const char *text, struct lc_error *err)
{
    if (strcmp(text, "yes") == 0 || strcmp(text, "true") == 0)
        *out = 1;
    else if (strcmp(text, "no") == 0 || strcmp(text, "false") == 0)
        *out = 0;
    else
        return lc_error_set(err, "'%.60s' is neither yes nor no", text);
    return 0;
}

static int text_set(char *out, const struct lc_machine_field *f, const char *text,
                    struct lc_error *err)
{
    if (strlen(text) >= (size_t)f->max)
        return lc_error_set(err, "the text has %zu bytes (0 to %.0f)", strlen(text), f->max - 1);
    strcpy(out, text);
    return 0;
}

int lc_machine_field_set(struct lc_machine_model *m, const struct lc_machine_field *f,
                         const char *text, struct lc_error *err)
{
    switch (f->kind) {
    case LC_FIELD_TEXT:
        return text_set((char *)m + f->offset, f, text, err);
    case LC_FIELD_SWITCH:
        return switch_set(value_at(m, f), text, err);
    case LC_FIELD_CHOICE:
        return choice_set(value_at(m, f), f, text, err);
    default:
        return number_set(value_at(m, f), f, text, err);
    }
}

/* All servers together cannot send more than the sum of each. */
static int totals_check(const struct lc_machine_model *m, const char *file,
                        const struct lc_machine_marks *marks, struct lc_error *err)
{
    ptrdiff_t i = lc_machine_field("data", "total_mb_s") - lc_machine_fields;

    if (m->total_mb_s <= m->data_servers * m->server_mb_s)
        return 0;
    return lc_error_set(err,
                        "%s:%d:%d: 'data.total_mb_s': %g is outside 0.1 to %g, which %g servers of "
                        "%g MB/s send together",
                        file, marks->line[i], marks->column[i], m->total_mb_s,
                        m->data_servers * m->server_mb_s, m->data_servers, m->server_mb_s);
}

int lc_machine_complete(struct lc_machine_model *m, const char *file,
                        const struct lc_machine_marks *marks, struct lc_error *err)
{
    for (const struct lc_machine_field *f = lc_machine_fields; f->key; f++) {
        if (marks->line[f - lc_machine_fields] || f->kind == LC_FIELD_TEXT)
            continue;
        if (f->otherwise < 0)
            return lc_error_set(err,
                                "%s: '%s%s%s' is missing (%.10g to %.10g); see "
                                "doc/machines.md",
                                file, f->section, *f->section ? "." : "", f->key, f->min, f->max);
        *value_at(m, f) = f->otherwise;
    }
    if (!m->name[0])
        snprintf(m->name, sizeof(m->name), "%.63s", file);
    return totals_check(m, file, marks, err);
}

const char *const *lc_machine_presets(void)
{
    static const char *const names[] = {"sierra-nfs", "sierra-lustre", "juropa", "archer",
                                        "edison",     "blue-waters",   NULL};

    return names;
}

const char *lc_machine_preset_text(const char *name)
{
    char file[128];

    snprintf(file, sizeof(file), "%.100s.yaml", name);
    return lc_embedded_text(lc_machine_files, file);
}

/* A machine file is a page of text; what is much larger is something else. */
enum { MOST_BYTES = 1 << 16 };

static int file_load(struct lc_machine_model *m, const char *file, struct lc_error *err)
{
    FILE *in = fopen(file, "r");
    char *text = calloc(1, MOST_BYTES + 1);
    size_t n = in && text ? fread(text, 1, MOST_BYTES, in) : 0;
    int rc;

    if (!in || !text || ferror(in))
        rc = lc_error_errno(err, "cannot read the machine file '%s'", file);
    else if (n == MOST_BYTES)
        rc = lc_error_set(err, "'%s' is no machine file: it has more than %d bytes", file,
                          MOST_BYTES);
    else if (strlen(text) < n)
        rc = lc_error_set(err, "'%s' is no machine file: it has a zero byte", file);
    else
        rc = lc_machine_parse(m, file, text, err);
    if (in)
        fclose(in);
    free(text);
    return rc;
}

static int preset_unknown(const char *name, struct lc_error *err)
{
    const char *near = lc_nearest(name, lc_machine_presets());

    if (near)
        return lc_error_set(err, "no machine '%s'; did you mean '%s'?", name, near);
    return lc_error_set(err,
                        "no machine '%s'; presets are sierra-nfs, sierra-lustre, juropa, archer, "
                        "edison, blue-waters; a file is named with a slash or ends in .yaml",
                        name);
}

int lc_machine_load(struct lc_machine_model *m, const char *name, struct lc_error *err)
{
    size_t len = strlen(name);
    const char *text = lc_machine_preset_text(name);

    if (strchr(name, '/') || (len > 5 && strcmp(name + len - 5, ".yaml") == 0))
        return file_load(m, name, err);
    return text ? lc_machine_parse(m, name, text, err) : preset_unknown(name, err);
}

static void field_write(const struct lc_machine_model *m, const struct lc_machine_field *f,
                        FILE *out)
{
    const char *at = (const char *)m + f->offset;
    double value;

    memcpy(&value, at, f->kind == LC_FIELD_TEXT ? 0 : sizeof(value));
    fprintf(out, "%s%s: ", *f->section ? "  " : "", f->key);
    if (f->kind == LC_FIELD_TEXT) {
        fputc('"', out);
        for (; *at; at++) /* within the quotes of YAML */
            fprintf(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
        fprintf(out, "\"\n");
    } else if (f->kind == LC_FIELD_SWITCH) {
        fprintf(out, "%s\n", value > 0 ? "yes" : "no");
    } else if (f->kind == LC_FIELD_CHOICE) {
        fprintf(out, "%s\n", f->choices[(int)value]);
    } else {
        fprintf(out, "%.10g\n", value);
    }
}

void lc_machine_write(const struct lc_machine_model *m, FILE *out)
{
    const char *section = "";

    fprintf(out, "# A machine for 'loadcast predict'; doc/machines.md explains every key.\n");
    for (const struct lc_machine_field *f = lc_machine_fields; f->key; f++) {
        if (*f->section && strcmp(f->section, section) != 0)
            fprintf(out, "%s:\n", f->section);
        section = f->section;
        field_write(m, f, out);
    }
}

void lc_machine_of_rate(struct lc_machine_model *m, double per_s)
{
    const double unlimited = 1e9;

    *m = (struct lc_machine_model){.name = "a server",
                                   .nodes = unlimited,
                                   .ranks_per_node = 1,
                                   .meta_servers = 1,
                                   .lookups_per_s = per_s,
                                   .misses_per_s = per_s,
                                   .opens_per_s = per_s,
                                   .data_servers = 1,
                                   .server_mb_s = unlimited,
                                   .total_mb_s = unlimited,
                                   .node_mb_s = unlimited,
                                   .data_cached = 1,
                                   .link_mb_s = unlimited,
                                   .memory_mb_s = unlimited,
                                   .cpu_speed = 1};
}

double lc_machine_bytes_s(const struct lc_machine_model *m, double nodes)
{
    double share = m->halved_at_nodes > 0 ? 1 / (1 + nodes / m->halved_at_nodes) : 1;

    return m->total_mb_s * 1e6 * share;
}
