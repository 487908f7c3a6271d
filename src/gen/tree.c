/* SPDX-License-Identifier: MIT */
/* tree.c - the output directory */
#include "gen/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/buf.h"
#include "util/io.h"

static const char first_line[] = "made by loadcast gen; --force removes what is listed here\n";

int lc_output_tree_open(struct lc_output_tree *tree, const char *dir, struct lc_error *err)
{
    *tree = (struct lc_output_tree){.dir = strdup(dir)};
    if (!tree->dir || asprintf(&tree->work, "%s/%s", dir, LC_TREE_WORK) < 0)
        return lc_error_errno(err, "cannot prepare '%s'", dir);
    return 0;
}

void lc_output_tree_close(struct lc_output_tree *tree)
{
    free(tree->dir);
    free(tree->work);
    lc_map_free(&tree->names, NULL);
}

void lc_output_tree_plan(struct lc_output_tree *tree, const char *fmt, ...)
{
    char name[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    void **value = lc_map_at(&tree->names, name);
    if (value)
        *value = tree; /* any value: it is there */
}

int lc_output_tree_write(const char *path, const char *data, size_t len, unsigned mode,
                         struct lc_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);

    if (fd < 0)
        return lc_error_errno(err, "cannot write '%s'", path);
    if (lc_write_all(fd, data, len) < 0) {
        lc_error_errno(err, "cannot write '%s'", path);
        close(fd);
        return -1;
    }
    return close(fd) < 0 ? lc_error_errno(err, "cannot write '%s'", path) : 0;
}

static int visited_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    remove(path);
    return 0;
}

/* A compiler that outlived a killed gen may still be writing here: try for two seconds. */
static void below_remove(const char *dir)
{
    for (int i = 0; i < 40; i++) {
        nftw(dir, visited_remove, 16, FTW_DEPTH | FTW_PHYS);
        if (access(dir, F_OK) < 0)
            return;
        usleep(50000);
    }
}

/* A name from the marker must lead nowhere but into the directory. */
static bool is_name_inside(const char *name)
{
    return name[0] && name[0] != '/' && strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 &&
           !strstr(name, "/../");
}

