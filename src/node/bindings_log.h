/* SPDX-License-Identifier: MIT */
/* bindings_log.h - the log of the bindings recorder in the pilot: one file per process and program.
 *
 * The variable names a directory; a process writes the file PID.N in it, a sequence of records:
 * struct lc_bind_record, then 'length' bytes. Numbers are in native byte order. */
#ifndef LC_NODE_BINDINGS_LOG_H
#define LC_NODE_BINDINGS_LOG_H

#include <stdint.h>

#define LC_BIND_LOG_VARIABLE "LOADCAST_BINDINGS_LOG"

enum lc_bind_record_type {
    LC_BIND_OBJECT = 1, /* struct lc_bind_opened, path, NUL, the name it was requested by, NUL */
    LC_BIND_CLOSED = 2, /* uint32_t: the object's number */
    LC_BIND_GROUP = 3,  /* struct lc_bind_call: a dlopen begins; its objects follow */
    LC_BIND_START = 4,  /* the start-up objects are relocated */
    LC_BIND_VALUES = 5, /* uint32_t number, uint32_t rows, then uint64_t per row */
    LC_BIND_MAPPED = 6, /* all objects of the call are mapped; relocation comes next */
};

struct lc_bind_record {
    uint32_t type;
    uint32_t length;
};

struct lc_bind_opened {
    uint32_t number;   /* from 1 on */
    uint32_t has_rows; /* an LC_BIND_VALUES record follows if it is relocated */
    uint64_t base;
    uint64_t dynamic, build; /* as in elf_object.h */
};

struct lc_bind_call {
    uint32_t is_known; /* 1: 'flags' is known */
    uint32_t flags;    /* flags of dlopen */
    uint64_t globals;  /* as in dlopen_notes.h */
    uint64_t globals_hash;
};

#endif
