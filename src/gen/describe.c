/* SPDX-License-Identifier: MIT */
/* describe.c - what a workload directory holds, and what running it will ask for */
#include "gen/describe.h"

#include <string.h>
#include <sys/stat.h>

#include "gen/elf_facts.h"
#include "gen/gen.h"
#include "util/human.h"
#include "util/json.h"
#include "util/table.h"

static json_t *facts_json(const struct lc_elf_facts *f)
{
    json_t *parts = json_object();

    for (int i = 0; i < LC_ELF_PARTS; i++)
        json_object_set_new(parts, lc_elf_part_name(i), json_integer((json_int_t)f->part[i]));
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "files", (json_int_t)f->files,
                     "bytes", (json_int_t)f->bytes, "exports", (json_int_t)f->exports, "undefined",
                     (json_int_t)f->undefined, "relocations", (json_int_t)f->relocs, "jump_slots",
                     (json_int_t)f->jump_slots, "needed", (json_int_t)f->needed, "strtab_bytes",
                     (json_int_t)f->strtab, "sections", parts);
}

static void facts_add(struct lc_elf_facts *sum, const struct lc_elf_facts *one)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)one;

    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
        to[i] += from[i];
}

/* Each library's own file, and the sums by kind. */
static int describe_libs(const char *dir, json_t *libs, json_t *totals, struct lc_error *err)
{
    struct lc_elf_facts sum[2] = {{0}, {0}};
    json_int_t functions[2] = {0, 0};
    char path[4096];
    size_t i;
    json_t *lib;

    json_array_foreach(libs, i, lib)
    {
        const char *name = json_string_value(json_object_get(lib, "name"));
        const char *kind = json_string_value(json_object_get(lib, "kind"));
        struct lc_elf_facts one = {0};
        if (!name || !kind)
            return lc_error_set(err, "'%s/manifest.json' is damaged: library %zu has no name", dir,
                                i);
        snprintf(path, sizeof(path), "%s/%s.so", dir, name);
        if (lc_elf_facts_add(path, &one, err) < 0)
            return -1;
        int which = strcmp(kind, "utility") == 0;
        facts_add(&sum[which], &one);
        functions[which] += json_integer_value(json_object_get(lib, "functions"));
        json_object_set_new(lib, "elf", facts_json(&one));
    }
    for (int k = 0; k < 2; k++) {
        json_t *facts = facts_json(&sum[k]);
        json_object_set_new(facts, "functions", json_integer(functions[k]));
        json_object_set_new(totals, k ? "utilities" : "modules", facts);
    }
    return 0;
}

/* Programs that are there; a mode without one (mpi4py, or left out) has none. */
static int describe_programs(const char *dir, json_t *out, struct lc_error *err)
{
    char path[4096];
    struct stat st;

    for (int i = 0; i < LC_MODES; i++) {
        struct lc_elf_facts one = {0};
        snprintf(path, sizeof(path), "%s/%s", dir, lc_mode_name(i));
        if (i == LC_MODE_MPI4PY || stat(path, &st) < 0)
            continue;
        if (lc_elf_facts_add(path, &one, err) < 0)
            return -1;
        json_object_set_new(out, lc_mode_name(i), facts_json(&one));
    }
    return 0;
}

json_t *lc_describe(const char *dir, struct lc_error *err)
{
    char path[4096];
    json_error_t why;

    snprintf(path, sizeof(path), "%s/manifest.json", dir);
    json_t *all = json_load_file(path, 0, &why);
    const char *format = all ? json_string_value(json_object_get(all, "format")) : NULL;
    if (!format || strcmp(format, "loadcast-workload") != 0) {
        lc_error_set(err, "'%s' is no workload made by gen: %s", dir,
                     all ? "its manifest.json is something else" : why.text);
        json_decref(all);
        return NULL;
    }
    json_t *totals = json_object(), *programs = json_object();
    json_object_set_new(all, "totals", totals);
    json_object_set_new(all, "programs", programs);
    if (describe_libs(dir, json_object_get(all, "libraries"), totals, err) < 0 ||
        describe_programs(dir, programs, err) < 0) {
        json_decref(all);
        return NULL;
    }
    return all;
}

static struct lc_text member_count_text(const json_t *object, const char *key)
{
    return lc_human_count((uint64_t)json_integer_value(json_object_get(object, key)));
}

static struct lc_text member_bytes_text(const json_t *object, const char *key)
{
    return lc_human_bytes((uint64_t)json_integer_value(json_object_get(object, key)));
}

