/* SPDX-License-Identifier: MIT */
/* images_show.c - loadcast images list, show */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/images.h"
#include "image/image.h"
#include "record/provenance.h"
#include "store/suspect.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/json.h"
#include "util/table.h"

/* Why an image cannot be used; empty: it can, as far as its header tells. */
static struct lc_error fault_of(const struct lc_store_dir *dir, const struct lc_store_item *item)
{
    struct lc_error fault = {""};
    char path[PATH_MAX];
    uint64_t id;

    if (item->has_image && lc_store_entry_path(dir, item->key, path, &fault) == 0)
        lc_image_id(path, &id, &fault);
    return fault;
}

enum { PATHS_SHOWN = 5 /* of a job, by 'show' without --json */ };

/* The paths that a job has added, or added to. */
static json_t *learnt_paths(const struct lc_image *image, json_int_t number)
{
    json_t *paths = json_array();

    for (uint32_t i = 0; i < image->look.entries; i++)
        if (number > 0 && (lc_image_learnt_by(image, i) & LC_LEARNT_JOB) == number)
            json_array_append_new(
                paths, lc_json_text(lc_look_name(&image->look, image->look.entry[i].path)));
    return paths;
}

/* What jobs have added to an image: the array of its provenance, with the paths of each job, or
 * NULL; the caller owns it. */
static json_t *learnt_of(const struct lc_store_dir *dir, const struct lc_store_item *item)
{
    char path[PATH_MAX];
    struct lc_image *image = item->has_image && lc_store_entry_path(dir, item->key, path, NULL) == 0
                                 ? lc_image_open(path, NULL)
                                 : NULL;
    json_t *about = image ? lc_provenance_of(image) : NULL;
    json_t *learnt = json_incref(json_object_get(about, LC_PROVENANCE_LEARNT)), *job;
    size_t i;

    json_array_foreach(learnt, i, job) json_object_set_new(
        job, "paths", learnt_paths(image, json_integer_value(json_object_get(job, "number"))));
    json_decref(about);
    lc_image_close(image);
    return learnt;
}

static void paths_print(const json_t *paths)
{
    size_t count = json_array_size(paths);

    for (size_t i = 0; i < count && i < PATHS_SHOWN; i++)
        printf("           %s\n", json_string_value(json_array_get(paths, i)));
    if (count > PATHS_SHOWN)
        printf("           and %s more, all of them by --json\n",
               lc_human_count(count - PATHS_SHOWN).s);
}

static void learnt_print(const struct lc_store_dir *dir, const struct lc_store_item *item)
{
    json_t *learnt = learnt_of(dir, item);
    const json_t *job;
    size_t i;

    json_array_foreach(learnt, i, job)
    {
        const char *when = json_string_value(json_object_get(job, "when"));
        const char *name = json_string_value(json_object_get(job, "job"));
        uint64_t entries = (uint64_t)json_integer_value(json_object_get(job, "entries"));
        printf("learnt     %s, job %s: %s entr%s\n", when ? when : "?", name ? name : "?",
               lc_human_count(entries).s, entries == 1 ? "y" : "ies");
        paths_print(json_object_get(job, "paths"));
    }
    json_decref(learnt);
}

/* The program that an image is for: "/usr/bin/python3 /sw/app.py". Text; the caller frees it.
 */
static char *program_of(const struct lc_store_item *item)
{
    static const char *const kinds[] = {"program", "script", "module", "code"};
    struct lc_buf text = {0};
    const json_t *part;
    size_t i;

    json_array_foreach(json_object_get(item->about, "parts"), i, part)
    {
        const char *kind = json_string_value(json_array_get(part, 0));
        const char *value = json_string_value(json_array_get(part, 1));
        for (size_t k = 0; kind && value && k < sizeof(kinds) / sizeof(*kinds); k++)
            if (strcmp(kind, kinds[k]) == 0)
                lc_buf_printf(&text, "%s%s%s", text.len ? " " : "",
                              strcmp(kind, "module") == 0 ? "-m "
                              : strcmp(kind, "code") == 0 ? "-c "
                                                          : "",
                              value);
    }
    if (text.len == 0)
        lc_buf_puts(&text, "?");
    return text.data;
}

/* What the program runs without, because it died while it loaded; NULL: nothing. */
static const char *off_of(const struct lc_store_item *item)
{
    struct lc_suspect s;

    lc_suspect_read(lc_suspect_id_of_key(item->key), &s);
    if (s.off == LC_OFF_WATCHING && item->has_image) /* it is not watched any more */
        return NULL;
    return s.off == LC_OFF_NOTHING ? NULL : lc_off_text(s.off);
}

