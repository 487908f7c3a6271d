/* SPDX-License-Identifier: MIT */
/* format.h - the files of a node directory, written by the stager and read by the client.
 * Freestanding: structures and names only.
 *
 *   NODE/index          the image's index (doc/format.md), mapped read-only by every process
 *   NODE/state          struct lc_state: what holds for this node only; read-only
 *   NODE/live           struct lc_live: counters, entries written since, and the miss log; shared
 * and writable NODE/code           struct lc_code: second copy of Python bytecode, mapped as one
 * file; read-only; may be missing NODE/files/...      recorded files under their own paths, one
 * inode per recorded inode NODE/bin/launch     the static launcher that each rank runs
 *   NODE/bin/audit.so   the auditor, which answers ld.so's searches
 *   NODE/bin/preload.so the preload library, which answers libc's path functions
 *
 * The client learns NODE from the environment variable LOADCAST_NODE, an absolute path. It uses it
 * only if the directory belongs to the process's user, nobody else may write to it, 'state' and
 * 'index' agree on the image's identity, and the process is not set-user-ID. Otherwise the program
 * runs as if Loadcast were not there. */
#ifndef LC_NODE_FORMAT_H
#define LC_NODE_FORMAT_H

#include <stdint.h>

#define LC_NODE_VARIABLE "LOADCAST_NODE"
#define LC_NODE_OFF      "LOADCAST" /* LOADCAST=0 in the environment switches everything off */
#define LC_STATE_MAGIC   "LCSTATE5"
#define LC_LIVE_MAGIC    "LCLIVE_9"
#define LC_CODE_MAGIC    "LCCODE_1"
#define LC_NODE_CODE     "/code"
#define LC_NODE_FILES    "/files"
#define LC_NODE_NONE     "/none/" /* nothing is there, ever */
#define LC_NODE_AUDIT    "/bin/audit.so"
#define LC_NODE_PRELOAD  "/bin/preload.so"
#define LC_NODE_LAUNCH   "/bin/launch"

enum lc_state_flag {
    LC_STATE_NO_EXEC = 1,   /* NODE is mounted noexec: serve data, but not programs and libraries */
    LC_STATE_ONLY_LIBS = 2, /* --only libs: answer only ld.so's searches */
};

/* A staged file by its inode on this node, by which fstat() of a served descriptor finds the entry.
 */
struct lc_staged {
    uint64_t ino;   /* st_ino below NODE/files; 0: free slot */
    uint32_t entry; /* an entry of the image with this inode */
    uint32_t flags;
};
enum {
    LC_STAGED_OBJECT = 1,  /* ld.so can load it on this machine */
    LC_STAGED_DYNAMIC = 2, /* it is a program of glibc's ld.so (node/file_kind.h) */
};                         /* what is not set must be found out from the file itself */

/* Which ld.so.cache the node had when it was staged; all zero: none. */
#define LC_CACHE_FILE "/etc/ld.so.cache"
struct lc_cache {
    uint64_t hash; /* XXH64 of its content, as in the search keys */
    uint64_t ino, size, mtime_ns;
};

/* 'state'. Offsets count from its start. */
struct lc_state {
    uint8_t magic[8];
    uint32_t flags;
    uint32_t devs;        /* number of the image's mounts */
    uint64_t image_id;    /* lc_look_id() of 'index' */
    uint64_t length;      /* of the whole file */
    uint64_t staged_dev;  /* st_dev of what is below NODE/files */
    uint64_t dev_offset;  /* uint64_t[devs]: st_dev of each of the image's mounts on this node */
    uint64_t slot_offset; /* struct lc_staged[slots], open addressing from lc_staged_slot() */
    uint32_t slots;       /* a power of two, at most half full */
    uint32_t tls_bytes;   /* thread variables of the recorded program with most of them:
                             node/audit_fit.h */
    uint64_t
        mount_namespace;  /* in which it was staged; in another one 'mounts_seen' must be equal */
    uint64_t mounts_seen; /* see node/mounts.h */
    uint64_t mount;       /* lc_place.mount of NODE: a mount is part of one namespace only; 0: not
                             known */
    uint64_t held; /* bit i: mount i has entries that are more than steps on the way; first 64
                      mounts only */
    uint64_t audit_bytes; /* sizes of our objects: ld.so would crash on a truncated one */
    uint64_t preload_bytes;
    struct lc_cache cache;
    uint32_t glibc_minor; /* x of the 2.x that the image was recorded with; 0: not known */
    uint32_t untested;    /* bit i: part i of glibc_versions.h is off for it */
};

