/* SPDX-License-Identifier: MIT */
/* summary.c - count events by kind, mount and directory */
#include "trace/summary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/programs.h"
#include "trace/searchpath.h"
#include "util/path.h"

int lc_summary_begin(struct lc_summary *sum)
{
    return lc_mounts_open(&sum->mounts);
}

static void free_dir(void *value)
{
    struct lc_dir_sum *dir = value;

    free(dir->example);
    free(dir);
}

void lc_summary_end(struct lc_summary *sum)
{
    lc_map_free(&sum->mount_of_dir, NULL);
    lc_map_free(&sum->links, free);
    lc_map_free(&sum->files, free);
    lc_map_free(&sum->dirs, free_dir);
    lc_map_free(&sum->packages, NULL);
    lc_map_free(&sum->programs, NULL);
    lc_map_free(&sum->all_programs, lc_traced_program_destroy);
    lc_mounts_close(&sum->mounts);
    free(sum->mount);
    *sum = (struct lc_summary){0};
}

static struct lc_mount_sum *mount_sum(struct lc_summary *sum, const struct lc_mountpoint *mount)
{
    for (size_t i = 0; i < sum->mount_count; i++)
        if (sum->mount[i].mount == mount)
            return &sum->mount[i];
    struct lc_mount_sum *grown = realloc(sum->mount, (sum->mount_count + 1) * sizeof(*grown));
    if (!grown)
        return NULL;
    sum->mount = grown;
    grown[sum->mount_count] = (struct lc_mount_sum){.mount = mount};
    return &grown[sum->mount_count++];
}

/* The path with its longest known link resolved, or the path itself. */
static const char *follow_links(const struct lc_summary *sum, const char *path, char *out,
                                size_t size)
{
    const struct lc_map_entry *best = NULL;

    for (size_t i = 0; i < sum->links.count; i++) {
        const struct lc_map_entry *e = &sum->links.entry[i];
        if (lc_path_is_under(path, e->key) && (!best || strlen(e->key) > strlen(best->key)))
            best = e;
    }
    if (!best)
        return path;
    snprintf(out, size, "%s%s", (const char *)best->value, path + strlen(best->key));
    return out;
}

static void mount_cache_clear(struct lc_summary *sum)
{
    lc_map_free(&sum->mount_of_dir, NULL);
}

/* The mount of a path. The mount of each directory is cached, because searching the mount table is
 * slow; a mount point itself is looked up by its full name. */
static const struct lc_mountpoint *mount_of_path(struct lc_summary *sum, const char *path)
{
    char dir[2 * PATH_MAX + 64], resolved[4 * PATH_MAX];
    size_t n = lc_path_dir_len(path);

    if (n == 0 || n >= sizeof(dir))
        return lc_mounts_find(&sum->mounts, path);
    memcpy(dir, path, n);
    dir[n] = '\0';
    const struct lc_mountpoint *known = lc_map_get(&sum->mount_of_dir, dir);
    if (!known) {
        if (lc_mounts_refresh(&sum->mounts))
            mount_cache_clear(sum);
        known = lc_mounts_find(&sum->mounts, follow_links(sum, dir, resolved, sizeof(resolved)));
        void **at = lc_map_at(&sum->mount_of_dir, dir);
        if (at)
            *at = (void *)(uintptr_t)known;
    }
    for (size_t i = 0; i < sum->mounts.count; i++)
        if (strcmp(sum->mounts.item[i]->point, path) == 0)
            return lc_mounts_find(&sum->mounts, path);
    return known;
}

/* If the kernel's name of an opened file differs from its path, the path contains a link: without
 * the common end of both names, one leads to the other. Stored only if it matters: if the link
 * leads to another mount, or if only one tree is counted. */
static void learn_link(struct lc_summary *sum, const char *path, const char *real)
{
    size_t a = strlen(path), b = strlen(real), from = 0, to = 0;

    for (size_t i = a, j = b; i > 0 && j > 0 && path[i - 1] == real[j - 1]; i--, j--)
        if (path[i - 1] == '/' && i > 1) {
            from = i - 1;
            to = j - 1;
        }
    if (from == 0 || (!sum->under[0] &&
                      lc_mounts_find(&sum->mounts, path) == lc_mounts_find(&sum->mounts, real)))
        return;
    char *prefix = strndup(path, from);
    void **at = prefix ? lc_map_at(&sum->links, prefix) : NULL;
    if (at && !*at) {
        *at = strndup(real, to);
        mount_cache_clear(sum);
    }
    free(prefix);
}

static bool is_counted(const struct lc_summary *sum, const char *path, const char *real)
{
    char resolved[4 * PATH_MAX];

    if (!sum->under[0])
        return true;
    path = follow_links(sum, path, resolved, sizeof(resolved));
    for (int i = 0; i < 2; i++)
        if (sum->under[i] &&
            (lc_path_is_under(path, sum->under[i]) || lc_path_is_under(real, sum->under[i])))
            return true;
    return false;
}

static bool event_has_failed(const struct lc_trace_event *e)
{
    return e->result < 0 &&
           e->result > -512; /* from 512 on: internal codes for calls that the kernel restarts */
}

/* Count a failed look-up for its directory. ld.so's sub-directories for hardware levels are counted
 * with the directory they are in. */
