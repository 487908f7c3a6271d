/* SPDX-License-Identifier: MIT */
/* staging.h - how long it takes to bring bytes to every node, by each way */
#ifndef LC_PREDICT_STAGING_H
#define LC_PREDICT_STAGING_H

#include "predict/machine.h"

/* The chain of stage-mpi, with the chunks, window and naps of stage/mpi/ring.h: the head goes along
 * the chain, all nodes agree on what they lack, the contents follow. */
struct lc_chain {
    double chunks;        /* messages that each node passes on */
    double hop_s;         /* of the head, from one node to the next, which sleeps meanwhile */
    double content_hop_s; /* of the first chunks of content */
    double steady_s;      /* between two chunks, once the stream flows */
    double total_s;
};
struct lc_chain lc_stage_chain(const struct lc_machine_model *machine, double nodes, double bytes);

/* The chain's messages alone: reading and writing take no time. */
double lc_stage_chain_messages_s(const struct lc_machine_model *machine, double nodes,
                                 double bytes);

/* Slurm's sbcast: block after block down a tree. */
double lc_stage_sbcast_s(const struct lc_machine_model *machine, double nodes, double bytes);

/* Read once, MPI_Bcast as a binomial tree of whole messages, written to memory. */
double lc_stage_tree_s(const struct lc_machine_model *machine, double nodes, double bytes);

/* Every node reads the same bytes from the file system at the same time. */
double lc_stage_read_s(const struct lc_machine_model *machine, double nodes, double bytes);

#endif
