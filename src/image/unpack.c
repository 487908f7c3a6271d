/* SPDX-License-Identifier: MIT */
/* unpack.c - write an image's files to a directory tree
 *
 * Other users may be able to write to the target directory and replace what we made by links. So
 * directories have mode 0700 until everything is written, every path is opened relative to the
 * root's descriptor without following links, and a directory that is not this user's alone is not
 * used. After a failure or a wrong checksum, everything that was written is removed. */
#include "image/image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "util/beneath.h"
#include "util/trusted_open.h"
#include "util/io.h"
#include "util/path.h"

enum { CHUNK = 1 << 18 };

struct unpacking {
    const struct lc_image *image;
    const char *dir;
    int root;
    bool is_new;    /* we made the root */
    uid_t owner;    /* owner of everything that is made */
    mode_t mask;    /* the user's umask */
    uint32_t *made; /* entries in the order in which they were made */
    uint32_t count; /* number of entries in 'made' */
    bool *is_made;  /* per entry */
    uint32_t *home; /* per inode: the entry it was first written as, to which hard links are made;
                       LC_NONE: none yet */
    char *buffer;   /* CHUNK bytes */
    XXH3_state_t *hash;
    struct lc_unpacked *did;
    struct lc_error *err;
};

static int unpack_fail(struct unpacking *u, const char *path)
{
    if (errno == EBADMSG)
        return lc_error_set(u->err, "'%s' is damaged: content of '%s' does not match its checksum",
                            u->image->file, path);
    return lc_error_errno(u->err, "cannot unpack '%s' to '%s'", path, u->dir);
}

static const char *path_of(const struct unpacking *u, uint32_t entry)
{
    return lc_look_name(&u->image->look, u->image->look.entry[entry].path);
}

/* Open a directory that we made. -1 with errno EPERM if it does not belong to us any more or others
 * may write to it ('open_to': mode bits that are allowed). */
static int open_directory(const struct unpacking *u, uint32_t entry, mode_t open_to)
{
    const char *path = path_of(u, entry) + 1;
    struct stat st;
    int fd = lc_open_beneath(u->root, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0 || !*path)
        return fd;
    if (fstat(fd, &st) == 0 && st.st_uid == u->owner && !(st.st_mode & 022 & ~open_to))
        return fd;
    close(fd);
    return errno = EPERM, -1;
}

static void note_made(struct unpacking *u, uint32_t entry)
{
    u->is_made[entry] = true;
    u->made[u->count++] = entry;
}

/* Open an entry's parent directory; it is made, with all directories above it, if it does not
 * exist. */
static int open_parent(struct unpacking *u, uint32_t entry);

static int make_directory(struct unpacking *u, uint32_t entry)
{
    if (u->is_made[entry] || u->image->look.entry[entry].parent == LC_NONE)
        return 0;
    int parent = open_parent(u, entry);
    int rc = parent < 0 ? -1 : mkdirat(parent, lc_path_base(path_of(u, entry)), 0700);
    int saved = errno;
    if (rc == 0)
        note_made(u, entry);
    if (parent >= 0)
        close(parent);
    errno = saved;
    return rc;
}

static int open_parent(struct unpacking *u, uint32_t entry)
{
    uint32_t parent = u->image->look.entry[entry].parent;

    return make_directory(u, parent) < 0 ? -1 : open_directory(u, parent, 0);
}

/* Copy an inode's content to 'fd' and compare the hash of the bytes that were written with the
 * recorded one. */
static int copy_content(struct unpacking *u, const struct lc_inode *inode, int fd)
{
    XXH3_128bits_reset(u->hash);
    for (uint64_t done = 0; done < inode->size;) {
        size_t n = inode->size - done < CHUNK ? inode->size - done : CHUNK;
        if (lc_image_read(u->image, inode, u->buffer, n, done) < 0 ||
            lc_write_all(fd, u->buffer, n) < 0)
            return -1;
        XXH3_128bits_update(u->hash, u->buffer, n);
        done += n;
    }
    XXH128_hash_t is = XXH3_128bits_digest(u->hash);
    if (is.low64 != inode->hash[0] || is.high64 != inode->hash[1])
        return errno = EBADMSG, -1;
    return 0;
}

