/* SPDX-License-Identifier: MIT */
/* model.c - one job at one width on one machine, plain and with each remedy
 *
 * Plainly all ranks are customers of a closed network of queues (queue.h): the metadata servers,
 * the data servers, and, on a test bed, the cores that all nodes share. With a remedy the metadata
 * servers see one process, and what takes time is bringing bytes to the nodes (staging.h). */
#include "predict/model.h"

#include <math.h>

#include "predict/queue.h"
#include "predict/staging.h"

/* Assumed, not measured on the machine; doc/machines.md has the reasons. */
static const double UNPACK_FILE_S = 60e-6;   /* making one file in node memory */
static const double INFLATE_BYTES_S = 250e6; /* gzip or squashfs's zstd, one core */
static const double SQUASHED = 0.4;          /* what compression leaves */
static const double LOCAL_REQUEST_S = 2e-6;  /* a request that the node's kernel answers */
static const double KIT_BYTES = 2e6;         /* the stager, brought before the image */
static const double CHECK_AT_ONCE = 32;      /* questions of 'loadcast check' in flight, at most */
static const double LEAST_LEFT = 0.1;        /* of shared cores, beside ranks that wait */
static const double CHECK_ROUNDS = 8;        /* round trips until so many are */

const char *lc_remedy_name(enum lc_remedy remedy)
{
    static const char *const names[LC_REMEDIES] = {
        [LC_REMEDY_NONE] = "plain",       [LC_REMEDY_COPY] = "copy",
        [LC_REMEDY_BCAST] = "copy-bcast", [LC_REMEDY_SQUASHFS] = "squashfs",
        [LC_REMEDY_FS] = "loadcast-fs",   [LC_REMEDY_SBCAST] = "loadcast-sbcast",
        [LC_REMEDY_MPI] = "loadcast-mpi", [LC_REMEDY_RANKS] = "loadcast-ranks",
    };

    return names[remedy];
}

double lc_model_nodes(const struct lc_machine_model *m, double ranks)
{
    return ceil(ranks / m->ranks_per_node);
}

/* Ranks that share cores start one after another, and those that wait for the others take a part of
 * the cores meanwhile: all that is done then takes longer. */
static double launch_s(const struct lc_machine_model *m, double nodes, double processes)
{
    double per_core = m->shared_cores > 0 ? processes / m->shared_cores : 1;
    double left = m->shared_cores > 0 ? 1 - per_core * m->launch_waiting_cores : 1;

    return (m->launch_s +
            (nodes * m->launch_per_node_ms + per_core * m->launch_rank_cpu_ms) / 1e3) /
           fmax(left, LEAST_LEFT);
}

/* A launch before that of the ranks, with one process on each node. */
static double step_s(const struct lc_machine_model *m, double nodes)
{
    return launch_s(m, nodes, nodes);
}

/* What one server works for one look-up. */
static double lookup_s(const struct lc_machine_model *m)
{
    return 1 / m->lookups_per_s;
}

/* A stat that finds nobody before it. */
static double idle_stat_s(const struct lc_machine_model *m)
{
    return m->meta_latency_us * 1e-6 + lookup_s(m);
}

/* Every node opens one file at the same time: until the last of them has it open. */
static double opens_s(const struct lc_machine_model *m, double nodes)
{
    return m->meta_latency_us * 1e-6 + nodes / m->opens_per_s / m->meta_servers;
}

/* Every node opens and reads one file. */
static double read_by_all_s(const struct lc_machine_model *m, double nodes, double bytes)
{
    return fmax(lc_stage_read_s(m, nodes, bytes), opens_s(m, nodes) + lc_stage_read_s(m, 1, bytes));
}

/* Computing alone: on a test bed the ranks share its cores. */
static double compute_s(const struct lc_machine_model *m, const struct lc_job *job, double ranks)
{
    double one_s = job->cpu_s / m->cpu_speed;

    return m->shared_cores > 0 && ranks > m->shared_cores ? one_s * ranks / m->shared_cores : one_s;
}

/* What a node sends and writes: on a test bed the cores that all nodes share do that, too. */
static struct lc_machine_model crowded(const struct lc_machine_model *machine, double nodes)
{
    struct lc_machine_model m = *machine;
    double crowd = m.shared_cores > 0 && nodes > m.shared_cores ? nodes / m.shared_cores : 1;

