/* SPDX-License-Identifier: MIT */
/* visit.c - look at an image in this node's memory after it was staged: counters, content, removal
 */
#include "stage/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "image/image.h"
#include "stage/clean.h"
#include "stage/counters.h"
#include "stage/deaths.h"
#include "stage/nodedir.h"
#include "stage/users.h"
#include "util/json.h"

enum { PIECE = 1 << 20 };

/* Paths that are reported, one line each: launchers mix long lines of several processes. */
enum { MOST_PATHS = 16 };

/* Counters are the directory's: those of a job that shares it are counted in. */
static void other_job_report(json_t *report, const struct lc_nodedir *node)
{
    struct lc_users users = lc_users_count(node->fd, node->path);

    if (users.jobs > 0)
        json_object_set_new(report, "other_job", lc_json_text(users.job));
}

static void counts_report(const struct lc_visit *visit, json_t *report,
                          const struct lc_nodedir *node)
{
    struct lc_passed_path path[LC_PASSED_PATHS];
    struct lc_counts counts = lc_live_read(node->live);
    size_t n = lc_live_passed(node->live, NULL, path);
    json_t *by_name = json_object();

    for (int i = 0; i < LC_COUNTS; i++)
        if (counts.count[i] > 0)
            json_object_set_new(by_name, lc_count_names[i].key,
                                json_integer((json_int_t)counts.count[i]));
    json_object_set_new(report, "counts", by_name);
    other_job_report(report, node);
    json_object_set_new(report, "bytes_opened", json_integer((json_int_t)counts.bytes_opened));
    for (size_t i = 0; i < n && i < MOST_PATHS; i++)
        visit->path(visit->arg, json_pack("{s:o, s:I}", "path", lc_json_text(path[i].path), "count",
                                          (json_int_t)path[i].count));
}

/* Does a staged file match its hash? */
static bool file_is_intact(const char *path, const struct lc_inode *inode, char *piece)
{
    XXH3_state_t *hash = XXH3_createState();
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = -1;

    if (hash && fd >= 0 && XXH3_128bits_reset(hash) == XXH_OK)
        while ((n = read(fd, piece, PIECE)) > 0)
            XXH3_128bits_update(hash, piece, (size_t)n);
    XXH128_hash_t is = hash ? XXH3_128bits_digest(hash) : (XXH128_hash_t){0};
    XXH3_freeState(hash);
    if (fd >= 0)
        close(fd);
    return n == 0 && is.low64 == inode->hash[0] && is.high64 == inode->hash[1];
}

/* Compare all staged files with their hashes. 0, or -1 with err naming the first that differs. */
static int nodedir_verify(const struct lc_visit *visit, const struct lc_nodedir *node,
                          size_t *files, struct lc_error *err)
{
    const struct lc_staged *slot =
        (const void *)((const char *)node->state + node->state->slot_offset);
    char *piece = malloc(PIECE), path[2 * PATH_MAX];
    int rc = piece ? lc_image_verify(&node->look, err) : lc_error_errno(err, "cannot verify");

    for (uint32_t i = 0; rc == 0 && i < node->state->slots; i++) {
        const struct lc_inode *inode =
            slot[i].ino ? lc_look_inode(&node->look, slot[i].entry) : NULL;
        if (!inode)
            continue;
        snprintf(path, sizeof(path), "%s%s%s", node->path, LC_NODE_FILES,
                 lc_look_name(&node->look, node->look.entry[slot[i].entry].path));
        if (!file_is_intact(path, inode, piece))
            rc = lc_error_set(err, "'%s' is not what was recorded; run 'loadcast clean' there",
                              path);
        (*files)++;
        if (visit->beat)
            visit->beat();
    }
    free(piece);
    return rc;
}

/* How long staging took here, unless content came from what the node had already: then that says
 * nothing of the disk. */
