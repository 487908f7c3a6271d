/* SPDX-License-Identifier: MIT */
/* cloadtest.c - a C program that is linked against all libraries and visits them
 *
 * usage: cloadtest [START], with START from 'date +%s' or 'date +%s.%N'. Prints the seconds from
 * START to main (loading: the dynamic linker's work before main), with MPI also those until
 * MPI_Init is over, the seconds of the visit, the worst task of each, and one line of JSON. Ends
 * with 1 when a result is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cloadtest.h"

#ifdef WITH_MPI
#include <mpi.h>
#define PROGRAM "cloadtest-mpi"
#else
#define PROGRAM "cloadtest"
#endif

struct outcome {
    long long startup_ns, visit_ns; /* startup -1: START was not given */
    long long mpi_startup_ns;       /* the same until MPI_Init is over */
    unsigned long long checksum;
    int wrong;
};

static int rank, size = 1;

static long long now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* "1700000000" or "1700000000.123456789" in nanoseconds; -1 if it is neither. */
static long long parse_start(const char *text)
{
    char *end;
    long long ns = strtoll(text, &end, 10) * 1000000000LL;

    if (end == text || ns < 0 || (*end && *end != '.'))
        return -1;
    if (*end)
        end++;
    for (long long unit = 100000000; *end >= '0' && *end <= '9'; end++, unit /= 10)
        ns += (*end - '0') * unit;
    return *end ? -1 : ns;
}

/* Asked for by 'loadcast bench', on every task: a phase ends here. */
static void mark(const char *name)
{
    const char *asked = getenv("LOADCAST_MARKS");

    if (asked && strcmp(asked, "1") == 0)
        printf("LOADCAST_MARK=%s %lld\n", name, now_ns(CLOCK_MONOTONIC));
    fflush(stdout);
}

static long long since(long long now, long long then)
{
    return now > then ? now - then : 0;
}

static void visit_all(struct outcome *o)
{
    long long start = now_ns(CLOCK_MONOTONIC);

    for (int i = 0; i < visit_count; i++) {
        unsigned value = visits[i].entry();
        o->checksum += value;
        if (value != visits[i].expected && o->wrong++ == 0)
            fprintf(stderr, PROGRAM ": task %d: %s returned %u, expected %u\n", rank,
                    visits[i].library, value, visits[i].expected);
    }
    o->visit_ns = now_ns(CLOCK_MONOTONIC) - start;
    mark("visit");
}

static int compare(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;

    return (x > y) - (x < y);
}

/* One phase over all tasks, collected on task 0. */
struct phase {
    double min, median, max;
    int worst;
};

static struct phase summarize(long long ns)
{
    long long *all = calloc((size_t)size, sizeof(*all));
    struct phase p = {0};

    if (!all)
        return p;
#ifdef WITH_MPI
    MPI_Gather(&ns, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
#else
    all[0] = ns;
#endif
    for (int i = 0; i < size; i++)
        if (all[i] > all[p.worst])
            p.worst = i;
    qsort(all, (size_t)size, sizeof(*all), compare);
    p = (struct phase){all[0] / 1e9, (all[(size - 1) / 2] + all[size / 2]) / 2e9,
                       all[size - 1] / 1e9, p.worst};
    free(all);
    return p;
}

static void print_phase(const char *name, const struct phase *p)
{
    printf("\"%s\": {\"min\": %.9f, \"median\": %.9f, \"max\": %.9f, \"worst_rank\": %d}, ", name,
           p->min, p->median, p->max, p->worst);
}

static void report(const struct outcome *o, int wrong)
{
    struct phase startup = summarize(o->startup_ns), visit = summarize(o->visit_ns);
#ifdef WITH_MPI
    struct phase with_mpi = summarize(o->mpi_startup_ns);
#endif

    if (rank != 0)
        return;
    printf("Cloadtest: %d libraries, %d MPI tasks\n", library_count, size);
    if (o->startup_ns >= 0)
        printf("Cloadtest: startup time = %.9f secs (worst task %d)\n", startup.max, startup.worst);
#ifdef WITH_MPI
    if (o->startup_ns >= 0)
        printf("Cloadtest: startup with MPI_Init = %.9f secs (worst task %d)\n", with_mpi.max,
               with_mpi.worst);
#endif
    printf("Cloadtest: visit time = %.9f secs (worst task %d)\n", visit.max, visit.worst);
    printf("Cloadtest: test %s\n", wrong ? "FAILED!" : "passed!");
    printf("Cloadtest-json: {\"mode\": \"" PROGRAM "\", \"tasks\": %d, \"libraries\": %d, ", size,
           library_count);
    if (o->startup_ns >= 0)
        print_phase("startup", &startup);
#ifdef WITH_MPI
    if (o->startup_ns >= 0)
        print_phase("startup_with_mpi", &with_mpi);
#endif
    print_phase("visit", &visit);
    printf("\"sum\": %.9f, \"checksum\": %llu, \"passed\": %s}\n",
           (o->startup_ns >= 0 ? startup.max : 0) + visit.max, o->checksum,
           wrong ? "false" : "true");
}

#ifdef WITH_MPI
/* A launcher started several tasks, but each sees only itself: some other launcher's MPI. The first
 * size found decides: Slurm's may be that of the daemons of another. */
static int is_lost(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "MV2_COMM_WORLD_SIZE",  "PALS_SIZE",
                                        "FLUX_JOB_SIZE",        "SLURM_STEP_NUM_TASKS"};
    const char *value = NULL;
    size_t i = 0;

    for (; i < sizeof(names) / sizeof(*names) && !value; i++)
        value = getenv(names[i]);
    if (size > 1 || !value || strtol(value, NULL, 10) <= 1)
        return 0;
    fprintf(stderr,
            PROGRAM
            ": %s says %s tasks, but MPI found only this one: the launcher and this program "
            "use different MPIs\n",
            names[i - 1], value);
    return 1;
}
#endif

static int total_wrong(int wrong)
{
#ifdef WITH_MPI
    int all = wrong;

    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
#else
    return wrong;
#endif
}

int main(int argc, char **argv)
{
    long long wall = now_ns(CLOCK_REALTIME);
    struct outcome o = {.startup_ns = -1};

#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (is_lost())
        return 1;
#endif
    long long begun = now_ns(CLOCK_REALTIME);
    mark("start");
    if (argc > 2 || (argc == 2 && parse_start(argv[1]) < 0)) {
        fprintf(stderr, "usage: " PROGRAM " [`date +%%s.%%N`]\n");
        return 2;
    }
    if (argc == 2) {
        o.startup_ns = since(wall, parse_start(argv[1]));
        o.mpi_startup_ns = since(begun, parse_start(argv[1]));
    }
    visit_all(&o);
    int wrong = total_wrong(o.wrong);
    report(&o, wrong);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return wrong ? 1 : 0;
}
