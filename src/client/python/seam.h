/* SPDX-License-Identifier: MIT */
/* seam.h - Python's imports answered from node memory: see doc/decisions/python.md
 *
 * Three methods of importlib are replaced by C functions: PathFinder.find_spec,
 * FileFinder.find_spec and SourceLoader.get_code. Each looks in the image first and calls the
 * method it replaced if anything is not as expected. The function _init_module_attrs and those
 * of import_steps.c are replaced only because they are slow. If a step of ours fails, no exception
 * is left behind.
 */
#ifndef LC_PYTHON_SEAM_H
#define LC_PYTHON_SEAM_H

#include "client/preload/path_query.h"
#include "client/python/api.h"
#include "node/bytecode.h"
#include "node/starts.h"

/* Attribute names, interned. */
#define LC_PY_NAMES(X)            \
    X(__all__)                    \
    X(__cached__)                 \
    X(__file__)                   \
    X(__loader__)                 \
    X(__package__)                \
    X(__path__)                   \
    X(__spec__)                   \
    X(_cached)                    \
    X(_init_module_attrs)         \
    X(_loaders)                   \
    X(_lock)                      \
    X(_name)                      \
    X(_path_cache)                \
    X(_path_importer_cache)       \
    X(_path_mtime)                \
    X(_set_fileattr)              \
    X(co_filename)                \
    X(count)                      \
    X(find_spec)                  \
    X(get_code)                   \
    X(get_data)                   \
    X(loader)                     \
    X(lock)                       \
    X(locked)                     \
    X(name)                       \
    X(origin)                     \
    X(owner)                      \
    X(path)                       \
    X(path_hooks)                 \
    X(path_importer_cache)        \
    X(path_stats)                 \
    X(pycache_prefix)             \
    X(submodule_search_locations) \
    X(waiters)                    \
    X(wakeup)

struct lc_py_names {
#define X(name) PyObject *name;
    LC_PY_NAMES(X)
#undef X
};

enum { LC_TAG_MAX = 64 };

/* For module_lock.c: the methods replaced, and what they use. */
struct lc_module_locks {
    PyObject *enter, *exit;
    PyObject *thread_dict, *allocate_lock_name, *get_ident_name; /* of the module _thread */
    PyObject *allocate_lock, *get_ident;                         /* as they were at the start */
    PyObject *zero, *one;
};

/* What is read once from the interpreter when it starts. References to its objects are held until
 * the process ends. */
struct lc_seam {
    struct lc_py py;
    struct lc_py_names names;
    PyObject *path_finder, *file_finder, *source_loader, *source_base, *extension_loader,
        *module_spec;                                     /* classes */
    PyObject *path_find_spec, *file_find_spec, *get_code; /* the methods replaced */
    PyObject *path_stats, *get_data;                      /* original methods of SourceFileLoader */
    PyObject *bootstrap,
        *init_module_attrs; /* the module _frozen_importlib, its function replaced */
    /* For import_steps.c: the functions replaced, and what they use. */
    PyObject *lock_unlock_module, *handle_fromlist, *verbose_message, *builtin_find_spec,
        *frozen_find_spec;
    PyObject *module_locks; /* module's name to a reference to its lock */
    PyObject *module_lock;  /* the class of these locks */
    struct lc_module_locks locks;
    PyObject *acquire_lock, *release_lock, *is_builtin, *find_frozen; /* of _imp */
    PyObject *new_module;                                             /* a function replaced */
    PyObject *builtin_names, *frozen_names; /* dicts by name; NULL: not known */
    void **frozen_table;                    /* the program's own frozen modules */
    PyObject *sys, *sys_dict;               /* the module and its names */
    PyObject *file_hook;                    /* the hook in sys.path_hooks for directories */
    PyObject *fix_filename;                 /* _imp._fix_co_filename */
    PyObject *spec_model;                   /* __dict__ of a spec for a file: name to value */
    struct lc_code_map code;                /* NODE/code */
    char magic[4];                          /* magic number of this interpreter's bytecode */
    char tail[LC_TAG_MAX]; /* what follows a module's name: ".cpython-311.opt-1.pyc" */
    size_t tail_len;
};

/* install.c: the seam; valid once the methods are installed. */
const struct lc_seam *lc_seam(void);

/* sys.NAME, a borrowed reference; NULL, without an exception, if there is none. */
static inline PyObject *lc_sys(const struct lc_seam *s, PyObject *name)
{
    return s->py.PyDict_GetItemWithError(s->sys_dict, name);
}

/* path_info.c: what the image knows of an absolute path, links followed. */
enum lc_path_state {
    LC_PATH_UNKNOWN, /* not known, or written since it was recorded: ask the file system */
    LC_PATH_ABSENT,
    LC_PATH_FILE,
    LC_PATH_DIRECTORY,
    LC_PATH_COMPLETE, /* a directory all of whose names are known */
};
struct lc_path_info {
    enum lc_path_state what;
    uint32_t entry;               /* of a file or directory; else LC_NONE */
    const struct lc_inode *inode; /* of a file or directory; else NULL */
};
struct lc_path_info lc_path_info_find(const struct lc_node *node, struct lc_scratch *scratch,
                                      const char *path, size_t len);

