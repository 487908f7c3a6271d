/* SPDX-License-Identifier: MIT */
/* main.c - the stager: started on each node by 'loadcast stage' and 'loadcast run' */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>

#include "stage/stager/stager.h"
#include "util/cli.h"

static struct lc_stager stager = {.patience_s = 10};
static const char *id;

static const struct lc_opt options[] = {
    {0, "dir", LC_OPT_STRING, &stager.dir, "DIR", "stage below DIR"},
    {0, "id", LC_OPT_STRING, &id, "HEX", "identity of the image"},
    {0, "libs", LC_OPT_FLAG, &stager.only_libs, NULL, "stage its programs and libraries only"},
    {0, "patience", LC_OPT_SECONDS, &stager.patience_s, "TIME", "give up after TIME of silence",
     0.1, 86400},
    {0, "early", LC_OPT_FLAG, &stager.early, NULL,
     "the image is being checked: publish when standard input says so"},
    {0, "stats", LC_OPT_FLAG, &stager.stats, NULL, "report counters"},
    {0, "misses", LC_OPT_LONG, &stager.misses, "NODES",
     "report what was asked of the file system, if this is one of some nodes out of NODES", 0, 1e9},
    {0, "verify", LC_OPT_FLAG, &stager.verify, NULL, "compare staged files with their hashes"},
    {0, "clean", LC_OPT_FLAG, &stager.clean, NULL, "remove the node directory"},
    {0, "all", LC_OPT_FLAG, &stager.all, NULL, "with --clean: also what other jobs may want"},
    {0, "no-job", LC_OPT_FLAG, &stager.no_job, NULL,
     "no job goes on: where something is removed, the user's directory goes too if it is empty"},
    {0, "janitor", LC_OPT_FLAG, &stager.janitor, NULL,
     "rank: remove the node directory when the last process that uses it has ended"},
    {0, "silent", LC_OPT_FLAG, &stager.silent, NULL, "rank: do not say why it cannot be staged"},
    {0, "strict", LC_OPT_FLAG, &stager.strict, NULL, "rank: fail if it cannot be staged"},
    {0},
};

static const struct lc_cli cli = {
    .name = "stager",
    .usage = "probe|fs|local|need|parcel|rank|receive|send|end [options] [IMAGE] [CMD...]",
    .summary = "One node's part of 'loadcast stage'.",
    .opts = options,
    .stop_at_word = true,
};

static int run(const char *word, char **rest, int count)
{
    if (strcmp(word, "probe") == 0)
        return 0;
    if (strcmp(word, "rank") == 0 && count >= 2)
        return lc_stager_rank(&stager, rest[0], rest + 1);
    lc_stager_watch(false);
    if (strcmp(word, "fs") == 0 && count == 1)
        return lc_stager_fs(&stager, rest[0]);
    if (strcmp(word, "local") == 0 && count == 1)
        return lc_stager_local(&stager, rest[0]);
    if (strcmp(word, "need") == 0 && count == 1)
        return lc_stager_need(&stager, rest[0]);
    if (strcmp(word, "parcel") == 0 && count == 1)
        return lc_stager_batch(&stager, rest[0]);
    if (strcmp(word, "end") == 0 && stager.dir)
        return lc_stager_end(&stager);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* when stage-mpi ends, with which it shares the ring */
    if (strcmp(word, "receive") == 0)
        return lc_stager_receive(&stager);
    if (strcmp(word, "send") == 0 && count == 1)
        return lc_stager_send(&stager, rest[0]);
    lc_cli_help(&cli, stderr);
    return LC_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct lc_error err;
    int first;

    if (argc < 2)
        return lc_cli_help(&cli, stderr), LC_EXIT_USAGE;
    int rc = lc_cli_parse(&cli, argc - 1, argv + 1, &first, &err);
    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_USAGE, &err);
    stager.id = id ? strtoull(id, NULL, 16) : 0;
    return run(argv[1], argv + 1 + first, argc - 1 - first);
}
