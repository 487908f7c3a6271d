/* SPDX-License-Identifier: MIT */
/* list.c - what is in the store, and keeping it below its cap */
#include "store/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/human.h"
#include "util/site_conf.h"

enum { DAY_S = 86400, MONTH_S = 30 * DAY_S, BLOCK = 512 };

static bool name_ends(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

/* "LABEL-0123456789abcdef", as keys are. */
static bool is_key(const char *name, size_t len)
{
    return len > 17 && len < LC_STORE_KEY && name[len - 17] == '-' &&
           strspn(name + len - 16, "0123456789abcdef") >= 16;
}

static struct lc_store_item *item_at(struct lc_store_list *list, const char *key, size_t len)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->item[i].key) == len && memcmp(list->item[i].key, key, len) == 0)
            return &list->item[i];
    if (list->count == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 64;
        void *more = realloc(list->item, cap * sizeof(*list->item));
        if (!more)
            return NULL;
        list->item = more;
        list->cap = cap;
    }
    struct lc_store_item *item = &list->item[list->count++];
    *item = (struct lc_store_item){.has_image = false};
    memcpy(item->key, key, len);
    return item;
}

static uint64_t changed_ns(const struct stat *st)
{
    return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

/* Take one file of the store into the list. */
static int file_take(struct lc_store_list *list, const struct lc_store_dir *dir, const char *name)
{
    bool is_image = name_ends(name, LC_STORE_IMAGE), is_used = name_ends(name, ".used"),
         is_about = name_ends(name, ".json");
    const char *end = strrchr(name, '.');
    struct stat st;

    if ((!is_image && !is_used && !is_about) || !is_key(name, (size_t)(end - name)) ||
        fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        return 0;
    struct lc_store_item *item = item_at(list, name, (size_t)(end - name));
    if (!item)
        return -1;
    if (is_image) {
        item->has_image = true;
        item->bytes = (uint64_t)st.st_blocks * BLOCK;
        list->bytes += item->bytes;
    }
    if (is_used)
        item->jobs = (uint64_t)st.st_size;
    if (!is_about && changed_ns(&st) > item->used_wall_ns)
        item->used_wall_ns = changed_ns(&st);
    return 0;
}

static int used_compare(const void *a, const void *b)
{
    uint64_t x = ((const struct lc_store_item *)a)->used_wall_ns,
             y = ((const struct lc_store_item *)b)->used_wall_ns;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* Counters without an image and a description are left over from one that was removed while a job
 * began. */
static void list_finish(struct lc_store_list *list, const struct lc_store_dir *dir)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct lc_store_item *item = &list->item[i];
        item->about = lc_store_entry_about(dir, item->key);
        if (item->has_image || item->about)
            list->item[kept++] = *item;
    }
    list->count = kept;
    if (kept > 1)
        qsort(list->item, kept, sizeof(*list->item), used_compare);
}

int lc_store_list_read(struct lc_store_list *list, const struct lc_store_dir *dir,
                       struct lc_error *err)
{
    int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    *list = (struct lc_store_list){.count = 0};
    if (!stream) {
        rc = lc_error_errno(err, "cannot list the store '%s'", dir->path);
        if (fd >= 0)
            close(fd);
        return rc;
    }
    while (rc == 0 && (entry = readdir(stream)))
        if (file_take(list, dir, entry->d_name) < 0)
            rc = lc_error_errno(err, "cannot list the store '%s'", dir->path);
    closedir(stream);
    list_finish(list, dir);
    return rc;
}

void lc_store_list_free(struct lc_store_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        json_decref(list->item[i].about);
    free(list->item);
    *list = (struct lc_store_list){.count = 0};
}

uint64_t lc_store_cap_bytes(void)
{
    const char *text = getenv("LOADCAST_STORE_CAP");
    double site = lc_site_conf()->store_cap_bytes, bytes = site > 0 ? site : 5e9;

    if (text && *text)
        lc_parse_bytes("LOADCAST_STORE_CAP", text, 0, 1e18, &bytes, NULL);
    return (uint64_t)bytes;
}

/* What a watched rank has seen, and no later job has packed (record/ranks.h): a directory of files.
 */
static void parts_remove(const struct lc_store_dir *dir, const char *name)
{
    int fd = openat(dir->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);

    for (const struct dirent *entry; stream && (entry = readdir(stream));)
        unlinkat(fd, entry->d_name, 0);
    if (stream)
        closedir(stream);
    else if (fd >= 0)
        close(fd);
    unlinkat(dir->fd, name, AT_REMOVEDIR);
}

/* What is known about one state of an image (facts.h): of no use when the image has changed. */
static bool is_fact_of_state(const char *name)
{
    static const char *const kinds[] = {"fact.misses-", "fact.used-"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        size_t n = strlen(kinds[i]);
        if (strncmp(name, kinds[i], n) == 0 && strlen(name) == n + 16 &&
            strspn(name + n, "0123456789abcdef") == 16)
            return true;
    }
    return false;
}

/* Remove files that were never finished, and overlays of jobs, after a day; parts, and facts of one
 * state of an image, after a month. */
static void leftovers_remove(const struct lc_store_dir *dir)
{
    int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    struct stat st;

    if (!stream && fd >= 0)
        close(fd);
    while (stream && (entry = readdir(stream))) {
        const char *name = entry->d_name;
        bool is_unfinished = strncmp(name, LC_STORE_TEMPORARY, strlen(LC_STORE_TEMPORARY)) == 0 ||
                             strstr(name, LC_STORE_IMAGE ".tmp.") ||
                             strstr(name, LC_STORE_IMAGE ".overlay-");
        bool is_parts = strstr(name, LC_STORE_IMAGE ".parts-"), is_fact = is_fact_of_state(name);
        if ((!is_unfinished && !is_parts && !is_fact) ||
            fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            st.st_mtime + (is_unfinished ? DAY_S : MONTH_S) >= time(NULL))
            continue;
        if (is_parts)
            parts_remove(dir, name);
        else
            unlinkat(dir->fd, name, 0);
    }
    if (stream)
        closedir(stream);
}

size_t lc_store_trim(const struct lc_store_dir *dir, uint64_t cap_bytes, const char *keep)
{
    struct lc_store_list list;
    size_t removed = 0;

    leftovers_remove(dir);
    if (lc_store_list_read(&list, dir, NULL) == 0)
        for (size_t i = list.count; i-- > 0 && list.bytes > cap_bytes;) {
            const struct lc_store_item *item = &list.item[i];
            if (!item->has_image || (keep && strcmp(item->key, keep) == 0) ||
                lc_store_entry_remove(dir, item->key) < 0)
                continue;
            list.bytes -= item->bytes;
            removed++;
        }
    lc_store_list_free(&list);
    return removed;
}
