/* SPDX-License-Identifier: MIT */
/* local.c - the image is a file this node can read: on the shared file system, or a copy that was
 * broadcast. One process opens it once and reads it in large pieces in its own order. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/format.h"
#include "stage/owned.h"
#include "stage/stager/stager.h"
#include "stage/content_stream.h"
#include "util/path.h"

enum { PIECE = 1 << 20 };

/* Does the head read standard output? In a rank it is the program's own. */
struct reporting {
    bool is_on;
};

static int move_all(struct lc_content_reader *reader, struct lc_content_writer *unpack, char *piece,
                    const struct reporting *reporting)
{
    uint64_t done = 0, all = lc_content_reader_bytes(reader);
    ssize_t n;

    while ((n = lc_content_reader_read(reader, piece, PIECE)) > 0) {
        if (lc_content_writer_add(unpack, reader->need, piece, (size_t)n) < 0)
            return -1;
        done += (uint64_t)n;
        if (reporting->is_on)
            lc_report_progress(done, all);
        if (lc_stager_is_asked_to_end())
            return errno = EINTR, -1;
    }
    return (int)n;
}

static int unpack_contents(void *arg, struct lc_fill *fill, int root,
                           const struct lc_contents *contents)
{
    uint8_t *need = calloc(lc_contents_bitmap(contents) + 1, 1);
    char *piece = malloc(PIECE);
    struct lc_content_writer unpack;
    struct lc_content_reader reader = {
        .image = fill->image, .fill = fill, .contents = contents, .need = need};

    if (!need || !piece) {
        free(need);
        free(piece);
        return errno = ENOMEM, -1;
    }
    int rc = lc_content_writer_begin(&unpack, fill, root, contents, need);
    if (rc == 0)
        rc = move_all(&reader, &unpack, piece, arg);
    int end = lc_content_writer_end(&unpack, rc == 0 ? need : NULL);
    int saved = errno;
    lc_content_reader_free(&reader);
    free(need);
    free(piece);
    errno = saved;
    return rc < 0 ? rc : end;
}

static int fill_files(void *arg, struct lc_fill *fill, struct lc_error *err)
{
    int rc = lc_fill_files_by(fill, unpack_contents, arg, err);

    if (rc < 0 && errno == EBADMSG)
        lc_error_set(err, "'%s' is damaged: its content does not match its checksums",
                     fill->image->file);
    return rc;
}

static int stage(const struct lc_stager *s, const char *file, bool reports, struct lc_nodedir *node,
                 struct lc_stage_report *did, struct lc_error *err)
{
    struct lc_stage_options how;
    struct reporting reporting = {reports};
    char origin[PATH_MAX];

    if (lc_stager_options(s, &how, origin, err) < 0)
        return -1;
    how.fill_files = fill_files;
    how.arg = &reporting;
    return lc_stage(file, &how, node, did, err);
}

/* 'sent': how many bytes were brought here for it; -1: those it read. */
static int stage_and_report(const struct lc_stager *s, const char *image, off_t sent)
{
    struct lc_nodedir node;
    struct lc_stage_report did;
    struct lc_error err;

    if (stage(s, image, true, &node, &did, &err) < 0) {
        lc_report_error(&err);
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
    return stage_and_report(s, image, -1);
}

int lc_stager_local(const struct lc_stager *s, const char *copy)
{
    struct stat st;
    int code = stage_and_report(s, copy, stat(copy, &st) == 0 ? st.st_size : 0);

    unlink(copy);
    return code;
}

/* The directory that this program was brought in: the rank does not come back to remove it. */
static void remove_kit(void)
{
    static const char kit[] = ".loadcast-kit."; /* src/launch/kit.c */
    char origin[PATH_MAX];
    struct lc_error err;

    if (lc_stage_origin(origin, sizeof(origin), &err) == 0 &&
        strncmp(lc_path_base(origin), kit, sizeof(kit) - 1) == 0)
        lc_owned_remove(AT_FDCWD, origin);
}

/* One of many ranks of a node: whoever comes first stages, then each becomes its program. */
int lc_stager_rank(const struct lc_stager *s, const char *image, char **command)
{
    char launch[PATH_MAX];
    struct lc_nodedir node;
    struct lc_stage_report did;
    struct lc_error err;

    int rc = stage(s, image, false, &node, &did, &err);
    remove_kit();
    if (rc == 0) {
        snprintf(launch, sizeof(launch), "%s%s", node.path, LC_NODE_LAUNCH);
        lc_nodedir_close(&node);
        command[-1] = (char *)(uintptr_t) "launch";
        execv(launch, command - 1);
        lc_error_errno(&err, "cannot execute '%s'", launch);
    }
    fprintf(stderr, "loadcast: %s; running without it\n", err.text);
    execvp(command[0], command);
    int code = errno;
    fprintf(stderr, "loadcast: cannot execute '%s': %s\n", command[0], strerror(code));
    return lc_exit_of_start(code);
}
