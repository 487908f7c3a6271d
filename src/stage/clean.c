/* SPDX-License-Identifier: MIT */
/* clean.c - remove node directories that nobody uses
 *
 * In a user's directory stand
 *   NAME                a node directory
 *   .NAME.lock          its lock
 *   .NAME.stage.PID     being staged, by the holder of the lock
 *   .NAME.dead.PID      being removed, by the holder of the lock
 *   .job.NAME           a note of 'loadcast run' on a job
 *   .cast.PID           an image that sbcast brought, until it is unpacked
 *   .died.NAME          a janitor's note for the run that started it (stage/deaths.h)
 * The holder of a lock may remove any 'stage' or 'dead' of other processes. */
#include "stage/clean.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "stage/deaths.h"
#include "stage/lock.h"
#include "stage/nodedir.h"
#include "stage/owned.h"
#include "util/run.h"

enum {
    NOTE_S = 86400, /* a note of 'loadcast run' is removed after this time */
    HELD_S = 1      /* what is being staged for so long is in use, even if it only waits */
};

void lc_clean_lock_name(char *out, size_t size, const char *name)
{
    snprintf(out, size, ".%s.lock", name);
}

static bool directory_has_users(int user, const char *user_path, const char *name, const char *as,
                                struct lc_users *users)
{
    char path[PATH_MAX];
    int fd = openat(user, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    *users = (struct lc_users){0};
    if (fd < 0)
        return false;
    snprintf(path, sizeof(path), "%s/%s", user_path, name);
    *users = lc_users_count(fd, path);
    close(fd);
    return users->processes > 0;
}

int lc_clean_remove(int user, const char *user_path, const char *name)
{
    char dead[96];
    struct lc_users users;

    snprintf(dead, sizeof(dead), ".%s.dead.%ld", name, (long)getpid());
    if (renameat(user, name, user, dead) < 0)
        return errno == ENOENT ? 0 : -1;
    /* A process that registered before the rename gets its directory back. One that registered
     * after it does not find the name any more and stages anew. */
    if (directory_has_users(user, user_path, name, dead, &users) &&
        renameat(user, dead, user, name) == 0)
        return errno = EBUSY, -1;
    return lc_owned_remove(user, dead);
}

/* "NAME" of ".NAME.stage.PID", ".NAME.dead.PID" or ".NAME.lock"; NULL if it is none of them. */
static const char *leftover_of(const char *file, char name[LC_NODEDIR_NAME])
{
    static const char *const kinds[] = {".stage.", ".dead.", ".lock"};

    if (file[0] != '.')
        return NULL;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        const char *at = strstr(file + 1, kinds[i]);
        if (!at || at - file - 1 >= LC_NODEDIR_NAME)
            continue;
        memcpy(name, file + 1, (size_t)(at - file - 1));
        name[at - file - 1] = '\0';
        if (lc_nodedir_is_name(name))
            return at;
    }
    return NULL;
}

/* Remove a note of 'loadcast run' with its job, or after a day; a copy that sbcast brought and
 * nobody unpacked, after an hour; and a janitor's note that nobody has read with the job, or when
 * its janitor would have removed it. */
