/* SPDX-License-Identifier: MIT */
/* pack.c - fill the tree of an image from the paths that a program was seen to use
 *
 * First all paths are resolved in a scratch tree, so that the rules can be learned from all of
 * them. Then managed paths are read into the image's tree, directories are listed, modules
 * compiled. */
#include "record/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/pack_steps.h"
#include "util/path.h"

void lc_packed_free(struct lc_packed *did)
{
    lc_map_free(&did->mounts, free);
    lc_map_free(&did->credentials, NULL);
    lc_map_free(&did->personal, NULL);
}

static int learn_rules(struct lc_pack *pack, const struct lc_resolution *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (lc_rules_learn(pack->rules, r->item[i].path, r->item[i].given_uses, &r->packages) < 0)
            return -1;
    for (size_t i = 0; i < r->count; i++)
        if ((r->item[i].given_uses & LC_USE_CHDIR) &&
            lc_rules_add_work(pack->rules, r->item[i].path) < 0)
            return -1;
    return 0;
}

/* Credentials reached through a symbolic link: content is packed under its path without links, so
 * the rules must know that path too. */
static int learn_secrets(struct lc_pack *pack, const struct lc_resolution *r)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < r->count; i++)
        if ((r->item[i].kind == LC_KIND_FILE || r->item[i].kind == LC_KIND_DIRECTORY) &&
            lc_rules_learn_secret(pack->rules, r->item[i].given, r->item[i].path) < 0)
            return -1;
    for (size_t i = 0; i < r->links.count; i++)
        if (lc_rules_is_credential(pack->rules, r->links.entry[i].key, LC_USE_STAT) &&
            realpath(r->links.entry[i].key, path) &&
            lc_rules_learn_secret(pack->rules, r->links.entry[i].key, path) < 0)
            return -1;
    return 0;
}

/* Python scripts on the command line: Python puts their directory first in sys.path. */
static int learn_scripts(struct lc_pack *pack)
{
    char path[PATH_MAX];

    for (char *const *word = pack->argv; word && *word; word++) {
        size_t n = strlen(*word);
        if (n < 4 || strcmp(*word + n - 3, ".py") != 0 || !realpath(*word, path))
            continue;
        path[lc_path_dir_len(path)] = '\0';
        if (lc_rules_add_script(pack->rules, path) < 0)
            return -1;
    }
    return 0;
}

static int mount_count_path(struct lc_pack *pack, struct lc_packed *did, const char *path,
                            bool managed)
{
    const struct lc_mountpoint *m = lc_mounts_find(pack->reader.mounts, path);
    char name[PATH_MAX + 128];

    snprintf(name, sizeof(name), "%s on %s", m->type, m->point);
    struct lc_pack_mount *count = lc_map_object(&did->mounts, name, sizeof(*count));
    if (!count)
        return -1;
    did->seen++;
    did->managed += managed;
    count->seen++;
    count->managed += managed;
    return 0;
}

/* Was the path written by the pilot, or changed by anyone while it ran? */
static bool is_written(const struct lc_pack *pack, const struct lc_resolution *r, const char *path,
                       const struct lc_tree_entry *node)
{
    if (lc_resolution_uses(r, path) & LC_USE_WRITE)
        return true;
    return node->kind == LC_KIND_FILE && lc_changed_since(node, pack->seen->start_ns);
}

/* Adds a path to a set that is reported to the user. */
static int path_set_add(struct lc_map *names, const char *path)
{
    void **at = lc_map_at(names, path);

    if (at)
        *at = names;
    return at ? 0 : -1;
}

static int entry_want_content(struct lc_pack *pack, struct lc_packed *did, const char *path,
                              unsigned uses, struct lc_tree_entry *node)
{
    if (node->source != LC_SOURCE_NONE)
        return 0; /* its content is in the tree already, from the image that is added to */
    if (lc_rules_is_personal(pack->rules, path, uses, node->stat.mode))
        return path_set_add(&did->personal, path);
    if (node->stat.size <= pack->rules->max_file || lc_is_library(path))
        node->source = LC_SOURCE_FILE;
    else
        did->too_large++;
    return 0;
}

/* Sets *left if the path, or the name that led to it, is a credential; such a file is not packed.
 */
