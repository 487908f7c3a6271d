/* SPDX-License-Identifier: MIT */
/* find.c - whether a module is in a directory: FileFinder.find_spec */
#include "client/python/seam.h"

#include "image/bytes.h"

/* One directory that is searched for one module. */
struct search {
    const struct lc_seam *seam;
    const struct lc_node *node;
    struct lc_room *room;
    PyObject *loaders; /* [(suffix, loader class), ...] */
    PyObject *fullname;
    const char *tail; /* the module's own name */
    size_t tail_len;
    struct lc_listing names; /* of the directory, beginning with the tail */
    size_t dir_len;          /* room->full starts with the directory */
    bool is_sure;            /* of the answer; else the file system must be asked */
};

PyObject *lc_call_original(const struct lc_seam *s, PyObject *function, PyObject *self,
                           PyObject *const *args, long count, PyObject *names)
{
    const struct lc_py *py = &s->py;
    long named = names ? py->PyTuple_Size(names) : 0;
    long first = self ? 1 : 0;
    PyObject *tuple = py->PyTuple_New(count + first), *dict = named > 0 ? py->PyDict_New() : NULL;
    PyObject *result = NULL;
    bool ok = tuple && (named <= 0 || dict);

    if (ok && self) {
        py->Py_IncRef(self);
        py->PyTuple_SetItem(tuple, 0, self);
    }
    for (long i = 0; ok && i < count; i++) {
        py->Py_IncRef(args[i]);
        py->PyTuple_SetItem(tuple, i + first, args[i]);
    }
    for (long i = 0; ok && i < named; i++)
        ok = py->PyDict_SetItem(dict, py->PyTuple_GetItem(names, i), args[count + i]) == 0;
    if (ok)
        result = py->PyObject_Call(function, tuple, dict);
    lc_py_drop(py, tuple);
    lc_py_drop(py, dict);
    return result;
}

const char *lc_plain_text(const struct lc_py *py, PyObject *object, size_t *len)
{
    long n = 0;
    const char *text = object && lc_py_is(py, object, py->PyUnicode_Type)
                           ? py->PyUnicode_AsUTF8AndSize(object, &n)
                           : NULL;

    if (!text)
        py->PyErr_Clear();
    for (long i = 0; text && i < n; i++)
        if ((signed char)text[i] <= 0)
            return NULL;
    *len = (size_t)n;
    return text;
}

/* Make room->full the directory + "/" + middle + suffix; its length, or 0 if it is too long. */
static size_t name_file(struct search *f, size_t from, const char *name, size_t len,
                        const char *suffix, size_t suffix_len)
{
    char *full = f->room->full;

    if (from + len + suffix_len + 2 > LC_PATH_MAX)
        return 0;
    full[from] = '/';
    lc_bytes_move(full + from + 1, name, len);
    lc_bytes_move(full + from + 1 + len, suffix, suffix_len);
    full[from + 1 + len + suffix_len] = '\0';
    return from + 1 + len + suffix_len;
}

static struct lc_known know(struct search *f, size_t len)
{
    return lc_know(f->node, f->room, f->room->full, len);
}

static PyObject *make_spec(struct search *f, PyObject *loader_class, size_t len, size_t package_len)
{
    const struct lc_py *py = &f->seam->py;
    PyObject *path = py->PyUnicode_FromStringAndSize(f->room->full, (long)len);
    PyObject *package =
        package_len ? py->PyUnicode_FromStringAndSize(f->room->full, (long)package_len) : NULL;
    PyObject *spec = path && (package || !package_len)
                         ? lc_spec_make(f->seam, loader_class, f->fullname, path, package)
                         : NULL;

    f->is_sure = spec;
    lc_py_drop(py, path);
    lc_py_drop(py, package);
    return spec;
}

/* The first of DIRECTORY/name + suffix that is a file, in the loaders' order; 'names' are what the
 * directory has. NULL and sure: none. */
static PyObject *try_suffixes(struct search *f, size_t from, const char *name, size_t name_len,
                              size_t package_len, const struct lc_listing *names)
{
    const struct lc_py *py = &f->seam->py;
    long count = py->PyList_Size(f->loaders);

    for (long i = 0; i < count; i++) {
        PyObject *pair = py->PyList_GetItem(f->loaders, i);
        size_t suffix_len, len;
        const char *suffix = NULL;
        if (pair && lc_py_is(py, pair, py->PyTuple_Type) && py->PyTuple_Size(pair) == 2)
            suffix = lc_plain_text(py, py->PyTuple_GetItem(pair, 0), &suffix_len);
        if (suffix && !lc_listing_may_have(names, name, suffix, suffix_len))
            continue;
        len = suffix ? name_file(f, from, name, name_len, suffix, suffix_len) : 0;
        enum lc_know is = len ? know(f, len).what : LC_KNOW_NOTHING;
        if (is == LC_KNOW_NOTHING)
            return f->is_sure = false, NULL;
        if (is == LC_KNOW_FILE)
            return make_spec(f, py->PyTuple_GetItem(pair, 1), len, package_len);
    }
    return NULL;
}

