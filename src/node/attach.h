/* SPDX-License-Identifier: MIT */
/* attach.h - map the node directory into this process, and query it. Freestanding. */
#ifndef LC_NODE_ATTACH_H
#define LC_NODE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/look.h"
#include "node/format.h"
#include "node/glibc_versions.h"

enum { LC_NODE_LEN = 512 }; /* longest NODE/files, with its NUL */

struct lc_node {
    struct lc_look look;
    const struct lc_state *state;
    struct lc_live *live; /* others write to it: what it says is not to be trusted twice */
    uint64_t live_size;   /* bytes that are mapped of it */
    const uint64_t *dev;  /* state->devs of them */
    const struct lc_staged *staged; /* state->slots of them */
    uint32_t *written;              /* bitmap over entries */
    struct lc_miss_log *misses;     /* NULL: paths are not noted */
    char files[LC_NODE_LEN];        /* NODE/files */
    size_t files_len;
    struct lc_live_start *start; /* this process's row; NULL: it has none (node/starts.h) */
    uint64_t mount_namespace;    /* of this process when it attached; 0: not known */
};

/* Map and check the node directory 'dir'. True: *node may be used for the life of the process.
 * False: something is missing, damaged, foreign or open to others; nothing is left mapped or open.
 */
bool lc_node_attach(struct lc_node *node, const char *dir);
/* As lc_node_attach, for a directory that is open as 'fd' (may be O_PATH). */
bool lc_node_attach_at(struct lc_node *node, int fd, const char *dir);

/* Is 'path' a regular file of this size? Can this process read it, too? */
bool lc_is_file_of_size(const char *path, uint64_t size);
bool lc_is_readable_of_size(const char *path, uint64_t size);

/* What stat() tells of a file. */
struct lc_file_status {
    uint64_t dev, ino, size, mtime, mtime_ns;
    uint32_t mode;
    uint32_t flags; /* of a staged file: lc_staged.flags; 0 if it was written to since */
};

/* Is 'path' the staged copy of this inode, with its recorded size? */
bool lc_node_is_staged(const struct lc_node *node, const char *path, const struct lc_inode *inode,
                       struct lc_file_status *file);

/* The owner and mode of a directory, and the number of the mount that it lies on, which is never
 * given again (Linux 6.8); 0: not known. */
struct lc_place {
    unsigned user, mode;
    uint64_t mount;
};
bool lc_place_read(int fd, struct lc_place *out); /* 'fd' may be O_PATH */

/* Is our object complete: NODE/bin/audit.so or preload.so ('name' as in node/format.h)? */
bool lc_node_has_object(const struct lc_node *node, const char *name);

/* Map the file NODE + name ("/code") read-only; NULL if it does not exist, belongs to another user,
 * or others may write to it. */
const void *lc_node_map(const struct lc_node *node, const char *name, uint64_t *size);
void lc_node_unmap(const void *at, uint64_t size); /* 'at' may be NULL */

/* Give this process a private copy of the counters and of the bitmap of written entries; later
 * changes by other processes are not seen. */
void lc_node_use_private_counts(struct lc_node *node);

/* Count an event. Cheap, and safe in signal handlers and vfork children. */
void lc_node_count(const struct lc_node *node, enum lc_count_kind kind);
void lc_node_count_opened(const struct lc_node *node,
                          uint64_t bytes); /* a file was opened in node memory */
void lc_node_count_unmarshalled(const struct lc_node *node,
                                uint64_t bytes); /* a module's code was unmarshalled */
/* Count a call that was passed through to the file system, and remember its path. */
void lc_node_count_passed(const struct lc_node *node, enum lc_count_kind kind, const char *path);

/* miss_log.c: add an absolute path to the miss log, unless it is there already or the log is full.
 */
void lc_node_note_miss(const struct lc_node *node, enum lc_miss_kind kind, const char *path);

/* Count bindings: a group was replayed; a group was refused (why, and for which object); slots were
 * compared. */
void lc_node_bindings_replayed(const struct lc_node *node, uint64_t bindings);
void lc_node_bindings_refused(const struct lc_node *node, const char *why, const char *name);
void lc_node_bindings_compared(const struct lc_node *node, uint64_t compared, uint64_t different,
                               const char *first);

void lc_node_bindings_hidden(const struct lc_node *node, uint64_t names);

/* Write NODE/files + path to 'out'; false if it does not fit. */
bool lc_node_staged_path(const struct lc_node *node, const char *path, size_t len, char *out,
                         size_t size);

/* The original path of a path below NODE/files, which is a part of its text; NULL if it lies
 * elsewhere. */
const char *lc_node_original(const struct lc_node *node, const char *path);

/* Does a path lie in the node directory, but outside of NODE/files? */
bool lc_node_is_own(const struct lc_node *node, const char *path);

/* A path of the node directory where nothing ever is, for a name or path that is absent: NODE/none/
 * and the name. False if it does not fit. */
bool lc_node_nowhere(const struct lc_node *node, const char *name, char *out, size_t size);
/* The name that a text which begins with such a path was made from: the text's own tail, or NULL.
 */
const char *lc_node_nowhere_name(const struct lc_node *node, const char *text);

/* The entry of the staged file (dev, ino); LC_NONE if there is none. */
uint32_t lc_node_entry_by_inode(const struct lc_node *node, uint64_t dev, uint64_t ino);

bool lc_node_is_off(const struct lc_node *node);

/* Was the part tested with the glibc that the image was recorded with? */
static inline bool lc_node_is_tested(const struct lc_node *node, enum lc_glibc_part part)
{
    return !(node->state->untested >> part & 1);
}

/* Was the entry written to since it was staged? For a directory: were names added or removed? */
bool lc_node_is_written(const struct lc_node *node, uint32_t entry);
void lc_node_set_written(const struct lc_node *node, uint32_t entry);
bool lc_node_has_written(const struct lc_node *node); /* was any entry written to? */
/* The nearest entry above a clean path (not the path itself), or LC_NONE. */
uint32_t lc_node_entry_above(const struct lc_node *node, const char *path, size_t len);
/* Is an absent path still absent? Not if the name, the directory it would be in, or an absent
 * directory between them was written to. */
bool lc_node_is_still_absent(const struct lc_node *node, const char *path, size_t len);
void lc_node_set_off(const struct lc_node *node);

/* confirm.c: a process of this node ran without our preload, so its writes are not known. */
bool lc_node_is_uncovered(const struct lc_node *node);
void lc_node_set_uncovered(const struct lc_node *node);
/* If so, and if the user may write there: does 'path' still lead to the entry as it was recorded?
 * Is 'path', below the entry 'above', still absent? Changes are noted as written. */
bool lc_node_confirm(const struct lc_node *node, const char *path, bool is_link, uint32_t entry);
bool lc_node_confirm_absent(const struct lc_node *node, const char *path, size_t len,
                            uint32_t above);
/* Ask the disk, always: have names been added to the directory at 'path', or removed? If so, it
 * counts as written from now on, and what it lacks is asked of the disk. 'name' is the path that
 * was looked for; it is counted as passed through. */
bool lc_node_directory_changed(const struct lc_node *node, const char *path, uint32_t entry,
                               const char *name);

#endif
