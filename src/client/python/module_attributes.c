/* SPDX-License-Identifier: MIT */
/* module_attributes.c - importlib's _init_module_attrs: the attributes of a new module
 *
 * Only for the common case of a new module for a source file. It has the five attributes that
 * every module starts with, and all but the name are None, so they need not be read.
 */
#include "client/python/seam.h"

enum { NEW_ATTRIBUTES = 5 };

/* The attributes of a spec, in the order of the names below; new references. */
struct spec_values {
    PyObject *name, *loader, *origin, *cached, *locations, *has_file;
};

static void spec_values_drop(const struct lc_py *py, struct spec_values *f)
{
    lc_py_drop(py, f->name);
    lc_py_drop(py, f->loader);
    lc_py_drop(py, f->origin);
    lc_py_drop(py, f->cached);
    lc_py_drop(py, f->locations);
    lc_py_drop(py, f->has_file);
}

static bool spec_values_read(const struct lc_seam *s, PyObject *spec, struct spec_values *f)
{
    const struct lc_py *py = &s->py;
    const struct lc_py_names *n = &s->names;

    return (f->name = py->PyObject_GetAttr(spec, n->name)) &&
           (f->loader = py->PyObject_GetAttr(spec, n->loader)) &&
           (f->origin = py->PyObject_GetAttr(spec, n->origin)) &&
           (f->cached = py->PyObject_GetAttr(spec, n->_cached)) &&
           (f->locations = py->PyObject_GetAttr(spec, n->submodule_search_locations)) &&
           (f->has_file = py->PyObject_GetAttr(spec, n->_set_fileattr));
}

/* Is the spec of the kind that we make? */
static bool spec_is_usual(const struct lc_seam *s, const struct spec_values *f)
{
    const struct lc_py *py = &s->py;

    return lc_py_is(py, f->loader, s->source_loader) && lc_py_is(py, f->name, py->PyUnicode_Type) &&
           lc_py_is(py, f->origin, py->PyUnicode_Type) &&
           lc_py_is(py, f->cached, py->PyUnicode_Type) && f->has_file == py->_Py_TrueStruct;
}

/* ModuleSpec.parent */
static PyObject *parent_of(const struct lc_py *py, const struct spec_values *f)
{
    size_t len;

    if (f->locations != py->_Py_NoneStruct) {
        py->Py_IncRef(f->name);
        return f->name;
    }
    const char *name = lc_plain_text(py, f->name, &len);
    while (name && len > 0 && name[len - 1] != '.')
        len--;
    return name ? py->PyUnicode_FromStringAndSize(name, len > 0 ? (long)len - 1 : 0) : NULL;
}

static bool module_fill(const struct lc_seam *s, PyObject *dict, PyObject *spec,
                        const struct spec_values *f)
{
    const struct lc_py *py = &s->py;
    const struct lc_py_names *n = &s->names;
    PyObject *parent = parent_of(py, f);
    bool ok = parent && py->PyDict_SetItem(dict, n->__loader__, f->loader) == 0 &&
              py->PyDict_SetItem(dict, n->__package__, parent) == 0 &&
              py->PyDict_SetItem(dict, n->__spec__, spec) == 0 &&
              (f->locations == py->_Py_NoneStruct ||
               py->PyDict_SetItem(dict, n->__path__, f->locations) == 0) &&
              py->PyDict_SetItem(dict, n->__file__, f->origin) == 0 &&
              py->PyDict_SetItem(dict, n->__cached__, f->cached) == 0;

    lc_py_drop(py, parent);
    return ok;
}

static bool init_attributes(const struct lc_seam *s, PyObject *spec, PyObject *module)
{
    const struct lc_py *py = &s->py;
    struct spec_values f = {0};
    bool ok = false;

    if (!lc_py_is(py, spec, s->module_spec) || !lc_py_is(py, module, py->PyModule_Type))
        return false;
    PyObject *dict = py->PyModule_GetDict(module);
    if (dict && py->PyDict_Size(dict) == NEW_ATTRIBUTES && spec_values_read(s, spec, &f) &&
        spec_is_usual(s, &f))
        ok = module_fill(s, dict, spec, &f);
    spec_values_drop(py, &f);
    if (!ok)
        py->PyErr_Clear();
    return ok;
}

/* _init_module_attrs(spec, module, *, override=False) */
static PyObject *init_module_attrs(PyObject *self, PyObject *const *args, long count,
                                   PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    (void)self;
    if (!names && count == 2 && init_attributes(s, args[0], args[1])) {
        s->py.Py_IncRef(args[1]);
        return args[1];
    }
    return lc_call_original(s, s->init_module_attrs, NULL, args, count, names);
}

struct lc_py_method *lc_init_module_attrs(void)
{
    static struct lc_py_method method = {
        "_init_module_attrs", init_module_attrs, LC_PY_FASTCALL | LC_PY_KEYWORDS,
        "_init_module_attrs(spec, module, *, override=False)\n--\n\n"};

    return &method;
}