/* listing.c: the names of a complete directory that begin with 'prefix'. */
struct lc_listing {
    const struct lc_look *look;
    const struct lc_dirent *item; /* NULL: the names are not known */
    const uint32_t *order;
    uint32_t low, count;
    size_t prefix_len;
};
struct lc_listing lc_listing_find(const struct lc_look *look, const struct lc_inode *dir,
                                  const char *prefix, size_t len);
/* Is prefix + suffix one of the names? True also if the names are not known. */
bool lc_listing_may_have(const struct lc_listing *l, const char *prefix, const char *suffix,
                         size_t suffix_len);

/* spec.c: a new spec for a module's file as importlib makes it; NULL with an exception. 'package'
 * is a package's directory, or NULL. */
PyObject *lc_spec_make(const struct lc_seam *s, PyObject *loader_class, PyObject *fullname,
                       PyObject *path, PyObject *package);
/* Write the path of a source file's bytecode to 'out'; its length, or 0 if the path is not one that
 * has bytecode in __pycache__. */
size_t lc_spec_bytecode(const struct lc_seam *s, const char *path, size_t len, char *out,
                        size_t size);

/* The methods, each in the file of its name (init_module_attrs: module_attributes.c). */
struct lc_py_method *lc_file_find_spec(void);
struct lc_py_method *lc_path_find_spec(void);
struct lc_py_method *lc_source_get_code(void);
struct lc_py_method *lc_init_module_attrs(void);

/* pilot_imports.c: PathFinder.find_spec in the pilot. */
struct lc_py_method *lc_pilot_find_spec(void);

/* script_directory.c: no directory of the list 'path' has the module, as far as the image knows.
 * Was it perhaps written beside the script since? If so, the script's directory is no longer
 * answered from the image. */
bool lc_module_may_be_new(const struct lc_seam *s, PyObject *path, PyObject *fullname);
/* DIRECTORY/MODULE.py, the path by which a pilot records that a module was looked for in vain; its
 * length, or 0 for a name of several parts or a path that does not fit. */
size_t lc_module_path(char *out, size_t size, const char *directory, size_t len, const char *name,
                      size_t name_len);

/* import_steps.c */
enum lc_import_step {
    LC_STEP_LOCK_UNLOCK,
    LC_STEP_FROMLIST,
    LC_STEP_MESSAGE,
    LC_STEP_EXIT,
    LC_STEP_BUILTIN,
    LC_STEP_FROZEN,
    LC_STEP_NEW_MODULE,
};
struct lc_py_method *lc_import_step(enum lc_import_step step);
/* install_steps.c: replace them; those of which something is not as expected are left alone. */
void lc_import_steps_replace(struct lc_seam *s);

/* module_lock.c: can locks of modules be taken here? The methods of _ModuleLockManager. */
bool lc_module_locks_learn(struct lc_seam *s);
struct lc_py_method *lc_lock_manager_enter(void);
struct lc_py_method *lc_lock_manager_exit(void);

/* finder_cache.c: is a module not in the directory 'dir', by the finder's own list, which is
 * current? 'loaders' as in the finder. False also if that cannot be told. */
bool lc_finder_lacks(const struct lc_seam *s, PyObject *finder, PyObject *loaders,
                     struct lc_scratch *scratch, const char *dir, size_t dir_len, const char *tail,
                     size_t tail_len);
/* The finder of the working directory in sys.path_importer_cache, a borrowed reference; or NULL. */
PyObject *lc_finder_of_working_directory(const struct lc_py *py, PyObject *cache);

/* file_finder.c: what a FileFinder would find, without an exception. NULL and *is_sure: there is no
 * such module; NULL and not *is_sure: call the FileFinder. */
PyObject *lc_find_in(const struct lc_seam *s, PyObject *finder, PyObject *fullname, bool *is_sure);
/* The text of a str if it is ASCII without NUL, as paths of software are; else NULL, without an
 * exception. */
const char *lc_plain_text(const struct lc_py *py, PyObject *object, size_t *len);

/* bytecode.c: the content of a staged file; if *buffer is set, the caller frees it. NULL: not
 * staged. */
const char *lc_code_bytes(const struct lc_seam *s, const struct lc_node *node,
                          struct lc_scratch *scratch, const struct lc_path_info *file,
                          void **buffer);

/* file_finder.c: call the function that was replaced with our arguments; 'self' is NULL for a
 * function that is not a method. */
PyObject *lc_call_original(const struct lc_seam *s, PyObject *function, PyObject *self,
                           PyObject *const *args, long count, PyObject *names);

/* lc_scratch_take() and lc_scratch_give(), in this part of the client. */
static inline struct lc_scratch *lc_seam_scratch_take(void)
{
    lc_client_note_part(LC_PART_NONE, LC_PART_PYTHON);
    return lc_scratch_take();
}

static inline void lc_seam_scratch_give(struct lc_scratch *scratch)
{
    lc_scratch_give(scratch);
    lc_client_note_part(LC_PART_PYTHON, LC_PART_NONE);
}

#endif
