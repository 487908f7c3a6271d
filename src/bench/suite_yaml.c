/* SPDX-License-Identifier: MIT */
/* suite_yaml.c - a suite from YAML, by libcyaml and a schema
 *
 * libyaml reads the file first: its errors have line and column. libcyaml then says what does not
 * fit the schema, in its log; the complaint is turned into one line that a person can act on. */
#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "bench/suite.h"
#include "util/buf.h"
#include "util/nearest.h"

#define TEXT(key, type, member)                                                            \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, 0, \
                           CYAML_UNLIMITED)
#define TEXTS(key, type, member)                                                                \
    CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, &word, 1, \
                         CYAML_UNLIMITED)
#define NUMBER(key, type, member) \
    CYAML_FIELD_FLOAT_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member)
#define COUNT(key, type, member) \
    CYAML_FIELD_INT_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member)

static const cyaml_schema_value_t word = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t case_fields[] = {
    TEXT("name", struct lc_suite_case, name),
    TEXT("kind", struct lc_suite_case, kind_name),
    TEXTS("packages", struct lc_suite_case, packages),
    TEXT("python", struct lc_suite_case, python),
    TEXT("env", struct lc_suite_case, env),
    CYAML_FIELD_BOOL("mpi", CYAML_FLAG_OPTIONAL, struct lc_suite_case, mpi),
    TEXT("workload", struct lc_suite_case, workload),
    TEXT("mode", struct lc_suite_case, mode),
    TEXT("command", struct lc_suite_case, command),
    TEXT("stage", struct lc_suite_case, stage),
    TEXTS("widths", struct lc_suite_case, width_texts),
    TEXT("timeout", struct lc_suite_case, timeout_text),
    TEXT("stop_above", struct lc_suite_case, stop_above_text),
    TEXT("launcher", struct lc_suite_case, launcher),
    NUMBER("weight", struct lc_suite_case, weight),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t storm_fields[] = {
    TEXT("profile", struct lc_suite_storm, profile),
    COUNT("scale", struct lc_suite_storm, scale),
    TEXT("options", struct lc_suite_storm, options),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t target_fields[] = {
    TEXT("name", struct lc_suite_target, name),
    TEXT("path", struct lc_suite_target, path),
    CYAML_FIELD_MAPPING_PTR("stormfs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                            struct lc_suite_target, stormfs, storm_fields),
    CYAML_FIELD_BOOL("in_place", CYAML_FLAG_OPTIONAL, struct lc_suite_target, in_place),
    TEXT("cold_command", struct lc_suite_target, cold_command),
    NUMBER("weight", struct lc_suite_target, weight),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t one_case = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct lc_suite_case, case_fields)};
static const cyaml_schema_value_t one_target = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct lc_suite_target, target_fields)};

static const cyaml_schema_field_t suite_fields[] = {
    TEXT("name", struct lc_suite, name),
    CYAML_FIELD_SEQUENCE("cases", CYAML_FLAG_POINTER, struct lc_suite, cases, &one_case, 1,
                         CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("targets", CYAML_FLAG_POINTER, struct lc_suite, targets, &one_target, 1,
                         CYAML_UNLIMITED),
    TEXTS("widths", struct lc_suite, width_texts),
    TEXTS("caches", struct lc_suite, caches),
    TEXTS("with", struct lc_suite, with),
    TEXT("launcher", struct lc_suite, launcher),
    TEXT("bytecode", struct lc_suite, bytecode),
    TEXT("timeout", struct lc_suite, timeout_text),
    TEXT("stop_above", struct lc_suite, stop_above_text),
    NUMBER("precision", struct lc_suite, precision),
    NUMBER("bystander_limit", struct lc_suite, bystander_limit),
    COUNT("min_runs", struct lc_suite, min_runs),
    COUNT("max_runs", struct lc_suite, max_runs),
    CYAML_FIELD_BOOL_PTR("count", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct lc_suite, count),
    TEXT("db", struct lc_suite, db),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t suite_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct lc_suite, suite_fields)};

/* What libcyaml complained of: its first line, and where its backtrace leads. */
struct complaint {
    char text[512];
    char field[64]; /* the innermost field named */
    char root[64];  /* the outermost */
    int line, column;
};

__attribute__((format(printf, 3, 0))) static void note(cyaml_log_t level, void *context,
                                                       const char *fmt, va_list args)
{
    struct complaint *c = context;
    char text[512], field[64];
    const char *place;

    if (level < CYAML_LOG_ERROR)
        return;
    vsnprintf(text, sizeof(text), fmt, args);
    text[strcspn(text, "\n")] = '\0';
    if (!c->text[0] && strncmp(text, "Load: ", 6) == 0)
        snprintf(c->text, sizeof(c->text), "%s", text + 6);
    if ((place = strstr(text, "(line: ")) && c->line == 0)
        sscanf(place, "(line: %d, column: %d", &c->line, &c->column);
    if (sscanf(text, " in mapping field '%63[^']'", field) == 1) {
        if (!c->field[0])
            memcpy(c->field, field, sizeof(field));
        memcpy(c->root, field, sizeof(field));
    }
}

static const cyaml_schema_field_t *fields_of(const struct complaint *c)
{
    if (strcmp(c->field, "stormfs") == 0)
        return storm_fields;
    if (strcmp(c->root, "cases") == 0)
        return case_fields;
    return strcmp(c->root, "targets") == 0 ? target_fields : suite_fields;
}