static int credential_leave_out(struct lc_pack *pack, struct lc_packed *did,
                                const struct lc_resolved *item, unsigned uses, bool *left)
{
    *left = lc_rules_is_credential(pack->rules, item->path, uses) ||
            lc_rules_is_credential(pack->rules, item->given, uses);
    return *left && item->kind == LC_KIND_FILE ? path_set_add(&did->credentials, item->given) : 0;
}

static int path_add(struct lc_pack *pack, struct lc_packed *did, const struct lc_resolution *r,
                    const struct lc_resolved *item)
{
    unsigned uses = lc_resolution_uses(r, item->path);
    bool managed = lc_rules_is_wanted(pack->rules, item->path, uses) &&
                   !lc_rules_is_excluded(pack->rules, item->given);
    bool left = false;
    char path[LC_PATH_MAX];

    if (managed && credential_leave_out(pack, did, item, uses, &left) < 0)
        return -1;
    managed = managed && !left;
    if (mount_count_path(pack, did, item->path, managed) < 0)
        return -1;
    if (!managed)
        return 0;
    const struct lc_seen_path *asked = lc_map_get(&pack->seen->paths, item->given);
    did->calls += asked ? asked->calls : 0;
    errno = 0;
    struct lc_tree_entry *node = lc_path_read(&pack->reader, item->given, path);
    if (!node)
        return errno == ENOMEM ? -1 : 0;
    if (!pack->learns)
        node->learnt = 0;
    if (is_written(pack, r, path, node) && !(uses & LC_USE_ASKED)) {
        did->written++;
        if (node->kind != LC_KIND_DIRECTORY)
            lc_tree_entry_clear(node);
        return 0;
    }
    /* Absent in the pilot but there now, and not made by the pilot: leave it to the file system. */
    if (node->kind != LC_KIND_ABSENT && !(uses & ~(unsigned)LC_USE_ABSENT))
        lc_tree_entry_clear(node);
    else if (node->kind == LC_KIND_ABSENT && !(uses & LC_USE_ABSENT))
        lc_tree_entry_clear(node); /* there in the pilot, removed since */
    else if (uses & LC_USE_XATTR)
        lc_path_read_xattr(path, node);
    if (node->kind == LC_KIND_FILE &&
        (uses & (LC_USE_READ | LC_USE_MAP | LC_USE_EXEC | LC_USE_ASKED)))
        return entry_want_content(pack, did, path, uses, node);
    return 0;
}

/* Adds managed symbolic links whose target is not managed, so that the link itself is answered from
 * the image. */
static int links_add(struct lc_pack *pack, const struct lc_resolution *r)
{
    for (size_t i = 0; i < r->links.count; i++) {
        const char *path = r->links.entry[i].key;
        const struct lc_tree_entry *known = lc_tree_find(pack->reader.tree, path);
        if ((known && known->kind) || !lc_rules_is_managed(pack->rules, path, LC_USE_STAT) ||
            (lc_resolution_uses(r, path) & LC_USE_WRITE))
            continue;
        errno = 0;
        struct lc_tree_entry *node = lc_path_read_link(&pack->reader, path);
        if (!node && errno == ENOMEM)
            return -1;
        if (node && lc_changed_since(node, pack->seen->start_ns))
            lc_tree_entry_clear(node);
    }
    return 0;
}

/* Marks directories and links that only lead to other entries (LC_ENTRY_ROUTE); queries about them
 * go to the file system. These are: local directories, which differ between nodes; directories
 * above a managed tree; and directories that change. */
static void mark_routes(struct lc_pack *pack, const struct lc_resolution *r,
                        const struct lc_map *old)
{
    const struct lc_map *nodes = &pack->reader.tree->entries;

    for (size_t i = 0; i < nodes->count; i++) {
        struct lc_tree_entry *node = nodes->entry[i].value;
        const char *path = nodes->entry[i].key;
        unsigned uses = lc_resolution_uses(r, path);
        bool is_way = node->kind == LC_KIND_DIRECTORY || node->kind == LC_KIND_SYMLINK;
        bool changes =
            node->kind == LC_KIND_DIRECTORY && ((uses & (LC_USE_WRITE | LC_USE_RENAMES)) ||
                                                lc_changed_since(node, pack->seen->start_ns) ||
                                                lc_rules_is_changing(pack->rules, path));
        bool ours = (uses && lc_rules_is_shared(pack->rules, path)) ||
                    lc_rules_is_managed(pack->rules, path, uses);
        if (pack->learns && lc_map_get(old, path) && (changes || !uses))
            continue;
        if (changes && !(uses & LC_USE_ASKED)) {
            lc_tree_entry_drop_list(node);
            node->flags |= LC_ENTRY_ROUTE;
        } else if (is_way && !ours) {
            if (!lc_map_get(old, path))
                node->flags |= LC_ENTRY_ROUTE;
        } else {
            node->flags &= (uint8_t)~LC_ENTRY_ROUTE;
        }
    }
}

