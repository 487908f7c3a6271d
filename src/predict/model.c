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

const char *lc_remedy_name(enum lc_remedy remedy)
{
    static const char *const names[LC_REMEDIES] = {
        [LC_REMEDY_NONE] = "plain",       [LC_REMEDY_COPY] = "copy",
        [LC_REMEDY_BCAST] = "copy-bcast", [LC_REMEDY_SQUASHFS] = "squashfs",
        [LC_REMEDY_FS] = "loadcast-fs",   [LC_REMEDY_SBCAST] = "loadcast-sbcast",
        [LC_REMEDY_MPI] = "loadcast-mpi",
    };

    return names[remedy];
}

double lc_model_nodes(const struct lc_machine_model *m, double ranks)
{
    return ceil(ranks / m->ranks_per_node);
}

static double launch_s(const struct lc_machine_model *m, double nodes)
{
    return m->launch_s + nodes * m->launch_per_node_ms / 1e3;
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

/* Computing alone: on a test bed the ranks share its cores. */
static double compute_s(const struct lc_machine_model *m, const struct lc_job *job, double ranks)
{
    double one_s = job->cpu_s / m->cpu_speed;

    return m->shared_cores > 0 && ranks > m->shared_cores ? one_s * ranks / m->shared_cores : one_s;
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
    struct lc_estimate e = {.launch_s = launch_s(m, nodes), .start_s = q.response_s};

    e.requests = all * ranks;
    e.requests_per_s = q.response_s > 0 ? e.requests / q.response_s : 0;
    e.bystander_s = m->meta_latency_us * 1e-6 + service_s * (1 + q.waiting[LC_STATION_META]);
    e.worst_s = e.launch_s + e.start_s;
    /* The queue serves ranks in turn: they end within one round of it. */
    e.median_s = e.worst_s - (all > 1 ? q.response_s / all / 2 : 0);
    return e;
}

/* --- remedies --------------------------------------------------------------------------------- */

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

    e->stage_s = e->launch_s + unpack_s(m, job); /* a launch of its own goes before */
    e->stage_s +=
        is_bcast ? lc_stage_tree_s(m, nodes, tarball) : lc_stage_read_s(m, nodes, tarball);
    e->requests = is_bcast ? 1 : nodes;
}

/* The ranks of a node inflate the pages once; the kernel answers their requests. */
static void squashfs_estimate(struct lc_estimate *e, const struct lc_machine_model *m,
                              const struct lc_job *job, double nodes)
{
    double local = (job->lookups + job->misses + job->opens) * LOCAL_REQUEST_S;

    e->stage_s = lc_stage_read_s(m, nodes, job->bytes * SQUASHED);
    e->start_s += local + job->bytes / INFLATE_BYTES_S;
    e->requests = nodes;
}

static double image_stage_s(const struct lc_machine_model *m, const struct lc_job *job,
                            enum lc_remedy remedy, double nodes)
{
    double write_s = job->files * UNPACK_FILE_S + job->image_bytes / (m->memory_mb_s * 1e6);

    if (remedy == LC_REMEDY_FS)
        return lc_stage_read_s(m, nodes, job->image_bytes) + write_s;
    if (remedy == LC_REMEDY_SBCAST)
        return lc_stage_sbcast_s(m, nodes, job->image_bytes) + write_s;
    /* The stager writes while the stream comes: what is not overlapped is making the files. */
    return lc_stage_tree_s(m, nodes, KIT_BYTES) +
           lc_stage_chain(m, nodes, job->image_bytes).total_s + job->files * UNPACK_FILE_S;
}

static void loadcast_estimate(struct lc_estimate *e, const struct lc_machine_model *m,
                              const struct lc_job *job, enum lc_remedy remedy, double nodes)
{
    e->check_s = job->image_entries * idle_stat_s(m);
    e->stage_s = e->launch_s + image_stage_s(m, job, remedy, nodes);
    e->requests = job->image_entries + (remedy == LC_REMEDY_FS ? nodes : 1);
    e->bystander_s += lookup_s(m) / m->meta_servers; /* the one process that checks */
}

static struct lc_estimate remedy_estimate(const struct lc_machine_model *m,
                                          const struct lc_job *job, enum lc_remedy remedy,
                                          double ranks, double nodes)
{
    struct lc_estimate e = {.launch_s = launch_s(m, nodes),
                            .start_s = compute_s(m, job, ranks),
                            .bystander_s = idle_stat_s(m)};

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
