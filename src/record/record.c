/* SPDX-License-Identifier: MIT */
/* record.c - write an image from what a program was seen to use */
#include "record/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image.h"
#include "record/bindings.h"
#include "record/provenance.h"
#include "util/json.h"

void lc_recorded_free(struct lc_recorded *did)
{
    lc_packed_free(&did->packed);
    lc_checked_free(&did->checked);
}

/* State of one recording. */
struct recording {
    const struct lc_record *how;
    struct lc_recorded *did;
    struct lc_error *err;
    struct lc_tree tree;
    struct lc_mounts mounts;
    struct lc_rules rules;
    struct lc_image *old;
    json_t *provenance;
};

/* An existing image is loaded and brought up to date in memory, to be extended. */
static int load_existing_image(struct recording *r)
{
    struct lc_check how = {.jobs = 32};

    if (access(r->how->file, F_OK) < 0 && errno == ENOENT)
        return 0;
    r->old = lc_check_load(r->how->file, &how, &r->tree, &r->mounts, &r->did->checked, r->err);
    if (!r->old)
        return -1;
    r->did->is_added = true;
    return 0;
}

static void inherit_asked(struct recording *r, const json_t *before)
{
    static const char *const keys[] = {LC_PROVENANCE_ASKED, LC_PROVENANCE_PROGRAMS};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        json_t *value = json_object_get(before, keys[i]);
        if (value)
            json_object_set(r->provenance, keys[i], value);
    }
}

static void inherit_rules(struct recording *r, const json_t *before)
{
    static const char *const keys[] = {LC_PROVENANCE_LEARNT, LC_PROVENANCE_MANAGE,
                                       LC_PROVENANCE_EXCLUDE};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        json_t *value = json_object_get(before, keys[i]);
        if (value && !json_object_get(r->provenance, keys[i]))
            json_object_set(r->provenance, keys[i], value);
    }
}

/* Takes over interpreters and TLS size from the provenance of the image that is extended. */
static void inherit_provenance(struct recording *r, struct lc_seen *seen)
{
    json_t *before = r->old ? lc_provenance_of(r->old) : NULL;

    if (!before)
        return;
    json_t *python = json_object_get(before, "python");
    if (python && !json_object_get(r->provenance, "python") && !lc_image_is_foreign(r->old))
        json_object_set(r->provenance, "python", python);
    lc_seen_add_tls(seen, (uint64_t)json_integer_value(json_object_get(before, LC_PROVENANCE_TLS)));
    if (!json_object_get(r->provenance, LC_PROVENANCE_ASKED))
        inherit_asked(r, before);
    inherit_rules(r, before);
    json_object_del(before, "added_to");
    json_object_set_new(r->provenance, "added_to", before);
}

/* Notes what the program has asked, to tell later what it would have asked without the image. */
static void note_asked(struct recording *r, const struct lc_seen *seen)
{
    if (seen->programs == 0)
        return;
    json_object_set_new(r->provenance, LC_PROVENANCE_ASKED,
                        json_integer((json_int_t)r->did->packed.calls));
    json_object_set_new(r->provenance, LC_PROVENANCE_PROGRAMS,
                        json_integer((json_int_t)seen->programs));
}

/* Adds the patterns of --add. After a pilot a failure is only counted, so that the recording is not
 * lost. */
static int add_patterns(struct recording *r, struct lc_seen *seen)
{
    struct lc_error why;

    for (size_t i = 0; r->how->add && i < r->how->add->count; i++) {
        if (lc_seen_add_pattern(seen, r->how->add->item[i], &why) == 0)
            continue;
        *(r->how->argv ? &r->did->why_not : r->err) = why;
        if (!r->how->argv)
            return -1;
        r->did->not_added++;
    }
    return 0;
}