static void name_remove(const char *dir, const char *name)
{
    char path[4096];
    size_t len = strlen(name);

    if (!is_name_inside(name) ||
        (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
        return;
    if (strcmp(name, LC_TREE_KEPT "/") == 0)
        below_remove(path);
    else if (name[len - 1] == '/')
        rmdir(path);
    else
        unlink(path);
}

/* Files first, then directories from the inside out: the reverse of the order they were planned. */
static void names_remove(const char *dir, const struct lc_map *names)
{
    for (size_t i = names->count; i-- > 0;)
        name_remove(dir, names->entry[i].key);
}

static void planned_remove(const char *dir, const char *work, const struct lc_map *names)
{
    char marker[4096];

    below_remove(work);
    names_remove(dir, names);
    snprintf(marker, sizeof(marker), "%s/%s", dir, LC_TREE_MARKER);
    unlink(marker);
}

/* The names in a directory's marker. 1 if there is one, 0 if not. */
static int marker_read(const char *dir, struct lc_map *names)
{
    char path[4096], line[512];
    int ours = 0;

    snprintf(path, sizeof(path), "%s/%s", dir, LC_TREE_MARKER);
    FILE *in = fopen(path, "re");
    if (!in)
        return 0;
    ours = fgets(line, sizeof(line), in) && strcmp(line, first_line) == 0;
    while (ours && fgets(line, sizeof(line), in)) {
        line[strcspn(line, "\n")] = '\0';
        lc_map_at(names, line);
    }
    fclose(in);
    return ours;
}

static int marker_write(struct lc_output_tree *tree, struct lc_error *err)
{
    struct lc_buf text = {0};
    char path[4096];

    lc_buf_puts(&text, first_line);
    for (size_t i = 0; i < tree->names.count; i++)
        lc_buf_printf(&text, "%s\n", tree->names.entry[i].key);
    snprintf(path, sizeof(path), "%s/%s", tree->dir, LC_TREE_MARKER);
    int rc = text.failed ? lc_error_errno(err, "cannot write '%s'", path)
                         : lc_output_tree_write(path, text.data, text.len, 0644, err);
    lc_buf_free(&text);
    return rc;
}

/* The first name in the directory, or of ours that is already there (with 'beside'). */
static bool obstacle_find(struct lc_output_tree *tree, bool beside, char *out, size_t size)
{
    DIR *d = opendir(tree->dir);
    bool found = false;

    for (struct dirent *e; d && !found && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char as_dir[300];
        snprintf(as_dir, sizeof(as_dir), "%s/", e->d_name);
        found = !beside || strcmp(e->d_name, LC_TREE_MARKER) == 0 ||
                lc_map_get(&tree->names, e->d_name) || lc_map_get(&tree->names, as_dir);
        snprintf(out, size, "%s", e->d_name);
    }
    if (d)
        closedir(d);
    return found;
}

static int clear_dir(struct lc_output_tree *tree, bool force, bool beside, struct lc_error *err)
{
    struct lc_map old = {0};
    char name[300];
    int ours = marker_read(tree->dir, &old);

    if (ours && force)
        planned_remove(tree->dir, tree->work, &old);
    lc_map_free(&old, NULL);
    if (!obstacle_find(tree, beside, name, sizeof(name)))
        return 0;
    if (ours && !force)
        return lc_error_set(err, "'%s' holds a workload already; --force replaces it", tree->dir);
    return lc_error_set(err,
                        "'%s' is not empty: it has '%s', which gen did not make; choose another "
                        "directory with --out",
                        tree->dir, name);
}

static int dir_make_or_use(struct lc_output_tree *tree, bool force, bool beside,
                           struct lc_error *err)
{
    struct stat st;

    if (mkdir(tree->dir, 0777) == 0) {
        tree->made_dir = true;
        return 0;
    }
    if (errno != EEXIST)
        return lc_error_errno(err, "cannot make '%s'", tree->dir);
    if (stat(tree->dir, &st) == 0 && !S_ISDIR(st.st_mode))
        return lc_error_set(err, "'%s' is not a directory", tree->dir);
    return clear_dir(tree, force, beside, err);
}

static int dirs_make(struct lc_output_tree *tree, struct lc_error *err)
{
    char path[4096];

    if (mkdir(tree->work, 0777) < 0)
        return lc_error_errno(err, "cannot make '%s'", tree->work);
    for (size_t i = 0; i < tree->names.count; i++) {
        const char *name = tree->names.entry[i].key;
        if (name[strlen(name) - 1] != '/')
            continue;
        snprintf(path, sizeof(path), "%s/%s", tree->dir, name);
        if (mkdir(path, 0777) < 0)
            return lc_error_errno(err, "cannot make '%s'", path);
    }
    return 0;
}

int lc_output_tree_begin(struct lc_output_tree *tree, bool force, bool beside, struct lc_error *err)
{
    if (dir_make_or_use(tree, force, beside, err) < 0)
        return -1;
    if (marker_write(tree, err) == 0 && dirs_make(tree, err) == 0)
        return 0;
    lc_output_tree_undo(tree);
    return -1;
}

int lc_output_tree_finish(struct lc_output_tree *tree, bool keep, struct lc_error *err)
{
    char kept[4096];

    if (!keep) {
        below_remove(tree->work);
        return 0;
    }
    snprintf(kept, sizeof(kept), "%s/%s", tree->dir, LC_TREE_KEPT);
    return rename(tree->work, kept) < 0 ? lc_error_errno(err, "cannot make '%s'", kept) : 0;
}

void lc_output_tree_undo(struct lc_output_tree *tree)
{
    planned_remove(tree->dir, tree->work, &tree->names);
    if (tree->made_dir)
        rmdir(tree->dir);
}