static void set_times(int fd, const struct lc_inode *inode)
{
    struct timespec times[2] = {{inode->atime, inode->atime_ns}, {inode->mtime, inode->mtime_ns}};

    if (futimens(fd, times) < 0)
        return; /* the file system does not store such times: no reason to fail */
}

static int unpack_file(struct unpacking *u, int parent, uint32_t entry,
                       const struct lc_inode *inode)
{
    int fd = openat(parent, lc_path_base(path_of(u, entry)),
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return -1;
    note_made(u, entry);
    int rc = copy_content(u, inode, fd);
    if (rc == 0)
        rc = fchmod(fd, inode->mode & 0777);
    int saved = errno;
    set_times(fd, inode);
    if (close(fd) < 0 && rc == 0)
        return -1;
    u->did->files++;
    u->did->bytes += inode->size;
    errno = saved;
    return rc;
}

/* Make a hard link to an inode that is already written. */
static int unpack_hard_link(struct unpacking *u, int parent, uint32_t entry, uint32_t home)
{
    int from = open_parent(u, home);
    int rc = from < 0 ? -1
                      : linkat(from, lc_path_base(path_of(u, home)), parent,
                               lc_path_base(path_of(u, entry)), 0);
    int saved = errno;

    if (from >= 0)
        close(from);
    if (rc == 0)
        note_made(u, entry);
    u->did->files += rc == 0;
    errno = saved;
    return rc;
}

static int unpack_link(struct unpacking *u, int parent, uint32_t entry,
                       const struct lc_inode *inode)
{
    const char *target = lc_look_name(&u->image->look, (uint32_t)inode->data);

    if (symlinkat(target, parent, lc_path_base(path_of(u, entry))) < 0)
        return -1;
    note_made(u, entry);
    u->did->links++;
    return 0;
}

/* Write a file or a symbolic link into its open parent directory. */
static int unpack_leaf(struct unpacking *u, int parent, uint32_t entry,
                       const struct lc_inode *inode)
{
    const struct lc_entry *e = &u->image->look.entry[entry];

    if (e->kind == LC_KIND_SYMLINK)
        return unpack_link(u, parent, entry, inode);
    if (u->home[e->inode] != LC_NONE)
        return unpack_hard_link(u, parent, entry, u->home[e->inode]);
    u->home[e->inode] = entry;
    return unpack_file(u, parent, entry, inode);
}

static int unpack_entry(struct unpacking *u, uint32_t entry)
{
    const struct lc_inode *inode = lc_look_inode(&u->image->look, entry);
    uint8_t kind = u->image->look.entry[entry].kind;

    if (!inode)
        return 0;
    if (kind == LC_KIND_DIRECTORY) {
        u->did->directories++;
        return make_directory(u, entry);
    }
    if (kind == LC_KIND_FILE && inode->data == LC_NO_CONTENT)
        return u->did->stat_only++, 0;
    int parent = open_parent(u, entry);
    int rc = parent < 0 ? -1 : unpack_leaf(u, parent, entry, inode), saved = errno;
    if (parent >= 0)
        close(parent);
    errno = saved;
    return rc;
}

static bool is_directory(const struct unpacking *u, uint32_t entry)
{
    uint8_t kind = u->image->look.entry[entry].kind;

    return kind == LC_KIND_DIRECTORY || kind == LC_KIND_ABSENT;
}

/* Set modes and times of directories at the end, deepest first: writing files into them changes
 * both. */
static int directories_finish(struct unpacking *u, uint32_t *failed)
{
    for (uint32_t i = u->count; i-- > 0;) {
        const struct lc_inode *inode = lc_look_inode(&u->image->look, u->made[i]);
        if (!is_directory(u, u->made[i]))
            continue;
        int fd = open_directory(u, u->made[i], 0);
        if (fd < 0)
            return *failed = u->made[i], -1;
        if (inode)
            set_times(fd, inode);
        /* The user can always read and remove what was unpacked, whatever the recorded mode. */
        fchmod(fd, inode ? (inode->mode & 0777) | 0700 : 0777 & ~u->mask);
        close(fd);
    }
    if (u->is_new)
        fchmod(u->root, 0777 & ~u->mask);
    return 0;
}

/* Remove everything that was made, in reverse order. */
static void made_remove(struct unpacking *u)
{
    while (u->count > 0) {
        uint32_t entry = u->made[--u->count];
        int parent = open_directory(u, u->image->look.entry[entry].parent, 022);
        if (parent < 0)
            continue;
        unlinkat(parent, lc_path_base(path_of(u, entry)),
                 is_directory(u, entry) ? AT_REMOVEDIR : 0);
        close(parent);
    }
    if (u->is_new)
        rmdir(u->dir);
}

static bool is_empty(int root)
{
    int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), names = 0;
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    while (d && names <= 2 && readdir(d))
        names++;
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    return d && names <= 2;
}

