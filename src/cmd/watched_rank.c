/* SPDX-License-Identifier: MIT */
/* watched_rank.c - a rank that 'loadcast run' watches, because the line has no image yet
 *
 * This process becomes the rank's program. Another one beside it packs what the program has loaded
 * into the user's store. Whatever fails, the program runs as without us. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "record/provenance.h"
#include "record/ranks.h"
#include "record/record.h"
#include "record/watch.h"
#include "stage/owned.h"
#include "store/entry.h"
#include "store/list.h"
#include "store/suspect.h"
#include "util/detached.h"
#include "util/json.h"
#include "util/own_path.h"

/* A program that has loaded nothing new for SETTLE_S has finished its start; for EARLY_S, perhaps.
 * One that asked fewer than FEWEST_CALLS of shared disks gains nothing by an image. */
enum { SETTLE_S = 10, EARLY_S = 1, FEWEST_CALLS = 20, LARGEST_FILE = 256000000, PATIENCE_S = 60 };

enum { MOST_MANAGED = sizeof(((struct lc_strings *)0)->item) / sizeof(char *) };

struct watched_rank {
    char **argv;
    bool is_child_of_run; /* and 'loadcast run' waits for it alone */
    json_t *how;          /* node/watched.h */
    struct lc_store_key key;
    struct lc_strings manage;
    struct lc_ranks ranks;
    struct lc_ranks unfinished; /* what an earlier watcher has seen */
    pid_t packer;               /* writes an image of it */
    struct lc_watch watch;
    json_t *provenance;
    char here[PATH_MAX]; /* the working directory */
    char image[PATH_MAX];
};

static const char *how_text(const struct watched_rank *r, const char *name)
{
    const char *text = json_string_value(json_object_get(r->how, name));

    return text ? text : "";
}

/* The store is the one of 'loadcast run', whatever the launcher has made of the environment. */
static int store_open(const struct watched_rank *r, struct lc_store_dir *dir)
{
    char *own = getenv("LOADCAST_STORE") ? strdup(getenv("LOADCAST_STORE")) : NULL;

    setenv("LOADCAST_STORE", how_text(r, "store"), 1);
    int rc = lc_store_dir_open(dir, false, NULL);
    own ? setenv("LOADCAST_STORE", own, 1) : unsetenv("LOADCAST_STORE");
    free(own);
    return rc;
}

static void manage_read(struct watched_rank *r)
{
    json_t *list = json_object_get(r->how, "manage"), *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        if (r->manage.count < MOST_MANAGED && json_is_string(one))
            r->manage.item[r->manage.count++] = json_string_value(one);
    }
}

/* Set everything from HOW. False: the program is not to be watched. */
static bool rank_read(struct watched_rank *r, const char *how)
{
    struct lc_store_dir dir;

    r->how = json_loads(how, 0, NULL);
    snprintf(r->key.text, sizeof(r->key.text), "%s", how_text(r, "key"));
    snprintf(r->key.label, sizeof(r->key.label), "%s", how_text(r, "name"));
    r->key.words = strtoull(how_text(r, "words"), NULL, 16);
    r->key.parts = json_incref(json_object_get(r->how, "parts"));
    if (!r->key.text[0] || !r->key.parts || store_open(r, &dir) < 0)
        return false;
    int rc = lc_store_entry_path(&dir, r->key.text, r->image, NULL);
    lc_store_dir_close(&dir);
    manage_read(r);
    lc_ranks_detect(&r->ranks);
    long most = (long)json_integer_value(json_object_get(r->how, "ranks"));
    r->ranks.size = r->ranks.size < most ? r->ranks.size : most;
    r->ranks.patience_s = PATIENCE_S;
    r->unfinished = (struct lc_ranks){.rank = r->ranks.rank, .size = 1, .job = LC_RANKS_UNFINISHED};
    return rc == 0 && getcwd(r->here, sizeof(r->here));
}

/* Has 'loadcast run' seen that the line died? Then it tells nothing that the program asked little.
 */
static bool has_died(const struct watched_rank *r, const struct lc_store_dir *dir)
{
    struct lc_suspect s;

    lc_suspect_read_in(dir, lc_suspect_id_of_key(r->key.text), &s);
    return s.state == LC_SUSPECT_TRYING && s.off == LC_OFF_WATCHING;
}

