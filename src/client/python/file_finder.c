/* SPDX-License-Identifier: MIT */
/* file_finder.c - FileFinder.find_spec: is a module in a directory? */
#include "client/python/seam.h"

#include "image/bytes.h"
#include "image/hash.h"

/* A search for one module in one directory. */
struct search {
    const struct lc_seam *seam;
    const struct lc_node *node;
    struct lc_scratch *scratch;
    PyObject *loaders; /* [(suffix, loader class), ...] */
    PyObject *fullname;
    const char *tail; /* last part of the module's name, after the last dot */
    size_t tail_len;
    struct lc_listing names; /* names in the directory that begin with 'tail' */
    size_t dir_len;          /* scratch->full starts with the directory */
    bool is_usual;           /* directory and name are of the form that is handled here */
    bool is_sure;            /* the image can answer; else the file system must be asked */
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

/* Is no byte 0 or above 127? Eight at a time: each of these bytes, and no other, leaves its highest
 * bit set in the word or in the word less one in each byte. */
static bool is_plain(const char *text, size_t len)
{
    const uint64_t ones = 0x0101010101010101u;
    size_t i = 0;

    for (; i + 8 <= len; i += 8) {
        uint64_t word = lc_hash_read64((const unsigned char *)text + i);
        if ((word | (word - ones)) & (ones << 7))
            return false;
    }
    while (i < len && (signed char)text[i] > 0)
        i++;
    return i == len;
}

const char *lc_plain_text(const struct lc_py *py, PyObject *object, size_t *len)
{
    long n = 0;
    const char *text = object && lc_py_is(py, object, py->PyUnicode_Type)
                           ? py->PyUnicode_AsUTF8AndSize(object, &n)
                           : NULL;

    if (!text)
        py->PyErr_Clear();
    *len = (size_t)n;
    return text && is_plain(text, (size_t)n) ? text : NULL;
}

/* Write DIRECTORY/middle + suffix to scratch->full; its length, or 0 if it is too long. */
static size_t path_make(struct search *f, size_t from, const char *name, size_t len,
                        const char *suffix, size_t suffix_len)
{
    char *full = f->scratch->full;

    if (from + len + suffix_len + 2 > LC_PATH_MAX)
        return 0;
    full[from] = '/';
    lc_bytes_move(full + from + 1, name, len);
    lc_bytes_move(full + from + 1 + len, suffix, suffix_len);
    full[from + 1 + len + suffix_len] = '\0';
    return from + 1 + len + suffix_len;
}

static struct lc_path_info path_info(struct search *f, size_t len)
{
    return lc_path_info_find(f->node, f->scratch, f->scratch->full, len);
}

static PyObject *spec_make(struct search *f, PyObject *loader_class, size_t len, size_t package_len)
{
    const struct lc_py *py = &f->seam->py;
    PyObject *path = py->PyUnicode_FromStringAndSize(f->scratch->full, (long)len);
    PyObject *package =
        package_len ? py->PyUnicode_FromStringAndSize(f->scratch->full, (long)package_len) : NULL;
    PyObject *spec = path && (package || !package_len)
                         ? lc_spec_make(f->seam, loader_class, f->fullname, path, package)
                         : NULL;

    f->is_sure = spec;
    lc_py_drop(py, path);
    lc_py_drop(py, package);
    return spec;
}

/* The spec of the first DIRECTORY/name + suffix that is a file, in the order of the loaders;
 * 'names' are the names in the directory. NULL while f->is_sure: there is none. */
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
        len = suffix ? path_make(f, from, name, name_len, suffix, suffix_len) : 0;
        enum lc_path_state is = len ? path_info(f, len).what : LC_PATH_UNKNOWN;
        if (is == LC_PATH_UNKNOWN)
            return f->is_sure = false, NULL;
        if (is == LC_PATH_FILE)
            return spec_make(f, py->PyTuple_GetItem(pair, 1), len, package_len);
    }
    return NULL;
}

static PyObject *search_package(struct search *f, size_t len, const struct lc_path_info *dir)
{
    static const char init[] = "__init__";
    struct lc_listing names = {0};

    if (dir->what == LC_PATH_COMPLETE)
        names = lc_listing_find(&f->node->look, dir->inode, init, sizeof(init) - 1);
    return try_suffixes(f, len, init, sizeof(init) - 1, len, &names);
}

/* In the order of FileFinder: a package, then a module. A portion of a namespace package is left to
 * FileFinder. */
static PyObject *search_directory(struct search *f)
{
    struct lc_path_info dir = {LC_PATH_ABSENT, LC_NONE, NULL};
    PyObject *spec = NULL;
    size_t len = 0;

    if (lc_listing_may_have(&f->names, f->tail, "", 0)) {
        len = path_make(f, f->dir_len, f->tail, f->tail_len, "", 0);
        dir = path_info(f, len);
    }
    bool is_directory = dir.what == LC_PATH_DIRECTORY || dir.what == LC_PATH_COMPLETE;
    f->is_sure = dir.what != LC_PATH_UNKNOWN;
    if (is_directory)
        spec = search_package(f, len, &dir);
    if (!spec && f->is_sure)
        spec = try_suffixes(f, f->dir_len, f->tail, f->tail_len, 0, &f->names);
    if (!spec && is_directory)
        f->is_sure = false;
    return spec;
}

/* Set f->scratch->full to the directory and f->tail to the module's own name. False if the path is
 * unusual, or if the image does not know all names in the directory. */
static bool search_start(struct search *f, const char *path, size_t path_len, const char *name,
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
    f->is_usual = true;
    lc_bytes_move(f->scratch->full, path, path_len);
    struct lc_path_info dir = path_info(f, path_len);
    if (dir.what != LC_PATH_COMPLETE)
        return false;
    f->names = lc_listing_find(&f->node->look, dir.inode, f->tail, f->tail_len);
    return true;
}

PyObject *lc_find_in(const struct lc_seam *s, PyObject *finder, PyObject *fullname, bool *is_sure)
{
    const struct lc_py *py = &s->py;
    struct search f = {.seam = s, .node = lc_client_node(), .fullname = fullname};
    lc_client_note_part(LC_PART_NONE, LC_PART_PYTHON);
    PyObject *path = py->PyObject_GetAttr(finder, s->names.path);
    size_t path_len, name_len;
    const char *directory = lc_plain_text(py, path, &path_len);
    const char *name = lc_plain_text(py, fullname, &name_len);
    PyObject *spec = NULL;

    f.loaders = py->PyObject_GetAttr(finder, s->names._loaders);
    if (directory && name && f.loaders && lc_py_is(py, f.loaders, py->PyList_Type) && f.node &&
        !lc_node_is_off(f.node) && (f.scratch = lc_scratch_take())) {
        if (search_start(&f, directory, path_len, name, name_len))
            spec = search_directory(&f);
        else
            f.is_sure = f.is_usual && lc_finder_lacks(s, finder, f.loaders, f.scratch, directory,
                                                      path_len, f.tail, f.tail_len);
    }
    lc_scratch_give(f.scratch);
    lc_py_drop(py, path);
    lc_py_drop(py, f.loaders);
    if (!spec)
        py->PyErr_Clear();
    *is_sure = f.is_sure;
    lc_client_note_part(LC_PART_PYTHON, LC_PART_NONE);
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