static int open_root(struct unpacking *u)
{
    struct stat st;

    u->mask = umask(0);
    umask(u->mask);
    u->is_new = mkdir(u->dir, 0700) == 0;
    if (!u->is_new && errno != EEXIST)
        return lc_error_errno(u->err, "cannot make '%s'", u->dir);
    if (!u->is_new && (u->root = lc_trusted_open_dir(u->dir, "unpack to ", u->err)) < 0)
        return -1;
    if (u->is_new)
        u->root = open(u->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (u->root < 0 || fstat(u->root, &st) < 0)
        return lc_error_errno(u->err, "cannot unpack to '%s'", u->dir);
    /* A file server may assign files that root makes to another user (root_squash). */
    u->owner = u->is_new ? st.st_uid : geteuid();
    if (is_empty(u->root))
        return 0;
    errno = ENOTEMPTY;
    return lc_error_set(u->err, "'%s' is not empty; give a new directory", u->dir);
}

static int take_memory(struct unpacking *u)
{
    const struct lc_look *look = &u->image->look;

    u->made = malloc((look->entries + 1u) * sizeof(*u->made));
    u->is_made = calloc(look->entries + 1u, sizeof(*u->is_made));
    u->home = malloc((look->inodes + 1u) * sizeof(*u->home));
    u->buffer = malloc(CHUNK);
    u->hash = XXH3_createState();
    if (!u->made || !u->is_made || !u->home || !u->buffer || !u->hash)
        return lc_error_errno(u->err, "cannot unpack '%s'", u->image->file);
    memset(u->home, 0xff, (look->inodes + 1u) * sizeof(*u->home));
    return 0;
}

static void give_memory_back(struct unpacking *u)
{
    free(u->made);
    free(u->is_made);
    free(u->home);
    free(u->buffer);
    XXH3_freeState(u->hash);
}

static int unpack_all(struct unpacking *u)
{
    uint32_t entry = 0;

    for (; entry < u->image->look.entries; entry++)
        if (unpack_entry(u, entry) < 0)
            return unpack_fail(u, path_of(u, entry));
    return directories_finish(u, &entry) < 0 ? unpack_fail(u, path_of(u, entry)) : 0;
}

int lc_image_unpack(const struct lc_image *image, const char *dir, struct lc_unpacked *did,
                    struct lc_error *err)
{
    struct unpacking u = {.image = image, .dir = dir, .root = -1, .did = did, .err = err};

    *did = (struct lc_unpacked){0};
    int rc = take_memory(&u);
    if (rc == 0)
        rc = open_root(&u);
    if (rc == 0)
        rc = unpack_all(&u);
    int saved = errno;
    if (rc < 0 && u.root >= 0)
        made_remove(&u);
    if (u.root >= 0)
        close(u.root);
    give_memory_back(&u);
    errno = saved;
    return rc;
}
