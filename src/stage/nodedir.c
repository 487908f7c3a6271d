/* SPDX-License-Identifier: MIT */
/* nodedir.c - node directories, opened and checked */
#include "stage/nodedir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/owned.h"
#include "stage/place.h"
#include "stage/user_dir.h"

void lc_nodedir_name(char out[LC_NODEDIR_NAME], uint64_t image_id, bool only_libs)
{
    snprintf(out, LC_NODEDIR_NAME, "%016" PRIx64 "%s", image_id, only_libs ? ".libs" : "");
}

bool lc_nodedir_is_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 &&
           (name[16] == '\0' || strcmp(name + 16, ".libs") == 0);
}

static int nodedir_fail(const struct lc_nodedir *node, const char *what, struct lc_error *err)
{
    errno = EBADMSG;
    return lc_error_set(err, "'%s' is damaged: %s", node->path, what);
}

/* Map a file of the directory; NULL if it is absent, too short, or not this user's. */
static void *part_map(const struct lc_nodedir *node, const char *name, int prot, size_t least,
                      size_t *len)
{
    struct stat st;
    int writes = prot & PROT_WRITE;
    int fd = openat(node->fd, name, (writes ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC);
    void *map = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        (uint64_t)st.st_size >= least) {
        map = mmap(NULL, (size_t)st.st_size, prot, MAP_SHARED, fd, 0);
        map = map == MAP_FAILED ? NULL : map;
        *len = (size_t)st.st_size;
    }
    close(fd);
    return map;
}

static int state_check(const struct lc_nodedir *node, struct lc_error *err)
{
    const struct lc_state *s = node->state;

    if (memcmp(s->magic, LC_STATE_MAGIC, sizeof(s->magic)) != 0 || s->length != node->state_len)
        return nodedir_fail(node, "its 'state' is of another version or cut short", err);
    if (s->dev_offset > s->length || s->devs > (s->length - s->dev_offset) / sizeof(uint64_t) ||
        s->slot_offset > s->length ||
        s->slots > (s->length - s->slot_offset) / sizeof(struct lc_staged) || s->slots == 0 ||
        (s->slots & (s->slots - 1)))
        return nodedir_fail(node, "its 'state' makes no sense", err);
    return 0;
}

static int live_check(const struct lc_nodedir *node, struct lc_error *err)
{
    const struct lc_live *l = node->live;
    uint64_t bits = ((uint64_t)node->look.entries + 31) / 32 * 4;

    if (memcmp(l->magic, LC_LIVE_MAGIC, sizeof(l->magic)) != 0 || l->length != node->live_len ||
        l->written_offset > l->length || bits > l->length - l->written_offset)
        return nodedir_fail(node, "its 'live' is of another version or cut short", err);
    return 0;
}

static int parts_map(struct lc_nodedir *node, struct lc_error *err)
{
    node->state = part_map(node, "state", PROT_READ, sizeof(*node->state), &node->state_len);
    if (!node->state)
        return nodedir_fail(node, "no usable 'state'", err);
    if (state_check(node, err) < 0)
        return -1;
    const void *index = part_map(node, "index", PROT_READ, 1, &node->index_len);
    if (!index)
        return nodedir_fail(node, "no usable 'index'", err);
    node->look.base = index; /* so that lc_nodedir_close unmaps it */
    const char *bad = lc_look_open(&node->look, index, node->index_len);
    if (bad)
        return nodedir_fail(node, bad, err);
    if (lc_look_id(&node->look) != node->state->image_id)
        return nodedir_fail(node, "'index' and 'state' do not belong together", err);
    node->live =
        part_map(node, "live", PROT_READ | PROT_WRITE, sizeof(*node->live), &node->live_len);
    if (!node->live)
        return nodedir_fail(node, "no usable 'live'", err);
    if (live_check(node, err) < 0)
        return -1;
    if (faccessat(node->fd, &LC_NODE_LAUNCH[1], F_OK, 0) < 0)
        return nodedir_fail(node, "no launcher", err);
    return 0;
}

int lc_nodedir_open(struct lc_nodedir *node, int user, const char *user_path, const char *name,
                    struct lc_error *err)
{
    *node = (struct lc_nodedir){.user = -1, .fd = -1};
    if (strlen(name) >= sizeof(node->name) ||
        snprintf(node->path, sizeof(node->path), "%s/%s", user_path, name) >=
            (int)sizeof(node->path)) {
        errno = ENAMETOOLONG;
        return lc_error_errno(err, "cannot use '%s/%s'", user_path, name);
    }
    strcpy(node->name, name);
    node->fd = lc_owned_open(user, name, false, node->path, err);
    if (node->fd < 0)
        return -1;
    node->user = fcntl(user, F_DUPFD_CLOEXEC, 0);
    if (node->user < 0)
        lc_error_errno(err, "cannot use '%s'", node->path);
    else if (parts_map(node, err) == 0)
        return 0;
    int saved = errno;
    lc_nodedir_close(node);
    errno = saved;
    return -1;
}

void lc_nodedir_close(struct lc_nodedir *node)
{
    if (node->state)
        munmap((void *)(uintptr_t)node->state, node->state_len);
    if (node->live)
        munmap(node->live, node->live_len);
    if (node->look.base)
        munmap((void *)(uintptr_t)node->look.base, node->index_len);
    if (node->path[0] && node->fd >= 0)
        close(node->fd);
    if (node->path[0] && node->user >= 0)
        close(node->user);
    *node = (struct lc_nodedir){.user = -1, .fd = -1};
}

bool lc_nodedir_is_current(const struct lc_nodedir *node)
{
    struct stat mine, named;

    return fstat(node->fd, &mine) == 0 &&
           fstatat(node->user, node->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

void lc_nodedir_each_user(const char *dir, void (*each)(void *arg, int user, const char *user_path),
                          void (*refused)(void *arg, const struct lc_error *why), void *arg)
{
    struct lc_stage_places all;

    lc_stage_places_begin(&all, dir, false);
    for (struct lc_stage_place *place; (place = lc_stage_places_next(&all));)
        if (place->path[0])
            lc_user_dir_each(place, each, refused, arg);
    lc_stage_places_end(&all);
}

void lc_nodedir_each(int user, const char *user_path,
                     void (*each)(void *arg, const char *path, const struct lc_nodedir *node,
                                  const struct lc_error *why),
                     void *arg)
{
    struct dirent **names = NULL;
    int count = scandirat(user, ".", &names, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        struct lc_nodedir node;
        struct lc_error err;
        char path[LC_USER_DIR_LEN + 300];
        if (lc_nodedir_is_name(names[i]->d_name)) {
            int rc = lc_nodedir_open(&node, user, user_path, names[i]->d_name, &err);
            snprintf(path, sizeof(path), "%s/%s", user_path, names[i]->d_name);
            each(arg, path, rc == 0 ? &node : NULL, &err);
            lc_nodedir_close(&node);
        }
        free(names[i]);
    }
    free(names);
}
