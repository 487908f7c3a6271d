/* SPDX-License-Identifier: MIT */
/* storm-clients.c - many processes that ask a file system at once
 *
 * storm-clients miss PROCESSES COUNT DIR...    each looks up COUNT names that are not there
 * storm-clients mix PROCESSES COUNT FILE...    each opens, reads and closes, stats, and misses,
 *                                              COUNT times
 * Processes are dealt out to the DIRs or FILEs in turn. All start together; prints the seconds
 * from the start to the end of the last one. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void miss(const char *dir, int process, int i)
{
    char path[4200];
    struct stat st;

    snprintf(path, sizeof(path), "%s/absent-%d-%d", dir, process, i);
    if (stat(path, &st) == 0)
        _exit(1);
}

static void mix(const char *file, int process, int i)
{
    char path[4200], buf[64];
    struct stat st;
    int fd = open(file, O_RDONLY);

    if (fd < 0 || read(fd, buf, sizeof(buf)) < 0 || stat(file, &st) < 0)
        _exit(1);
    close(fd);
    snprintf(path, sizeof(path), "%s-absent-%d-%d", file, process, i);
    if (access(path, F_OK) == 0)
        _exit(1);
}

int main(int argc, char **argv)
{
    int gate[2], here[2], failed = 0, status;
    char c;

    if (argc < 5 || pipe(gate) < 0 || pipe(here) < 0)
        return 2;
    int processes = atoi(argv[2]), count = atoi(argv[3]);
    void (*step)(const char *, int, int) = strcmp(argv[1], "miss") == 0 ? miss : mix;
    for (int p = 0; p < processes; p++)
        if (fork() == 0) {
            close(gate[1]);
            close(here[1]); /* when all have closed it, the parent knows that they wait */
            if (read(gate[0], &c, 1) != 0) /* until the parent closes it */
                _exit(1);
            for (int i = 0; i < count; i++)
                step(argv[4 + p % (argc - 4)], p, i);
            _exit(0);
        }
    close(here[1]);
    if (read(here[0], &c, 1) != 0)
        return 2;
    double start = now_s();
    close(gate[1]);
    while (wait(&status) > 0)
        failed |= status;
    printf("%.6f\n", now_s() - start);
    return failed != 0;
}
