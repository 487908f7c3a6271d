/* SPDX-License-Identifier: MIT */
/* fill.h - the parts of a node directory, written into an empty one */
#ifndef LC_STAGE_FILL_H
#define LC_STAGE_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "image/image.h"
#include "node/format.h"
#include "stage/lock.h"
#include "util/error.h"

struct lc_contents;
struct lc_delta_sources;

/* Everything one staging needs. */
struct lc_fill {
    const struct lc_image *image;
    const char *path; /* of the directory, for messages */
    int fd;           /* the directory */
    bool only_libs, no_exec;
    const char *origin;
    struct lc_stage_lock *lock;             /* told of progress; may be NULL */
    const struct lc_delta_sources *sources; /* content that is on this node already; may be NULL */
    uint32_t *home;  /* per inode: an entry that names it, LC_NONE if it is not staged */
    uint64_t *ino;   /* per inode: st_ino of its staged file */
    bool *is_object; /* per inode: ld.so can load it */
    uint64_t files, bytes;
    uint64_t id;     /* of the image: a streamed index has one of its own */
    bool streamed;   /* content comes from elsewhere: the image has an index alone */
    uint64_t copied; /* bytes that came from sources */
};

/* Which inodes are to be staged: sets home, files and bytes (what they take, rounded to pages, with
 * index and all). 0, or -1 with errno. The caller calls lc_fill_end. */
int lc_fill_plan(struct lc_fill *fill);
void lc_fill_end(struct lc_fill *fill);

/* Directories and files, in several threads; content is compared with its hash. */
int lc_fill_files(struct lc_fill *fill, struct lc_error *err);

/* The same with the content from elsewhere: 'take' is called when the directories are there, with
 * NODE/files open and what is to come listed; 0, or -1 with errno, which the caller finds too. */
typedef int lc_fill_take(void *arg, struct lc_fill *fill, int root,
                         const struct lc_contents *contents);
int lc_fill_files_by(struct lc_fill *fill, lc_fill_take *take, void *arg, struct lc_error *err);

/* links.c: symbolic links to what is staged, once the files are there; those that can be made. */
void lc_fill_links(const struct lc_fill *fill, int root);

/* content.c: one inode's file, from a source if there is one, else from the image. 'buffer' holds
 * LC_FILL_CHUNK bytes. 0, or -1 with errno (EBADMSG: its hash says otherwise). */
enum { LC_FILL_CHUNK = 512 << 10 };
int lc_fill_one(struct lc_fill *fill, int root, uint32_t inode, char *buffer);
/* The parts of it. Sealing makes it read-only with its time, and notes which inode it became and
 * whether ld.so can load it. */
int lc_fill_from_delta_source(struct lc_fill *fill, int root, uint32_t inode, char *buffer);
int lc_fill_create(const struct lc_fill *fill, int root, uint32_t inode);
int lc_fill_seal(struct lc_fill *fill, int fd, uint32_t inode);
/* The path under which an inode is staged. */
const char *lc_fill_path(const struct lc_fill *fill, uint32_t inode);

/* index, state, live, code, about, users, bin. */
int lc_fill_parts(struct lc_fill *fill, struct lc_error *err);

/* code.c: NODE/code for the index of this identity, once the files are there. 0, or -1 with errno.
 */
int lc_fill_code(const struct lc_fill *fill, uint64_t index_id);
bool lc_fill_is_code(const struct lc_look *look, uint32_t entry);

/* Bytes that launch, audit.so and preload.so take. */
uint64_t lc_fill_object_bytes(const char *origin);

/* What the objects at 'origin' are, so that a later build is noticed. NULL with errno ENOMEM;
 * the caller frees it. */
char *lc_fill_objects(const char *origin);

#endif
