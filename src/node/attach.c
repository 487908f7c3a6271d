/* SPDX-License-Identifier: MIT */
/* attach.c - map the node directory into this process, and query it. Freestanding. */
#include "node/attach.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>

#include "image/bytes.h"
#include "node/mounts.h"
#include "node/syscall.h"

enum {
    AT_SYMLINK_NOFOLLOW_ = 0x100,
    AT_EMPTY_PATH_ = 0x1000,
    S_IFMT_ = 0170000,
    S_IFDIR_ = 0040000,
    S_IFREG_ = 0100000,
};

static bool stat_of(int dirfd, const char *path, int flags, struct stat *st)
{
    return LC_SYS4(__NR_newfstatat, dirfd, path, st, flags) == 0;
}

static unsigned own_id(void)
{
    return (unsigned)LC_SYS3(__NR_geteuid, 0, 0, 0);
}

/* Is it a file of this type that nobody but its owner may write to? */
static bool is_private(unsigned mode, unsigned type)
{
    return (mode & S_IFMT_) == type && (mode & 022) == 0;
}

/* The same, and does it belong to 'user'? */
static bool is_private_of(unsigned user, const struct stat *st, unsigned type)
{
    return is_private(st->st_mode, type) && st->st_uid == user;
}

/* linux/stat.h of older systems has neither. */
enum { MOUNT_MASK = 0x4000 /* STATX_MNT_ID_UNIQUE */, MOUNT_AT = 0x90 /* of stx_mnt_id */ };

bool lc_place_read(int fd, struct lc_place *out)
{
    struct statx sx;
    struct stat st;

    if (lc_sys6(__NR_statx, fd, (long)"", AT_EMPTY_PATH_, STATX_BASIC_STATS | MOUNT_MASK, (long)&sx,
                0) == 0) {
        *out = (struct lc_place){sx.stx_uid, sx.stx_mode, 0};
        if (sx.stx_mask & MOUNT_MASK)
            out->mount = lc_hash_read64((const unsigned char *)&sx + MOUNT_AT);
        return true;
    }
    if (!stat_of(fd, "", AT_EMPTY_PATH_, &st))
        return false;
    *out = (struct lc_place){st.st_uid, st.st_mode, 0};
    return true;
}

