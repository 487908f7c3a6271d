/* SPDX-License-Identifier: MIT */
/* parts.c - the parts of the client, and the variable that turns each of them off */
#include "doctor/parts.h"

#include "node/parts.h"

const struct lc_client_part_about lc_client_parts[LC_CLIENT_PARTS] = {
    [LC_CLIENT_PART_SEAM] = {"seam", "import seam", LC_PYTHON_VARIABLE "=0"},
    [LC_CLIENT_PART_PRUNING] = {"pruning", "pruning of needed names", LC_PRUNE_VARIABLE "=0"},
    [LC_CLIENT_PART_BINDINGS] = {"bindings", "symbol bindings", LC_BIND_VARIABLE "=0"},
    [LC_CLIENT_PART_AUDITOR] = {"auditor", "auditor", LC_AUDIT_VARIABLE "=0"},
    [LC_CLIENT_PART_WATCHING] = {"watching", "watching for an image", "LOADCAST_WATCH=0"},
    [LC_CLIENT_PART_PRELOAD] = {"preload", "preload", LC_PRELOAD_VARIABLE "=0"},
};
