/* SPDX-License-Identifier: MIT */
/* facts.c - host, processor, kernel, C library, MPI, batch job */
#include "bench/facts.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/run.h"

static void find_cpu(char *out, size_t size)
{
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[512], *value;

    while (in && !out[0] && fgets(line, sizeof(line), in))
        if (strncmp(line, "model name", 10) == 0 && (value = strchr(line, ':')))
            snprintf(out, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    if (in)
        fclose(in);
}

static void find_mpi(char *out, size_t size)
{
    struct lc_argv argv = {0};
    struct lc_buf said = {0};

    lc_argv_words(&argv, "mpiexec --version");
    if (lc_run_output(&argv, &said, NULL) == 0)
        snprintf(out, size, "%.*s", (int)strcspn(lc_buf_text(&said), "\n"), lc_buf_text(&said));
    lc_argv_free(&argv);
    lc_buf_free(&said);
}

static void find_job(char *out, size_t size)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
                                        "FLUX_JOB_ID",  "COBALT_JOBID", NULL};

    for (size_t i = 0; names[i] && !out[0]; i++)
        if (getenv(names[i]))
            snprintf(out, size, "%s", getenv(names[i]));
}

void lc_facts_find(struct lc_facts *facts)
{
    struct utsname u;

    *facts = (struct lc_facts){.host = ""};
    if (uname(&u) == 0) {
        snprintf(facts->host, sizeof(facts->host), "%s", u.nodename);
        snprintf(facts->kernel, sizeof(facts->kernel), "%s %s %s", u.sysname, u.release, u.machine);
    }
    snprintf(facts->glibc, sizeof(facts->glibc), "%s", gnu_get_libc_version());
    find_cpu(facts->cpu, sizeof(facts->cpu));
    find_mpi(facts->mpi, sizeof(facts->mpi));
    find_job(facts->job, sizeof(facts->job));
}
