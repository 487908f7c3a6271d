/* SPDX-License-Identifier: MIT */
/* parts.h - the parts of the client, and the variable that turns each of them off */
#ifndef LC_DOCTOR_PARTS_H
#define LC_DOCTOR_PARTS_H

/* In the order in which 'doctor' leaves them out: a part comes before the one that it belongs to,
 * so that the smallest part whose absence cures is named. */
enum lc_client_part {
    LC_CLIENT_PART_SEAM,     /* of the preload */
    LC_CLIENT_PART_PRUNING,  /* of the bindings */
    LC_CLIENT_PART_BINDINGS, /* of the auditor */
    LC_CLIENT_PART_AUDITOR,
    LC_CLIENT_PART_PRELOAD,
    LC_SERVING_PARTS,                           /* of programs that have an image */
    LC_CLIENT_PART_WATCHING = LC_SERVING_PARTS, /* of lines that have none */
    LC_CLIENT_PARTS,
};

struct lc_client_part_about {
    const char *key;  /* in JSON and in file names */
    const char *name; /* for people */
    const char *off;  /* "NAME=VALUE", to be set in the environment */
};

extern const struct lc_client_part_about lc_client_parts[LC_CLIENT_PARTS];

#endif
