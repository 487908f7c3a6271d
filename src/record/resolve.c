/* SPDX-License-Identifier: MIT */
/* resolve.c - resolve the paths that were seen */
#include "record/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/rules.h"
#include "util/path.h"

unsigned lc_resolution_uses(const struct lc_resolution *r, const char *path)
{
    const struct lc_seen_path *p = lc_map_get(&r->uses, path);

    return p ? p->uses : 0;
}

int lc_package_note(struct lc_map *packages, const char *path)
{
    char dir[LC_PATH_MAX];
    const char *base = lc_path_base(path);
    size_t len = lc_path_dir_len(path);

    if (strcmp(base, "__init__.py") != 0 && strncmp(base, "__init__.cpython", 16) != 0 &&
        strncmp(base, "__init__.abi3", 13) != 0)
        return 0;
    memcpy(dir, path, len);
    dir[len] = '\0';
    if (len > 12 && strcmp(dir + len - 12, "/__pycache__") == 0)
        dir[len - 12] = '\0';
    void **at = lc_map_at(packages, dir);
    if (at)
        *at = packages;
    return at ? 0 : -1;
}

static int resolved_add(struct lc_resolution *r, const char *given, unsigned uses, const char *path,
                        uint8_t kind)
{
    struct lc_seen_path *all = lc_map_object(&r->uses, path, sizeof(*all));

    if (!all)
        return -1;
    all->uses |= uses;
    char *copy = strdup(path);
    if (!copy)
        return -1;
    r->item[r->count++] = (struct lc_resolved){given, copy, uses, kind};
    return kind == LC_KIND_FILE ? lc_package_note(&r->packages, path) : 0;
}

static int path_resolve(struct lc_resolution *r, const struct lc_rules *rules,
                        struct lc_path_reader *reader, const char *given, unsigned uses)
{
    char path[LC_PATH_MAX];

    if (lc_rules_is_system(rules, given))
        return 0;
    errno = 0;
    const struct lc_tree_entry *node = lc_path_read(reader, given, path);
    if (!node && errno == ENOTDIR)
        uses = LC_USE_STAT; /* 'path' is the file that was used as a directory */
    return lc_rules_is_system(rules, path)
               ? 0
               : resolved_add(r, given, uses, path, node ? node->kind : 0);
}

static int links_note(struct lc_resolution *r, const struct lc_tree *scratch)
{
    for (size_t i = 0; i < scratch->entries.count; i++) {
        const struct lc_tree_entry *node = scratch->entries.entry[i].value;
        void **at = node && node->kind == LC_KIND_SYMLINK
                        ? lc_map_at(&r->links, scratch->entries.entry[i].key)
                        : NULL;
        if (at)
            *at = r;
        else if (node && node->kind == LC_KIND_SYMLINK)
            return -1;
    }
    return 0;
}

/* Asks for all paths at once, as far as they are known. */
static int ask_ahead(struct lc_resolution *r, const struct lc_seen *seen,
                     const struct lc_rules *rules)
{
    for (size_t i = 0; i < seen->paths.count; i++) {
        const char *path = seen->paths.entry[i].key;
        if (seen->paths.entry[i].value && !lc_rules_is_system(rules, path) &&
            lc_ahead_add(&r->asked, path) < 0)
            return -1;
    }
    lc_ahead_ask(&r->asked);
    return 0;
}

int lc_resolve(struct lc_resolution *r, const struct lc_seen *seen, const struct lc_rules *rules)
{
    struct lc_tree scratch = {0};
    struct lc_path_reader reader = {&scratch, rules->mounts, &r->asked};
    int rc = 0;

    r->item = calloc(seen->paths.count + 1, sizeof(*r->item));
    if (!r->item || ask_ahead(r, seen, rules) < 0)
        return -1;
    for (size_t i = 0; i < seen->paths.count && rc == 0; i++) {
        const struct lc_seen_path *p = seen->paths.entry[i].value;
        if (p)
            rc = path_resolve(r, rules, &reader, seen->paths.entry[i].key, p->uses);
    }
    if (rc == 0)
        rc = links_note(r, &scratch);
    lc_tree_free(&scratch);
    return rc;
}

void lc_resolution_free(struct lc_resolution *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->item[i].path);
    free(r->item);
    lc_map_free(&r->uses, free);
    lc_map_free(&r->packages, NULL);
    lc_map_free(&r->links, NULL);
    lc_ahead_free(&r->asked);
    *r = (struct lc_resolution){0};
}
