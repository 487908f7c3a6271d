/* SPDX-License-Identifier: MIT */
/* locks.c - flock and record locks on a served file hold between openings and processes */
#include <sys/file.h>
#include <sys/wait.h>

#include "case.h"

static void in_child(const char *what, int (*try)(void))
{
    fflush(stdout);
    if (fork() == 0) {
        int result = try();
        printf("%s: %s\n", what, outcome(result));
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
}

static int try_flock(void)
{
    return flock(open("data/file", O_RDONLY), LOCK_EX | LOCK_NB);
}

static int try_shared(void)
{
    return flock(open("data/file", O_RDONLY), LOCK_SH | LOCK_NB);
}

static int try_record(void)
{
    struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 5};
    return fcntl(open("data/file", O_RDONLY), F_SETLK, &l);
}

int main(void)
{
    int fd = open("data/file", O_RDONLY);
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 5};

    SHOW(flock(fd, LOCK_EX | LOCK_NB));
    in_child("exclusive elsewhere", try_flock);
    in_child("shared elsewhere", try_shared);
    SHOW(flock(fd, LOCK_SH | LOCK_NB));
    in_child("shared beside shared", try_shared);
    in_child("exclusive beside shared", try_flock);
    SHOW(flock(fd, LOCK_UN));
    in_child("after unlock", try_flock);
    SHOW(fcntl(fd, F_SETLK, &l));
    l.l_type = F_RDLCK;
    SHOW(fcntl(fd, F_SETLK, &l));
    in_child("record lock", try_record);
    SHOW(fcntl(fd, F_GETLEASE));
}