static void missing_add(struct lc_summary *sum, const struct lc_trace_event *e, char *path)
{
    char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    if (!slash || !*name)
        return;
    *slash = '\0';
    lc_searchpath_cut_levels(path, false);
    struct lc_dir_sum *dir = lc_map_object(&sum->dirs, *path ? path : "/", sizeof(*dir));
    if (!dir)
        return;
    dir->failed++;
    if (!dir->example)
        dir->by = lc_traced_program_of(sum, e->pid, e->parent);
    if (!dir->example || lc_searchpath_is_level(dir->example)) {
        free(dir->example);
        dir->example = strdup(name);
    }
}

static void count_event(struct lc_count *count, const struct lc_trace_event *e)
{
    if (event_has_failed(e))
        count->failed++;
    else
        count->ok++;
}

static void counts_add(struct lc_mount_sum *at, const struct lc_trace_event *e)
{
    struct lc_count *count = &at->kind[e->kind];

    count_event(count, e);
    if (!lc_trace_is_data(e->kind) && (!e->given || !e->given[0]))
        count_event(&at->on_descriptor, e);
    if (e->kind == LC_TRACE_READ)
        at->bytes_read += e->bytes;
    else if (e->kind == LC_TRACE_MMAP)
        at->bytes_mapped += e->bytes;
}

/* Opened files, and what is taken from them later. */
static void file_note(struct lc_summary *sum, const struct lc_trace_event *e, const char *where)
{
    struct lc_file_sum *file;

    if (e->kind == LC_TRACE_OPEN && e->result >= 0)
        lc_map_object(&sum->files, where, sizeof(*file));
    else if (lc_trace_is_data(e->kind) && (file = lc_map_get(&sum->files, where))) {
        if (e->kind == LC_TRACE_READ)
            file->read += e->bytes;
        else if (e->bytes > file->mapped)
            file->mapped = e->bytes;
    }
}

void lc_summary_add(struct lc_summary *sum, const struct lc_trace_event *e)
{
    char path[2 * PATH_MAX + 64];
    /* Not for exec: the "real" program of a script is its interpreter, which is elsewhere. */
    const char *where = e->real && e->kind == LC_TRACE_OPEN ? e->real : path;

    /* Here ".." may be resolved by text: at worst another directory's name is shown. */
    if (e->path[0] != '/' || lc_path_absolute(path, sizeof(path), "/", e->path) < 0)
        snprintf(path, sizeof(path), "%s", e->path);
    if (where != path && !event_has_failed(e))
        learn_link(sum, path, e->real);
    if (e->kind == LC_TRACE_OTHER && e->result >= 0 && strstr(e->call, "mount")) {
        lc_mounts_reread(&sum->mounts);
        mount_cache_clear(sum);
    }
    lc_traced_programs_note(sum, e, path);
    if (!is_counted(sum, path, where))
        return;
    if (path[0] == '?' && (e->result == -EBADF || e->result == -EFAULT))
        strcpy(path, "bad:"); /* not a path */
    const struct lc_mountpoint *mount = mount_of_path(sum, where);
    struct lc_mount_sum *at = mount_sum(sum, mount);
    if (at)
        counts_add(at, e);
    if (mount->is_kernel)
        return;
    file_note(sum, e, where);
    if (e->given && e->given[0] && (e->result == -ENOENT || e->result == -ENOTDIR))
        missing_add(sum, e, path);
}

static void count_add(struct lc_count *to, const struct lc_count *from)
{
    to->ok += from->ok;
    to->failed += from->failed;
}

struct lc_totals lc_summary_totals(const struct lc_summary *sum)
{
    struct lc_totals t = {0};

    for (size_t i = 0; i < sum->mount_count; i++) {
        const struct lc_mount_sum *m = &sum->mount[i];
        if (m->mount->is_kernel)
            continue;
        for (int k = 0; k < LC_TRACE_KINDS; k++) {
            count_add(&t.kind[k], &m->kind[k]);
            count_add(lc_trace_is_data((enum lc_trace_kind)k) ? &t.data : &t.metadata, &m->kind[k]);
        }
        count_add(&t.on_descriptor, &m->on_descriptor);
        t.bytes_read += m->bytes_read;
        t.bytes_mapped += m->bytes_mapped;
    }
    for (size_t i = 0; i < sum->files.count; i++) {
        const struct lc_file_sum *f = sum->files.entry[i].value;
        t.bytes_of_files += !f ? 0 : f->read > f->mapped ? f->read : f->mapped;
    }
    return t;
}

size_t lc_summary_worst_dirs(const struct lc_summary *sum, size_t *index, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < sum->dirs.count; i++) {
        const struct lc_dir_sum *dir = sum->dirs.entry[i].value;
        size_t at = n < most ? n++ : most;
        /* Insertion sort from the end; equal counts stay in the order in which they were first
         * seen. */
        for (; at > 0; at--) {
            const struct lc_dir_sum *above = sum->dirs.entry[index[at - 1]].value;
            if (above->failed >= dir->failed)
                break;
            if (at < most)
                index[at] = index[at - 1];
        }
        if (at < most)
            index[at] = i;
    }
    return n;
}