static const void *map_file(int dirfd, unsigned user, const char *name, bool writable,
                            uint64_t *size)
{
    struct stat st;
    long fd =
        lc_sys_openat(dirfd, name, (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC, 0);
    void *at = NULL;

    if (fd < 0)
        return NULL;
    if (LC_SYS3(__NR_fstat, fd, &st, 0) == 0 && is_private_of(user, &st, S_IFREG_) &&
        st.st_size > 0) {
        *size = (uint64_t)st.st_size;
        at = lc_sys_mmap(*size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, (int)fd);
        if (lc_sys_is_error(at))
            at = NULL;
    }
    lc_sys_close((int)fd);
    return at;
}

void lc_node_unmap(const void *at, uint64_t size)
{
    if (at)
        lc_sys_munmap((void *)(uintptr_t)at, size);
}

/* Do 'count' records of 'record' bytes at 'offset' lie inside 'length' bytes? */
static bool table_fits(uint64_t length, uint64_t offset, uint64_t count, uint64_t record)
{
    return offset % 8 == 0 && offset <= length && count <= (length - offset) / record;
}

static bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

static bool state_check(struct lc_node *node, const struct lc_state *s, uint64_t size)
{
    if (size < sizeof(*s) || !lc_bytes_equal((const char *)s->magic, LC_STATE_MAGIC, 8) ||
        s->length != size || !table_fits(size, s->dev_offset, s->devs, sizeof(uint64_t)) ||
        !is_power_of_two(s->slots) ||
        !table_fits(size, s->slot_offset, s->slots, sizeof(*node->staged)))
        return false;
    node->state = s;
    node->dev = (const uint64_t *)((const char *)s + s->dev_offset);
    node->staged = (const struct lc_staged *)((const char *)s + s->slot_offset);
    return true;
}

static bool live_check(struct lc_node *node, struct lc_live *live, uint64_t size)
{
    uint64_t words = ((uint64_t)node->look.entries + 31) / 32, written;

    if (size < sizeof(*live) || !lc_bytes_equal((const char *)live->magic, LC_LIVE_MAGIC, 8) ||
        live->length != size)
        return false;
    written = __atomic_load_n(&live->written_offset, __ATOMIC_RELAXED);
    if (!table_fits(size, written, words, sizeof(uint32_t)))
        return false;
    node->live = live;
    node->live_size = size;
    node->written = (uint32_t *)((char *)live + written);
    uint64_t misses = __atomic_load_n(&live->misses_offset, __ATOMIC_RELAXED);
    bool has_log = misses % 8 == 0 && table_fits(size, misses, 1, sizeof(*node->misses));
    node->misses = has_log ? (struct lc_miss_log *)((char *)live + misses) : NULL;
    return true;
}

/* Does this process have the mounts that the image was staged for, at least those that its paths
 * lie on? It does if the node directory is on the very mount that it was staged to; that is asked
 * first, because files of /proc take long. */
static bool has_same_mounts(struct lc_node *node, uint64_t mount)
{
    bool is_same = mount && mount == node->state->mount;
    uint64_t here = is_same ? node->state->mount_namespace : lc_mounts_namespace(), seen;

    node->mount_namespace = here;
    return (here && here == node->state->mount_namespace) ||
           (lc_mounts_seen(&node->look, &seen) && seen == node->state->mounts_seen);
}

static bool files_map(struct lc_node *node, int dirfd, const struct lc_place *place)
{
    uint64_t index_size = 0, state_size = 0, live_size = 0;
    unsigned user = place->user;
    const void *index = map_file(dirfd, user, "index", false, &index_size);
    const void *state = index ? map_file(dirfd, user, "state", false, &state_size) : NULL;
    const void *live = state ? map_file(dirfd, user, "live", true, &live_size) : NULL;

    if (live && !lc_look_open(&node->look, index, index_size) &&
        state_check(node, state, state_size) && node->state->image_id == lc_look_id(&node->look) &&
        live_check(node, (struct lc_live *)(uintptr_t)live, live_size) &&
        has_same_mounts(node, place->mount))
        return true;
    lc_node_unmap(index, index_size);
    lc_node_unmap(state, state_size);
    lc_node_unmap(live, live_size);
    return false;
}

bool lc_node_attach_at(struct lc_node *node, int fd, const char *dir)
{
    size_t n = lc_bytes_length(dir), tail = sizeof(LC_NODE_FILES) - 1;
    struct lc_place place;

    if (dir[0] != '/' || n + tail + 1 > sizeof(node->files) || !lc_place_read(fd, &place) ||
        place.user != own_id() || !is_private(place.mode, S_IFDIR_) || !files_map(node, fd, &place))
        return false;
    lc_bytes_move(node->files, dir, n);
    lc_bytes_move(node->files + n, LC_NODE_FILES, tail + 1);
    node->files_len = n + tail;
    return true;
}

bool lc_node_attach(struct lc_node *node, const char *dir)
{
    long fd = lc_sys_open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return false;
    bool is_attached = lc_node_attach_at(node, (int)fd, dir);
    lc_sys_close((int)fd);
    return is_attached;
}

const void *lc_node_map(const struct lc_node *node, const char *name, uint64_t *size)
{
    char path[LC_NODE_LEN + 16];
    size_t root = node->files_len - (sizeof(LC_NODE_FILES) - 1), n = lc_bytes_length(name);

    if (root + n + 1 > sizeof(path))
        return NULL;
    lc_bytes_move(path, node->files, root);
    lc_bytes_move(path + root, name, n + 1);
    return map_file(LC_AT_FDCWD, own_id(), path, false, size);
}

bool lc_is_file_of_size(const char *path, uint64_t size)
{
    struct stat st;

    return stat_of(LC_AT_FDCWD, path, 0, &st) && (st.st_mode & S_IFMT_) == S_IFREG_ &&
           (uint64_t)st.st_size == size;
}

bool lc_is_readable_of_size(const char *path, uint64_t size)
{
    struct stat st;

    return stat_of(LC_AT_FDCWD, path, 0, &st) && (st.st_mode & S_IFMT_) == S_IFREG_ &&
           (uint64_t)st.st_size == size &&
           ((st.st_mode & 0444) == 0444 || lc_sys_access(path, 4 /* R_OK */) == 0);
}

/* Does the directory that holds all of the user's images still belong to him alone? Then no other
 * user can have put a file below it, or can do so from now on. */
static bool is_parent_private(const char *files, size_t len)
{
    char path[LC_NODE_LEN];
    struct stat st;

    for (int up = 0; up < 2; up++) /* up from NODE/files to NODE, and to its parent */
        while (len > 1 && files[--len] != '/')
            ;
    lc_bytes_move(path, files, len);
    path[len] = '\0';
    return stat_of(LC_AT_FDCWD, path, AT_SYMLINK_NOFOLLOW_, &st) &&
           is_private_of(own_id(), &st, S_IFDIR_);
}

bool lc_node_has_object(const struct lc_node *node, const char *name)
{
    char path[LC_NODE_LEN + 32];
    size_t root = node->files_len - (sizeof(LC_NODE_FILES) - 1), n = lc_bytes_length(name);
    bool is_audit = lc_bytes_same(name, LC_NODE_AUDIT);

    if (root + n + 1 > sizeof(path) || !is_parent_private(node->files, node->files_len))
        return false;
    lc_bytes_move(path, node->files, root);
    lc_bytes_move(path + root, name, n + 1);
    return lc_is_readable_of_size(path,
                                  is_audit ? node->state->audit_bytes : node->state->preload_bytes);
}

static size_t root_length(const struct lc_node *node)
{
    return node->files_len - (sizeof(LC_NODE_FILES) - 1);
}

bool lc_node_nowhere(const struct lc_node *node, const char *name, char *out, size_t size)
{
    size_t root = root_length(node), none = sizeof(LC_NODE_NONE) - 1, n = lc_bytes_length(name);

    if (root + none + n + 1 > size)
        return false;
    lc_bytes_move(out, node->files, root);
    lc_bytes_move(out + root, LC_NODE_NONE, none);
    lc_bytes_move(out + root + none, name, n + 1);
    return true;
}

const char *lc_node_nowhere_name(const struct lc_node *node, const char *text)
{
    size_t root = root_length(node), none = sizeof(LC_NODE_NONE) - 1;

    if (lc_bytes_length(text) < root + none || !lc_bytes_equal(text, node->files, root) ||
        !lc_bytes_equal(text + root, LC_NODE_NONE, none))
        return NULL;
    return text + root + none;
}

bool lc_node_is_own(const struct lc_node *node, const char *path)
{
    size_t root = root_length(node), i = 0;

    while (i < root && path[i] == node->files[i])
        i++;
    return i == root && path[i] == '/' && !lc_node_original(node, path);
}

bool lc_node_staged_path(const struct lc_node *node, const char *path, size_t len, char *out,
                         size_t size)
{
    if (node->files_len + len + 1 > size)
        return false;
    lc_bytes_move(out, node->files, node->files_len);
    lc_bytes_move(out + node->files_len, path, len);
    out[node->files_len + len] = '\0';
    return true;
}

const char *lc_node_original(const struct lc_node *node, const char *path)
{
    for (size_t i = 0; i < node->files_len; i++)
        if (path[i] != node->files[i])
            return NULL;
    const char *tail = path + node->files_len;
    return *tail == '/' ? tail : *tail ? NULL : "/";
}

static const struct lc_staged *find_staged(const struct lc_node *node, uint64_t dev, uint64_t ino)
{
    uint32_t slots = node->state->slots, at = lc_staged_slot(ino, slots);

    if (dev != node->state->staged_dev || !ino)
        return NULL;
    for (uint32_t i = 0; i < slots && node->staged[at].ino; i++, at = (at + 1) & (slots - 1))
        if (node->staged[at].ino == ino)
            return &node->staged[at];
    return NULL;
}

uint32_t lc_node_entry_by_inode(const struct lc_node *node, uint64_t dev, uint64_t ino)
{
    const struct lc_staged *staged = find_staged(node, dev, ino);

    return staged && staged->entry < node->look.entries ? staged->entry : LC_NONE;
}

/* Staging gave the file the mtime of its original; another mtime means that it was written to
 * since. */
bool lc_node_is_staged(const struct lc_node *node, const char *path, const struct lc_inode *inode,
                       struct lc_file_status *file)
{
    struct stat st;

    if (!stat_of(LC_AT_FDCWD, path, 0, &st) || (st.st_mode & S_IFMT_) != S_IFREG_ ||
        (uint64_t)st.st_size != inode->size)
        return false;
    const struct lc_staged *staged = find_staged(node, st.st_dev, st.st_ino);
    if (staged && lc_look_inode(&node->look, staged->entry) !=
                      inode) /* reached through a link that has changed since */
        return false;
    bool is_as_staged =
        staged && (int64_t)st.st_mtime == inode->mtime && st.st_mtime_nsec == inode->mtime_ns;
    *file = (struct lc_file_status){st.st_dev,
                                    st.st_ino,
                                    (uint64_t)st.st_size,
                                    st.st_mtime,
                                    st.st_mtime_nsec,
                                    st.st_mode,
                                    is_as_staged ? staged->flags : 0};
    return true;
}

bool lc_node_is_off(const struct lc_node *node)
{
    return __atomic_load_n(&node->live->off, __ATOMIC_RELAXED);
}

void lc_node_set_off(const struct lc_node *node)
{
    __atomic_store_n(&node->live->off, 1, __ATOMIC_RELAXED);
}

bool lc_node_is_written(const struct lc_node *node, uint32_t entry)
{
    return entry < node->look.entries &&
           (__atomic_load_n(&node->written[entry / 32], __ATOMIC_RELAXED) >> (entry % 32) & 1);
}

void lc_node_set_written(const struct lc_node *node, uint32_t entry)
{
    if (entry >= node->look.entries)
        return;
    __atomic_store_n(&node->live->any_written, 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&node->written[entry / 32], 1u << (entry % 32), __ATOMIC_RELAXED);
}

bool lc_node_has_written(const struct lc_node *node)
{
    return __atomic_load_n(&node->live->any_written, __ATOMIC_RELAXED);
}

uint32_t lc_node_entry_above(const struct lc_node *node, const char *path, size_t len)
{
    while (len > 1) {
        while (len > 0 && path[len - 1] != '/')
            len--;
        len = len > 1 ? len - 1 : 1;
        uint32_t entry = lc_look_find(&node->look, path, len);
        if (entry != LC_NONE || len == 1)
            return entry;
    }
    return LC_NONE;
}

bool lc_node_is_still_absent(const struct lc_node *node, const char *path, size_t len)
{
    uint32_t at = lc_look_find(&node->look, path, len);

    if (!lc_node_has_written(node))
        return true;
    if (lc_node_is_written(node, at))
        return false;
    if (!lc_node_confirm_absent(node, path, len, lc_node_entry_above(node, path, len)))
        return false;
    /* If an absent directory has been created since, its content is unknown, too. */
    do {
        at = lc_node_entry_above(node, path, len);
        if (lc_node_is_written(node, at))
            return false;
        len = at == LC_NONE ? 0 : node->look.entry[at].path_len;
    } while (len > 1 && node->look.entry[at].kind == LC_KIND_ABSENT);
    return true;
}