static const char *near_key(const struct complaint *c, const char *key)
{
    const char *names[32] = {NULL};
    size_t n = 0;

    for (const cyaml_schema_field_t *f = fields_of(c); f->key && n < 31; f++)
        names[n++] = f->key;
    return lc_nearest(key, names);
}

/* libcyaml names the place before an unknown key: find the key itself, from there on. */
static void find_key(const char *text, const char *key, struct complaint *c)
{
    int line = 1;

    for (const char *at = text; *at; line++, at++) {
        size_t len = strcspn(at, "\n"), skip = strspn(at, " \t-{,");
        if (line >= c->line && strncmp(at + skip, key, strlen(key)) == 0 &&
            at[skip + strlen(key)] == ':') {
            c->line = line;
            c->column = (int)skip + 1;
            return;
        }
        at += len;
        if (!*at)
            return;
    }
}

static int explain(const char *file, const char *text, struct complaint *c, const char *otherwise,
                   struct lc_error *err)
{
    char key[64];

    if (sscanf(c->text, "Unexpected key: %63s", key) != 1) {
        const char *field = c->field[0] && !strstr(c->text, "Missing") ? c->field : NULL;
        return lc_error_set(err, "%s:%d:%d: %s%s%s%s; see doc/suite.md", file, c->line, c->column,
                            field ? "'" : "", field ? field : "", field ? "': " : "",
                            c->text[0] ? c->text : otherwise);
    }
    find_key(text, key, c);
    const char *near = near_key(c, key);
    if (near)
        return lc_error_set(err, "%s:%d:%d: unknown key '%s'; did you mean '%s'?", file, c->line,
                            c->column, key, near);
    return lc_error_set(err, "%s:%d:%d: unknown key '%s'; doc/suite.md lists them", file, c->line,
                        c->column, key);
}

/* A suite is four deep. libyaml takes time by the square of the depth. */
enum { MOST_DEPTH = 32 };

static int depth_change(yaml_event_type_t type)
{
    if (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
        return 1;
    return type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT ? -1 : 0;
}

static int explain_syntax(const char *file, const yaml_parser_t *parser, struct lc_error *err)
{
    return lc_error_set(err, "%s:%zu:%zu: %s%s%s", file, parser->problem_mark.line + 1,
                        parser->problem_mark.column + 1,
                        parser->problem ? parser->problem : "no YAML", parser->context ? " " : "",
                        parser->context ? parser->context : "");
}

static int parse_events(const char *file, yaml_parser_t *parser, struct lc_error *err)
{
    yaml_event_t event;

    for (int depth = 0; yaml_parser_parse(parser, &event);) {
        yaml_event_type_t type = event.type;
        yaml_mark_t at = event.start_mark;
        yaml_event_delete(&event);
        depth += depth_change(type);
        if (depth > MOST_DEPTH)
            return lc_error_set(err,
                                "%s:%zu:%zu: nested more than %d deep, which no suite is; see "
                                "doc/suite.md",
                                file, at.line + 1, at.column + 1, MOST_DEPTH);
        if (type == YAML_STREAM_END_EVENT)
            return 0;
    }
    return explain_syntax(file, parser, err);
}

/* Is it YAML at all, and not too deep? */
static int check_syntax(const char *file, const struct lc_buf *text, struct lc_error *err)
{
    yaml_parser_t parser;

    if (!yaml_parser_initialize(&parser))
        return lc_error_set(err, "cannot read '%s': out of memory", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)lc_buf_text(text), text->len);
    int rc = parse_events(file, &parser, err);
    yaml_parser_delete(&parser);
    return rc;
}

static int read_text(const char *file, struct lc_buf *text, struct lc_error *err)
{
    FILE *in = fopen(file, "r");
    char part[4096];
    size_t n;

    if (!in)
        return lc_error_errno(err, "cannot open '%s'", file);
    while ((n = fread(part, 1, sizeof(part), in)) > 0)
        lc_buf_add(text, part, n);
    int failed = ferror(in) ? errno : 0;
    fclose(in);
    errno = failed;
    if (failed || text->failed)
        return lc_error_errno(err, "cannot read '%s'", file);
    if (text->len == 0)
        return lc_error_set(err, "%s:1:1: the suite is empty; see doc/suite.md", file);
    return 0;
}

static struct lc_suite *load(const char *file, const struct lc_buf *text, struct lc_error *err)
{
    struct complaint c = {.text = ""};
    const cyaml_config_t how = {
        .log_fn = note, .log_ctx = &c, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
    struct lc_suite *suite = NULL;
    cyaml_err_t failed = cyaml_load_data((const uint8_t *)text->data, text->len, &how,
                                         &suite_schema, (cyaml_data_t **)&suite, NULL);

    if (failed == CYAML_OK && suite)
        return suite;
    explain(file, text->data, &c, failed ? cyaml_strerror(failed) : "there is no suite in it", err);
    return NULL;
}

struct lc_suite *lc_suite_read(const char *file, struct lc_error *err)
{
    struct lc_buf text = {0};
    struct lc_suite *suite = NULL;

    if (read_text(file, &text, err) == 0 && check_syntax(file, &text, err) == 0)
        suite = load(file, &text, err);
    if (suite) {
        suite->text = text.data;
        text = (struct lc_buf){0};
        struct lc_error why;
        if (lc_suite_check(suite, &why) < 0) {
            lc_error_set(err, "%s: %s", file, why.text);
            lc_suite_free(suite);
            suite = NULL;
        }
    }
    lc_buf_free(&text);
    return suite;
}