/* Collects the entries of the image that is added to. */
static int collect_old_entries(const struct lc_tree *tree, struct lc_map *old)
{
    for (size_t i = 0; i < tree->entries.count; i++) {
        const struct lc_tree_entry *node = tree->entries.entry[i].value;
        void **at = node->kind ? lc_map_at(old, tree->entries.entry[i].key) : NULL;
        if (node->kind && !at)
            return -1;
        if (at)
            *at = old;
    }
    return 0;
}

static int copy_searches(struct lc_tree *to, const struct lc_tree *from)
{
    for (size_t i = 0; i < from->searches; i++) {
        const struct lc_tree_search *s = &from->search[i];
        uint32_t key = s->result ? lc_tree_key(to, &from->key[s->key]) : LC_NONE;
        if (s->result && (key == LC_NONE ||
                          lc_tree_search(to, key, s->chain, s->loader, s->name, s->result) < 0))
            return -1;
    }
    return 0;
}

/* Adds the interpreter of a "#!" script: the kernel opens it, so it is not in the trace. */
static int add_interpreter(struct lc_seen *seen, const char *script)
{
    char line[256];
    int fd = open(script, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

    if (fd >= 0)
        close(fd);
    if (n < 4 || line[0] != '#' || line[1] != '!')
        return 0;
    line[n] = '\0';
    char *start = line + 2 + strspn(line + 2, " \t");
    start[strcspn(start, " \t\n")] = '\0';
    return start[0] == '/' ? lc_seen_add(seen, start, LC_USE_EXEC | LC_USE_READ) : 0;
}

static int add_interpreters(struct lc_seen *seen)
{
    for (size_t i = 0; i < seen->paths.count;
         i++) { /* the map grows: an interpreter may be a script itself */
        const struct lc_seen_path *p = seen->paths.entry[i].value;
        if (p && (p->uses & LC_USE_EXEC) && add_interpreter(seen, seen->paths.entry[i].key) < 0)
            return -1;
    }
    return 0;
}

static int pack_resolved(struct lc_pack *pack, struct lc_packed *did, struct lc_resolution *r)
{
    struct lc_map old = {0};
    int rc = collect_old_entries(pack->reader.tree, &old);

    pack->reader.ahead = &r->asked;
    if (rc == 0)
        rc = learn_rules(pack, r) < 0 || learn_secrets(pack, r) < 0 || learn_scripts(pack) < 0 ? -1
                                                                                               : 0;
    for (size_t i = 0; i < r->count && rc == 0; i++)
        rc = path_add(pack, did, r, &r->item[i]);
    if (rc == 0)
        rc = links_add(pack, r);
    if (rc == 0)
        rc = lc_pack_list_directories(pack, r);
    if (rc == 0 && pack->compile)
        rc = lc_pack_compile_modules(pack, did, r);
    if (rc == 0) {
        mark_routes(pack, r, &old);
        rc = copy_searches(pack->reader.tree, &pack->seen->search);
    }
    pack->reader.ahead = NULL;
    lc_map_free(&old, NULL);
    return rc;
}

int lc_pack_seen(struct lc_pack *pack, struct lc_packed *did, struct lc_error *err)
{
    struct lc_resolution r = {0};

    *did = (struct lc_packed){0};
    int rc = add_interpreters(pack->seen);
    if (rc == 0)
        rc = lc_resolve(&r, pack->seen, pack->rules);
    if (rc == 0)
        rc = pack_resolved(pack, did, &r);
    lc_resolution_free(&r);
    return rc < 0 ? lc_error_errno(err, "cannot pack what was seen") : 0;
}
