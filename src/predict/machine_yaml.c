/* SPDX-License-Identifier: MIT */
/* machine_yaml.c - a machine from YAML, event by event, so that every complaint has its place
 *
 * A machine file is a mapping of values and of sections, which are mappings of values. Anything
 * deeper is refused where it begins. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "predict/machine_fields.h"

struct reader {
    struct lc_machine_model *machine;
    const char *file;
    struct lc_machine_marks marks;
    struct lc_error *err;
    int depth; /* 0: before the mapping, 1: keys at the top, 2: in a section, -1: after the end */
    char section[64], key[64];
    bool has_key;
};

static const char no_machine[] = "no machine: expected lines such as 'nodes: 100'";
static const char no_key[] = "expected a key such as 'nodes'";

/* Fills err with the place and returns -1. */
__attribute__((format(printf, 3, 4))) static int complain(struct reader *r, const yaml_mark_t *at,
                                                          const char *fmt, ...)
{
    char text[800];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return lc_error_set(r->err, "%s:%zu:%zu: %s", r->file, at->line + 1, at->column + 1, text);
}

static bool section_is_known(const char *name)
{
    for (const struct lc_machine_field *f = lc_machine_fields; f->key; f++)
        if (*name && strcmp(f->section, name) == 0)
            return true;
    return false;
}

/* A zero byte would end the text within, others change a terminal. Text may have several lines. */
static bool text_is_clean(const yaml_event_t *e)
{
    for (size_t i = 0; i < e->data.scalar.length; i++) {
        unsigned char c = e->data.scalar.value[i];
        if ((c < ' ' && c != '\n' && c != '\t') || c == 127)
            return false;
    }
    return true;
}

static int key_take(struct reader *r, const char *text, const yaml_mark_t *at)
{
    const char *near;

    if (lc_machine_field(r->section, text) || (r->depth == 1 && section_is_known(text))) {
        snprintf(r->key, sizeof(r->key), "%s", text);
        r->has_key = true;
        return 0;
    }
    near = lc_machine_nearest_key(r->section, text);
    if (near)
        return complain(r, at, "unknown key '%.60s'; did you mean '%s'?", text, near);
    return complain(r, at, "unknown key '%.60s'; doc/machines.md lists them", text);
}

static int value_take(struct reader *r, const char *text, const yaml_mark_t *at)
{
    const struct lc_machine_field *f = lc_machine_field(r->section, r->key);
    ptrdiff_t i = f - lc_machine_fields;
    struct lc_error why;

    r->has_key = false;
    if (!f)
        return complain(r, at, "'%s' is a section: its keys go on lines of their own below it",
                        r->key);
    if (r->marks.line[i])
        return complain(r, at, "'%s' is given twice, first in line %d", r->key, r->marks.line[i]);
    r->marks.line[i] = (int)at->line + 1;
    r->marks.column[i] = (int)at->column + 1;
    if (lc_machine_field_set(r->machine, f, text, &why) < 0)
        return complain(r, at, "'%s%s%s': %s", f->section, *f->section ? "." : "", f->key,
                        why.text);
    return 0;
}

static int mapping_begin(struct reader *r, const yaml_mark_t *at)
{
    if (r->depth == 0) {
        r->depth = 1;
        return 0;
    }
    if (!r->has_key)
        return complain(r, at, "%s", no_key);
    if (r->depth != 1 || !section_is_known(r->key))
        return complain(r, at, "'%s' takes one value", r->key);
    memcpy(r->section, r->key, sizeof(r->section));
    r->has_key = false;
    r->depth = 2;
    return 0;
}

static void mapping_end(struct reader *r)
{
    r->depth = r->depth == 2 ? 1 : -1;
    r->section[0] = '\0';
}

static int event_take(struct reader *r, const yaml_event_t *e)
{
    const char *text = (const char *)e->data.scalar.value;

    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        return r->depth < 0 ? complain(r, &e->start_mark, "one file is one machine") : 0;
    case YAML_SCALAR_EVENT:
        if (r->depth < 1)
            return complain(r, &e->start_mark, "%s", no_machine);
        if (!text_is_clean(e))
            return complain(r, &e->start_mark, "a control character in the text");
        return r->has_key ? value_take(r, text, &e->start_mark) : key_take(r, text, &e->start_mark);
    case YAML_MAPPING_START_EVENT:
        return mapping_begin(r, &e->start_mark);
    case YAML_MAPPING_END_EVENT:
        mapping_end(r);
        return 0;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_ALIAS_EVENT:
        if (!r->has_key)
            return complain(r, &e->start_mark, "%s", r->depth < 1 ? no_machine : no_key);
        return complain(r, &e->start_mark, "'%s' takes one value, no list or reference", r->key);
    default:
        return 0;
    }
}

static int syntax_explain(struct reader *r, const yaml_parser_t *parser)
{
    return complain(r, &parser->problem_mark, "%s%s%s",
                    parser->problem ? parser->problem : "no YAML", parser->context ? " " : "",
                    parser->context ? parser->context : "");
}

static int events_read(struct reader *r, yaml_parser_t *parser)
{
    yaml_event_t event;

    while (yaml_parser_parse(parser, &event)) {
        yaml_event_type_t type = event.type;
        int rc = event_take(r, &event);
        yaml_event_delete(&event);
        if (rc < 0)
            return -1;
        if (type == YAML_STREAM_END_EVENT)
            return 0;
    }
    return syntax_explain(r, parser);
}

int lc_machine_parse(struct lc_machine_model *machine, const char *file, const char *text,
                     struct lc_error *err)
{
    struct reader r = {.machine = machine, .file = file, .err = err};
    yaml_parser_t parser;

    *machine = (struct lc_machine_model){.name = ""};
    if (!yaml_parser_initialize(&parser))
        return lc_error_set(err, "cannot read '%s': out of memory", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    int rc = events_read(&r, &parser);
    yaml_parser_delete(&parser);
    if (rc == 0 && r.depth == 0)
        return lc_error_set(err, "%s:1:1: the machine file is empty; see doc/machines.md", file);
    return rc < 0 ? -1 : lc_machine_complete(machine, file, &r.marks, err);
}
