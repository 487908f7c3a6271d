/* SPDX-License-Identifier: MIT */
/* bindings.c - from the logs of the pilot's processes to a bindings section */
#include "record/bindings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/bind_process.h"
#include "util/io.h"

struct log {
    char *data;
    size_t len;
};

/* A process that is still running may append to its log; what is there now is used. */
static int read_log(int dir, const char *name, struct log *log)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    *log = (struct log){0};
    if (fd < 0)
        return -1;
    ssize_t n = -1;
    if (fstat(fd, &st) == 0 && st.st_size > 0 && (log->data = malloc((size_t)st.st_size)))
        n = lc_read_at(fd, log->data, (size_t)st.st_size, 0);
    close(fd);
    log->len = n > 0 ? (size_t)n : 0;
    if (n > 0)
        return 0;
    free(log->data);
    return -1;
}

static void close_file(void *file)
{
    lc_bind_elf_close(file);
    free(file);
}

/* A log is used up to the first malformed record. */
static void log_add_to_build(struct lc_bind_build *build, struct lc_map *files,
                             const struct log *log, bool *is_unresolved)
{
    struct lc_process p = {.build = build, .files = files};

    lc_process_read(&p, log->data, log->len);
    *is_unresolved |= p.is_unresolved;
    lc_process_free(&p);
}

static int read_all_logs(DIR *dir, struct lc_bind_build *build, bool *is_unresolved)
{
    struct lc_map files = {0};
    struct dirent *d;

    while (!build->failed && (d = readdir(dir))) {
        struct log log;
        if (d->d_name[0] == '.' || read_log(dirfd(dir), d->d_name, &log) < 0)
            continue;
        log_add_to_build(build, &files, &log, is_unresolved);
        free(log.data);
    }
    lc_map_free(&files, close_file);
    return build->failed ? (errno = ENOMEM, -1) : 0;
}

int lc_record_bindings(const char *path, struct lc_buf *out, bool *is_unresolved,
                       struct lc_error *err)
{
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    struct lc_bind_build build = {.system = lc_bindings_system(LC_IMAGE_MACHINE, page_bytes)};
    DIR *dir = opendir(path);

    bool is_incomplete = false;
    int rc = dir ? read_all_logs(dir, &build, &is_incomplete) : -1;
    if (dir)
        closedir(dir);
    if (is_unresolved)
        *is_unresolved = is_incomplete;
    if (rc == 0 && !(is_unresolved && is_incomplete))
        rc = lc_bind_build_finish(&build, out);
    lc_bind_build_free(&build);
    return rc < 0 ? lc_error_errno(err, "cannot record bindings") : 0;
}

void lc_record_bindings_clear(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *d;

    while (dir && (d = readdir(dir)))
        if (d->d_name[0] != '.')
            unlinkat(dirfd(dir), d->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(path);
}

static void add_section(struct lc_bind_build *build, const struct lc_buf *section)
{
    struct lc_bindings b;

    if (section->len && lc_bindings_open(&b, section->data, section->len) &&
        !lc_bindings_verify(&b))
        lc_bind_build_load(build, &b);
}

int lc_record_bindings_unite(struct lc_buf *all, const struct lc_buf *more)
{
    struct lc_bind_build build = {0};
    struct lc_buf both = {0};

    if (!more->len)
        return 0;
    add_section(&build, all);
    add_section(&build, more);
    int rc = lc_bind_build_finish(&build, &both);
    lc_bind_build_free(&build);
    if (rc < 0) {
        lc_buf_free(&both);
        return -1;
    }
    lc_buf_free(all);
    *all = both;
    return 0;
}