static void seconds_report(json_t *report, const struct lc_nodedir *node)
{
    json_t *about = lc_json_read(openat(node->fd, "about", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    json_t *seconds = json_object_get(about, "seconds");

    if (json_is_real(seconds) && json_integer_value(json_object_get(about, "copied")) == 0)
        json_object_set(report, "staging_s", seconds);
    json_decref(about);
}

/* Report how many processes have used the directory, what they still asked of managed disks, and
 * which of them died while they loaded, if it can be opened. */
static void processes_report(json_t *report, int user, const char *user_path, const char *name)
{
    struct lc_nodedir node;
    struct lc_error ignored;

    if (lc_nodedir_open(&node, user, user_path, name, &ignored) < 0)
        return;
    struct lc_counts counts = lc_live_read(node.live);
    json_object_set_new(report, "processes",
                        json_integer((json_int_t)counts.count[LC_COUNT_PROCESSES]));
    json_object_set_new(report, "passed", json_integer((json_int_t)lc_counts_passed(&counts)));
    struct lc_deaths deaths = lc_deaths_take(node.live);
    lc_deaths_report(&deaths, report);
    seconds_report(report, &node);
    lc_nodedir_close(&node);
}

static int nodedir_visit(const struct lc_visit *visit, int user, const char *user_path,
                         const char *name, json_t *report, struct lc_error *err)
{
    struct lc_nodedir node;
    size_t files = 0;

    if (lc_nodedir_open(&node, user, user_path, name, err) < 0)
        return -1;
    if (visit->stats)
        counts_report(visit, report, &node);
    if (visit->misses)
        lc_misses_read(visit->misses, node.live, node.live_len, &node.look);
    int rc = visit->verify ? nodedir_verify(visit, &node, &files, err) : 0;
    json_object_set_new(report, "verified", json_integer((json_int_t)files));
    lc_nodedir_close(&node);
    return rc;
}

/* Inside a job the user's directory stays: later steps look there, and another user must not take
 * its name. */
static void nodedir_clean(const struct lc_visit *visit, int user, const char *user_path,
                          const char *name)
{
    lc_clean_node(user, user_path, name, visit->all ? LC_CLEAN_ALL : LC_CLEAN_JOB);
    lc_clean_user(user, user_path, LC_CLEAN_STALE, NULL, NULL, NULL);
    if (visit->no_job)
        rmdir(user_path);
}

struct ending {
    const struct lc_visit *visit;
    json_t *report;
    struct lc_error *err;
    char name[LC_NODEDIR_NAME];
    int rc;
};

static bool name_exists(int user, const char *name)
{
    return faccessat(user, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void user_visit(void *arg, int user, const char *user_path)
{
    struct ending *e = arg;
    const struct lc_visit *s = e->visit;

    if (e->rc < 0 && name_exists(user, e->name)) {
        processes_report(e->report, user, user_path, e->name);
        e->rc = s->stats || s->verify || s->misses
                    ? nodedir_visit(s, user, user_path, e->name, e->report, e->err)
                    : 0;
    }
    struct lc_deaths left = lc_deaths_take_left(user, e->name);
    lc_deaths_report(&left, e->report);
    if (left.count > 0 && s->no_job)
        rmdir(user_path); /* the janitor could not */
    if (s->clean) {
        nodedir_clean(s, user, user_path, e->name);
        json_object_set_new(e->report, "removed", json_boolean(!name_exists(user, e->name)));
    }
}

static void refusal_note(void *arg, const struct lc_error *why)
{
    struct ending *e = arg;

    *e->err = *why;
}

int lc_visit_node(const struct lc_visit *visit, json_t *report)
{
    struct lc_error err = {"nothing is staged here"};
    struct ending e = {.visit = visit, .report = report, .err = &err, .rc = -1};

    lc_nodedir_name(e.name, visit->id, visit->only_libs);
    lc_nodedir_each_user(visit->dir, user_visit, refusal_note, &e);
    json_object_set_new(report, "ok", json_boolean(e.rc == 0));
    if (e.rc < 0)
        json_object_set_new(report, "error", lc_json_text(err.text));
    return e.rc;
}
