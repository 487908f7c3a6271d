/* SPDX-License-Identifier: MIT */
/* seam.h - Python's imports answered from node memory: see doc/decisions/python.md
 *
 * Three methods of importlib get a form in C that asks the image first and calls the method it
 * replaced whenever anything is not as expected: PathFinder.find_spec, FileFinder.find_spec and
 * SourceLoader.get_code; and so does a function that only costs time, _init_module_attrs. Whatever
 * fails in between leaves no exception behind. */
#ifndef LC_PYTHON_SEAM_H
#define LC_PYTHON_SEAM_H

#include "client/preload/ask.h"
#include "client/python/api.h"
#include "node/bytecode.h"

/* Attribute names, interned. */
#define LC_PY_NAMES(X)      \
    X(__cached__)           \
    X(__file__)             \
    X(__loader__)           \
    X(__package__)          \
    X(__path__)             \
    X(__spec__)             \
    X(_cached)              \
    X(_init_module_attrs)   \
    X(_loaders)             \
    X(_path_importer_cache) \
    X(_set_fileattr)        \
    X(co_filename)          \
    X(find_spec)            \
    X(get_code)             \
    X(get_data)             \
    X(loader)               \
    X(name)                 \
    X(origin)               \
    X(path)                 \
    X(path_stats)           \
    X(submodule_search_locations)

struct lc_py_names {
#define X(name) PyObject *name;
    LC_PY_NAMES(X)
#undef X
};

enum { LC_TAG_MAX = 64 };

/* What is learned once, when the interpreter starts; the interpreter's own objects, held for good.
 */
struct lc_seam {
    struct lc_py py;
    struct lc_py_names names;
    PyObject *path_finder, *file_finder, *source_loader, *source_base, *extension_loader,
        *module_spec;                                     /* classes */
    PyObject *path_find_spec, *file_find_spec, *get_code; /* the methods replaced */
    PyObject *path_stats, *get_data;                      /* of SourceFileLoader, as they came */
    PyObject *bootstrap,
        *init_module_attrs;  /* the module _frozen_importlib, its function replaced */
    PyObject *file_hook;     /* of sys.path_hooks: the one for directories */
    PyObject *fix_filename;  /* _imp._fix_co_filename */
    PyObject *spec_model;    /* a file's spec as its __dict__: name to value */
    struct lc_code_map code; /* NODE/code */
    char magic[4];           /* of bytecode */
    char tail[LC_TAG_MAX];   /* what follows a module's name: ".cpython-311.opt-1.pyc" */
    size_t tail_len;
};

/* install.c: the seam, for the methods once they are installed. */
const struct lc_seam *lc_seam(void);

/* know.c: what the image knows of an absolute path, links followed. */
enum lc_know {
    LC_KNOW_NOTHING, /* or it was written since: ask the file system */
    LC_KNOW_ABSENT,
    LC_KNOW_FILE,
    LC_KNOW_DIRECTORY,
    LC_KNOW_COMPLETE, /* a directory all of whose names are known */
};
struct lc_known {
    enum lc_know what;
    uint32_t entry;               /* of files and directories */
    const struct lc_inode *inode; /* its */
};
struct lc_known lc_know(const struct lc_node *node, struct lc_room *room, const char *path,
                        size_t len);

/* listing.c: the names of a complete directory that begin with 'prefix'. */
struct lc_listing {
    const struct lc_look *look;
    const struct lc_dirent *item; /* NULL: nothing is known */
    const uint32_t *order;
    uint32_t low, count;
    size_t prefix_len;
};
struct lc_listing lc_listing_find(const struct lc_look *look, const struct lc_inode *dir,
                                  const char *prefix, size_t len);
/* Is prefix + suffix one of them? True also where nothing is known. */
bool lc_listing_may_have(const struct lc_listing *l, const char *prefix, const char *suffix,
                         size_t suffix_len);

/* spec.c: a new spec for a module's file as importlib makes it; NULL with an exception. 'package'
 * is a package's directory, or NULL. */
PyObject *lc_spec_make(const struct lc_seam *s, PyObject *loader_class, PyObject *fullname,
                       PyObject *path, PyObject *package);
/* The path of a source file's bytecode in out; its length, or 0 if there is none by this rule. */
size_t lc_spec_bytecode(const struct lc_seam *s, const char *path, size_t len, char *out,
                        size_t size);

/* find.c, path.c, code.c and module.c: the methods. */
struct lc_py_method *lc_file_find_spec(void);
struct lc_py_method *lc_path_find_spec(void);
struct lc_py_method *lc_source_get_code(void);
struct lc_py_method *lc_init_module_attrs(void);

/* find.c: what a FileFinder would find. NULL and sure: nothing; not sure: ask it. Never an
 * exception. */
PyObject *lc_find_in(const struct lc_seam *s, PyObject *finder, PyObject *fullname, bool *is_sure);
/* The text of a str as a file system sees it: ASCII without NUL, as software's names are; NULL for
 * any other, without an exception. */
const char *lc_plain_text(const struct lc_py *py, PyObject *object, size_t *len);

/* bytes.c: a file's content in node memory; *buffer is to be freed if it is set. NULL: not there.
 */
const char *lc_code_bytes(const struct lc_seam *s, const struct lc_node *node, struct lc_room *room,
                          const struct lc_known *file, void **buffer);

/* find.c: call what was replaced, as we were called; 'self' is NULL for a function. */
PyObject *lc_call_original(const struct lc_seam *s, PyObject *function, PyObject *self,
                           PyObject *const *args, long count, PyObject *names);

#endif
