/* SPDX-License-Identifier: MIT */
/* spec.c - module specs and loaders, as importlib's own functions make them
 *
 * Which attributes a spec has, and in which order, differs between versions of Python. So
 * importlib makes one when the seam is installed, and every spec made here has the same
 * attributes.
 */
#include "client/python/seam.h"

#include "image/bytes.h"

size_t lc_spec_bytecode(const struct lc_seam *s, const char *path, size_t len, char *out,
                        size_t size)
{
    static const char cache[] = "/__pycache__/";
    const size_t c = sizeof(cache) - 1, suffix = 3; /* ".py" */
    size_t slash = len;

    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    if (slash == 0 || len < slash + suffix + 1 || !lc_bytes_same(path + len - suffix, ".py") ||
        len - suffix + c + s->tail_len + 1 > size)
        return 0;
    size_t head = slash - 1, base = len - suffix - slash;
    lc_bytes_move(out, path, head);
    lc_bytes_move(out + head, cache, c);
    lc_bytes_move(out + head + c, path + slash, base);
    lc_bytes_move(out + head + c + base, s->tail, s->tail_len + 1);
    return head + c + base + s->tail_len;
}

/* The constructors of both loader classes only store the name and the path. */
static PyObject *make_loader(const struct lc_seam *s, PyObject *loader_class, PyObject *fullname,
                             PyObject *path)
{
    const struct lc_py *py = &s->py;

    if (loader_class != s->source_loader && loader_class != s->extension_loader)
        return py->PyObject_CallFunctionObjArgs(loader_class, fullname, path, NULL);
    PyObject *loader = py->PyType_GenericNew(loader_class, NULL, NULL);
    if (loader && (py->PyObject_SetAttr(loader, s->names.name, fullname) < 0 ||
                   py->PyObject_SetAttr(loader, s->names.path, path) < 0)) {
        py->Py_DecRef(loader);
        return NULL;
    }
    return loader;
}

/* The value of spec.cached, so that importlib need not look for the file; NULL: leave it to
 * importlib. */
static PyObject *cached_path(const struct lc_seam *s, PyObject *loader_class, PyObject *path)
{
    const struct lc_py *py = &s->py;
    char scratch[1024];
    long len;

    if (loader_class != s->source_loader ||
        lc_sys(s, s->names.pycache_prefix) != py->_Py_NoneStruct)
        return NULL;
    const char *text = py->PyUnicode_AsUTF8AndSize(path, &len);
    size_t n = text ? lc_spec_bytecode(s, text, (size_t)len, scratch, sizeof(scratch)) : 0;
    return n ? py->PyUnicode_FromStringAndSize(scratch, (long)n) : NULL;
}

static PyObject *list_of(const struct lc_py *py, PyObject *item)
{
    PyObject *list = py->PyList_New(0);

    if (list && item && py->PyList_Append(list, item) < 0) {
        py->Py_DecRef(list);
        return NULL;
    }
    return list;
}

/* The value an attribute has in a new spec, as a new reference. */
static PyObject *value_of(const struct lc_seam *s, PyObject *key, PyObject *model,
                          PyObject *const own[4], PyObject *package)
{
    const struct lc_py *py = &s->py;
    const struct lc_py_names *names = &s->names;
    PyObject *value = key == names->name      ? own[0]
                      : key == names->loader  ? own[1]
                      : key == names->origin  ? own[2]
                      : key == names->_cached ? own[3]
                                              : NULL;

    if (key == names->submodule_search_locations && package)
        return list_of(py, package);
    if (!value && lc_py_is(py, model, py->PyList_Type))
        return list_of(py, NULL);
    if (!value)
        value = model;
    py->Py_IncRef(value);
    return value;
}

static int fill_spec(const struct lc_seam *s, PyObject *spec, PyObject *const own[4],
                     PyObject *package)
{
    const struct lc_py *py = &s->py;
    PyObject *key, *model;
    long at = 0;

    while (py->PyDict_Next(s->spec_model, &at, &key, &model)) {
        PyObject *value = value_of(s, key, model, own, package);
        int rc = value ? py->PyObject_SetAttr(spec, key, value) : -1;
        lc_py_drop(py, value);
        if (rc < 0)
            return -1;
    }
    return 0;
}

PyObject *lc_spec_make(const struct lc_seam *s, PyObject *loader_class, PyObject *fullname,
                       PyObject *path, PyObject *package)
{
    const struct lc_py *py = &s->py;
    PyObject *loader = make_loader(s, loader_class, fullname, path);
    PyObject *cached = loader ? cached_path(s, loader_class, path) : NULL;
    PyObject *own[4] = {fullname, loader, path, cached};
    PyObject *spec =
        loader && !py->PyErr_Occurred() ? py->PyType_GenericNew(s->module_spec, NULL, NULL) : NULL;

    if (spec && fill_spec(s, spec, own, package) < 0) {
        py->Py_DecRef(spec);
        spec = NULL;
    }
    lc_py_drop(py, loader);
    lc_py_drop(py, cached);
    return spec;
}
