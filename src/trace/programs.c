/* SPDX-License-Identifier: MIT */
/* programs.c - which program ran in which process, and which search sent it to a directory */
#include "trace/programs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/searchpath.h"
#include "util/buf.h"
#include "util/path.h"

void lc_traced_program_destroy(void *value)
{
    struct lc_traced_program *image = value;

    free(image->program);
    free(image->ld_library_path);
    free(image->pythonpath);
    free(image->path);
    lc_map_free(&image->objects, NULL);
    free(image);
}

static void read_file(const char *file, struct lc_buf *out)
{
    char chunk[4096];
    ssize_t n;
    int fd = open(file, O_RDONLY | O_CLOEXEC);

    while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
        lc_buf_add(out, chunk, (size_t)n);
    if (fd >= 0)
        close(fd);
}

/* The value of NAME in an environment block; a copy, or NULL. */
static char *environment_value(const struct lc_buf *block, const char *name)
{
    size_t n = strlen(name);

    for (size_t at = 0; at < block->len; at += strlen(block->data + at) + 1)
        if (strncmp(block->data + at, name, n) == 0 && block->data[at + n] == '=')
            return strdup(block->data + at + n + 1);
    return NULL;
}

static void key_of(pid_t pid, char key[24])
{
    snprintf(key, 24, "%d", (int)pid);
}

static void note_program(struct lc_summary *sum, const struct lc_trace_event *e, const char *path)
{
    char key[24], owner[48], file[48];
    struct lc_buf block = {0};

    key_of(e->pid, key);
    snprintf(owner, sizeof(owner), "%s.%zu", key, sum->all_images.count);
    struct lc_traced_program *image = lc_map_object(&sum->all_images, owner, sizeof(*image));
    void **at = image ? lc_map_at(&sum->images, key) : NULL;
    if (!at)
        return;
    *at = image;
    image->program = strdup(e->real ? e->real : path);
    snprintf(file, sizeof(file), "/proc/%d/environ", (int)e->pid);
    read_file(file, &block);
    image->ld_library_path = environment_value(&block, "LD_LIBRARY_PATH");
    image->pythonpath = environment_value(&block, "PYTHONPATH");
    image->path = environment_value(&block, "PATH");
    lc_buf_free(&block);
    if (image->program) {
        image->is_python = strncmp(lc_path_base(image->program), "python", 6) == 0;
        lc_map_at(&image->objects, image->program);
    }
}

struct lc_traced_program *lc_traced_program_of(struct lc_summary *sum, pid_t pid, pid_t parent)
{
    char key[24];

    key_of(pid, key);
    struct lc_traced_program *image = lc_map_get(&sum->images, key);
    if (image)
        return image;
    key_of(parent, key);
    image = lc_map_get(&sum->images, key);
    key_of(pid, key);
    void **at = image ? lc_map_at(&sum->images, key) : NULL;
    if (at)
        *at = image;
    return image;
}

static bool is_object_name(const char *name)
{
    const char *so = strstr(name, ".so");

    return so && (so[3] == '\0' || so[3] == '.');
}

void lc_traced_programs_note(struct lc_summary *sum, const struct lc_trace_event *e,
                             const char *path)
{
    const char *name = lc_path_base(path);

    if (e->result < 0)
        return;
    if (e->kind == LC_TRACE_EXEC) {
        note_program(sum, e, path);
        return;
    }
    if (strncmp(name, "__init__.", 9) == 0 && name > path + 1) {
        char *dir = strndup(path, (size_t)(name - path - 1));
        if (dir)
            lc_map_at(&sum->packages, dir);
        free(dir);
    }
    if (e->kind == LC_TRACE_OPEN && is_object_name(name)) {
        struct lc_traced_program *image = lc_traced_program_of(sum, e->pid, e->parent);
        if (image)
            lc_map_at(&image->objects, path);
        if (image && strncmp(name, "libpython", 9) == 0)
            image->is_python = true; /* also where it is embedded */
    }
}