static void image_keep(struct watched_rank *r, bool has_nothing)
{
    struct lc_store_dir dir;

    if (store_open(r, &dir) < 0)
        return;
    if (!has_nothing || (!lc_store_entry_has_image(&dir, r->key.text) && !has_died(r, &dir)))
        lc_store_entry_describe(&dir, &r->key, has_nothing);
    if (!has_nothing)
        lc_store_trim(&dir, lc_store_cap_bytes(), r->key.text);
    lc_store_dir_close(&dir);
}

/* 'goes_on': the program may still load enough for an image. */
static bool image_write(struct watched_rank *r, struct lc_seen *seen, bool goes_on)
{
    const struct lc_strings none = {0};
    struct lc_record how = {.file = r->image,
                            .manage = &r->manage,
                            .exclude = &none,
                            .add = &none,
                            .max_file = LARGEST_FILE,
                            .fewest_calls = FEWEST_CALLS,
                            .compile = true,
                            .argv = r->argv,
                            .provenance = r->provenance};
    struct lc_recorded did;
    struct lc_error err;

    bool is_written = lc_record_image(&how, seen, &did, &err) == 0 && !(goes_on && did.is_empty);
    if (is_written)
        image_keep(r, did.is_empty);
    lc_recorded_free(&did);
    return is_written;
}

/* Several watched ranks: the one whose turn it is packs what all have seen. */
static void image_write_with_ranks(struct watched_rank *r)
{
    struct lc_seen all = {0};
    struct lc_error err;

    if (lc_ranks_leave_part(&r->ranks, r->image, &r->watch.seen, &err) == 0 &&
        lc_ranks_wait(&r->ranks) == LC_RANKS_PACK && lc_ranks_unite(&r->ranks, &all, &err) == 0) {
        image_write(r, &all, false);
        lc_ranks_finish(&r->ranks);
    }
    lc_seen_free(&all);
}

/* Work where it does not disturb the rank, which may be bound to one processor. */
static void processor_leave(void)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof(all));
    sched_setaffinity(0, sizeof(all), &all);
    setpriority(PRIO_PROCESS, 0, 19);
}

/* A program that said nothing of itself is static, set-user-ID, or was never started. */
static bool watch_has_seen(const struct watched_rank *r)
{
    return r->watch.seen.events > 0 && !r->watch.seen.failed;
}

/* A watcher may be killed before its image is written, by the end of a step or of a job. What it
 * has seen lies beside the image then. The next one goes on with it: at once, by a child, since its
 * own job may be as short. */
static void unfinished_begin(struct watched_rank *r)
{
    struct lc_seen seen = {0};
    struct lc_error ignored;

    if (!lc_ranks_has_parts(&r->unfinished, r->image) || (r->packer = fork()) != 0)
        return;
    if (lc_ranks_unite(&r->unfinished, &seen, &ignored) == 0 && r->unfinished.taken > 0)
        image_write(r, &seen, true);
    _exit(0);
}

static void unfinished_wait(struct watched_rank *r)
{
    while (r->packer > 0 && waitpid(r->packer, NULL, 0) < 0 && errno == EINTR)
        ;
    r->packer = 0;
}

/* For the case that this process is killed. */
static void part_leave(struct watched_rank *r)
{
    struct lc_error ignored;

    if (watch_has_seen(r))
        lc_ranks_leave_part(&r->unfinished, r->image, &r->watch.seen, &ignored);
}

/* Read the logs, and what an earlier watcher has left. What is known without bindings is kept at
 * once: 'loadcast run' waits for that. */
static void seen_take(struct watched_rank *r, bool goes_on)
{
    struct lc_error ignored;

    lc_watch_take_calls(&r->watch, goes_on);
    if (lc_ranks_has_parts(&r->unfinished, r->image))
        lc_ranks_unite(&r->unfinished, &r->watch.seen, &ignored);
    if (!goes_on)
        part_leave(r);
    lc_watch_take_bindings(&r->watch, goes_on);
}

/* The image is written, or it cannot be. */
static void unfinished_remove(struct watched_rank *r)
{
    struct lc_error ignored;

    if (lc_ranks_has_parts(&r->unfinished, r->image) &&
        lc_ranks_unite(&r->unfinished, NULL, &ignored) == 0)
        lc_ranks_finish(&r->unfinished);
}

/* A launcher may kill all processes of a step when its last rank ends: Slurm does, by the step's
 * cgroup. So the image of a program that seems to have loaded everything is written while it runs,
 * by a child, since the logs are read once more if it loads more. */
