/* SPDX-License-Identifier: MIT */
/* summary.h - count events by kind, mount and directory, with the reason for failed searches */
#ifndef LC_TRACE_SUMMARY_H
#define LC_TRACE_SUMMARY_H

#include <stdint.h>

#include "trace/mounts.h"
#include "trace/trace.h"
#include "util/map.h"

struct lc_count {
    uint64_t ok, failed;
};

struct lc_mount_sum {
    const struct lc_mountpoint *mount;
    struct lc_count kind[LC_TRACE_KINDS];
    struct lc_count on_descriptor;
    uint64_t bytes_read, bytes_mapped;
};

/* What was taken from an opened file. */
struct lc_file_sum {
    uint64_t read, mapped; /* in all; by the largest mapping */
};

/* A directory with failed look-ups. */
struct lc_dir_sum {
    uint64_t failed;
    char *example;                /* the first name that was looked up */
    struct lc_traced_program *by; /* the program that did it */
};

/* One program in one process, from its execve on, with what may explain its searches. */
struct lc_traced_program {
    char *program;         /* its file */
    char *ld_library_path; /* of its environment; NULL if unset */
    char *pythonpath;
    char *path;
    struct lc_map
        objects; /* shared objects and programs it opened, whose RPATH may be the reason */
    bool is_python;
};

struct lc_summary {
    const char *under[2]; /* count only paths below one of these; NULL: count all */
    struct lc_mounts mounts;
    struct lc_mount_sum *mount;
    size_t mount_count;
    struct lc_map mount_of_dir; /* directory → struct lc_mountpoint * */
    struct lc_map links;        /* path of a link → where it leads */
    struct lc_map files;        /* opened files, by the kernel's name → struct lc_file_sum */
    struct lc_map dirs;         /* → struct lc_dir_sum */
    struct lc_map packages;     /* directories found to hold __init__.py */
    struct lc_map programs;     /* "PID" → struct lc_traced_program * (the current one) */
    struct lc_map all_programs; /* owns all struct lc_traced_program */
};

int lc_summary_begin(struct lc_summary *sum); /* 0, or -1 with errno */
void lc_summary_end(struct lc_summary *sum);
void lc_summary_add(struct lc_summary *sum, const struct lc_trace_event *event);

/* Totals over the mounts that are stored on a disk or server. */
struct lc_totals {
    struct lc_count kind[LC_TRACE_KINDS];
    struct lc_count metadata, data;
    /* Metadata calls on an open file (fstat), part of the above: the client knows the answer. */
    struct lc_count on_descriptor;
    uint64_t bytes_read, bytes_mapped;
    /* What the different files hold, as far as it was read or mapped: ld.so maps a library whole
     * and again in parts, and each process maps it again. */
    uint64_t bytes_of_files;
};
struct lc_totals lc_summary_totals(const struct lc_summary *sum);

/* The directories with most failed look-ups, most first: fills at most 'most' indices into
 * sum->dirs.entry and returns how many. */
size_t lc_summary_worst_dirs(const struct lc_summary *sum, size_t *index, size_t most);

#endif
