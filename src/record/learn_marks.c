/* SPDX-License-Identifier: MIT */
/* learn_marks.c - which entries of an image jobs have added */
#include "record/learn_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/provenance.h"
#include "util/clock.h"
#include "util/json.h"

enum { MOST_JOBS = 100 /* that are told of; what older ones added counts as recorded */ };

uint16_t lc_learn_next_number(const json_t *provenance)
{
    const json_t *one;
    json_int_t last = 0;
    size_t i;

    json_array_foreach(json_object_get(provenance, LC_PROVENANCE_LEARNT), i, one)
    {
        json_int_t number = json_integer_value(json_object_get(one, "number"));
        last = number > last ? number : last;
    }
    return (uint16_t)(last >= 0 && last < LC_LEARNT_JOB ? last + 1 : LC_LEARNT_JOB);
}

/* What the image has of a path; NULL if it has none. */
static const struct lc_inode *image_has(const struct lc_image *image, const char *path,
                                        uint32_t *entry)
{
    *entry = lc_look_find(&image->look, path, strlen(path));
    return *entry == LC_NONE ? NULL : lc_look_inode(&image->look, *entry);
}

static bool is_hard_link(const struct lc_tree_entry *node)
{
    return node->kind == LC_KIND_FILE && node->stat.nlink > 1 && !(node->flags & LC_ENTRY_MADE);
}

/* Does the file system still have the file that was recorded? Then its device is known. */
static void device_find(struct lc_tree_entry *node, const char *path)
{
    struct stat st;

    if (lstat(path, &st) == 0 && st.st_ino == node->stat.ino &&
        (uint64_t)st.st_size == node->stat.size && st.st_mtim.tv_sec == node->stat.mtime &&
        (uint32_t)st.st_mtim.tv_nsec == node->stat.mtime_ns &&
        st.st_ctim.tv_sec == node->stat.ctime &&
        (uint32_t)st.st_ctim.tv_nsec == node->stat.ctime_ns)
        node->dev = st.st_dev;
}

static void inode_name(char out[32], const struct lc_tree_entry *node)
{
    snprintf(out, 32, "%" PRIu64, node->stat.ino);
}

/* Inodes of files with several names that are new, or whose content is to be read. */
static void new_inodes_collect(const struct lc_tree *tree, const struct lc_image *image,
                               struct lc_map *inodes)
{
    char name[32];
    uint32_t entry;

    for (size_t i = 0; i < tree->entries.count; i++) {
        struct lc_tree_entry *node = tree->entries.entry[i].value;
        if (!is_hard_link(node) || (image_has(image, tree->entries.entry[i].key, &entry) &&
                                    node->source != LC_SOURCE_FILE))
            continue;
        inode_name(name, node);
        void **at = lc_map_at(inodes, name);
        if (at && (!*at || node->source == LC_SOURCE_FILE))
            *at = node;
    }
}

void lc_learn_join_links(struct lc_tree *tree, const struct lc_image *image)
{
    struct lc_map inodes = {0};
    char name[32];
    uint32_t entry;

    new_inodes_collect(tree, image, &inodes);
    for (size_t i = 0; i < tree->entries.count && inodes.count > 0; i++) {
        struct lc_tree_entry *node = tree->entries.entry[i].value;
        inode_name(name, node);
        struct lc_tree_entry *other = is_hard_link(node) ? lc_map_get(&inodes, name) : NULL;
        if (!other)
            continue;
        if (image_has(image, tree->entries.entry[i].key, &entry))
            device_find(node, tree->entries.entry[i].key);
        if (node->dev != other->dev)
            continue;
        /* The first name decides for all whether there is content. */
        if (node->source == LC_SOURCE_NONE && other->source != LC_SOURCE_NONE)
            node->source = LC_SOURCE_FILE;
        else if (other->source == LC_SOURCE_NONE && node->source != LC_SOURCE_NONE)
            other->source = LC_SOURCE_FILE;
    }
    lc_map_free(&inodes, NULL);
}

