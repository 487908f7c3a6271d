/* SPDX-License-Identifier: MIT */
/* options.c - stormfs's command line
 *
 * --profile sets the defaults of other options, at whatever place of the command line it is given.
 * So the command line is parsed twice: first with the defaults that --help shows, to report errors
 * and learn the profile; then with NOT_GIVEN as the default of every value that a profile sets. */
#include "stormfs/options.h"

#include <stdlib.h>
#include <string.h>

static const double NOT_GIVEN = -1;

enum { MOST_OPTIONS = 24 };

static const char summary[] =
    "Show SOURCE at each MOUNT as a shared file system with one slow metadata server.";
static const char notes[] =
    "Each MOUNT is a client node with a cache of its own; all share the server.\n"
    "Control: stormfs ctl MOUNT stats [--json] | reset | freeze | thaw | once PROGRAMS | stop\n"
    "Exit status: 0 mounted (or, with --foreground, ended as asked); 1 failed; 2 bad usage.";

/* Fills the option table; the values are stored in 'o'. */
static void option_table_fill(struct lc_options *o, const char **profile, struct lc_opt *table)
{
    struct lc_profile *p = &o->profile;
    const double day = 86400, year = 366 * day;
    const struct lc_opt opts[] = {
        {0, NULL, LC_OPT_HEADING, NULL, NULL, "the server"},
        {0, "profile", LC_OPT_CHOICE, profile, "NAME",
         "choose server and caches at once: none, local, nfs or lustre",
         .choices = lc_profile_names},
        {0, "servers", LC_OPT_LONG, &p->servers, "K", "metadata servers that share one queue", 1,
         LC_SERVER_MOST},
        {0, "service-us", LC_OPT_DOUBLE, &p->service_us, "U",
         "microseconds a server needs for one metadata request", 0, 1e7},
        {0, "latency-us", LC_OPT_DOUBLE, &p->latency_us, "U",
         "microseconds of every round trip, besides; occupies no server", 0, 1e7},
        {0, "bandwidth", LC_OPT_DOUBLE, &p->bandwidth_mb_s, "MB/s",
         "of the data path, for all clients together; 0: no limit", 0, 1e7},
        {0, "halved-at", LC_OPT_DOUBLE, &o->halved_at, "READERS",
         "so many reads at once halve the bandwidth, twice as many leave a third; 0: it does not "
         "fall",
         0, 1e9},
        {0, "scale", LC_OPT_LONG, &o->scale, "N",
         "each process stands for N tasks: N times the service time, an N-th of the bandwidth, "
         "N readers",
         1, 1e6},
        {0, "once", LC_OPT_STRING, &o->once, "PROGRAMS",
         "processes that run one of these programs (names separated by commas) exist once per job: "
         "charge them without --scale"},
        {0, "server", LC_OPT_STRING, &o->server, "NAME",
         "share the server of this name with other stormfs processes of this user; a NAME with a "
         "slash is a file"},
        {0, NULL, LC_OPT_HEADING, NULL, NULL, "the clients' caches"},
        {0, "cache-s", LC_OPT_DOUBLE, &p->cache_s, "S",
         "seconds for which names and attributes are valid; 0: everything is revalidated", 0, year},
        {0, "attr-cache-s", LC_OPT_DOUBLE, &p->attr_cache_s, "S",
         "attributes of files, if other than --cache-s", 0, year},
        {0, "dir-cache-s", LC_OPT_DOUBLE, &p->dir_cache_s, "S",
         "names and attributes of directories, if other than --cache-s", 0, year},
        {0, "negative-cache-s", LC_OPT_DOUBLE, &p->negative_cache_s, "S",
         "names that were found absent", 0, year},
        {0, NULL, LC_OPT_HEADING, NULL, NULL, "the process"},
        {0, "rw", LC_OPT_FLAG, &o->rw, NULL, "allow writing to SOURCE (default: read only)"},
        {'f', "foreground", LC_OPT_FLAG, &o->foreground, NULL,
         "stay; say 'mounted' on standard output when ready; end when the parent process ends"},
        {0, "until-pid", LC_OPT_LONG, &o->until_pid, "PID", "end when that process ends; 0: none",
         0, 4194304},
        {0, "threads", LC_OPT_LONG, &o->threads, "N",
         "requests of one mount that may wait at the server at once", 1, 4096},
        {0}};

    _Static_assert(sizeof(opts) <= MOST_OPTIONS * sizeof(opts[0]), "MOST_OPTIONS is too small");
    memcpy(table, opts, sizeof(opts));
}

