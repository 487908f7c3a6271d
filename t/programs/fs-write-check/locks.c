/* SPDX-License-Identifier: MIT */
/* locks.c - flock and fcntl locks */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run 'child' in a process of its own; its status must be 0. */
static void in_child(void (*child)(void))
{
    int status;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        child();
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
}

static void flock_between_descriptors(void)
{
    put("l", "");
    int one = open("l", O_RDWR), two = open("l", O_RDWR), same = dup(one);
    CHECK(flock(one, LOCK_EX) == 0);
    FAILS(EWOULDBLOCK, flock(two, LOCK_EX | LOCK_NB));
    CHECK(flock(same, LOCK_EX | LOCK_NB) == 0);
    CHECK(flock(one, LOCK_SH) == 0 && flock(two, LOCK_SH | LOCK_NB) == 0);
    CHECK(flock(two, LOCK_UN) == 0);
    CHECK(flock(one, LOCK_EX) == 0);
    close(one);
    FAILS(EWOULDBLOCK, flock(two, LOCK_SH | LOCK_NB));
    close(same);
    alarm(60);
    CHECK(flock(two, LOCK_EX) == 0); /* the release may arrive a moment later */
    alarm(0);
    close(two);
}

static int lock_with(int fd, short type, int command)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = 10, .l_len = 10};

    return fcntl(fd, command, &l);
}

static void child_is_refused(void)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 100};
    int fd = open("l", O_RDWR);

    CHECK(lock_with(fd, F_WRLCK, F_SETLK) < 0 && (errno == EAGAIN || errno == EACCES));
    CHECK(fcntl(fd, F_GETLK, &l) == 0);
    CHECK(l.l_type == F_WRLCK && l.l_start == 10 && l.l_len == 10);
}

static void child_gets_it(void)
{
    int fd = open("l", O_RDWR);

    CHECK(lock_with(fd, F_WRLCK, F_SETLK) == 0);
}

static void fcntl_between_processes(void)
{
    put("l", "");
    int one = open("l", O_RDWR), two = open("l", O_RDWR);
    CHECK(lock_with(one, F_WRLCK, F_SETLK) == 0);
    CHECK(lock_with(two, F_WRLCK, F_SETLK) == 0); /* the same process: no conflict */
    in_child(child_is_refused);
    CHECK(lock_with(one, F_UNLCK, F_SETLK) == 0);
    in_child(child_gets_it);
    CHECK(lock_with(one, F_WRLCK, F_SETLK) == 0);
    in_child(child_is_refused);
    close(two); /* closing any descriptor drops the locks of the process */
    in_child(child_gets_it);
    close(one);
}

/* Up to a minute for the process to be in fcntl; not at all where that is not told. */
static void wait_for_fcntl(pid_t pid)
{
    char path[64], text[16], call[16];
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
    snprintf(call, sizeof(call), "%d ", (int)SYS_fcntl);
    for (int i = 0; i < 60000 && (fd = open(path, O_RDONLY)) >= 0; i++) {
        ssize_t n = read(fd, text, sizeof(text));
        close(fd);
        if (n <= 0 || strncmp(text, call, strlen(call)) == 0)
            return;
        usleep(1000);
    }
}

static void hold_until_waited_for(int ready, int go)
{
    int fd = open("l", O_RDWR);
    char c;

    CHECK(lock_with(fd, F_WRLCK, F_SETLKW) == 0);
    CHECK(write(ready, "", 1) == 1);
    CHECK(read(go, &c, 1) == 1);
    wait_for_fcntl(getppid());
    _exit(0); /* drops it */
}

static void waiting_for_a_lock(void)
{
    int status, ready[2], go[2];
    char c;

    put("l", "");
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    pid_t pid = fork();
    if (pid == 0)
        hold_until_waited_for(ready[1], go[0]);
    CHECK(read(ready[0], &c, 1) == 1);
    int fd = open("l", O_RDWR);
    FAILS(EAGAIN, lock_with(fd, F_WRLCK, F_SETLK));
    CHECK(write(go[1], "", 1) == 1);
    CHECK(lock_with(fd, F_WRLCK, F_SETLKW) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    close(fd);
}

static void on_alarm(int number)
{
    (void)number;
}

static void a_wait_for_a_lock_can_be_interrupted(void)
{
    const struct sigaction act = {.sa_handler = on_alarm};
    int status;

    put("l", "");
    int one = open("l", O_RDWR);
    CHECK(lock_with(one, F_WRLCK, F_SETLK) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("l", O_RDWR);
        sigaction(SIGALRM, &act, NULL);
        ualarm(20000, 20000); /* again and again: the first may come too early */
        FAILS(EINTR, lock_with(fd, F_WRLCK, F_SETLKW));
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    close(one);
}

const struct check locks_checks[] = {
    {"flock_between_descriptors", flock_between_descriptors},
    {"fcntl_between_processes", fcntl_between_processes},
    {"waiting_for_a_lock", waiting_for_a_lock},
    {"a_wait_for_a_lock_can_be_interrupted", a_wait_for_a_lock_can_be_interrupted},
    {NULL, NULL},
};