/* Does the tree have more of an entry than the image? */
static bool has_more(const struct lc_tree_entry *node, const struct lc_entry *entry,
                     const struct lc_inode *inode)
{
    const uint32_t listing = LC_INODE_LISTED | LC_INODE_COMPLETE;

    if (node->kind == LC_KIND_DIRECTORY)
        return (node->stat.flags & listing & ~inode->flags) ||
               ((entry->flags & LC_ENTRY_ROUTE) && !(node->flags & LC_ENTRY_ROUTE));
    return node->kind == LC_KIND_FILE && inode->data == LC_NO_CONTENT &&
           node->source != LC_SOURCE_NONE;
}

size_t lc_learn_mark(struct lc_tree *tree, const struct lc_image *image, uint16_t number)
{
    size_t count = 0;
    uint32_t at;

    for (size_t i = 0; i < tree->entries.count; i++) {
        struct lc_tree_entry *node = tree->entries.entry[i].value;
        const struct lc_inode *inode = image_has(image, tree->entries.entry[i].key, &at);
        if (!node->kind)
            continue;
        if (at == LC_NONE)
            node->learnt = number;
        else if (!inode || !has_more(node, &image->look.entry[at], inode))
            continue;
        else if (!node->learnt)
            node->learnt = number | LC_LEARNT_PART;
        count++;
    }
    return count;
}

void lc_learn_note_job(json_t *provenance, uint16_t number, const char *job, size_t entries)
{
    json_t *all = json_object_get(provenance, LC_PROVENANCE_LEARNT);
    char when[32];

    if (!json_is_array(all))
        json_object_set_new(provenance, LC_PROVENANCE_LEARNT, all = json_array());
    while (json_array_size(all) >= MOST_JOBS)
        json_array_remove(all, 0);
    lc_clock_iso(when, sizeof(when), lc_clock_wall_ns());
    json_array_append_new(all,
                          json_pack("{s:i, s:s, s:o, s:I}", "number", number, "when", when, "job",
                                    lc_json_text(job ? job : ""), "entries", (json_int_t)entries));
}

/* Is a time as lc_clock_iso writes it, compared as text, at or after another? */
static bool is_since(const json_t *job, const char *since)
{
    const char *when = json_string_value(json_object_get(job, "when"));

    return !when || strcmp(when, since) >= 0;
}

/* Remove the jobs since then. The lowest number that was removed; 0: none. Numbers grow with time.
 */
static uint16_t jobs_remove(json_t *jobs, uint64_t since_wall_ns)
{
    char since[32];
    json_int_t lowest = 0;

    lc_clock_iso(since, sizeof(since), since_wall_ns);
    for (size_t i = json_array_size(jobs); i-- > 0;) {
        const json_t *job = json_array_get(jobs, i);
        if (!is_since(job, since))
            continue;
        json_int_t number = json_integer_value(json_object_get(job, "number"));
        lowest = lowest == 0 || number < lowest ? number : lowest;
        json_array_remove(jobs, i);
    }
    return lowest > 0 && lowest <= LC_LEARNT_JOB ? (uint16_t)lowest : 0;
}

static void part_forget(struct lc_tree_entry *node)
{
    node->learnt = 0;
    if (node->kind == LC_KIND_DIRECTORY)
        lc_tree_entry_drop_list(node);
    else if (node->kind == LC_KIND_FILE)
        node->source = LC_SOURCE_NONE;
}

size_t lc_learn_unmark(struct lc_tree *tree, json_t *provenance, uint64_t since_wall_ns)
{
    uint16_t lowest = jobs_remove(json_object_get(provenance, LC_PROVENANCE_LEARNT), since_wall_ns);
    size_t count = 0;

    /* The id of the image becomes a new one: on nodes that hold it as it was before, the log of what
     * it lacked has the same paths still. */
    if (lowest > 0)
        json_object_set_new(provenance, LC_PROVENANCE_FORGOT,
                            json_integer((json_int_t)lc_clock_wall_ns()));
    for (size_t i = 0; i < tree->entries.count && lowest > 0; i++) {
        struct lc_tree_entry *node = tree->entries.entry[i].value;
        if ((node->learnt & LC_LEARNT_JOB) < lowest)
            continue;
        count++;
        if (node->learnt & LC_LEARNT_PART)
            part_forget(node);
        else
            lc_tree_entry_clear(node);
    }
    return count;
}
