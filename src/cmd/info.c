/* SPDX-License-Identifier: MIT */
/* info.c - loadcast info: what is in an image */
#include "cmd/info.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "image/diff.h"
#include "record/provenance.h"
#include "util/buf.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/json.h"

/* Print a path on one line, with control characters escaped. */
static void print_path(const char *path)
{
    struct lc_buf text = {0};

    lc_buf_escape(&text, path, strlen(path));
    puts(lc_buf_text(&text));
    lc_buf_free(&text);
}

static void print_text_field(json_t *from, const char *key, const char *before)
{
    const char *text = json_string_value(json_object_get(from, key));

    if (text)
        printf("%s%s", before, text);
}

static void print_provenance(const struct lc_image *image)
{
    json_t *p = lc_provenance_of(image), *word;
    size_t i;

    fputs("recorded  ", stdout);
    print_text_field(p, "time", " ");
    print_text_field(p, "host", " on ");
    print_text_field(p, "version", " by loadcast ");
    fputs("\ncommand   ", stdout);
    json_array_foreach(json_object_get(p, "command"), i, word)
        printf(" %s", json_string_value(word) ? json_string_value(word) : "?");
    fputs("\nsystem    ", stdout);
    print_text_field(p, "machine", " ");
    print_text_field(p, "kernel", ", Linux ");
    print_text_field(p, "glibc", ", glibc ");
    json_array_foreach(json_object_get(p, "python"), i, word)
        print_text_field(word, "version", ", Python ");
    fputs("\n", stdout);
    json_decref(p);
}

static void print_totals(const struct lc_image *image)
{
    struct lc_image_totals t = lc_image_count(image);
    const struct lc_look *look = &image->look;

    printf(
        "holds      %s files (%s; %s made here, %s by stat only), %s directories (%s complete),\n"
        "           %s links, %s absent paths, %s search results\n",
        lc_human_count(t.files).s, lc_human_bytes(t.bytes).s, lc_human_count(t.made).s,
        lc_human_count(t.stat_only).s, lc_human_count(t.directories).s,
        lc_human_count(t.complete).s, lc_human_count(t.links).s, lc_human_count(t.absent).s,
        lc_human_count(t.searches).s);
    printf("stored     %s of content, %s of index, %s of names\n",
           lc_human_bytes(t.content_bytes).s, lc_human_bytes(t.index_bytes).s,
           lc_human_bytes(t.names_bytes).s);
    for (uint32_t i = 0; i < look->mounts; i++)
        printf("mount      %s on %s (%s)\n", lc_look_name(look, look->mount[i].type),
               lc_look_name(look, look->mount[i].point), lc_look_name(look, look->mount[i].source));
}

static void print_summary(const struct lc_image *image)
{
    printf("image      %s, id %016" PRIx64 ", format %u, generation %" PRIu64 ", %s\n", image->file,
           lc_look_id(&image->look), LC_IMAGE_VERSION, image->look.root->generation,
           lc_human_bytes(image->memory.len).s);
    if (image->base)
        printf("base       %s\n", image->base->file);
    print_provenance(image);
    print_totals(image);
}

static void print_file(const struct lc_look *look, uint32_t i)
{
    const struct lc_inode *inode = lc_look_inode(look, i);
    const struct lc_entry *e = &look->entry[i];
    const char *path = lc_look_name(look, e->path);

    if (e->kind == LC_KIND_SYMLINK) {
        struct lc_buf text = {0};
        const char *target = lc_look_name(look, (uint32_t)inode->data);
        lc_buf_escape(&text, path, strlen(path));
        lc_buf_puts(&text, " -> ");
        lc_buf_escape(&text, target, strlen(target));
        printf("%-12s %12" PRIu64 "  %s\n", (e->flags & LC_ENTRY_ROUTE) ? "route" : "link",
               inode->size, lc_buf_text(&text));
        lc_buf_free(&text);
        return;
    }
    printf("%-12s %12" PRIu64 "  ",
           (e->flags & LC_ENTRY_MADE) ? "made" : (inode->data == LC_NO_CONTENT ? "stat" : "file"),
           inode->size);
    print_path(path);
}

static void print_directory(const struct lc_look *look, uint32_t i)
{
    const struct lc_inode *inode = lc_look_inode(look, i);

    const char *what = (inode->flags & LC_INODE_COMPLETE)        ? "complete"
                       : (inode->flags & LC_INODE_LISTED)        ? "listed"
                       : (look->entry[i].flags & LC_ENTRY_ROUTE) ? "route"
                                                                 : "directory";

    printf("%-12s %12" PRIu32 "  ", what, inode->count);
    print_path(lc_look_name(look, look->entry[i].path));
}

