/* SPDX-License-Identifier: MIT */
/* local.c - stage from an image file: on the shared file system, or a copy that was sent to this
 * node
 *
 * One process opens the file once and reads it in large pieces, in its order. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/format.h"
#include "stage/content_stream.h"
#include "stage/owned.h"
#include "stage/stager/stager.h"
#include "util/cli.h"
#include "util/path.h"

enum { PIECE = 1 << 20 };

/* Is progress reported on standard output? Not in a rank, whose output is the program's. */
struct reporting {
    bool is_on;
};

static int contents_copy_all(struct lc_content_reader *reader, struct lc_content_writer *writer,
                             char *piece, const struct reporting *reporting)
{
    uint64_t done = 0, all = lc_content_reader_bytes(reader);
    ssize_t n;

    while ((n = lc_content_reader_read(reader, piece, PIECE)) > 0) {
        if (lc_content_writer_add(writer, reader->need, piece, (size_t)n) < 0)
            return -1;
        done += (uint64_t)n;
        if (reporting->is_on)
            lc_report_progress(done, all);
        if (lc_stager_is_asked_to_end())
            return errno = EINTR, -1;
    }
    return (int)n;
}

static int contents_take(void *arg, struct lc_fill *fill, int root,
                         const struct lc_contents *contents)
{
    uint8_t *need = calloc(lc_contents_bitmap(contents) + 1, 1);
    char *piece = malloc(PIECE);
    struct lc_content_writer writer;
    struct lc_content_reader reader = {
        .image = fill->image, .fill = fill, .contents = contents, .need = need};

    if (!need || !piece) {
        free(need);
        free(piece);
        return errno = ENOMEM, -1;
    }
    int rc = lc_content_writer_begin(&writer, fill, root, contents, need);
    if (rc == 0)
        rc = contents_copy_all(&reader, &writer, piece, arg);
    int end = lc_content_writer_end(&writer, rc == 0 ? need : NULL);
    int saved = errno;
    lc_content_reader_free(&reader);
    free(need);
    free(piece);
    errno = saved;
    return rc < 0 ? rc : end;
}

static int files_fill(void *arg, struct lc_fill *fill, struct lc_error *err)
{
    int rc = lc_fill_files_by(fill, contents_take, arg, err);

    if (rc < 0 && errno == EBADMSG)
        lc_error_set(err, "'%s' is damaged: its content does not match its checksums",
                     fill->image->file);
    return rc;
}

static int file_stage(const struct lc_stager *s, const char *file, bool reports,
                      struct lc_nodedir *node, struct lc_stage_report *did, struct lc_error *err)
{
    struct lc_stage_options how;
    struct reporting reporting = {reports};
    char origin[PATH_MAX];

    if (lc_stager_options(s, &how, origin, err) < 0)
        return -1;
    how.is_stopped = lc_stager_is_asked_to_end;
    how.fill_files = files_fill;
    how.arg = &reporting;
    return lc_stage(file, &how, node, did, err);
}

/* 'sent': bytes that were sent to this node; -1: the bytes that it reads count. */
static int file_stage_and_report(const struct lc_stager *s, const char *image, off_t sent)
{
    struct lc_nodedir node;
    struct lc_stage_report did;
    struct lc_error err;

    if (file_stage(s, image, true, &node, &did, &err) < 0) {
        lc_report(lc_report_of_image(image, &err));
        lc_stager_sweep(s);
        return 1;
    }
    uint64_t read = did.fresh ? did.bytes - did.copied : 0;
    lc_report_staged(&node, &did, sent < 0 ? read : (uint64_t)sent);
    lc_nodedir_close(&node);
    return 0;
}

int lc_stager_fs(const struct lc_stager *s, const char *image)
{
    return file_stage_and_report(s, image, -1);
}

int lc_stager_local(const struct lc_stager *s, const char *copy)
{
    struct stat st;
    int code = file_stage_and_report(s, copy, stat(copy, &st) == 0 ? st.st_size : 0);

    unlink(copy);
    return code;
}

/* Remove the node package that this program was started from: no shell waits to do it. */
static void package_remove(void)
{
    static const char prefix[] = ".loadcast-kit."; /* src/launch/scripts/unpack_package.sh */
    char origin[PATH_MAX];
    struct lc_error err;

    if (lc_stage_origin(origin, sizeof(origin), &err) == 0 &&
        strncmp(lc_path_base(origin), prefix, sizeof(prefix) - 1) == 0)
        lc_owned_remove(AT_FDCWD, origin);
}

/* The script that started this program has put variables of ld.so out of the way, so that neither
 * the node's tools nor this program search the shared file system (rank_self_staging.sh). */
static void loader_variables_restore(void)
{
    static const char *const hidden[][2] = {{"LOADCAST_OF_LD_LIBRARY_PATH", "LD_LIBRARY_PATH"},
                                            {"LOADCAST_OF_LD_PRELOAD", "LD_PRELOAD"},
                                            {"LOADCAST_OF_LD_AUDIT", "LD_AUDIT"}};

    for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
        const char *value = getenv(hidden[i][0]);
        if (value && setenv(hidden[i][1], value, 1) == 0)
            unsetenv(hidden[i][0]);
    }
}

/* False if the launcher does not number its ranks in a way that is known. */
static bool is_rank_above_0(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *number = getenv(names[i]);
        if (number)
            return strcmp(number, "0") != 0;
    }
    return false;
}

/* What one node does not see the others will not see either, so rank 0 speaks for all. */
static void rank_tell(const struct lc_stager *s, bool is_seen, const struct lc_error *why)
{
    char host[256] = "?";

    gethostname(host, sizeof(host) - 1);
    if (s->silent || (!is_seen && is_rank_above_0()))
        return;
    fprintf(stderr, "loadcast: %s %s%s: %s\n", host,
            s->strict ? "cannot be staged" : "runs without it",
            is_seen ? "" : ", as does each node that does not see it", why->text);
}

static int rank_run_plainly(const struct lc_stager *s, bool is_seen, const struct lc_error *why,
                            char **command)
{
    rank_tell(s, is_seen, why);
    if (s->strict)
        return LC_EXIT_SELF;
    execvp(command[0], command);
    int code = errno;
    fprintf(stderr, "loadcast: cannot execute '%s': %s\n", command[0], strerror(code));
    return lc_exit_of_start(code);
}

/* A rank that stages by itself: the first on its node stages; then each executes its program. */
int lc_stager_rank(const struct lc_stager *s, const char *image, char **command)
{
    char launch[PATH_MAX];
    struct lc_nodedir node;
    struct lc_stage_report did;
    struct lc_error err;

    lc_stager_watch(true);
    int rc = file_stage(s, image, false, &node, &did, &err);
    bool is_seen = rc == 0 || lc_stager_sees(image);
    if (rc < 0)
        lc_stager_sweep(s);
    else if (s->janitor)
        lc_janitor_start(s, &node);
    package_remove();
    lc_stager_end_if_asked();
    loader_variables_restore();
    if (rc == 0) {
        snprintf(launch, sizeof(launch), "%s%s", node.path, LC_NODE_LAUNCH);
        lc_nodedir_close(&node);
        command[-1] = (char *)(uintptr_t) "launch";
        execv(launch, command - 1);
        lc_error_errno(&err, "cannot execute '%s'", launch);
    }
    return rank_run_plainly(s, is_seen, &err, command);
}
