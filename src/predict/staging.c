/* SPDX-License-Identifier: MIT */
/* staging.c - how long it takes to bring bytes to every node, by each way */
#include "predict/staging.h"

#include <math.h>

#include "stage/mpi/ring.h"

/* Slurm 22.05: size of a block of sbcast, and how many nodes one node sends to (TreeWidth). */
static const double SBCAST_BLOCK = 8 << 20, SBCAST_WIDTH = 50;

static double largest(double a, double b)
{
    return a > b ? a : b;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* What one node reads alone. */
static double reader_bytes_s(const struct lc_machine_model *m)
{
    return least(m->node_mb_s * 1e6, lc_machine_bytes_s(m, 1));
}

/* Between nodes that are far from each other: a switch more, or a way through the torus. */
static double far_latency_s(const struct lc_machine_model *m, double nodes)
{
    double hops = 1;

    if (m->topology == LC_TOPOLOGY_TORUS)
        hops = largest(1, 0.75 * cbrt(nodes));
    else if (m->topology != LC_TOPOLOGY_FLAT)
        hops = nodes > 32 ? 3 : 1;
    return m->link_latency_us * 1e-6 * (1 + 0.1 * (hops - 1)); /* a switch adds a tenth */
}

static double levels_of(double nodes, double width)
{
    return nodes > 1 ? ceil(log(nodes) / log(width) - 1e-9) : 0;
}

/* A stage-mpi that waits for its first chunk is in the middle of a nap on average: the shortest as
 * long as it expects the chunk, which is late if a hop takes longer than is allowed for; then the
 * longest. */
static double awakening_s(double hop_s)
{
    double nap_ns = LC_RING_NAP_NS;

    while (hop_s + nap_ns * 1e-9 / 2 > LC_RING_EXPECT_HOP_NS * 1e-9 &&
           2 * nap_ns <= LC_RING_LONGEST_NAP_NS)
        nap_ns *= 2;
    return nap_ns * 1e-9 / 2;
}

struct lc_chain lc_stage_chain(const struct lc_machine_model *m, double nodes, double bytes)
{
    double wire_s = LC_RING_SLOT / (m->link_mb_s * 1e6), latency_s = m->link_latency_us * 1e-6;
    double read_s = LC_RING_PAYLOAD / reader_bytes_s(m);
    double write_s = LC_RING_PAYLOAD / (m->memory_mb_s * 1e6);
    struct lc_chain c = {.chunks = ceil(bytes / LC_RING_PAYLOAD) + 1};

    c.steady_s = largest(read_s, write_s);
    if (nodes > 1) {
        /* The sends under way arrive together, and are seen in the middle of a nap. */
        c.steady_s = largest(c.steady_s, wire_s + LC_RING_NAP_NS * 1e-9 / 2 / LC_RING_SENDS);
        /* Each of them is over when its answer is back. */
        c.steady_s = largest(c.steady_s, (wire_s + 2 * latency_s) / LC_RING_SENDS);
        c.hop_s = wire_s + latency_s + awakening_s(wire_s + latency_s);
        /* The first chunk may share the link with the others under way: between one chunk's time
         * and theirs together. */
        double shared_s = (1 + least(LC_RING_SENDS, c.chunks)) / 2 * wire_s + latency_s;
        c.content_hop_s = shared_s + awakening_s(shared_s);
    }
    c.total_s = (nodes - 1) * (c.hop_s + c.content_hop_s) +
                2 * levels_of(nodes, 2) * far_latency_s(m, nodes) + c.chunks * c.steady_s;
    return c;
}

double lc_stage_chain_messages_s(const struct lc_machine_model *machine, double nodes, double bytes)
{
    const double unlimited = 1e12;
    struct lc_machine_model m = *machine;

    m.node_mb_s = m.total_mb_s = m.memory_mb_s = unlimited;
    m.halved_at_nodes = 0;
    return lc_stage_chain(&m, nodes, bytes).total_s;
}

double lc_stage_sbcast_s(const struct lc_machine_model *m, double nodes, double bytes)
{
    double blocks = ceil(bytes / SBCAST_BLOCK), width = least(nodes, SBCAST_WIDTH);
    double levels = largest(1, levels_of(nodes, SBCAST_WIDTH));
    double block_s = SBCAST_BLOCK * width / (m->link_mb_s * 1e6) + 2 * far_latency_s(m, nodes) +
                     SBCAST_BLOCK / (m->memory_mb_s * 1e6);

    return bytes / reader_bytes_s(m) + blocks * levels * block_s;
}

double lc_stage_tree_s(const struct lc_machine_model *m, double nodes, double bytes)
{
    /* What arrives is written to memory that the process touches for the first time. */
    double level_s = bytes / (least(m->link_mb_s, m->memory_mb_s) * 1e6) + far_latency_s(m, nodes);

    return bytes / reader_bytes_s(m) + levels_of(nodes, 2) * level_s +
           bytes / (m->memory_mb_s * 1e6);
}

double lc_stage_read_s(const struct lc_machine_model *m, double nodes, double bytes)
{
    return largest(bytes / reader_bytes_s(m), nodes * bytes / lc_machine_bytes_s(m, nodes));
}
