/* SPDX-License-Identifier: MIT */
/* attach.h - this process's view of its node directory. Freestanding. */
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
    struct lc_live *live;
    const uint64_t *dev;            /* state->devs of them */
    const struct lc_staged *staged; /* state->slots of them */
    uint32_t *written;              /* bitmap over entries */
    char files[LC_NODE_LEN];        /* NODE/files */
    size_t files_len;
    uint64_t mount_namespace; /* of this process when it attached; 0: cannot be told */
};

/* Map and check the node directory 'dir'. True: *node may be used for the life of the process.
 * False: something is missing, damaged, foreign or open to others; nothing is left mapped or open.
 */
bool lc_node_attach(struct lc_node *node, const char *dir);
/* The same for one that is open already, as 'fd' (may be O_PATH). */
bool lc_node_attach_at(struct lc_node *node, int fd, const char *dir);

/* Is there a regular file of this size? */
bool lc_is_file_of(const char *path, uint64_t size);

/* The same for a staged file. *is_object: it is one that ld.so can load, as when it was staged; if
 * not, it must be looked at. */
bool lc_node_is_staged(const struct lc_node *node, const char *path, const struct lc_inode *inode,
                       bool *is_object);

/* Is our object NODE/bin/audit.so or preload.so ('name' as in node.h) whole? */
bool lc_node_has_object(const struct lc_node *node, const char *name);

/* Map NODE + name ("/code") read-only; NULL if it is not there, not ours, or open to others. */
const void *lc_node_map(const struct lc_node *node, const char *name, uint64_t *size);
void lc_node_unmap(const void *at, uint64_t size); /* NULL is none */

/* From now on this process counts for itself alone; what was written is seen as it is now. */
void lc_node_keep_counts(struct lc_node *node);

/* Counters; cheap, and safe anywhere. */
void lc_node_count(const struct lc_node *node, enum lc_count_kind kind);
void lc_node_opened(const struct lc_node *node, uint64_t bytes);       /* a file in node memory */
void lc_node_unmarshalled(const struct lc_node *node, uint64_t bytes); /* a module's code */
/* The same for a call that was passed through, and remember its path. */
void lc_node_passed(const struct lc_node *node, enum lc_count_kind kind, const char *path);

/* Bindings: a group replayed, refused (why, and which), slots compared. */
void lc_node_bindings_replayed(const struct lc_node *node, uint64_t bindings);
void lc_node_bindings_refused(const struct lc_node *node, const char *why, const char *name);
void lc_node_bindings_compared(const struct lc_node *node, uint64_t compared, uint64_t different,
                               const char *first);

void lc_node_bindings_hidden(const struct lc_node *node, uint64_t names);

/* NODE/files + path into out; false if it does not fit. */
bool lc_node_staged_path(const struct lc_node *node, const char *path, size_t len, char *out,
                         size_t size);

/* The original of a path below NODE/files: the path's own tail, or NULL if it lies elsewhere. */
const char *lc_node_original(const struct lc_node *node, const char *path);

/* Does a path lie in the node directory, but not below NODE/files? */
bool lc_node_is_own(const struct lc_node *node, const char *path);

/* A path of the node directory where nothing ever is, for a name or path that is absent: NODE/none/
 * and the name. False if it does not fit. */
bool lc_node_nowhere(const struct lc_node *node, const char *name, char *out, size_t size);
/* The name that a text which begins with such a path was made from: the text's own tail, or NULL.
 */
const char *lc_node_nowhere_name(const struct lc_node *node, const char *text);

/* Which entry a staged file belongs to; LC_NONE if (dev, ino) is none. */
uint32_t lc_node_by_inode(const struct lc_node *node, uint64_t dev, uint64_t ino);

bool lc_node_is_off(const struct lc_node *node);

/* Was the part tested with the glibc that the image was recorded with? */
static inline bool lc_node_is_tested(const struct lc_node *node, enum lc_glibc_part part)
{
    return !(node->state->untested >> part & 1);
}

/* Was the entry itself written since? For a directory: its names. */
bool lc_node_is_written(const struct lc_node *node, uint32_t entry);
void lc_node_set_written(const struct lc_node *node, uint32_t entry);
bool lc_node_has_written(const struct lc_node *node); /* anything at all */
/* The nearest entry above a clean path (itself not counted), or LC_NONE. */
uint32_t lc_node_above(const struct lc_node *node, const char *path, size_t len);
/* Does "absent" still hold? Not if the name, the directory that says so, or an absent one between
 * them was written. */
bool lc_node_is_still_absent(const struct lc_node *node, const char *path, size_t len);
void lc_node_set_off(const struct lc_node *node);

/* confirm.c: a process of this node ran without our preload, so what it wrote is not known. */
bool lc_node_is_uncovered(const struct lc_node *node);
void lc_node_set_uncovered(const struct lc_node *node);
/* If so, and the user may write there: does 'path' still lead to the entry as it was recorded? Is
 * still nothing there, below the entry 'above'? What has changed is noted as written. */
bool lc_node_confirm(const struct lc_node *node, const char *path, bool is_link, uint32_t entry);
bool lc_node_confirm_absent(const struct lc_node *node, const char *path, size_t len,
                            uint32_t above);

#endif