static void totals_print(const json_t *totals, FILE *out)
{
    static const char *const rows[] = {"files",       "functions",  "exports", "undefined",
                                       "relocations", "jump_slots", "needed"};
    const json_t *m = json_object_get(totals, "modules"), *u = json_object_get(totals, "utilities");
    struct lc_table table;

    lc_table_begin(&table, 3);
    lc_table_add(&table, "<libraries");
    lc_table_add(&table, "modules");
    lc_table_add(&table, "utilities");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        lc_table_add(&table, "%s", rows[i]);
        lc_table_add(&table, "%s", member_count_text(m, rows[i]).s);
        lc_table_add(&table, "%s", member_count_text(u, rows[i]).s);
    }
    lc_table_add(&table, "bytes");
    lc_table_add(&table, "%s", member_bytes_text(m, "bytes").s);
    lc_table_add(&table, "%s", member_bytes_text(u, "bytes").s);
    for (int i = 0; i < LC_ELF_PARTS; i++) {
        const char *part = lc_elf_part_name(i);
        lc_table_add(&table, "  %s", part);
        lc_table_add(&table, "%s", member_bytes_text(json_object_get(m, "sections"), part).s);
        lc_table_add(&table, "%s", member_bytes_text(json_object_get(u, "sections"), part).s);
    }
    lc_table_print(&table, out);
}

static void modes_print(const json_t *description, FILE *out)
{
    json_t *modes = json_object_get(description, "modes"), *mode;
    json_t *programs = json_object_get(description, "programs");
    struct lc_table table;
    const char *name;

    lc_table_begin(&table, 7);
    for (size_t i = 0; i < 7; i++)
        lc_table_add(&table, "%s",
                     ((const char *const[]){"<mode", "program", "its .text", "opens", "failing",
                                            "stats", "together"})[i]);
    json_object_foreach(modes, name, mode)
    {
        const json_t *program = json_object_get(programs, name);
        lc_table_add(&table, "%s", name);
        lc_table_add(&table, "%s", program ? member_bytes_text(program, "bytes").s : "-");
        lc_table_add(&table, "%s",
                     program ? member_bytes_text(json_object_get(program, "sections"), "text").s
                             : "-");
        lc_table_add(&table, "%s", member_count_text(mode, "opens").s);
        lc_table_add(&table, "%s", member_count_text(mode, "failed_opens").s);
        lc_table_add(&table, "%s", member_count_text(mode, "stats").s);
        lc_table_add(&table, "%s",
                     lc_human_count((uint64_t)(json_integer_value(json_object_get(mode, "opens")) +
                                               json_integer_value(json_object_get(mode, "stats"))))
                         .s);
    }
    fprintf(out, "\nexpected calls of each task on this directory:\n");
    lc_table_print(&table, out);
}

/* Sum of some sections of a program and of all libraries; "strtab_bytes" is no section. */
static uint64_t sections_sum(const json_t *description, const json_t *program,
                             const char *const *names)
{
    const json_t *totals = json_object_get(description, "totals");
    const json_t *part[] = {program, json_object_get(totals, "modules"),
                            json_object_get(totals, "utilities")};
    uint64_t sum = 0;

    for (size_t i = 0; i < 3; i++)
        for (const char *const *name = names; *name; name++) {
            const json_t *own = json_object_get(part[i], *name);
            sum += (uint64_t)json_integer_value(
                own ? own : json_object_get(json_object_get(part[i], "sections"), *name));
        }
    return sum;
}

/* As the original's 'addall' writes sizes. */
static void size_print(const char *what, uint64_t bytes, FILE *out)
{
    static const struct {
        double from;
        const char *unit;
    } steps[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}};

    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if ((double)bytes >= steps[i].from) {
            fprintf(out, "Size of aggregate %s of shared libraries: %.1f%s\n", what,
                    (double)bytes / steps[i].from, steps[i].unit);
            return;
        }
    fprintf(out, "Size of aggregate %s of shared libraries: %lluB\n", what,
            (unsigned long long)bytes);
}

static void summary_print(const json_t *description, const char *name, const json_t *program,
                          FILE *out)
{
    static const struct {
        const char *what;
        const char *names[6];
    } rows[] = {
        {"total", {"bytes"}},
        {"texts", {"text", "rodata", "dynsym", "dynstr", "relocs"}},
        {"data", {"data"}},
        {"debug sections", {"debug"}},
        {"symbol tables", {"symtab"}},
        {"string table size", {"strtab_bytes"}},
    };
    size_t libraries = json_array_size(json_object_get(description, "libraries"));

    fprintf(out, "************************************************\n");
    fprintf(out, "summary of %s executable and %zu shared libraries\n", name, libraries);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint64_t bytes = sections_sum(description, program, rows[i].names);
        if (strcmp(rows[i].what, "symbol tables") == 0) /* .strtab is counted apart */
            bytes -=
                sections_sum(description, program, (const char *const[]){"strtab_bytes", NULL});
        size_print(rows[i].what, bytes, out);
    }
    fprintf(out, "************************************************\n");
}

void lc_describe_summaries(const json_t *description, FILE *out)
{
    static const char *const linked[] = {"pynamic-pyMPI", "pynamic-bigexe"};
    const json_t *programs = json_object_get(description, "programs");

    for (size_t i = 0; i < sizeof(linked) / sizeof(*linked); i++)
        if (json_object_get(programs, linked[i]))
            summary_print(description, linked[i], json_object_get(programs, linked[i]), out);
}

void lc_describe_print(const json_t *description, FILE *out)
{
    totals_print(json_object_get(description, "totals"), out);
    modes_print(description, out);
}
