/* SPDX-License-Identifier: MIT */
/* pack_bytecode.c - compile Python modules whose bytecode was missing in the pilot */
#include "record/pack_steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/provenance.h"
#include "record/pyc.h"
#include "record/recompile.h"
#include "util/path.h"

/* Did the pilot look for this bytecode? Files that only --add named are packed as they are. */
static bool is_candidate(unsigned uses)
{
    return !(uses & LC_USE_WRITE) && (uses & ~(unsigned)(LC_USE_ASKED | LC_USE_LIST));
}

static void candidate_describe(struct lc_pyc *pyc, unsigned uses, unsigned source_uses,
                               const struct lc_inode *source)
{
    enum { CONTENT = LC_USE_READ | LC_USE_MAP | LC_USE_WRITE | LC_USE_ASKED };

    pyc->is_used = (uses & LC_USE_READ) && !(uses & LC_USE_ASKED) && !(source_uses & CONTENT);
    pyc->source_mtime = (uint32_t)source->mtime;
    pyc->source_bytes = (uint32_t)source->size;
}

/* Bytecode files to check or compile, grouped by cache tag ("cpython-311"). */
static int collect_candidates(const struct lc_pack *pack, const struct lc_resolution *r,
                              struct lc_map *by_tag)
{
    char source[LC_PATH_MAX], tag[64];
    int level;

    for (size_t i = 0; i < r->count; i++) {
        const struct lc_resolved *item = &r->item[i];
        if (!lc_pyc_parse(item->path, source, sizeof(source), tag, sizeof(tag), &level))
            continue;
        unsigned uses = lc_resolution_uses(r, item->path),
                 from_uses = lc_resolution_uses(r, source);
        if (!is_candidate(uses) || !lc_rules_is_managed(pack->rules, source, from_uses))
            continue;
        const struct lc_tree_entry *node = lc_tree_find(pack->reader.tree, item->path);
        const struct lc_tree_entry *from = lc_tree_find(pack->reader.tree, source);
        if (!from || from->kind != LC_KIND_FILE || (node && (node->flags & LC_ENTRY_MADE)))
            continue;
        struct lc_pyc_list *list = lc_map_object(by_tag, tag, sizeof(*list));
        if (!list || lc_pyc_add(list, item->path, source, level, item->kind == LC_KIND_FILE) < 0)
            return -1;
        candidate_describe(&list->item[list->count - 1], uses, from_uses, &from->stat);
    }
    return 0;
}

/* Lets one interpreter compile the list. If it is one for this tag, it is added to the provenance.
 */
static bool compile_by(struct lc_pack *pack, const char *executable, const char *tag,
                       struct lc_pyc_list *list)
{
    struct lc_python who;

    if (lc_pyc_compile(executable, tag, list, &who, NULL) < 0)
        return false;
    lc_provenance_add_python(pack->provenance, executable, who.version, who.cache_tag);
    return true;
}

static bool was_executed(const struct lc_resolved *item)
{
    return (item->given_uses & LC_USE_EXEC) && strstr(lc_path_base(item->path), "python");
}

/* By a Python with this tag that ran in the pilot; else, for programs that embed Python, by
 * "python3.11" (or the version of the tag) in PATH. */
static bool compile_list(struct lc_pack *pack, const struct lc_resolution *r, const char *tag,
                         struct lc_pyc_list *list)
{
    char name[64], path[LC_PATH_MAX];
    unsigned version;

    for (size_t i = 0; i < r->count; i++)
        if (was_executed(&r->item[i]) && compile_by(pack, r->item[i].path, tag, list))
            return true;
    if (sscanf(tag, "cpython-3%u", &version) != 1)
        return false;
    snprintf(name, sizeof(name), "python3.%u", version);
    return lc_path_find_program(path, sizeof(path), name, NULL) == 0 &&
           compile_by(pack, path, tag, list);
}

/* "python", "python3", "python3.11": nothing but an interpreter is called so. */
static bool is_python_name(const char *name)
{
    return strncmp(name, "python", 6) == 0 && !name[6 + strspn(name + 6, "0123456789.")];
}

/* The only Python that ran; NULL if there were several, or programs that may be one. */
static const char *only_python(const struct lc_resolution *r)
{
    const char *only = NULL;

    for (size_t i = 0; i < r->count; i++) {
        const char *path = r->item[i].path;
        if (!was_executed(&r->item[i]))
            continue;
        if (!is_python_name(lc_path_base(path)) || (only && strcmp(only, path) != 0))
            return NULL;
        only = path;
    }
    return only;
}

/* Does its name tell another version than 3.minor? "python3.11" does tell one, "python3" does not.
 */
static bool has_other_version(const char *python, unsigned minor)
{
    char name[32];

    snprintf(name, sizeof(name), "python3.%u", minor);
    return strchr(lc_path_base(python), '.') && strcmp(lc_path_base(python), name) != 0;
}

/* Adds the interpreter whose bytecode is good to the provenance, without starting it: its version
 * is that of the tag. False if it is not certain which one it was. */
static bool note_interpreter(struct lc_pack *pack, const struct lc_resolution *r, size_t tags,
                             const char *tag)
{
    const char *python = tags == 1 ? only_python(r) : NULL;
    char version[16];
    unsigned minor;

    if (!python || sscanf(tag, "cpython-3%u", &minor) != 1 || has_other_version(python, minor))
        return false;
    snprintf(version, sizeof(version), "3.%u", minor);
    lc_provenance_add_python(pack->provenance, python, version, tag);
    return true;
}

static int add_compiled(struct lc_pack *pack, struct lc_packed *did, const struct lc_pyc_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct lc_pyc *p = &list->item[i];
        errno = 0;
        if (p->state == LC_PYC_MADE && lc_pyc_place(&pack->reader, p) == 0)
            did->compiled++;
        else if (errno == ENOMEM)
            return -1;
        else
            did->not_compiled += p->state == LC_PYC_FAILED;
    }
    return 0;
}

/* 'tags': how many there are */
static int compile_tag(struct lc_pack *pack, struct lc_packed *did, const struct lc_resolution *r,
                       size_t tags, const char *tag, struct lc_pyc_list *list)
{
    size_t left = lc_pyc_check_headers(list);

    if (left == 0 && note_interpreter(pack, r, tags, tag))
        return 0;
    if (!compile_list(pack, r, tag, list)) {
        did->not_compiled += left;
        return 0;
    }
    return add_compiled(pack, did, list);
}

int lc_pack_compile_modules(struct lc_pack *pack, struct lc_packed *did,
                            const struct lc_resolution *r)
{
    struct lc_map by_tag = {0};
    int rc = collect_candidates(pack, r, &by_tag);

    for (size_t i = 0; i < by_tag.count && rc == 0; i++)
        rc = compile_tag(pack, did, r, by_tag.count, by_tag.entry[i].key, by_tag.entry[i].value);
    for (size_t i = 0; i < by_tag.count; i++) {
        if (by_tag.entry[i].value)
            lc_pyc_free(by_tag.entry[i].value);
        free(by_tag.entry[i].value);
    }
    lc_map_free(&by_tag, NULL);
    return rc;
}
