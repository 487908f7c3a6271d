/* SPDX-License-Identifier: MIT */
/* info_json.c - an image's index as JSON */
#include "cmd/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "record/provenance.h"
#include "util/json.h"

const char *lc_info_errno(uint32_t code, char *room, size_t size)
{
    const char *name = lc_errno_name((int)code);

    snprintf(room, size, "%" PRIu32, code);
    return name ? name : room;
}

static json_t *file_json(const struct lc_look *look, uint32_t i)
{
    const struct lc_inode *inode = lc_look_inode(look, i);
    char hash[40];

    snprintf(hash, sizeof(hash), "%016" PRIx64 "%016" PRIx64, inode->hash[1], inode->hash[0]);
    return json_pack("{s:o, s:I, s:i, s:I, s:f, s:b, s:b, s:i, s:s?}", "path",
                     lc_json_text(lc_look_name(look, look->entry[i].path)), "size",
                     (json_int_t)inode->size, "mode", (int)(inode->mode & 07777), "inode",
                     (json_int_t)inode->ino, "mtime", (double)inode->mtime + inode->mtime_ns / 1e9,
                     "content", inode->data != LC_NO_CONTENT, "made",
                     look->entry[i].flags & LC_ENTRY_MADE, "index", (int)look->entry[i].inode,
                     "xxh3_128", inode->data != LC_NO_CONTENT ? hash : NULL);
}

static json_t *directory_json(const struct lc_look *look, uint32_t i)
{
    const struct lc_inode *inode = lc_look_inode(look, i);
    uint32_t count;
    const struct lc_dirent *d = lc_look_dirents(look, inode, &count);
    json_t *names = d ? json_array() : json_null();

    for (uint32_t k = 0; k < count; k++)
        json_array_append_new(names, lc_json_text(lc_look_name(look, d[k].name)));
    return json_pack("{s:o, s:b, s:o}", "path",
                     lc_json_text(lc_look_name(look, look->entry[i].path)), "complete",
                     (inode->flags & LC_INODE_COMPLETE) != 0, "names", names);
}

static json_t *absent_json(const struct lc_look *look, uint32_t i)
{
    char room[16];

    return json_pack("{s:o, s:s}", "path", lc_json_text(lc_look_name(look, look->entry[i].path)),
                     "errno", lc_info_errno(look->entry[i].inode, room, sizeof(room)));
}

static json_t *link_json(const struct lc_look *look, uint32_t i)
{
    return json_pack("{s:o, s:o}", "path", lc_json_text(lc_look_name(look, look->entry[i].path)),
                     "target",
                     lc_json_text(lc_look_name(look, (uint32_t)lc_look_inode(look, i)->data)));
}

static json_t *entries_json(const struct lc_look *look, uint8_t kind,
                            json_t *(*one)(const struct lc_look *look, uint32_t i))
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < look->entries; i++)
        if (look->entry[i].kind == kind)
            json_array_append_new(all, one(look, i));
    return all;
}

static json_t *search_json(const struct lc_look *look)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < look->searches; i++) {
        const struct lc_search *s = &look->search[i];
        const struct lc_search_key *k = &look->search_key[s->key];
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o, s:o, s:o}", "loader",
                           lc_json_text(lc_look_name(look, s->loader)), "name",
                           lc_json_text(lc_look_name(look, s->name)), "result",
                           lc_json_text(lc_look_name(look, s->result)), "executable",
                           lc_json_text(lc_look_name(look, k->executable)), "library_path",
                           lc_json_text(lc_look_name(look, k->library_path))));
    }
    return all;
}

static json_t *mounts_json(const struct lc_look *look)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < look->mounts; i++)
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o}", "point",
                           lc_json_text(lc_look_name(look, look->mount[i].point)), "type",
                           lc_json_text(lc_look_name(look, look->mount[i].type)), "source",
                           lc_json_text(lc_look_name(look, look->mount[i].source))));
    return all;
}

static json_t *totals_json(const struct lc_image *image)
{
    struct lc_image_totals t = lc_image_count(image);

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "entries",
                     (json_int_t)image->look.entries, "files", (json_int_t)t.files, "stat_only",
                     (json_int_t)t.stat_only, "made", (json_int_t)t.made, "directories",
                     (json_int_t)t.directories, "complete", (json_int_t)t.complete, "links",
                     (json_int_t)t.links, "absent", (json_int_t)t.absent, "search",
                     (json_int_t)t.searches, "file_bytes", (json_int_t)t.bytes, "content_bytes",
                     (json_int_t)t.content_bytes, "index_bytes", (json_int_t)t.index_bytes,
                     "names_bytes", (json_int_t)t.names_bytes);
}

json_t *lc_info_json(const struct lc_image *image, const struct lc_info *show)
{
    const struct lc_look *look = &image->look;
    char id[24];

    snprintf(id, sizeof(id), "%016" PRIx64, lc_look_id(look));
    json_t *all = json_pack(
        "{s:o, s:s, s:i, s:I, s:o, s:o, s:o}", "image", lc_json_text(image->file), "id", id,
        "format", (int)LC_IMAGE_VERSION, "bytes", (json_int_t)image->memory.len, "provenance",
        lc_provenance_of(image), "totals", totals_json(image), "mounts", mounts_json(look));
    if (image->base)
        json_object_set_new(all, "base", lc_json_text(image->base->file));
    if (show->files) {
        json_object_set_new(all, "files", entries_json(look, LC_KIND_FILE, file_json));
        json_object_set_new(all, "links", entries_json(look, LC_KIND_SYMLINK, link_json));
    }
    if (show->dirs)
        json_object_set_new(all, "directories",
                            entries_json(look, LC_KIND_DIRECTORY, directory_json));
    if (show->absent)
        json_object_set_new(all, "absent", entries_json(look, LC_KIND_ABSENT, absent_json));
    if (show->search)
        json_object_set_new(all, "search", search_json(look));
    if (show->bindings)
        json_object_set_new(all, "bindings", lc_info_bindings_json(image));
    return all;
}
