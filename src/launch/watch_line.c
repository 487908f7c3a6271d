/* SPDX-License-Identifier: MIT */
/* watch_line.c - run a launch line that has no image yet, and watch its first ranks for one */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/held_time.h"
#include "launch/job_run.h"
#include "launch/line_key.h"
#include "launch/node_package.h"
#include "node/watched.h"
#include "record/ranks.h"
#include "store/entry.h"
#include "util/clock.h"
#include "util/json.h"
#include "util/own_path.h"
#include "util/path.h"

static const double FIRST_PAUSE_S = 0.005;
static const double DEATH_S = 1; /* for the store to take down that the program died */

/* What is watched, and for which image. */
struct watch {
    struct lc_store_key key;
    struct lc_store_dir store;
    struct lc_argv prefix;
};

static void watch_free(struct watch *w)
{
    lc_argv_free(&w->prefix);
    lc_store_key_free(&w->key);
    lc_store_dir_close(&w->store);
}

static char *how_compose(const struct lc_job_run *run, const struct watch *w)
{
    const struct lc_strings *manage = &run->options->manage;
    char words[24];

    snprintf(words, sizeof(words), "%016" PRIx64, w->key.words);
    json_t *how = json_pack(
        "{s:o, s:s, s:s, s:O, s:s, s:i, s:o, s:o}", "store", lc_json_text(w->store.path), "key",
        w->key.text, "name", w->key.label, "parts", w->key.parts, "words", words, "ranks",
        (int)run->options->watch, "dir", lc_json_text(run->dir), "manage", json_array());

    for (size_t i = 0; i < manage->count; i++) {
        char full[PATH_MAX];
        json_array_append_new(
            json_object_get(how, "manage"),
            lc_json_text(realpath(manage->item[i], full) ? full : manage->item[i]));
    }
    char *text = how ? json_dumps(how, JSON_COMPACT) : NULL;
    json_decref(how);
    return text;
}

/* Has the launcher been told to start ranks in a container, where another root holds other files?
 */
static bool has_container(const struct lc_job_run *run)
{
    static const char option[] = "--container", variable[] = "SLURM_CONTAINER";
    int last = run->line.program[run->line.programs - 1];
    bool has = false;

    for (int i = 0; i < last; i++)
        has |= strncmp(run->argv[i], option, sizeof(option) - 1) == 0;
    for (char **v = environ; *v; v++)
        has |= strncmp(*v, variable, sizeof(variable) - 1) == 0;
    return has;
}

/* May the loader stand before the shell of each rank, so that this does not search the user's
 * LD_LIBRARY_PATH? Only if nobody can lack it: on this machine, for programs that name it too, and
 * only if it can start this shell, which may be static. */
static bool may_name_loader(const struct lc_job_run *run)
{
    const char *loader = lc_node_package_loader();
    bool is_here;

    return lc_line_count_nodes(&run->line, &is_here) > 0 && is_here && !has_container(run) &&
           lc_job_run_names_loader(run, loader) && lc_program_names_loader("/bin/sh", loader);
}

/* The words before each program. Nobody has looked whether Loadcast is on the nodes of a launcher:
 * a shell does. */
static int prefix_compose(struct lc_job_run *run, struct watch *w, struct lc_error *err)
{
    char self[PATH_MAX];
    char *how = how_compose(run, w);

    if (!how || lc_own_front(self, err) < 0) {
        free(how);
        return -1;
    }
    if (run->line.launcher == LC_LAUNCHER_NONE) {
        lc_argv_add(&w->prefix, self);
        lc_argv_add(&w->prefix, LC_WATCHED_RANK);
        lc_argv_add(&w->prefix, how);
    } else {
        run->front_fd = open(self, O_PATH | O_CLOEXEC);
        lc_node_package_add_watch_prefix(&w->prefix, !may_name_loader(run), self, run->front_fd,
                                         run->options->watch, how);
    }
    free(how);
    return w->prefix.failed ? -1 : 0;
}

/* The search for the key has looked already, in most cases. */
static bool programs_are_there(const struct lc_job_run *run)
{
    char path[PATH_MAX];
    bool all = run->line.understood && run->line.programs > 0;

    if (all && run->missing.text[0] && run->all_found)
        return true;
    for (int i = 0; all && i < run->line.programs; i++)
        all = lc_path_find_program(path, sizeof(path), run->argv[run->line.program[i]], NULL) == 0;
    return all;
}

static int key_take(struct lc_job_run *run, struct watch *w, struct lc_error *err)
{
    if (!run->missing.text[0])
        return lc_line_key(run->argv, &w->key, err);
    w->key = run->missing;
    run->missing = (struct lc_store_key){.parts = NULL};
    return 0;
}