/* 'code'. It is followed by uint32_t[inodes]: the position of each inode's content in this file, in
 * LC_CODE_UNIT bytes; 0: not in it. */
struct lc_code {
    uint8_t magic[8];
    uint64_t image_id; /* lc_look_id() of 'index' */
    uint64_t length;   /* of the whole file */
    uint32_t inodes;
    uint32_t reserved;
};
enum { LC_CODE_UNIT = 16 };

static inline uint32_t lc_staged_slot(uint64_t ino, uint32_t slots)
{
    return (uint32_t)((ino * 0x9e3779b97f4a7c15u) >> 32) & (slots - 1);
}

/* What the client did; index of lc_live.count. Keep names in step with lc_count_names in
 * src/stage/counters.c. */
enum lc_count_kind {
    LC_COUNT_PROCESSES,       /* processes that mapped the node directory */
    LC_COUNT_STAT,            /* answered: stat, access */
    LC_COUNT_ABSENT,          /* answered: does not exist */
    LC_COUNT_OPEN,            /* answered: opened in node memory */
    LC_COUNT_READLINK,        /* answered: links, real paths */
    LC_COUNT_LIST,            /* answered: directories listed */
    LC_COUNT_EXEC,            /* answered: programs started from node memory */
    LC_COUNT_SEARCH,          /* answered: ld.so's searches */
    LC_COUNT_LOAD,            /* answered: libraries mapped from node memory */
    LC_COUNT_CODE,            /* answered: code objects of Python modules */
    LC_COUNT_PASS_UNKNOWN,    /* passed: below a managed mount, but not recorded */
    LC_COUNT_PASS_OUTSIDE,    /* passed: not below a managed mount */
    LC_COUNT_PASS_WRITTEN,    /* passed: written since, or a call that writes */
    LC_COUNT_PASS_NO_CONTENT, /* passed: known, but its content is not in node memory */
    LC_COUNT_PASS_DIRECTORY,  /* passed: a directory opened as a descriptor */
    LC_COUNT_PASS_CALL,    /* passed: a call that is never answered (chdir, xattrs, file trees) */
    LC_COUNT_PASS_SEARCH,  /* passed: a search of ld.so that was not recorded */
    LC_COUNT_PASS_CONFIRM, /* confirmed with the file system before it was answered: see 'uncovered'
                            */
    LC_COUNTS,
};

enum { LC_PASSED_PATHS = 64, LC_PASSED_LEN = 240 };

/* One of the first paths below managed mounts that were passed through. */
struct lc_passed {
    uint32_t state; /* 0 free, 1 being written, 2 ready */
    uint32_t kind;  /* LC_COUNT_PASS_... */
    uint64_t count;
    char path[LC_PASSED_LEN]; /* NUL-terminated, cut at the end if longer */
};

/* Counters of recorded bindings. */
struct lc_live_bindings {
    uint64_t replayed;                /* groups replayed: program starts and dlopens */
    uint64_t refused;                 /* groups that were left to ld.so */
    uint64_t bindings;                /* bindings written */
    uint64_t hidden;                  /* DT_NEEDED names hidden from ld.so */
    uint64_t compared, different;     /* by exec --verify-bindings */
    uint32_t refusal, difference;     /* 0 none yet, 1 being written, 2 ready: */
    char refusal_text[LC_PASSED_LEN]; /* of the first refusal: the reason, and the object */
    char difference_path[LC_PASSED_LEN];
};

enum { LC_LIVE_PROCESSES = 256 };

/* Counters of recorded bindings of one process. A row belongs to the process 'pid' until a later
 * process takes it over. */
struct lc_live_process {
    uint32_t pid;     /* 0: free, or being taken over */
    uint32_t refusal; /* state of refusal_text, as in lc_live_bindings */
    char name[16];    /* the program's name in the kernel */
    uint64_t replayed, refused, bindings;
    char refusal_text[LC_PASSED_LEN];
};

enum { LC_LIVE_STARTS = 512 };