static PyObject *search_package(struct search *f, size_t len, const struct lc_known *dir)
{
    static const char init[] = "__init__";
    struct lc_listing names = {0};

    if (dir->what == LC_KNOW_COMPLETE)
        names = lc_listing_find(&f->node->look, dir->inode, init, sizeof(init) - 1);
    return try_suffixes(f, len, init, sizeof(init) - 1, len, &names);
}

/* In FileFinder's own order: a package, then a module; a namespace's portion is left to it. */
static PyObject *search_directory(struct search *f)
{
    struct lc_known dir = {LC_KNOW_ABSENT, LC_NONE, NULL};
    PyObject *spec = NULL;
    size_t len = 0;

    if (lc_listing_may_have(&f->names, f->tail, "", 0)) {
        len = name_file(f, f->dir_len, f->tail, f->tail_len, "", 0);
        dir = know(f, len);
    }
    bool is_directory = dir.what == LC_KNOW_DIRECTORY || dir.what == LC_KNOW_COMPLETE;
    f->is_sure = dir.what != LC_KNOW_NOTHING;
    if (is_directory)
        spec = search_package(f, len, &dir);
    if (!spec && f->is_sure)
        spec = try_suffixes(f, f->dir_len, f->tail, f->tail_len, 0, &f->names);
    if (!spec && is_directory)
        f->is_sure = false;
    return spec;
}

/* Set up f->room->full and the module's name; false if they are not as simple as we want them. */
static bool begin_search(struct search *f, const char *path, size_t path_len, const char *name,
                         size_t name_len)
{
    size_t dot = name_len;

    while (dot > 0 && name[dot - 1] != '.')
        dot--;
    f->tail = name + dot;
    f->tail_len = name_len - dot;
    f->dir_len = path_len;
    for (size_t i = dot; i < name_len; i++)
        if (name[i] == '/')
            return false;
    if (f->tail_len == 0 || path_len < 2 || path_len + f->tail_len >= LC_PATH_MAX / 2 ||
        path[0] != '/' || path[path_len - 1] == '/')
        return false;
    lc_bytes_move(f->room->full, path, path_len);
    struct lc_known dir = know(f, path_len);
    if (dir.what != LC_KNOW_COMPLETE)
        return false;
    f->names = lc_listing_find(&f->node->look, dir.inode, f->tail, f->tail_len);
    return true;
}

PyObject *lc_find_in(const struct lc_seam *s, PyObject *finder, PyObject *fullname, bool *is_sure)
{
    const struct lc_py *py = &s->py;
    struct search f = {.seam = s, .node = lc_client_node(), .fullname = fullname};
    PyObject *path = py->PyObject_GetAttr(finder, s->names.path);
    size_t path_len, name_len;
    const char *directory = lc_plain_text(py, path, &path_len);
    const char *name = lc_plain_text(py, fullname, &name_len);
    PyObject *spec = NULL;

    f.loaders = py->PyObject_GetAttr(finder, s->names._loaders);
    if (directory && name && f.loaders && lc_py_is(py, f.loaders, py->PyList_Type) && f.node &&
        !lc_node_is_off(f.node) && (f.room = lc_room_take()) &&
        begin_search(&f, directory, path_len, name, name_len))
        spec = search_directory(&f);
    lc_room_give(f.room);
    lc_py_drop(py, path);
    lc_py_drop(py, f.loaders);
    if (!spec)
        py->PyErr_Clear();
    *is_sure = f.is_sure;
    return spec;
}

/* FileFinder.find_spec(self, fullname, target=None) */
static PyObject *file_find_spec(PyObject *self, PyObject *const *args, long count, PyObject *names)
{
    const struct lc_seam *s = lc_seam();
    bool is_sure = false;
    PyObject *spec = NULL;

    if (!names && (count == 1 || count == 2) && lc_py_is(&s->py, self, s->file_finder))
        spec = lc_find_in(s, self, args[0], &is_sure);
    if (spec)
        return spec;
    return is_sure ? lc_py_none(&s->py)
                   : lc_call_original(s, s->file_find_spec, self, args, count, names);
}

struct lc_py_method *lc_file_find_spec(void)
{
    static struct lc_py_method method = {"find_spec", file_find_spec,
                                         LC_PY_FASTCALL | LC_PY_KEYWORDS,
                                         "find_spec($self, fullname, target=None)\n--\n\n"
                                         "Try to find a spec for the specified module.\n\n"
                                         "Returns the matching spec, or None if not found.\n"};

    return &method;
}