static int command_line_parse(struct lc_options *o, const char **profile, int argc, char **argv,
                              int *first, struct lc_error *err)
{
    struct lc_opt table[MOST_OPTIONS];
    const struct lc_cli cli = {.name = "stormfs",
                               .usage = "[options] SOURCE MOUNT...",
                               .summary = summary,
                               .notes = notes,
                               .opts = table};

    option_table_fill(o, profile, table);
    return lc_cli_parse(&cli, argc, argv, first, err);
}

static void value_default(double *value, double otherwise)
{
    if (*value == NOT_GIVEN)
        *value = otherwise;
}

/* Values that were not given are taken from the profile. If --cache-s was given, it is also the
 * default of --attr-cache-s and --dir-cache-s. */
static void profile_complete(struct lc_profile *p, const struct lc_profile *base)
{
    double cache_s = p->cache_s;

    p->name = base->name;
    if (p->servers == (long)NOT_GIVEN)
        p->servers = base->servers;
    value_default(&p->service_us, base->service_us);
    value_default(&p->latency_us, base->latency_us);
    value_default(&p->bandwidth_mb_s, base->bandwidth_mb_s);
    value_default(&p->cache_s, base->cache_s);
    value_default(&p->attr_cache_s, cache_s == NOT_GIVEN ? base->attr_cache_s : cache_s);
    value_default(&p->dir_cache_s, cache_s == NOT_GIVEN ? base->dir_cache_s : cache_s);
    value_default(&p->negative_cache_s, base->negative_cache_s);
}

static int arguments_take(struct lc_options *o, char **word, int words, struct lc_error *err)
{
    if (words < 2)
        return lc_error_set(err, "need a SOURCE and at least one MOUNT; try 'stormfs --help'");
    if (words - 1 > LC_MOST_MOUNTS)
        return lc_error_set(err,
                            "%d mount points are too many; at most %d in one process (several "
                            "can share a --server)",
                            words - 1, LC_MOST_MOUNTS);
    if (o->server && !*o->server)
        return lc_error_set(err, "--server: the name is empty");
    o->source = word[0];
    o->mount = word + 1;
    o->mounts = (size_t)words - 1;
    return 0;
}

int lc_options_parse(struct lc_options *o, int argc, char **argv, struct lc_error *err)
{
    const char *profile = "none";
    char **copy = calloc((size_t)argc + 1, sizeof(*copy));
    int first, rc = -1;

    if (!copy)
        return lc_error_errno(err, "cannot read the command line");
    memcpy(copy, argv, (size_t)argc * sizeof(*copy));
    *o = (struct lc_options){.profile = *lc_profile_find(profile), .scale = 1, .threads = 512};
    rc = command_line_parse(o, &profile, argc, copy, &first, err);
    free(copy);
    if (rc != 0)
        return rc;
    o->profile = (struct lc_profile){NULL,      (long)NOT_GIVEN, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN,
                                     NOT_GIVEN, NOT_GIVEN,       NOT_GIVEN, NOT_GIVEN};
    if (command_line_parse(o, &profile, argc, argv, &first, err) < 0)
        return -1;
    profile_complete(&o->profile, lc_profile_find(profile));
    return arguments_take(o, argv + first, argc - first, err);
}

struct lc_server_model lc_options_server_model(const struct lc_options *o)
{
    return (struct lc_server_model){
        .servers = (uint64_t)o->profile.servers,
        .service_ns = (uint64_t)(o->profile.service_us * 1e3 * (double)o->scale + 0.5),
        .bandwidth_bytes_s = (uint64_t)(o->profile.bandwidth_mb_s * 1e6 / (double)o->scale + 0.5),
        .halved_at_readers = o->halved_at / (double)o->scale,
        .scale = (uint64_t)o->scale,
    };
}
