/* SPDX-License-Identifier: MIT */
/* machine.h - a machine as numbers: nodes, file servers, clients, network; see doc/machines.md
 *
 * Read from a YAML file, or one of the presets that are embedded in the program. */
#ifndef LC_PREDICT_MACHINE_H
#define LC_PREDICT_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

enum lc_topology {
    LC_TOPOLOGY_FLAT,
    LC_TOPOLOGY_FAT_TREE,
    LC_TOPOLOGY_DRAGONFLY,
    LC_TOPOLOGY_TORUS
};

enum { LC_MACHINE_TEXT = 600 };

/* Where the numbers come from, for people. */
struct lc_machine_about {
    char source[LC_MACHINE_TEXT], fitted[LC_MACHINE_TEXT], assumed[LC_MACHINE_TEXT],
        error[LC_MACHINE_TEXT];
};

struct lc_machine_model {
    char name[64];
    struct lc_machine_about about;
    double fitted_ranks; /* the widest job that the numbers were fitted to; 0: unknown */
    double nodes, ranks_per_node;
    /* Metadata servers that take from one queue; rates are of one of them. */
    double meta_servers, lookups_per_s, misses_per_s, opens_per_s, meta_latency_us;
    /* Data servers; what one and all of them send; how many nodes that read at once halve the
     * total (0: it does not fall); what one node can take. */
    double data_servers, server_mb_s, total_mb_s, halved_at_nodes, node_mb_s;
    /* Does a node ask once for all its ranks? 0 or 1. */
    double names_cached, absent_cached, data_cached;
    double link_mb_s, link_latency_us;
    double topology;     /* enum lc_topology */
    double memory_mb_s;  /* writing files into the memory of a node */
    double shared_cores; /* that all nodes share, as on a test bed of one machine; 0: none */
    double cpu_speed;    /* against the machine on which the job was traced */
    double launch_s, launch_per_node_ms;
    double launch_rank_cpu_ms;   /* CPU time to start a rank; shared cores do that in turn */
    double launch_waiting_cores; /* what a rank that waits for the others takes of shared cores */
};

/* A preset by its name, or a file if the name has a slash or ends in .yaml. 0, or -1 with err
 * filled: "FILE:3:15: 'nodes': 0 is outside 1 to 10000000". */
int lc_machine_load(struct lc_machine_model *machine, const char *name, struct lc_error *err);

/* From YAML text; 'file' is named in messages. 0, or -1 with err filled. */
int lc_machine_parse(struct lc_machine_model *machine, const char *file, const char *text,
                     struct lc_error *err);

/* The names of the presets, ending with NULL; and the YAML text of one, NULL if there is none. */
const char *const *lc_machine_presets(void);
const char *lc_machine_preset_text(const char *name);

/* Writes the machine as a file that lc_machine_parse reads. */
void lc_machine_write(const struct lc_machine_model *machine, FILE *out);

/* A machine of which nothing limits a job but one metadata server that answers so many requests per
 * second. */
void lc_machine_of_rate(struct lc_machine_model *machine, double per_s);

/* What all clients together read per second when so many nodes read at once. */
double lc_machine_bytes_s(const struct lc_machine_model *machine, double nodes);

#endif
