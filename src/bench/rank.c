/* SPDX-License-Identifier: MIT */
/* rank.c - bench-rank: the launcher starts it once per rank, and it starts the program
 *
 * usage: bench-rank [-f] [-n RANKS] [-C DIR] [-e NAME=VALUE]... HOSTS PORT TOKEN CMD [ARG...]
 *
 * Connects to the collector (loadcast bench), measures the clock offset, waits until all ranks are
 * connected, and runs CMD. An argument {start} is replaced by the time when the launcher was
 * started, as 'date +%s.%N' on this host would have printed it. With -n it is the launcher itself
 * and starts RANKS processes on this host. With -f programs are started by fork(), not by vfork().
 * 'bench-rank cold DIR' drops this host's caches of DIR and prints the method. For 'bench-rank
 * hold' see rank_hold.c, for 'bench-rank memory WORDS' memory.h. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/drop_caches.h"
#include "bench/memory.h"
#include "bench/rank.h"
#include "bench/wire.h"
#include "util/clock.h"
#include "util/human.h"

enum { MOST_PROCESSES = 100000 };

static bool is_forked; /* -f */

static int error_print(const struct lc_error *err)
{
    fprintf(stderr, "bench-rank: %s\n", err->text);
    return LC_EXIT_SELF;
}

/* This process's rank from the launcher's environment, or -1. */
static long own_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",     "PALS_RANKID",
                                        "JSM_NAMESPACE_RANK",   "PMIX_RANK",    "FLUX_TASK_RANK",
                                        "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", NULL};
    long rank;

    for (size_t i = 0; names[i]; i++)
        if (getenv(names[i]) &&
            lc_parse_long(names[i], getenv(names[i]), 0, 100000000, &rank, NULL) == 0)
            return rank;
    return -1;
}

/* Replaces {start} in the program's arguments, by our own wall clock. */
static void argv_fill_start(const struct lc_link *link, char **argv)
{
    static char start[40];
    int64_t ns = link->launch_wall_ns + link->wall_offset_ns;

    snprintf(start, sizeof(start), "%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
    for (; *argv; argv++)
        if (strcmp(*argv, "{start}") == 0)
            *argv = start;
}

/* One rank: 'words' are HOSTS PORT TOKEN CMD... */
static int rank_main(char **words, long rank, uint64_t begin_ns)
{
    struct lc_link link;
    struct lc_error err;

    if (lc_link_open(&link, words[0], words[1], words[2], rank, begin_ns, &err) < 0)
        return error_print(&err);
    argv_fill_start(&link, words + 3);
    int code = lc_rank_run(&link, words + 3, is_forked);
    lc_link_close(&link);
    return code;
}

/* Launcher of plain processes: starts 'count' ranks as children. */
static int launcher_main(char **words, long count)
{
    int code = 0, status;

    for (long rank = 0; rank < count; rank++) {
        pid_t pid = fork();
        if (pid == 0) {
            char number[24];
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            snprintf(number, sizeof(number), "%ld", rank);
            setenv("LOADCAST_RANK", number, 1);
            _exit(rank_main(words, rank, lc_clock_ns()));
        }
        if (pid < 0) {
            fprintf(stderr, "bench-rank: cannot start process %ld of %ld: %s\n", rank + 1, count,
                    strerror(errno));
            return LC_EXIT_SELF;
        }
    }
    for (pid_t pid; (pid = wait(&status)) > 0 || errno == EINTR;)
        if (pid > 0 && status != 0 && code == 0)
            code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return code;
}

static int cold_main(const char *dir)
{
    struct lc_error err;
    const char *how = lc_drop_caches(dir, &err);

    if (!how)
        return error_print(&err);
    puts(how);
    return 0;
}

/* The name is the one by which a stormfs charges it once: no rank has it. */
static int memory_main(char **words)
{
    prctl(PR_SET_NAME, "bench-memory");
    printf("%" PRIu64 "\n", lc_memory_count(words));
    return 0;
}

static int read_options(int argc, char **argv, long *count, struct lc_error *err)
{
    int c;

    while ((c = getopt(argc, argv, "+fn:C:e:")) != -1) {
        if (c == 'f')
            is_forked = true;
        if (c == 'n' && lc_parse_long("-n", optarg, 1, MOST_PROCESSES, count, err) < 0)
            return -1;
        if (c == 'C' && chdir(optarg) < 0)
            return lc_error_errno(err, "cannot change to '%s'", optarg);
        if (c == 'e' && (!strchr(optarg, '=') || putenv(optarg) != 0))
            return lc_error_set(err, "'%s' is no NAME=VALUE", optarg);
        if (c == '?')
            return lc_error_set(err, "is started by 'loadcast bench'");
    }
    return argc - optind < 4 ? lc_error_set(err, "is started by 'loadcast bench'") : 0;
}

int main(int argc, char **argv)
{
    uint64_t begin_ns = lc_clock_ns();
    struct lc_error err;
    long count = 0;

    signal(SIGPIPE, SIG_IGN);
    if (argc == 3 && strcmp(argv[1], "cold") == 0)
        return cold_main(argv[2]);
    if (argc >= 3 && strcmp(argv[1], "memory") == 0)
        return memory_main(argv + 2);
    if (argc >= 8 && strcmp(argv[1], "hold") == 0)
        return lc_rank_hold(argv + 2, own_rank(), &err) < 0 ? error_print(&err) : 0;
    if (read_options(argc, argv, &count, &err) < 0)
        return error_print(&err);
    return count > 0 ? launcher_main(argv + optind, count)
                     : rank_main(argv + optind, own_rank(), begin_ns);
}