static void note_remove(int user, const char *file, enum lc_clean_scope scope)
{
    char job[64];
    struct stat st;
    bool is_note = strncmp(file, ".job.", 5) == 0;
    bool is_copy = strncmp(file, ".cast.", 6) == 0;
    bool is_deaths = strncmp(file, LC_DEATHS_NOTE, strlen(LC_DEATHS_NOTE)) == 0;

    if ((!is_note && !is_copy && !is_deaths) || fstatat(user, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    double age_s = difftime(time(NULL), st.st_mtime);
    lc_users_job(job, sizeof(job));
    if (scope == LC_CLEAN_ALL || age_s > NOTE_S || (is_copy && age_s > LC_CLEAN_IDLE_S) ||
        (is_deaths && (scope == LC_CLEAN_JOB || age_s > LC_DEATHS_NOTE_S)) ||
        (is_note && scope == LC_CLEAN_JOB && strcmp(file + 5, job) == 0))
        unlinkat(user, file, 0);
}

static bool name_exists(int user, const char *name)
{
    struct stat st;

    return fstatat(user, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Remove a leftover of a dead process, and the lock if its directory is gone. */
static void leftover_remove(int user, const char *file)
{
    char name[LC_NODEDIR_NAME], lock_name[64];
    struct lc_stage_lock lock;
    const char *kind = leftover_of(file, name);

    if (!kind || (strcmp(kind, ".lock") == 0 && name_exists(user, name)))
        return;
    lc_clean_lock_name(lock_name, sizeof(lock_name), name);
    if (lc_stage_lock_take(&lock, user, lock_name, 0, 0, NULL, NULL) != 0)
        return;
    if (strcmp(kind, ".lock") != 0)
        lc_owned_remove(user, file);
    if (!name_exists(user, name))
        unlinkat(user, lock_name, 0);
    lc_stage_lock_release(&lock);
}

void lc_clean_leftovers(int user, const char *name)
{
    struct dirent **files = NULL;
    char of[LC_NODEDIR_NAME];
    int count = scandirat(user, ".", &files, NULL, NULL);

    for (int i = 0; i < count; i++) {
        const char *kind = leftover_of(files[i]->d_name, of);
        if (kind && strcmp(kind, ".lock") != 0 && strcmp(of, name) == 0)
            lc_owned_remove(user, files[i]->d_name);
        free(files[i]);
    }
    free(files);
}

/* States in which a Slurm job starts no further steps. */
static bool state_is_final(const char *state)
{
    static const char *const states[] = {"COMPLETING", "COMPLETED", "CANCELLED", "FAILED",
                                         "TIMEOUT",    "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY"};

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        if (strncmp(state, states[i], strlen(states[i])) == 0)
            return true;
    return false;
}

/* Does the scheduler say that a job (as named by lc_users_job) will start no further steps? False
 * if there is none to ask. Asks Slurm's squeue, for five seconds at most. */
static bool job_is_over(const char *job)
{
    static const char slurm[] = "slurm-";
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    struct lc_error err;

    if (strncmp(job, slurm, sizeof(slurm) - 1) != 0)
        return false;
    lc_argv_words(&argv, "timeout 5 squeue --noheader --format=%T --jobs");
    lc_argv_add(&argv, job + sizeof(slurm) - 1);
    int rc = lc_run_output_quiet(&argv, &out, &err);
    bool is_over = rc < 0 ? strstr(err.text, "Invalid job id") != NULL
                          : out.len == 0 || state_is_final(lc_buf_text(&out));
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return is_over;
}

/* What to do with a directory. With LC_CLEAN_JOB the caller may remove one that belongs to this job
 * alone, or to none. */
static enum lc_clean_fate fate_judge(enum lc_clean_scope scope, bool mine,
                                     const struct lc_users *users)
{
    bool fresh = users->idle_s < LC_CLEAN_IDLE_S;

    if (users->processes > 0)
        return LC_CLEAN_IN_USE;
    if (scope == LC_CLEAN_ALL)
        return LC_CLEAN_REMOVED;
    if (scope == LC_CLEAN_STALE && users->is_transient && users->jobs == 0 && !mine)
        return LC_CLEAN_REMOVED; /* its line is over, and its janitor was killed with it */
    if (scope == LC_CLEAN_STALE)
        return mine || fresh ? LC_CLEAN_OTHER_JOB : LC_CLEAN_REMOVED;
    return users->jobs > 0 && fresh ? LC_CLEAN_OTHER_JOB : LC_CLEAN_REMOVED;
}

static bool directory_is_of_job(int user, const char *name)
{
    char path[512], job[64];

    lc_users_job(job, sizeof(job));
    snprintf(path, sizeof(path), "%s/users/j.%s", name, job);
    return job[0] && name_exists(user, path);
}

/* Take this job off the list of users; the last user's end removes the directory. With 'has_others'
 * also take off other jobs that are over but did not say so. True if there were such. */
static bool jobs_end(int user, const char *name, bool has_others)
{
    int fd = openat(user, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    unsigned ended = 0;

    if (fd >= 0) {
        lc_users_end_job(fd);
        ended = has_others ? lc_users_end_others(fd, job_is_over) : 0;
        close(fd);
    }
    return ended > 0;
}

static enum lc_clean_fate directory_clean_locked(int user, const char *user_path, const char *name,
                                                 enum lc_clean_scope scope, struct lc_users *users)
{
    bool mine = directory_is_of_job(user, name);

    if (!name_exists(user, name))
        return LC_CLEAN_GONE;
    directory_has_users(user, user_path, name, name, users);
    enum lc_clean_fate fate = fate_judge(scope, mine, users);
    if (scope == LC_CLEAN_JOB && fate != LC_CLEAN_REMOVED &&
        jobs_end(user, name, fate == LC_CLEAN_OTHER_JOB)) {
        directory_has_users(user, user_path, name, name, users);
        fate = fate_judge(scope, mine, users);
    }
    if (fate != LC_CLEAN_REMOVED || lc_clean_remove(user, user_path, name) == 0)
        return fate;
    return errno == EBUSY ? LC_CLEAN_IN_USE : errno == ENOENT ? LC_CLEAN_GONE : LC_CLEAN_FAILED;
}

/* Clean one node directory under its lock. */
static enum lc_clean_fate directory_clean(int user, const char *user_path, const char *name,
                                          enum lc_clean_scope scope, struct lc_users *users)
{
    char lock_name[64];
    struct lc_stage_lock lock;

    *users = (struct lc_users){0};
    lc_clean_lock_name(lock_name, sizeof(lock_name), name);
    double wait_s = scope == LC_CLEAN_STALE ? 0 : HELD_S;
    if (lc_stage_lock_take(&lock, user, lock_name, wait_s, wait_s, NULL, NULL) != 0)
        return errno == EWOULDBLOCK || errno == ETIMEDOUT ? LC_CLEAN_IN_USE
               : errno == ENOENT                          ? LC_CLEAN_GONE
                                                          : LC_CLEAN_FAILED;
    enum lc_clean_fate fate = directory_clean_locked(user, user_path, name, scope, users);
    int saved = errno;
    if (fate == LC_CLEAN_REMOVED || fate == LC_CLEAN_GONE)
        unlinkat(user, lock_name, 0);
    lc_stage_lock_release(&lock);
    errno = saved;
    return fate;
}

enum lc_clean_fate lc_clean_node(int user, const char *user_path, const char *name,
                                 enum lc_clean_scope scope)
{
    struct lc_users users;

    return directory_clean(user, user_path, name, scope, &users);
}

unsigned lc_clean_user(int user, const char *user_path, enum lc_clean_scope scope, const char *keep,
                       lc_clean_tell *tell, void *arg)
{
    struct dirent **names = NULL;
    unsigned removed = 0;
    int count = scandirat(user, ".", &names, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        char path[PATH_MAX];
        struct lc_users users;
        if (lc_nodedir_is_name(name) && (!keep || strcmp(name, keep) != 0)) {
            unsigned long long bytes = tell ? lc_owned_bytes(user, name) : 0;
            enum lc_clean_fate fate = directory_clean(user, user_path, name, scope, &users);
            removed += fate == LC_CLEAN_REMOVED;
            snprintf(path, sizeof(path), "%s/%s", user_path, name);
            if (tell)
                tell(arg, path, fate, &users, bytes);
        } else if (!keep || !strstr(name, keep)) {
            leftover_remove(user, name);
            note_remove(user, name, scope);
        }
        free(names[i]);
    }
    free(names);
    return removed;
}
