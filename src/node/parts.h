/* SPDX-License-Identifier: MIT */
/* parts.h - the parts of the client, and the variables that switch them off one by one: NAME=0 in
 * the environment of 'loadcast'. Freestanding. LOADCAST=0 (node/format.h) switches all of them off.
 *
 * The first three are read by each process, the last two by the launcher and by 'run', which decide
 * what a program is started with. */
#ifndef LC_NODE_PARTS_H
#define LC_NODE_PARTS_H

/* Replay of symbol bindings. =verify: ld.so looks up all symbols as well, and the results are
 * compared. */
#define LC_BIND_VARIABLE "LOADCAST_BINDINGS"
/* Hiding of DT_NEEDED names from ld.so. =off is 0, too; =small: also in small groups. */
#define LC_PRUNE_VARIABLE "LOADCAST_PRUNE"
/* The import seam. */
#define LC_PYTHON_VARIABLE "LOADCAST_PYTHON"
/* The auditor, and with it bindings and pruning: ld.so searches and loads by itself. */
#define LC_AUDIT_VARIABLE "LOADCAST_AUDIT"
/* The preload object, and with it the import seam: only ld.so is answered. */
#define LC_PRELOAD_VARIABLE "LOADCAST_PRELOAD"

#define LC_PART_VARIABLES                                                           \
    {                                                                               \
        LC_BIND_VARIABLE, LC_PRUNE_VARIABLE, LC_PYTHON_VARIABLE, LC_AUDIT_VARIABLE, \
            LC_PRELOAD_VARIABLE                                                     \
    }

#endif
