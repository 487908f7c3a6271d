/* SPDX-License-Identifier: MIT */
/* mkimage.c - an image of given paths, for tests: mkimage IMAGE PATH... [--absent PATH]...
 * [--glibc VERSION] [--python VERSION] [--mount POINT]
 *
 * Files get their content, directories are listed complete, with all below them. The directories
 * above a path are known by their stat. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/write.h"
#include "util/json.h"
#include "util/path.h"

static struct lc_tree tree;
static uint32_t mount_index = LC_NONE;

static void die(const char *what)
{
    fprintf(stderr, "mkimage: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void add_listing(struct lc_tree_entry *node, const char *path);

static void add(const char *path, bool deep)
{
    struct stat st;
    char target[PATH_MAX];
    struct lc_tree_entry *node = lc_tree_entry_make(&tree, path);

    if (lstat(path, &st) < 0)
        die(path);
    if (node->kind == LC_KIND_DIRECTORY && (!deep || node->list))
        return;
    lc_tree_entry_set_stat(node, &st);
    node->stat.mount = mount_index;
    if (S_ISLNK(st.st_mode)) {
        ssize_t n = readlink(path, target, sizeof(target) - 1);
        if (n < 0)
            die(path);
        target[n] = '\0';
        lc_tree_entry_set_link(node, target);
    } else if (S_ISDIR(st.st_mode) && deep) {
        add_listing(node, path);
    }
}

static void add_listing(struct lc_tree_entry *node, const char *path)
{
    DIR *d = opendir(path);
    struct lc_listed_name *list = NULL;
    size_t n = 0;

    if (!d)
        die(path);
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        list = realloc(list, (n + 1) * sizeof(*list));
        list[n++] = (struct lc_listed_name){strdup(e->d_name), e->d_ino, e->d_type};
    }
    closedir(d);
    if (!list)
        list = calloc(1, sizeof(*list));
    lc_tree_entry_set_list(node, list, n, true);
    for (size_t i = 0; i < n; i++) {
        char below[PATH_MAX];
        snprintf(below, sizeof(below), "%s/%s", strcmp(path, "/") ? path : "", list[i].name);
        add(below, true);
    }
}

static void add_above(const char *path)
{
    char dir[PATH_MAX];
    size_t n = lc_path_dir_len(path);

    snprintf(dir, sizeof(dir), "%.*s", (int)n, path);
    if (n > 1)
        add_above(dir);
    add(dir, false);
}

static void absolute(char *out, const char *path)
{
    char cwd[PATH_MAX];

    if (!getcwd(cwd, sizeof(cwd)) || lc_path_absolute(out, PATH_MAX, cwd, path) < 0)
        die(path);
}

int main(int argc, char **argv)
{
    struct lc_error err;
    struct lc_written did;
    char path[PATH_MAX], *none[] = {NULL};
    json_t *provenance = lc_json_provenance("mkimage", none);

    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--mount") == 0 && argv[i + 1])
            mount_index = lc_tree_mount(&tree, argv[i + 1], "test", "test");
    if (mount_index == LC_NONE)
        mount_index = lc_tree_mount(&tree, "/", "test", "test");
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--mount") == 0) {
            i++;
        } else if (strcmp(argv[i], "--glibc") == 0) {
            json_object_set_new(provenance, "glibc", json_string(argv[++i]));
        } else if (strcmp(argv[i], "--python") == 0) {
            json_object_set_new(provenance, "python", json_pack("[{s:s}]", "version", argv[++i]));
        } else if (strcmp(argv[i], "--absent") == 0) {
            absolute(path, argv[++i]);
            add_above(path);
            lc_tree_entry_set_absent(lc_tree_entry_make(&tree, path), ENOENT);
        } else {
            absolute(path, argv[i]);
            add_above(path);
            add(path, true);
        }
    }
    struct lc_write how = {.file = argv[1], .provenance = json_dumps(provenance, 0)};
    if (argc < 3 || lc_image_write(&tree, &how, &did, &err) < 0) {
        fprintf(stderr, "mkimage: %s\n", argc < 3 ? "needs an image and paths" : err.text);
        return 1;
    }
    lc_tree_free(&tree);
    json_decref(provenance);
    free((char *)(uintptr_t)how.provenance);
    return 0;
}