static json_t *item_json(const struct lc_store_dir *dir, const struct lc_store_item *item)
{
    struct lc_error fault = fault_of(dir, item);
    char path[PATH_MAX] = "", time[32] = "", *program = program_of(item);
    json_t *misses = json_object_get(item->about, "misses"),
           *parts = json_object_get(item->about, "parts");

    lc_store_entry_path(dir, item->key, path, NULL);
    lc_clock_iso(time, sizeof(time), item->used_wall_ns);
    json_t *one =
        json_pack("{s:s, s:o, s:o, s:I, s:s, s:I, s:O, s:O}", "key", item->key, "program",
                  lc_json_text(program ? program : "?"), "image",
                  item->has_image ? lc_json_text(path) : json_null(), "bytes",
                  (json_int_t)item->bytes, "last_used", time, "jobs", (json_int_t)item->jobs,
                  "misses", misses ? misses : json_null(), "parts", parts ? parts : json_null());
    if (off_of(item))
        json_object_set_new(one, "off", lc_json_text(off_of(item)));
    if (fault.text[0])
        json_object_set_new(one, "error", lc_json_text(fault.text));
    free(program);
    return one;
}

/* Why there is no image. */
static bool has_nothing(const struct lc_store_item *item)
{
    return json_is_true(json_object_get(item->about, "has_nothing"));
}

static void json_print(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(value);
}

static void row_add(struct lc_table *table, const struct lc_store_dir *dir,
                    const struct lc_store_item *item)
{
    const json_t *misses = json_object_get(item->about, "misses");
    struct lc_error fault = fault_of(dir, item);
    char *program = program_of(item);
    uint64_t now = lc_clock_wall_ns();
    double age_s = now > item->used_wall_ns ? (double)(now - item->used_wall_ns) / 1e9 : 0;

    lc_table_add(table, "%s", item->key);
    lc_table_add(table, "%s", item->has_image ? lc_human_bytes(item->bytes).s : "-");
    lc_table_add(table, "%s ago", lc_human_seconds(age_s).s);
    lc_table_add(table, "%s", lc_human_count(item->jobs).s);
    if (json_is_integer(misses))
        lc_table_add(table, "%s", lc_human_count((uint64_t)json_integer_value(misses)).s);
    else
        lc_table_add(table, "?");
    lc_table_add(table, "%s%s", program ? program : "?",
                 fault.text[0]       ? " (damaged)"
                 : item->has_image   ? ""
                 : has_nothing(item) ? " (nothing to keep: all it asked is on local disks)"
                                     : " (no image yet)");
    free(program);
}

void lc_images_print_list(const struct lc_store_dir *dir, const struct lc_store_list *list,
                          bool json)
{
    static const char *const heading[] = {"<key", "size",        "last used",
                                          "jobs", "misses left", "<program"};
    struct lc_table table;

    if (json) {
        json_t *all = json_array();
        for (size_t i = 0; i < list->count; i++)
            json_array_append_new(all, item_json(dir, &list->item[i]));
        json_print(all);
        return;
    }
    if (list->count == 0)
        return;
    lc_table_begin(&table, sizeof(heading) / sizeof(*heading));
    for (size_t i = 0; i < sizeof(heading) / sizeof(*heading); i++)
        lc_table_add(&table, "%s", heading[i]);
    for (size_t i = 0; i < list->count; i++)
        row_add(&table, dir, &list->item[i]);
    lc_table_print(&table, stdout);
}

static void parts_print(const struct lc_store_item *item)
{
    const json_t *part;
    size_t i;

    json_array_foreach(json_object_get(item->about, "parts"), i, part)
    {
        const char *kind = json_string_value(json_array_get(part, 0));
        const char *value = json_string_value(json_array_get(part, 1));
        if (kind && value)
            printf("for        %s %s\n", kind, value);
    }
}

void lc_images_print_one(const struct lc_store_dir *dir, const struct lc_store_item *item,
                         bool json)
{
    struct lc_error fault = fault_of(dir, item);
    const json_t *misses = json_object_get(item->about, "misses");
    char path[PATH_MAX] = "", time[32];

    if (json) {
        json_t *one = item_json(dir, item), *learnt = learnt_of(dir, item);
        json_object_set_new(one, "learnt", learnt ? learnt : json_array());
        json_print(one);
        return;
    }
    lc_store_entry_path(dir, item->key, path, NULL);
    lc_clock_iso(time, sizeof(time), item->used_wall_ns);
    printf("key        %s\n", item->key);
    if (item->has_image)
        printf("image      %s, %s\n", path, lc_human_bytes(item->bytes).s);
    else
        printf("image      none%s\n",
               has_nothing(item) ? ": all that the program asked is on local disks" : " yet");
    if (fault.text[0])
        printf("unusable   %s\n", fault.text);
    printf("used       by %s job%s, last %s\n", lc_human_count(item->jobs).s,
           item->jobs == 1 ? "" : "s", time);
    if (json_is_integer(misses))
        printf("misses     %s operations of the last job that was counted\n",
               lc_human_count((uint64_t)json_integer_value(misses)).s);
    if (off_of(item))
        printf("off        %s: the program died while it loaded; to use all again: loadcast images "
               "reset\n",
               off_of(item));
    learnt_print(dir, item);
    parts_print(item);
}
