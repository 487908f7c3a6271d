/* SPDX-License-Identifier: MIT */
/* fill.h - write the parts of a node directory into an empty one */
#ifndef LC_STAGE_FILL_H
#define LC_STAGE_FILL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "image/image.h"
#include "node/format.h"
#include "stage/lock.h"
#include "util/error.h"

struct lc_contents;
struct lc_delta_sources;

/* Everything that filling one node directory needs. */
struct lc_fill {
    const struct lc_image *image;
    const char *path; /* of the directory, for messages */
    int fd;           /* the directory */
    bool only_libs, no_exec;
    uint64_t page_bytes; /* of this node: a file in its memory takes whole pages */
    const char *origin;
    struct lc_stage_lock *lock; /* lc_stage_lock_beat is called while it is filled; may be NULL */
    const struct lc_delta_sources *sources; /* content that this node has already; may be NULL */
    uint32_t *home; /* per inode: an entry that names it, LC_NONE if it is not staged */
    uint64_t *ino;  /* per inode: st_ino of its staged file */
    uint32_t *kind; /* per inode: LC_STAGED_OBJECT and so on */
    uint64_t files, bytes;
    uint64_t id;       /* of the image file; that of the index may differ */
    bool streamed;     /* the image is an index alone, its content comes from elsewhere */
    uint64_t copied;   /* bytes that came from 'sources' */
    uint64_t began_ns; /* lc_clock_ns() */
};

/* Decide which inodes are staged: sets home, files and bytes (what the whole directory will take,
 * rounded to pages). 0, or -1 with errno. The caller calls lc_fill_end. */
int lc_fill_plan(struct lc_fill *fill);
void lc_fill_end(struct lc_fill *fill);

/* Write directories and files, in several threads; content is compared with its hash. */
int lc_fill_files(struct lc_fill *fill, struct lc_error *err);

/* The same with content from elsewhere: 'take' is called once the directories are there, with
 * NODE/files open and a list of the contents. It returns 0, or -1 with errno, which is kept. */
typedef int lc_fill_take(void *arg, struct lc_fill *fill, int root,
                         const struct lc_contents *contents);
int lc_fill_files_by(struct lc_fill *fill, lc_fill_take *take, void *arg, struct lc_error *err);

/* links.c: make symbolic links to what is staged, once the files are there. A link that cannot be
 * made is left out. */
void lc_fill_links(const struct lc_fill *fill, int root);

/* content.c: write the file of one inode, from 'sources' if they have it, else from the image.
 * 'buffer' holds LC_FILL_CHUNK bytes. 0, or -1 with errno (EBADMSG: the hash does not match). */
enum { LC_FILL_CHUNK = 512 << 10 };
int lc_fill_one(struct lc_fill *fill, int root, uint32_t inode, char *buffer);
/* The parts of that. Sealing makes the file read-only, sets its time, and notes its st_ino and
 * whether ld.so can load it. */
int lc_fill_from_delta_source(struct lc_fill *fill, int root, uint32_t inode, char *buffer);
int lc_fill_create(const struct lc_fill *fill, int root, uint32_t inode);
int lc_fill_seal(struct lc_fill *fill, int fd, uint32_t inode);
/* The path under which an inode is staged. */
const char *lc_fill_path(const struct lc_fill *fill, uint32_t inode);

/* parts.c: index, state, live, code, about, users and bin. 0, or -1 with err filled. */
int lc_fill_parts(struct lc_fill *fill, struct lc_error *err);
/* Write one file of the directory. 0, or -1 with errno. */
int lc_fill_write(const struct lc_fill *fill, const char *name, const void *data, size_t len,
                  mode_t mode);

/* state.c: NODE/state for the index of this identity, once the files are there. 0, or -1 with
 * errno.
 */
int lc_fill_state(const struct lc_fill *fill, uint64_t index_id);

/* code.c: NODE/code, the bytecode of all Python modules in one file. 0, or -1 with errno. */
int lc_fill_code(const struct lc_fill *fill, uint64_t index_id);
bool lc_fill_is_code(const struct lc_look *look, uint32_t entry);

/* Bytes that launch, audit.so and preload.so take. */
uint64_t lc_fill_object_bytes(const char *origin);

/* Size and time of the objects at 'origin' as text, so that another build is noticed. The caller
 * frees it. NULL with errno ENOMEM. */
char *lc_fill_objects(const char *origin);

#endif