/* Position (from 1) of 'dir' in a colon-separated list, or 0. */
static int position_in(const char *list, const char *dir)
{
    int at = 1;

    for (const char *p = list; p; p = lc_path_list_next(p), at++) {
        size_t n = strcspn(p, ":");
        while (n > 1 && p[n - 1] == '/')
            n--;
        if (strlen(dir) == n && memcmp(p, dir, n) == 0)
            return at;
    }
    return 0;
}

static bool why_library(const struct lc_traced_program *by, const char *dir, char *out, size_t size)
{
    char top[4096];
    int at;

    snprintf(top, sizeof(top), "%s", dir);
    lc_searchpath_cut_levels(top, true);
    for (size_t i = 0; i < by->objects.count; i++) {
        const char *tag = lc_searchpath_tag(by->objects.entry[i].key, top);
        if (tag) {
            snprintf(out, size, "%s of %s", tag, by->objects.entry[i].key);
            return true;
        }
    }
    if ((at = position_in(by->ld_library_path, top))) {
        snprintf(out, size, "LD_LIBRARY_PATH entry %d", at);
        return true;
    }
    if (lc_searchpath_is_default(top)) {
        snprintf(out, size, "ld.so's default directories");
        return true;
    }
    return false;
}

/* Names Python looks for to find out where it was installed. */
static bool is_landmark(const char *name)
{
    static const char *const names[] = {"pyvenv.cfg",  "os.py",          "os.pyc",
                                        "lib-dynload", "pybuilddir.txt", "Setup.local"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return dot && strcmp(dot, "._pth") == 0;
}

static bool is_module_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".pyc") == 0 || strcmp(dot, ".so") == 0);
}

/* A package's directory is searched because of the sys.path entry above its topmost package. */
static void why_import(const struct lc_summary *sum, const struct lc_traced_program *by,
                       const char *dir, char *out, size_t size)
{
    char entry[4096];
    int at;

    snprintf(entry, sizeof(entry), "%s", dir);
    while (lc_map_has(&sum->packages, entry)) {
        char *slash = strrchr(entry, '/');
        if (!slash || slash == entry)
            break;
        *slash = '\0';
    }
    const char *package = dir + strlen(entry) + (dir[strlen(entry)] == '/');
    if ((at = position_in(by->pythonpath, entry)))
        snprintf(out, size, "sys.path entry (PYTHONPATH %d)", at);
    else
        snprintf(out, size, "sys.path entry");
    if (*package) {
        size_t n = strlen(out);
        snprintf(out + n, size - n, " %s, package %s", entry, package);
    }
}

static void why_python(const struct lc_summary *sum, const struct lc_traced_program *by,
                       const char *dir, const char *name, char *out, size_t size)
{
    char path[8192];
    size_t n = strlen(name);
    int at;

    snprintf(path, sizeof(path), "%s/%s", dir[1] ? dir : "", name);
    if (is_landmark(name))
        snprintf(out, size, "Python's search for its own prefix");
    else if ((at = position_in(by->pythonpath, path)))
        snprintf(out, size, "PYTHONPATH entry %d, which does not exist", at);
    else if (n > 4 && strcmp(name + n - 4, ".zip") == 0)
        snprintf(out, size, "sys.path entry %s, which does not exist", path);
    else if (is_module_name(name))
        why_import(sum, by, dir, out, size);
}

void lc_traced_program_why(const struct lc_summary *sum, const char *dir,
                           const struct lc_dir_sum *found, char *out, size_t size)
{
    const struct lc_traced_program *by = found->by;
    int at;

    out[0] = '\0';
    if (!by || !found->example)
        return;
    bool by_loader = lc_searchpath_is_level(found->example) ||
                     (is_object_name(found->example) && !strstr(found->example, ".cpython-") &&
                      !strstr(found->example, ".abi3.so"));
    if (by_loader && why_library(by, dir, out, size))
        return;
    if (by->is_python)
        why_python(sum, by, dir, found->example, out, size);
    else if ((at = position_in(by->path, dir)))
        snprintf(out, size, "PATH entry %d", at);
}