/* Can the line be watched, and is there a place for its image? */
static int watch_prepare(struct lc_job_run *run, struct watch *w, struct lc_error *err)
{
    char *none[] = {NULL};

    if (run->options->wrap == LC_WRAP_NEVER) /* what watches stands before the program */
        return lc_error_set(err, "--wrap never: nothing may stand before the program");
    lc_launch_line_find_programs(&run->line, run->argv);
    if (!programs_are_there(run))
        return lc_error_set(err, "cannot tell what the line starts");
    if (key_take(run, w, err) < 0)
        return -1;
    if (run->options->dry_run)
        return 0;
    if (lc_store_dir_open(&w->store, true, err) < 0)
        return -1;
    if (faccessat(w->store.fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
        return lc_error_errno(err, "cannot write to the store '%s'", w->store.path);
    if (lc_staging_name_dir(run->options->dir, run->dir, err) < 0 ||
        prefix_compose(run, w, err) < 0)
        return -1;
    return lc_compose_ranks(&run->line, none, w->prefix.item, &run->ranks, err);
}

/* Is what was seen in the store: as an image, as the finding that none is needed, or as a part that
 * the watcher packs now? If it is killed, the next job does. */
static bool is_recorded(const struct watch *w, const struct lc_store_dir *store)
{
    struct lc_ranks unfinished = {.job = LC_RANKS_UNFINISHED};
    char image[PATH_MAX];

    return lc_store_entry_has_image(store, w->key.text) ||
           lc_store_entry_has_nothing(store, &w->key, NULL) ||
           (lc_store_entry_path(store, w->key.text, image, NULL) == 0 &&
            lc_ranks_has_parts(&unfinished, image));
}

/* Look until it is recorded, or the time is over. */
_Noreturn static void waiter_run(const struct watch *w, double most_s)
{
    struct lc_store_dir store;
    uint64_t began = lc_clock_ns();

    if (lc_store_dir_open(&store, false, NULL) < 0)
        _exit(1);
    for (double pause_s = FIRST_PAUSE_S; !is_recorded(w, &store); pause_s *= 1.5) {
        double left_s = most_s - (double)(lc_clock_ns() - began) / 1e9;
        if (left_s <= 0)
            break;
        usleep((useconds_t)((pause_s < left_s ? pause_s : left_s) * 1e6) + 1);
    }
    _exit(0);
}

/* Do the ranks wait for their watchers, as they do in a Slurm step? */
static bool ranks_wait(const struct lc_job_run *run)
{
    enum lc_launcher launcher = run->line.launcher;

    return launcher == LC_LAUNCHER_SRUN ||
           getenv(launcher == LC_LAUNCHER_NONE ? "SLURM_STEP_ID" : "SLURM_JOB_ID");
}

/* Hold up the end of the line until what was seen is kept, or that the program died. The store's
 * disk may not answer any more, so a process of its own asks. Its end closes the pipe. */
static void store_wait(const struct lc_job_run *run, const struct watch *w, double launch_s,
                       int status)
{
    double most_s = lc_held_time_of_watched_s(launch_s, ranks_wait(run));
    bool has_died = lc_suspect_parts_has_died(run, status);
    int fd = -1;
    pid_t pid = most_s > 0 || has_died ? lc_job_run_fork_detached(&fd) : -1;

    if (pid < 0)
        return;
    if (pid == 0 && has_died)
        lc_suspect_parts_end_watched(run, &w->key, status);
    if (pid == 0)
        waiter_run(w, most_s);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    poll(&end, 1, (int)((has_died ? DEATH_S : most_s) * 1000));
    close(fd);
}

static void tell_watched(const struct lc_job_run *run, const struct watch *w)
{
    long n = run->options->watch;

    if (run->line.launcher == LC_LAUNCHER_NONE)
        lc_job_run_tell(run, LC_MESSAGE_NOTE,
                        "no image of '%s' yet: it %s as always and is watched, for the next run "
                        "(--no-watch: not)",
                        w->key.label, run->options->dry_run ? "would run" : "runs");
    else
        lc_job_run_tell(run, LC_MESSAGE_NOTE,
                        "no image of '%s' yet: the line %s as always and %s, for the next run "
                        "(--no-watch: not)",
                        w->key.label, run->options->dry_run ? "would run" : "runs",
                        n == 1 ? "one rank is watched" : "some ranks are watched");
}

enum lc_run_ending lc_job_run_watch(struct lc_job_run *run, struct lc_run_outcome *outcome)
{
    struct watch w = {.store = LC_STORE_DIR_NONE};
    struct lc_error err;

    if (watch_prepare(run, &w, &err) < 0) {
        watch_free(&w);
        return LC_RUN_FAILED;
    }
    tell_watched(run, &w);
    if (run->options->dry_run) {
        watch_free(&w);
        return LC_RUN_PLAINLY;
    }
    uint64_t began = lc_clock_ns();
    int status =
        lc_line_process_run(run, run->ranks.words.item, run->ranks.environment.item, true, &err);
    if (status >= 0 && !run->asked)
        store_wait(run, &w, (double)(lc_clock_ns() - began) / 1e9, status);
    watch_free(&w);
    outcome->status = status < 0 ? LC_EXIT_SELF << 8 : status; /* as wait() has it */
    if (status < 0)
        lc_job_run_tell(run, LC_MESSAGE_WARNING, "%s", err.text);
    return status < 0 && !run->has_started ? LC_RUN_PLAINLY : LC_RUN_ENDED;
}