static bool image_write_early(struct watched_rank *r)
{
    int status = -1;

    unfinished_wait(r);
    pid_t child = r->ranks.size > 1 ? -1 : fork();
    if (child == 0) {
        seen_take(r, true);
        _exit(!(watch_has_seen(r) && image_write(r, &r->watch.seen, true)));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0;
}

static void image_write_last(struct watched_rank *r)
{
    seen_take(r, false);
    part_leave(r);
    lc_watch_release(&r->watch);
    unfinished_wait(r);
    if (watch_has_seen(r) && r->ranks.size > 1)
        image_write_with_ranks(r);
    else if (watch_has_seen(r))
        image_write(r, &r->watch.seen, false);
}

_Noreturn static void watcher_run(struct watched_rank *r, pid_t program)
{
    off_t written = 0; /* how much of the logs the image is from */
    bool is_here = chdir(r->here) == 0, runs = is_here;

    processor_leave();
    r->provenance = lc_json_provenance("loadcast run", r->argv);
    lc_provenance_add_system(r->provenance);
    lc_pilot_note_search(&r->watch.pilot);
    if (is_here)
        unfinished_begin(r);
    for (int settle_s = EARLY_S; runs; settle_s *= 3) {
        runs = lc_watch_wait(&r->watch, program, settle_s < SETTLE_S ? settle_s : SETTLE_S);
        if (settle_s >= SETTLE_S)
            break;
        off_t now = lc_watch_bytes(&r->watch);
        if (runs && now != written && image_write_early(r))
            written = now;
    }
    bool is_seen = is_here && lc_watch_has_log(&r->watch);
    if (is_seen && (!written || lc_watch_bytes(&r->watch) != written))
        image_write_last(r);
    unfinished_wait(r);
    if (is_seen)
        unfinished_remove(r);
    lc_watch_end(&r->watch);
    _exit(0);
}

static bool place_is_safe(const char *place)
{
    int fd = place[0] == '/' ? lc_owned_open_path(place, NULL) : -1;

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Make the logs and the environment. What the program loads is measured while it is loaded, unless
 * that has found already that it must be measured before. */
static int watch_begin(struct watched_rank *r)
{
    /* Logs are in the user's directory for staged images, else in one in memory, never on a shared
     * disk, since they are written at each call of the program. What is in them decides what the
     * next job binds and loads: nobody else may be able to replace them. */
    const char *const places[] = {how_text(r, "dir"), "/dev/shm", "/tmp", "/var/tmp", NULL};
    char front[PATH_MAX], *how = NULL;
    struct lc_error err;

    if (!json_is_true(json_object_get(r->how, "measure")) && lc_own_front(front, &err) == 0 &&
        json_object_set_new(r->how, "measure", json_true()) == 0)
        how = json_dumps(r->how, JSON_COMPACT);
    int rc = lc_watch_begin(&r->watch, r->argv, places, place_is_safe,
                            how ? &(struct lc_watch_again){front, how} : NULL, &err);
    free(how);
    return rc;
}

/* The environment to start the program with. */
static char **watch_start(struct watched_rank *r)
{
    pid_t self = getpid();

    if (watch_begin(r) < 0)
        return environ;
    if (getenv("SLURM_STEP_ID")) /* whose end kills all that is in it */
        lc_watch_hold(&r->watch);
    int rc = (r->is_child_of_run ? lc_detached_start_beside : lc_detached_start)("loadcast-watch",
                                                                                 r->watch.dir_fd);
    if (rc == 0)
        watcher_run(r, self);
    if (rc > 0)
        return r->watch.environment.item;
    lc_watch_end(&r->watch);
    return environ;
}

static int rank_become(char **argv, bool is_child_of_run)
{
    struct watched_rank r = {.argv = argv + 1, .is_child_of_run = is_child_of_run};
    struct lc_error err;
    static const struct lc_cli cli = {.name = "loadcast run"};
    struct sigaction file_size, ignored = {.sa_handler = SIG_IGN};

    sigaction(SIGXFSZ, &ignored, &file_size); /* a limit on the size of files must not end us */
    char **environment = rank_read(&r, argv[0]) ? watch_start(&r) : environ;
    sigaction(SIGXFSZ, &file_size, NULL);
    execvpe(argv[1], argv + 1, environment);
    if (errno == E2BIG && environment != environ)
        execvp(argv[1], argv + 1);
    int code = lc_exit_of_start(errno);
    lc_error_errno(&err, "cannot execute '%s'", argv[1]);
    return lc_cli_fail(&cli, code, &err);
}

int lc_watched_rank(char **argv)
{
    return rank_become(argv, false);
}

int lc_watched_child(char **argv)
{
    return rank_become(argv, true);
}