    m.memory_mb_s /= crowd;
    m.link_mb_s /= crowd;
    return m;
}

/* --- plain ------------------------------------------------------------------------------------ */

struct requests {
    double names, misses, opens; /* of one rank that reach the servers */
};

static struct requests requests_of(const struct lc_machine_model *m, const struct lc_job *job,
                                   double per_node)
{
    double names = m->names_cached ? 1 / per_node : 1, absent = m->absent_cached ? 1 / per_node : 1;

    return (struct requests){job->lookups * names, job->misses * absent, job->opens * names};
}

static struct lc_queue_demand plain_demand(const struct lc_machine_model *m,
                                           const struct lc_job *job, const struct requests *r,
                                           double ranks, double nodes)
{
    double per_node = ranks / nodes, share = m->data_cached ? 1 / per_node : 1;
    double cpu_s = job->cpu_s / m->cpu_speed;
    double all = r->names + r->misses + r->opens;
    struct lc_queue_demand d = {
        .servers = {[LC_STATION_META] = m->meta_servers, [LC_STATION_CPU] = m->shared_cores}};

    d.think_s = all * m->meta_latency_us * 1e-6 + job->bytes / (m->node_mb_s * 1e6);
    d.seconds[LC_STATION_META] =
        r->names * lookup_s(m) + r->misses / m->misses_per_s + r->opens / m->opens_per_s;
    d.seconds[LC_STATION_DATA] = job->bytes * share / lc_machine_bytes_s(m, nodes);
    if (m->shared_cores > 0)
        d.seconds[LC_STATION_CPU] = cpu_s;
    else
        d.think_s += cpu_s;
    return d;
}

static struct lc_estimate plain_estimate(const struct lc_machine_model *m, const struct lc_job *job,
                                         double ranks, double nodes)
{
    const struct requests r = requests_of(m, job, ranks / nodes);
    double all = r.names + r.misses + r.opens;
    const struct lc_queue_demand d = plain_demand(m, job, &r, ranks, nodes);
    struct lc_queue_result q = lc_queue_solve(&d, ranks);
    double service_s = all > 0 ? d.seconds[LC_STATION_META] / all / m->meta_servers : 0;
    struct lc_estimate e = {.launch_s = launch_s(m, nodes, ranks), .start_s = q.response_s};

    e.requests = all * ranks;
    e.requests_per_s = q.response_s > 0 ? e.requests / q.response_s : 0;
    e.bystander_s = m->meta_latency_us * 1e-6 + service_s * (1 + q.waiting[LC_STATION_META]);
    e.worst_s = e.launch_s + e.start_s;
    /* The queue serves ranks in turn: they end within one round of it. */
    e.median_s = e.worst_s - (all > 1 ? q.response_s / all / 2 : 0);
    return e;
}

/* --- remedies --------------------------------------------------------------------------------- */

/* So many open one file at the same time. Another user's stat that comes last waits for them all.
 */
static void readers_count(struct lc_estimate *e, const struct lc_machine_model *m, double readers)
{
    e->requests = readers;
    e->bystander_s = idle_stat_s(m) + readers / m->opens_per_s / m->meta_servers;
}

/* A tarball: every file is made, every byte inflated and written, by one process of each node. */
static double unpack_s(const struct lc_machine_model *m, const struct lc_job *job)
{
    return job->files * UNPACK_FILE_S +
           job->bytes * (1 / INFLATE_BYTES_S + 1 / (m->memory_mb_s * 1e6));
}

static void copy_estimate(struct lc_estimate *e, const struct lc_machine_model *m,
                          const struct lc_job *job, bool is_bcast, double nodes)
{
    double tarball = job->bytes * SQUASHED;

    e->stage_s = step_s(m, nodes) + unpack_s(m, job);
    e->stage_s += is_bcast ? lc_stage_tree_s(m, nodes, tarball) : read_by_all_s(m, nodes, tarball);
    readers_count(e, m, is_bcast ? 1 : nodes);
}

