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

/* Bytecode files to check or compile, grouped by cache tag ("cpython-311"). */
static int collect_candidates(const struct lc_pack *pack, const struct lc_resolution *r,
                              struct lc_map *by_tag)
{
    char source[LC_PATH_MAX], tag[64];
    int level;

    for (size_t i = 0; i < r->count; i++) {
        const struct lc_resolved *item = &r->item[i];
        if (!lc_pyc_parse(item->path, source, sizeof(source), tag, sizeof(tag), &level) ||
            !is_candidate(lc_resolution_uses(r, item->path)) ||
            !lc_rules_is_managed(pack->rules, source, lc_resolution_uses(r, source)))
            continue;
        const struct lc_tree_entry *node = lc_tree_find(pack->reader.tree, item->path);
        const struct lc_tree_entry *from = lc_tree_find(pack->reader.tree, source);
        if (!from || from->kind != LC_KIND_FILE || (node && (node->flags & LC_ENTRY_MADE)))
            continue;
        struct lc_pyc_list *list = lc_map_object(by_tag, tag, sizeof(*list));
        if (!list || lc_pyc_add(list, item->path, source, level, item->kind == LC_KIND_FILE) < 0)
            return -1;
    }
    return 0;
}

/* Does the interpreter use this cache tag? If so, it is added to the provenance. */
static bool interpreter_has_tag(struct lc_pack *pack, const char *executable, const char *tag)
{
    struct lc_python who;

    if (lc_python_ask(executable, &who, NULL) < 0 || strcmp(who.cache_tag, tag) != 0)
        return false;
    lc_provenance_add_python(pack->provenance, executable, who.version, who.cache_tag);
    return true;
}

/* Finds the interpreter: a Python with this tag that ran in the pilot; else, for programs that
 * embed Python, "python3.11" (or the version of the tag) in PATH. */
static bool find_interpreter(struct lc_pack *pack, const struct lc_resolution *r, const char *tag,
                             char *out, size_t room)
{
    char name[64];
    unsigned version;

    for (size_t i = 0; i < r->count; i++) {
        const struct lc_resolved *item = &r->item[i];
        if (!(item->given_uses & LC_USE_EXEC) || !strstr(lc_path_base(item->path), "python"))
            continue;
        snprintf(out, room, "%s", item->path);
        if (interpreter_has_tag(pack, item->path, tag))
            return true;
    }
    if (sscanf(tag, "cpython-3%u", &version) != 1)
        return false;
    snprintf(name, sizeof(name), "python3.%u", version);
    return lc_path_find_program(out, room, name, NULL) == 0 && interpreter_has_tag(pack, out, tag);
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

static int compile_tag(struct lc_pack *pack, struct lc_packed *did, const struct lc_resolution *r,
                       const char *tag, struct lc_pyc_list *list)
{
    char python[LC_PATH_MAX];

    if (!find_interpreter(pack, r, tag, python, sizeof(python)) ||
        lc_pyc_compile(python, list, NULL) < 0) {
        did->not_compiled += list->count;
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
        rc = compile_tag(pack, did, r, by_tag.entry[i].key, by_tag.entry[i].value);
    for (size_t i = 0; i < by_tag.count; i++) {
        if (by_tag.entry[i].value)
            lc_pyc_free(by_tag.entry[i].value);
        free(by_tag.entry[i].value);
    }
    lc_map_free(&by_tag, NULL);
    return rc;
}
