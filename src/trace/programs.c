/* SPDX-License-Identifier: MIT */
/* programs.c - record which program ran in which process, and explain why it searched a directory
 */
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
    struct lc_traced_program *traced = value;

    free(traced->program);
    free(traced->ld_library_path);
    free(traced->pythonpath);
    free(traced->path);
    lc_map_free(&traced->objects, NULL);
    free(traced);
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

static void pid_key(pid_t pid, char key[24])
{
    snprintf(key, 24, "%d", (int)pid);
}

static void program_note(struct lc_summary *sum, const struct lc_trace_event *e, const char *path)
{
    char key[24], owner[48], file[48];
    struct lc_buf block = {0};

    pid_key(e->pid, key);
    snprintf(owner, sizeof(owner), "%s.%zu", key, sum->all_programs.count);
    struct lc_traced_program *traced = lc_map_object(&sum->all_programs, owner, sizeof(*traced));
    void **at = traced ? lc_map_at(&sum->programs, key) : NULL;
    if (!at)
        return;
    *at = traced;
    traced->program = strdup(e->real ? e->real : path);
    snprintf(file, sizeof(file), "/proc/%d/environ", (int)e->pid);
    read_file(file, &block);
    traced->ld_library_path = environment_value(&block, "LD_LIBRARY_PATH");
    traced->pythonpath = environment_value(&block, "PYTHONPATH");
    traced->path = environment_value(&block, "PATH");
    lc_buf_free(&block);
    if (traced->program) {
        traced->is_python = strncmp(lc_path_base(traced->program), "python", 6) == 0;
        lc_map_at(&traced->objects, traced->program);
    }
}

struct lc_traced_program *lc_traced_program_of(struct lc_summary *sum, pid_t pid, pid_t parent)
{
    char key[24];

    pid_key(pid, key);
    struct lc_traced_program *traced = lc_map_get(&sum->programs, key);
    if (traced)
        return traced;
    pid_key(parent, key);
    traced = lc_map_get(&sum->programs, key);
    pid_key(pid, key);
    void **at = traced ? lc_map_at(&sum->programs, key) : NULL;
    if (at)
        *at = traced;
    return traced;
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
        program_note(sum, e, path);
        return;
    }
    if (strncmp(name, "__init__.", 9) == 0 && name > path + 1) {
        char *dir = strndup(path, (size_t)(name - path - 1));
        if (dir)
            lc_map_at(&sum->packages, dir);
        free(dir);
    }
    if (e->kind == LC_TRACE_OPEN && is_object_name(name)) {
        struct lc_traced_program *traced = lc_traced_program_of(sum, e->pid, e->parent);
        if (traced)
            lc_map_at(&traced->objects, path);
        if (traced && strncmp(name, "libpython", 9) == 0)
            traced->is_python = true; /* also if Python is embedded */
    }
}

/* Position (from 1) of 'dir' in a colon-separated list, or 0. */
static int list_position(const char *list, const char *dir)
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

static bool library_reason(const struct lc_traced_program *by, const char *dir, char *out,
                           size_t size)
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
    if ((at = list_position(by->ld_library_path, top))) {
        snprintf(out, size, "LD_LIBRARY_PATH entry %d", at);
        return true;
    }
    if (lc_searchpath_is_default(top)) {
        snprintf(out, size, "ld.so's default directories");
        return true;
    }
    return false;
}

/* Files that Python looks for to find its installation directory. */
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

/* Explain a search by an import. A package's directory is searched because of the sys.path entry
 * above its topmost package. */
static void import_reason(const struct lc_summary *sum, const struct lc_traced_program *by,
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
    if ((at = list_position(by->pythonpath, entry)))
        snprintf(out, size, "sys.path entry (PYTHONPATH %d)", at);
    else
        snprintf(out, size, "sys.path entry");
    if (*package) {
        size_t n = strlen(out);
        snprintf(out + n, size - n, " %s, package %s", entry, package);
    }
}

static void python_reason(const struct lc_summary *sum, const struct lc_traced_program *by,
                          const char *dir, const char *name, char *out, size_t size)
{
    char path[8192];
    size_t n = strlen(name);
    int at;

    snprintf(path, sizeof(path), "%s/%s", dir[1] ? dir : "", name);
    if (is_landmark(name))
        snprintf(out, size, "Python's search for its own prefix");
    else if ((at = list_position(by->pythonpath, path)))
        snprintf(out, size, "PYTHONPATH entry %d, which does not exist", at);
    else if (n > 4 && strcmp(name + n - 4, ".zip") == 0)
        snprintf(out, size, "sys.path entry %s, which does not exist", path);
    else if (is_module_name(name))
        import_reason(sum, by, dir, out, size);
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
    if (by_loader && library_reason(by, dir, out, size))
        return;
    if (by->is_python)
        python_reason(sum, by, dir, found->example, out, size);
    else if ((at = list_position(by->path, dir)))
        snprintf(out, size, "PATH entry %d", at);
}
