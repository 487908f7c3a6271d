/* SPDX-License-Identifier: MIT */
/* janitor.c - removes a node directory when the last process that uses it has ended
 *
 * Where ranks stage by themselves nobody comes after them to clean. So the rank that has staged
 * leaves a process behind on its node: in a session of its own, with none of the rank's
 * descriptors, and in the same cgroup. The program must not find it among its children: it is the
 * child of a child that ends at once, and belongs to init or whatever process above the rank adopts
 * orphans. A rank that adopts orphans itself starts none.
 *
 * It sleeps until a user ends (pidfd), so that the job's processors are not disturbed. If it is
 * killed together with the job, NODE/users still tells that the directory was meant to go: the
 * user's next staging on that node, or the epilog, removes it (stage/clean.c). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stage/clean.h"
#include "stage/deaths.h"
#include "stage/owned.h"
#include "stage/stager/stager.h"
#include "stage/user_dir.h"
#include "stage/users.h"
#include "util/detached.h"
#include "util/syscalls.h"

enum {
    WAIT_MS = 10000,   /* then the users are counted again: one may be of another pid namespace */
    GRACE_US = 100000, /* other ranks of the line may be about to begin */
    SLOW_POLL_US = 1000000,
};

/* What the janitor looks after. */
struct post {
    const struct lc_stager *stager;
    char name[LC_NODEDIR_NAME];
    bool is_there;
    struct lc_users users;
    bool is_to_clean;
    bool is_thorough; /* look for users that have not registered, too */
    enum lc_clean_fate fate;
    bool has_note;     /* of processes that died (stage/deaths.h), which the run may ask for */
    bool is_note_late; /* it has not asked: remove the note */
};

static void user_look(void *arg, int user, const char *user_path)
{
    struct post *post = arg;
    char path[LC_USER_DIR_LEN + LC_NODEDIR_NAME];
    int fd = openat(user, post->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    post->is_there = fd >= 0 && lc_users_is_janitor(fd);
    if (!post->is_there) {
        if (fd >= 0)
            close(fd);
        return;
    }
    snprintf(path, sizeof(path), "%s/%s", user_path, post->name);
    if (!post->is_to_clean)
        post->users = lc_users_count(fd, post->is_thorough ? path : NULL);
    close(fd);
    if (!post->is_to_clean)
        return;
    post->has_note |= lc_deaths_leave(user, post->name);
    post->fate = lc_clean_node(user, user_path, post->name, LC_CLEAN_JOB);
    lc_clean_user(user, user_path, LC_CLEAN_STALE, NULL, NULL, NULL);
    if (post->stager->no_job)
        rmdir(user_path);
}

/* Count the users, or clean. False if there is nothing any more. */
static bool post_look(struct post *post, bool is_to_clean)
{
    post->is_there = false;
    post->is_to_clean = is_to_clean;
    post->fate = LC_CLEAN_REMOVED;
    lc_nodedir_each_user(post->stager->dir, user_look, NULL, post);
    return post->is_there;
}

static void process_wait(pid_t pid)
{
    struct pollfd fd = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

    if (fd.fd < 0) {
        usleep(SLOW_POLL_US);
        return;
    }
    poll(&fd, 1, WAIT_MS);
    close(fd.fd);
}

/* Until nobody uses the directory, twice in a row. False if it is gone, or not ours to remove. The
 * first of these looks happens while the launcher ends: it leaves the other processes alone. */
static bool users_wait(struct post *post)
{
    for (int quiet = 0; quiet < 2;) {
        post->is_thorough = quiet == 1;
        if (!post_look(post, false))
            return false;
        quiet = post->users.processes == 0 ? quiet + 1 : 0;
        if (quiet == 1)
            usleep(GRACE_US);
        else if (quiet == 0)
            process_wait(post->users.one);
    }
    return true;
}

/* Remove node packages of ranks that were killed while they staged
 * (src/launch/scripts/unpack_package.sh). */
static void packages_sweep(const char *dir)
{
    char prefix[64];
    DIR *d = opendir(dir);
    int n = snprintf(prefix, sizeof(prefix), ".loadcast-kit.%lu.", (unsigned long)geteuid());

    for (struct dirent *e; d && (e = readdir(d));) {
        long pid = strncmp(e->d_name, prefix, (size_t)n) == 0 ? strtol(e->d_name + n, NULL, 10) : 0;
        if (pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
            lc_owned_remove(dirfd(d), e->d_name);
    }
    if (d)
        closedir(d);
}

static void note_look(void *arg, int user, const char *user_path)
{
    struct post *post = arg;

    if (!lc_deaths_are_left(user, post->name))
        return;
    post->has_note = true;
    if (!post->is_note_late)
        return;
    lc_deaths_take_left(user, post->name);
    if (post->stager->no_job)
        rmdir(user_path);
}

/* Until the run has read the note, or will not. */
static void note_expire(struct post *post)
{
    for (int waited_us = 0; post->has_note && !post->is_note_late; waited_us += GRACE_US) {
        usleep(GRACE_US);
        post->has_note = false;
        post->is_note_late = waited_us >= LC_DEATHS_NOTE_S * 1000000;
        lc_nodedir_each_user(post->stager->dir, note_look, NULL, post);
    }
}

_Noreturn static void janitor_run(struct post *post)
{
    while (users_wait(post) && post_look(post, true) && post->fate == LC_CLEAN_IN_USE)
        usleep(GRACE_US);
    packages_sweep(post->stager->dir);
    note_expire(post);
    _exit(0);
}

void lc_janitor_start(const struct lc_stager *s, const struct lc_nodedir *node)
{
    struct post post = {.stager = s};

    lc_users_end_job(node->fd); /* no later step of this job wants it */
    if (lc_users_has_janitor(node->fd) || lc_detached_would_be_child())
        return;
    strcpy(post.name, node->name);
    pid_t child = lc_detached_fork();
    if (child == 0) {
        int p[2];
        char byte;
        setsid();
        bool has_pipe = pipe(p) == 0;
        if (lc_detached_fork() != 0) {
            /* The rank waits for this process, so that other ranks see that there is a janitor. */
            if (has_pipe && close(p[1]) == 0 && read(p[0], &byte, 1) < 0)
                _exit(1);
            _exit(0);
        }
        struct lc_nodedir mapped = *node;
        if (lc_users_set_janitor(node->fd) < 0)
            _exit(0);
        /* What is mapped counts as use: of two janitors, which two ranks may start at the same
         * moment, each would wait for the other. */
        lc_nodedir_close(&mapped);
        lc_detached_leave("loadcast-clean", -1);
        janitor_run(&post);
    }
    while (child > 0 && waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
        ;
}
