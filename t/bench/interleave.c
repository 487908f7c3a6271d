/* SPDX-License-Identifier: MIT */
/* interleave.c - time several commands in turn, so that drift of the machine hits all alike
 *
 * interleave ROUNDS CMD... : each CMD is one shell command line. After one unmeasured round, every
 * round runs each command once. Prints a line per command: median wall, spread (half of the
 * distance between the quartiles), minimum wall, median CPU (user + system, children included), all
 * in seconds; then the median number of page faults without input. A command that fails ends the
 * run with status 1. Output goes to /dev/null.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct sample {
    double *wall_s, *cpu_s, *faults;
};

static double now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double seconds(struct timeval tv)
{
    return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static int run_once(const char *command, double *wall_s, double *cpu_s, double *faults)
{
    struct rusage use;
    int status;
    double start = now_s();
    pid_t pid = fork();

    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &use) < 0)
        return -1;
    *wall_s = now_s() - start;
    *cpu_s = seconds(use.ru_utime) + seconds(use.ru_stime);
    *faults = (double)use.ru_minflt;
    return status == 0 ? 0 : -1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_figures(struct sample *s, int rounds)
{
    qsort(s->wall_s, (size_t)rounds, sizeof(double), by_value);
    qsort(s->cpu_s, (size_t)rounds, sizeof(double), by_value);
    qsort(s->faults, (size_t)rounds, sizeof(double), by_value);
    printf("%.6f %.6f %.6f %.6f %.0f\n", s->wall_s[rounds / 2],
           (s->wall_s[rounds * 3 / 4] - s->wall_s[rounds / 4]) / 2, s->wall_s[0],
           s->cpu_s[rounds / 2], s->faults[rounds / 2]);
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[1]) : 0, commands = argc - 2;
    struct sample sample[16];
    double wall, cpu, faults;

    if (rounds < 1 || commands > 16) {
        fprintf(stderr, "usage: interleave ROUNDS CMD...   (at most 16 commands)\n");
        return 2;
    }
    for (int c = 0; c < commands; c++)
        sample[c] = (struct sample){calloc((size_t)rounds, sizeof(double)),
                                    calloc((size_t)rounds, sizeof(double)),
                                    calloc((size_t)rounds, sizeof(double))};
    for (int round = -1; round < rounds; round++) {
        for (int c = 0; c < commands; c++) {
            if (run_once(argv[c + 2], &wall, &cpu, &faults) < 0) {
                fprintf(stderr, "interleave: failed: %s\n", argv[c + 2]);
                return 1;
            }
            if (round >= 0) {
                sample[c].wall_s[round] = wall;
                sample[c].cpu_s[round] = cpu;
                sample[c].faults[round] = faults;
            }
        }
    }
    for (int c = 0; c < commands; c++)
        print_figures(&sample[c], rounds);
    return 0;
}