/* A process that has not ended by itself yet: see node/starts.h. */
struct lc_live_start {
    uint32_t pid;          /* 0: free */
    uint32_t part;         /* enum lc_start_part: where it is now */
    uint64_t loaded_ticks; /* lc_ticks() when it began, or last loaded something */
    uint32_t has_replayed; /* 1: recorded bindings were written in it */
    uint32_t reserved[3];
};

enum { LC_FITS = 512 };

/* A program and whether it can be started under the auditor: see node/audit_fit.h. */
struct lc_fit_slot {
    uint64_t key; /* 0: free */
    uint64_t value;
};

/* How a path that the image could not answer was asked for. Keep names in step with lc_miss_names
 * in src/stage/misses.c. */
enum lc_miss_kind {
    LC_MISS_NONE,  /* the image could not have answered it in any way: not in the log */
    LC_MISS_STAT,  /* looked up */
    LC_MISS_READ,  /* opened to be read */
    LC_MISS_LIST,  /* a directory was listed */
    LC_MISS_MAP,   /* ld.so was to load it, or looked for it */
    LC_MISS_EXEC,  /* executed */
    LC_MISS_WRITE, /* opened to be written, created, removed or changed */
    LC_MISS_KINDS,
};

/* A record of the miss log, at a multiple of LC_MISS_UNIT bytes. Unused bytes are 0. */
struct lc_miss {
    uint16_t length; /* of the path; 0: nothing here */
    uint8_t kind;    /* enum lc_miss_kind */
    uint8_t is_done; /* 1: the path is complete */
    char path[];     /* without a NUL */
};

enum {
    LC_MISS_UNIT = 8,
    LC_MISS_SEEN = 16384,
    LC_MISS_BYTES = 1000000, /* of the whole log */
    LC_MISS_ROOM = LC_MISS_BYTES - 32 - 8 * LC_MISS_SEEN,
};

/* The miss log at the end of 'live': paths below managed mounts that processes of this node asked
 * the file system for. Space is reserved by adding to 'used'; a path that does not fit is counted.
 */
struct lc_miss_log {
    uint64_t began_wall_ns; /* when the image was staged */
    uint64_t used;          /* bytes of 'record' that are reserved; may be more than there are */
    uint64_t lost;          /* paths that did not fit */
    uint64_t lost_writes;   /* of these, LC_MISS_WRITE */
    uint64_t seen[LC_MISS_SEEN]; /* hashes of kind and path that are in the log; 0: free */
    char record[LC_MISS_ROOM];
};
_Static_assert(sizeof(struct lc_miss_log) == LC_MISS_BYTES, "at most 1 MB on each node");

/* 'live'. All fields are changed by atomic operations. */
struct lc_live {
    uint8_t magic[8];
    uint64_t length;
    uint32_t off;         /* 1: everything passes through from now on (a directory was moved) */
    uint32_t any_written; /* 1: the bitmap of written entries is not empty */
    uint32_t uncovered; /* 1: a process ran with our auditor but without our preload, so its writes
                           are unknown: entries that the user may write to are confirmed with the
                           file system */
    uint32_t reserved;
    uint64_t written_offset; /* uint32_t[(entries + 31) / 32]: bit i: entry i was written; for a
                              * directory: names were added or removed */
    uint64_t misses_offset;  /* struct lc_miss_log */
    uint64_t bytes_opened;   /* sizes of files opened or unmarshalled in node memory */
    uint64_t count[LC_COUNTS];
    struct lc_passed passed[LC_PASSED_PATHS];
    struct lc_live_bindings bindings;
    uint64_t binders; /* number of processes that had bindings to replay */
    struct lc_live_process process[LC_LIVE_PROCESSES]; /* the most recent ones */
    struct lc_fit_slot fit[LC_FITS];
    uint64_t unfit; /* programs started without the auditor, or without all our objects */
    uint32_t unfit_state, unfit_reserved; /* 0 none yet, 1 being written, 2 ready: */
    char unfit_text[LC_PASSED_LEN];       /* the first such program, and why */
    uint64_t clock_ticks, clock_ns;       /* lc_ticks() and CLOCK_MONOTONIC when it was staged */
    struct lc_live_start start[LC_LIVE_STARTS];
};

#endif