static int pack_tree(struct recording *r, struct lc_seen *seen)
{
    r->rules = (struct lc_rules){.manage = r->how->manage,
                                 .exclude = r->how->exclude,
                                 .mounts = &r->mounts,
                                 .take_private = r->how->take_private,
                                 .max_file = (uint64_t)r->how->max_file};
    if (lc_rules_begin(&r->rules, r->err) < 0)
        return -1;
    if (lc_rules_add_image(&r->rules, r->how->file) < 0)
        return lc_error_errno(r->err, "cannot record");
    if (add_patterns(r, seen) < 0)
        return -1;
    struct lc_pack p = {.reader = {&r->tree, &r->mounts, NULL},
                        .rules = &r->rules,
                        .seen = seen,
                        .argv = r->how->argv,
                        .provenance = r->provenance,
                        .compile = r->how->compile};
    return lc_pack_seen(&p, &r->did->packed, r->err);
}

/* Notes the user's own rules, which also hold for what jobs add later (learn.c). */
static void note_rules(struct recording *r)
{
    const struct {
        const char *key;
        const struct lc_strings *list;
    } rule[] = {{LC_PROVENANCE_MANAGE, r->how->manage}, {LC_PROVENANCE_EXCLUDE, r->how->exclude}};
    char real[PATH_MAX];

    for (size_t i = 0; i < sizeof(rule) / sizeof(*rule); i++) {
        json_t *all = json_array();
        for (size_t k = 0; rule[i].list && k < rule[i].list->count; k++) {
            const char *given = rule[i].list->item[k];
            bool is_path = i == 0 && realpath(given, real);
            json_array_append_new(all, lc_json_text(is_path ? real : given));
        }
        if (json_array_size(all) > 0)
            json_object_set(r->provenance, rule[i].key, all);
        json_decref(all);
    }
}

static int merge_bindings(struct recording *r, const struct lc_seen *seen)
{
    return lc_record_bindings_unite(&r->tree.bindings, &seen->bindings) < 0
               ? lc_error_errno(r->err, "cannot record bindings")
               : 0;
}

static void on_progress(void *arg, uint64_t bytes)
{
    const struct lc_record *how = arg;

    (void)bytes;
    if (how->alive)
        how->alive(how->arg);
}

static void on_skipped(void *arg, const char *path, const char *why)
{
    const struct lc_record *how = arg;

    if (how->skipped)
        how->skipped(how->arg, path, why);
}

static int write_image(struct recording *r)
{
    char *text = json_dumps(r->provenance, JSON_INDENT(1));
    struct lc_write to = {.file = r->how->file,
                          .provenance = text,
                          .base = r->old ? r->old->base : NULL,
                          .progress = on_progress,
                          .skipped = on_skipped,
                          .arg = (void *)r->how};
    int rc = text ? lc_image_write(&r->tree, &to, &r->did->written, r->err)
                  : lc_error_set(r->err, "cannot write: out of memory");

    free(text);
    return rc;
}

int lc_record_image(const struct lc_record *how, struct lc_seen *seen, struct lc_recorded *did,
                    struct lc_error *err)
{
    struct recording r = {.how = how, .did = did, .err = err};
    int rc = -1;

    *did = (struct lc_recorded){0};
    if (seen->failed)
        return lc_error_set(err, "cannot record: out of memory");
    if (lc_mounts_open(&r.mounts) < 0)
        return lc_error_errno(err, "cannot read the mount table");
    r.provenance = how->provenance ? json_copy(how->provenance) : json_object();
    if (load_existing_image(&r) == 0 && pack_tree(&r, seen) == 0 && merge_bindings(&r, seen) == 0) {
        note_asked(&r, seen);
        note_rules(&r);
        inherit_provenance(&r, seen);
        if (seen->tls_bytes)
            json_object_set_new(r.provenance, LC_PROVENANCE_TLS, json_integer(seen->tls_bytes));
        did->is_empty =
            !did->is_added && (did->packed.managed == 0 || did->packed.calls < how->fewest_calls);
        rc = did->is_empty ? 0 : write_image(&r);
    }
    json_decref(r.provenance);
    lc_rules_end(&r.rules);
    lc_tree_free(&r.tree);
    lc_mounts_close(&r.mounts);
    lc_image_close(r.old);
    return rc;
}
