/* SPDX-License-Identifier: MIT */
/* finder_cache.c - a FileFinder's own list of a directory that the image does not know completely,
 * such as the working directory or the script's: is a module not there?
 *
 * Every import of a module from further down sys.path asks such a directory first. As the
 * FileFinder does, the directory's time is compared with that of the list.
 */
#include <asm/stat.h>

#include "client/python/seam.h"

#include "client/preload/libc.h"
#include "image/bytes.h"

/* The calls of the whole program, as Python makes them: a preload before ours hears of them. */
extern int stat64(const char *path, struct stat *st) __attribute__((visibility("default")));
extern char *getcwd(char *out, size_t size) __attribute__((weak));

/* os.stat(path).st_mtime, rounding included, is that of the finder's list. */
static bool list_is_current(const struct lc_seam *s, PyObject *finder, const char *path)
{
    const struct lc_py *py = &s->py;
    struct stat st;
    int saved = lc_get_errno();
    void *thread = py->PyEval_SaveThread(); /* others run while the disk answers, as in os.stat */
    bool is_there = stat64(path, &st) == 0;

    py->PyEval_RestoreThread(thread);
    lc_set_errno(saved);
    PyObject *then = is_there ? py->PyObject_GetAttr(finder, s->names._path_mtime) : NULL;
    double mtime = (double)(int64_t)st.st_mtime + 1e-9 * (double)st.st_mtime_nsec;
    bool is_current =
        then && lc_py_is(py, then, py->PyFloat_Type) && py->PyFloat_AsDouble(then) == mtime;
    lc_py_drop(py, then);
    return is_current;
}

static bool list_lacks(const struct lc_py *py, PyObject *list, const char *name, size_t len)
{
    PyObject *text = py->PyUnicode_FromStringAndSize(name, (long)len);
    bool lacks = text && py->PySet_Contains(list, text) == 0;

    lc_py_drop(py, text);
    return lacks;
}

/* Neither the name alone, a package's directory, nor the name with one of the suffixes. */
static bool list_lacks_module(const struct lc_py *py, PyObject *list, PyObject *loaders, char *name,
                              size_t len, size_t size)
{
    bool lacks = list_lacks(py, list, name, len);
    long count = py->PyList_Size(loaders);

    for (long i = 0; lacks && i < count; i++) {
        PyObject *pair = py->PyList_GetItem(loaders, i);
        size_t n = 0;
        const char *suffix = lc_py_is(py, pair, py->PyTuple_Type) && py->PyTuple_Size(pair) == 2
                                 ? lc_plain_text(py, py->PyTuple_GetItem(pair, 0), &n)
                                 : NULL;
        lacks = suffix && len + n < size;
        if (lacks) {
            lc_bytes_move(name + len, suffix, n);
            lacks = list_lacks(py, list, name, len + n);
        }
    }
    return lacks;
}

bool lc_finder_lacks(const struct lc_seam *s, PyObject *finder, PyObject *loaders,
                     struct lc_scratch *scratch, const char *dir, size_t dir_len, const char *tail,
                     size_t tail_len)
{
    const struct lc_py *py = &s->py;

    if (dir_len >= sizeof(scratch->full) || tail_len >= sizeof(scratch->staged))
        return false;
    lc_bytes_move(scratch->full, dir, dir_len);
    scratch->full[dir_len] = '\0';
    lc_bytes_move(scratch->staged, tail, tail_len);
    PyObject *list = list_is_current(s, finder, scratch->full)
                         ? py->PyObject_GetAttr(finder, s->names._path_cache)
                         : NULL;
    bool lacks =
        list && lc_py_is(py, list, py->PySet_Type) &&
        list_lacks_module(py, list, loaders, scratch->staged, tail_len, sizeof(scratch->staged));
    lc_py_drop(py, list);
    if (py->PyErr_Occurred())
        py->PyErr_Clear();
    return lacks;
}

PyObject *lc_finder_of_working_directory(const struct lc_py *py, PyObject *cache)
{
    struct lc_scratch *scratch = lc_seam_scratch_take();
    int saved = lc_get_errno();
    const char *path = scratch && getcwd ? getcwd(scratch->full, sizeof(scratch->full)) : NULL;
    PyObject *text =
        path ? py->PyUnicode_FromStringAndSize(path, (long)lc_bytes_length(path)) : NULL;
    PyObject *finder = text ? py->PyDict_GetItemWithError(cache, text) : NULL;

    lc_set_errno(saved);
    lc_seam_scratch_give(scratch);
    lc_py_drop(py, text);
    if (py->PyErr_Occurred())
        py->PyErr_Clear();
    return finder;
}