/* The ranks of a node inflate the pages once; the kernel answers their requests. */
static void squashfs_estimate(struct lc_estimate *e, const struct lc_machine_model *m,
                              const struct lc_job *job, double nodes)
{
    double local = (job->lookups + job->misses + job->opens) * LOCAL_REQUEST_S;

    e->stage_s = read_by_all_s(m, nodes, job->bytes * SQUASHED);
    e->start_s += local + job->bytes / INFLATE_BYTES_S;
    readers_count(e, m, nodes);
}

static double image_stage_s(const struct lc_machine_model *machine, const struct lc_job *job,
                            enum lc_remedy remedy, double nodes)
{
    const struct lc_machine_model m = crowded(machine, nodes);
    double files_s = job->files * UNPACK_FILE_S * machine->memory_mb_s / m.memory_mb_s;
    double write_s = files_s + job->image_bytes / (m.memory_mb_s * 1e6);

    if (remedy == LC_REMEDY_FS || remedy == LC_REMEDY_RANKS)
        return read_by_all_s(&m, nodes, job->image_bytes) + write_s;
    if (remedy == LC_REMEDY_SBCAST)
        return lc_stage_sbcast_s(&m, nodes, job->image_bytes) + write_s;
    /* The stager writes while the stream comes: what is not overlapped is making the files. */
    return lc_stage_tree_s(&m, nodes, KIT_BYTES) +
           lc_stage_chain(&m, nodes, job->image_bytes).total_s + files_s;
}

/* One process asks for each entry, as many at once as the servers answer without a queue. */
static double check_s(const struct lc_machine_model *m, const struct lc_job *job)
{
    double each_s = fmax(lookup_s(m) / m->meta_servers, idle_stat_s(m) / CHECK_AT_ONCE);

    return fmin(job->image_entries, CHECK_ROUNDS) * idle_stat_s(m) + job->image_entries * each_s;
}

/* Before the image is brought: ranks that stage need no step, and that of MPI starts while 'check'
 * still asks. */
static double stage_step_s(const struct lc_machine_model *m, enum lc_remedy remedy, double nodes,
                           double checked_s)
{
    if (remedy == LC_REMEDY_RANKS)
        return 0;
    return remedy == LC_REMEDY_MPI ? fmax(0, step_s(m, nodes) - checked_s) : step_s(m, nodes);
}

static void loadcast_estimate(struct lc_estimate *e, const struct lc_machine_model *m,
                              const struct lc_job *job, enum lc_remedy remedy, double nodes)
{
    bool by_all = remedy == LC_REMEDY_FS || remedy == LC_REMEDY_RANKS;

    e->check_s = check_s(m, job);
    e->stage_s = stage_step_s(m, remedy, nodes, e->check_s) + image_stage_s(m, job, remedy, nodes);
    readers_count(e, m, by_all ? nodes : 1);
    e->requests += job->image_entries; /* one process that checks */
}

static struct lc_estimate remedy_estimate(const struct lc_machine_model *m,
                                          const struct lc_job *job, enum lc_remedy remedy,
                                          double ranks, double nodes)
{
    struct lc_estimate e = {.launch_s = launch_s(m, nodes, ranks),
                            .start_s = compute_s(m, job, ranks)};

    if (remedy == LC_REMEDY_COPY || remedy == LC_REMEDY_BCAST)
        copy_estimate(&e, m, job, remedy == LC_REMEDY_BCAST, nodes);
    else if (remedy == LC_REMEDY_SQUASHFS)
        squashfs_estimate(&e, m, job, nodes);
    else
        loadcast_estimate(&e, m, job, remedy, nodes);
    e.worst_s = e.launch_s + e.check_s + e.stage_s + e.start_s;
    e.requests_per_s = e.worst_s > 0 ? e.requests / e.worst_s : 0;
    e.median_s = e.worst_s;
    return e;
}

struct lc_estimate lc_model_estimate(const struct lc_machine_model *m, const struct lc_job *job,
                                     enum lc_remedy remedy, double ranks)
{
    double nodes = lc_model_nodes(m, ranks);
    struct lc_estimate e = remedy == LC_REMEDY_NONE ? plain_estimate(m, job, ranks, nodes)
                                                    : remedy_estimate(m, job, remedy, ranks, nodes);

    /* Nodes are started one after another: half of the ranks have half of that less to wait. */
    e.median_s -= nodes * m->launch_per_node_ms / 1e3 / 2;
    return e;
}