static void print_entries(const struct lc_look *look, const struct lc_info *show)
{
    char room[16];

    for (uint32_t i = 0; i < look->entries; i++) {
        uint8_t kind = look->entry[i].kind;
        if (show->files && (kind == LC_KIND_FILE || kind == LC_KIND_SYMLINK))
            print_file(look, i);
        if (show->dirs && kind == LC_KIND_DIRECTORY)
            print_directory(look, i);
        if (show->absent && kind == LC_KIND_ABSENT) {
            printf("%-12s %12s  ", "absent",
                   lc_info_errno(look->entry[i].inode, room, sizeof(room)));
            print_path(lc_look_name(look, look->entry[i].path));
        }
    }
    for (uint32_t i = 0; show->search && i < look->searches; i++) {
        const char *result = lc_look_name(look, look->search[i].result);
        printf("%s: %s => %s\n", lc_look_name(look, look->search[i].loader),
               lc_look_name(look, look->search[i].name), *result ? result : "not found");
    }
}

static void print_difference(void *arg, char sign, const char *path, const char *what)
{
    json_t *list = arg;

    if (!list) {
        printf("%c %-8s ", sign, what ? what : "");
        print_path(path);
        return;
    }
    json_t *one =
        json_pack("{s:s, s:o}", "is", sign == '+' ? "added" : (sign == '-' ? "removed" : "changed"),
                  "path", lc_json_text(path));
    if (what)
        json_object_set_new(one, "what", json_string(what));
    json_array_append_new(list, one);
}

static int show_diff(const struct lc_cli *cli, const struct lc_image *image,
                     const struct lc_info *show)
{
    struct lc_error err;
    struct lc_image *other = lc_image_open(show->diff, &err);
    json_t *list = show->json ? json_array() : NULL;
    int code = LC_EXIT_OK;

    if (!other) {
        json_decref(list);
        return lc_cli_fail(cli, LC_EXIT_IMAGE, &err);
    }
    if (lc_image_diff(image, other, print_difference, list) > 0)
        code = LC_EXIT_FAILED;
    if (list && lc_json_write(list, "-", &err) < 0)
        code = lc_cli_fail(cli, LC_EXIT_FAILED, &err);
    json_decref(list);
    lc_image_close(other);
    return code;
}

static int show_image(const struct lc_cli *cli, const struct lc_image *image,
                      const struct lc_info *show)
{
    struct lc_error err;

    if (show->verify && lc_image_verify_content(image, &err) < 0)
        return lc_cli_fail(cli, LC_EXIT_IMAGE, &err);
    if (show->json) {
        json_t *all = lc_info_json(image, show);
        if (show->verify)
            json_object_set_new(all, "verified", json_true());
        int rc = lc_json_write(all, "-", &err);
        json_decref(all);
        return rc < 0 ? lc_cli_fail(cli, LC_EXIT_FAILED, &err) : LC_EXIT_OK;
    }
    if (!show->files && !show->dirs && !show->absent && !show->search && !show->bindings)
        print_summary(image);
    print_entries(&image->look, show);
    if (show->bindings && lc_info_print_bindings(image) < 0)
        return LC_EXIT_FAILED;
    if (show->verify)
        printf("verified   every checksum holds\n");
    return ferror(stdout) ? LC_EXIT_FAILED : LC_EXIT_OK;
}

static struct lc_info show;

static const struct lc_opt options[] = {
    {0, "files", LC_OPT_FLAG, &show.files, NULL, "list files and links with their size"},
    {0, "dirs", LC_OPT_FLAG, &show.dirs, NULL, "list directories and whether they are complete"},
    {0, "absent", LC_OPT_FLAG, &show.absent, NULL, "list paths recorded as absent"},
    {0, "search", LC_OPT_FLAG, &show.search, NULL, "list what ld.so searched and found"},
    {0, "bindings", LC_OPT_FLAG, &show.bindings, NULL,
     "list whose symbol bindings are replayed, and why others' are not"},
    {0, "diff", LC_OPT_STRING, &show.diff, "IMAGE",
     "list what another image has more, less or otherwise"},
    {0, "verify", LC_OPT_FLAG, &show.verify, NULL,
     "read all content and compare it with its checksums"},
    {0, "json", LC_OPT_FLAG, &show.json, NULL, "the same as JSON"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast info",
    .usage = "[options] IMAGE",
    .summary = "Show what an image holds, and where it came from.",
    .notes = "Exit status: 0 shown, 1 with --diff: they differ, 2 usage, 3 an image cannot be "
             "used.\n",
    .opts = options,
};

int lc_cmd_info(int argc, char **argv)
{
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && argc - first != 1)
        rc = lc_error_set(&err, argc == first ? "needs an image" : "takes one image");
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    struct lc_image *image = lc_image_open(argv[first], &err);
    if (!image)
        return lc_cli_fail(&cli, LC_EXIT_IMAGE, &err);
    rc = show.diff ? show_diff(&cli, image, &show) : show_image(&cli, image, &show);
    lc_image_close(image);
    return rc;
}
