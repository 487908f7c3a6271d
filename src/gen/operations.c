/* SPDX-License-Identifier: MIT */
/* operations.c - the file system operations of a task, computed from the configuration */
#include "gen/operations.h"

/* Libraries that ld.so finds by name: one open each, after one failing open per search directory,
 * and an fstat. */
static void searched_add(struct lc_operations *o, uint64_t libs, uint64_t dirs)
{
    o->opens += libs * (1 + dirs);
    o->failed_opens += libs * dirs;
    o->stats += libs;
}

/* Imports: a stat of every directory ahead in sys.path, of ours, and of the file; then a dlopen by
 * path, which asks nothing when the library is already there under that path. */
static void imports_add(struct lc_operations *o, uint64_t imports, uint64_t dirs)
{
    o->stats += imports * (dirs + 2);
}

struct lc_operations lc_operations(const struct lc_gen_config *c, enum lc_mode mode)
{
    uint64_t libs = (uint64_t)c->files, hooks = 2;
    uint64_t imports = libs - (uint64_t)c->utilities + hooks;
    struct lc_operations o = {0, 0, 0};

    switch (mode) {
    case LC_MODE_PYMPI:
    case LC_MODE_MPI4PY:
        searched_add(&o, libs, (uint64_t)c->search_dirs); /* by libmodulebegin's dlopen */
        searched_add(&o, hooks, 0);                       /* the two that Python opens itself */
        imports_add(&o, imports, (uint64_t)c->python_dirs);
        break;
    case LC_MODE_PYNAMIC:
    case LC_MODE_BIGEXE:
        searched_add(&o, libs + hooks, (uint64_t)c->search_dirs);
        imports_add(&o, imports, (uint64_t)c->python_dirs);
        break;
    case LC_MODE_CLOADTEST:
    case LC_MODE_CLOADTEST_MPI:
        searched_add(&o, libs, (uint64_t)c->search_dirs);
        break;
    default: /* all static: nothing to find */
        break;
    }
    return o;
}

json_t *lc_operations_json(const struct lc_gen_config *config, enum lc_mode mode)
{
    struct lc_operations o = lc_operations(config, mode);

    return json_pack("{s:I, s:I, s:I}", "opens", (json_int_t)o.opens, "failed_opens",
                     (json_int_t)o.failed_opens, "stats", (json_int_t)o.stats);
}
