/* SPDX-License-Identifier: MIT */
/* path_finder.c - PathFinder.find_spec: which entry of a search path has a module? */
#include "client/python/seam.h"

/* Does sys.path_hooks hold the interpreter's own two hooks? The first (zipimport) refuses
 * directories, so only the second needs to be called for one. */
static bool has_usual_hooks(const struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    PyObject *hooks = lc_sys(s, s->names.path_hooks);
    PyObject *zip = py->PyDict_GetItemString(py->PyImport_GetModuleDict(), "zipimport");

    if (!zip || !hooks || !lc_py_is(py, hooks, py->PyList_Type) || py->PyList_Size(hooks) != 2 ||
        py->PyList_GetItem(hooks, 1) != s->file_hook)
        return false;
    PyObject *importer = py->PyObject_GetAttrString(zip, "zipimporter");
    lc_py_drop(py, importer);
    return importer && py->PyList_GetItem(hooks, 0) == importer;
}

static bool is_known_directory(const struct lc_py *py, PyObject *entry)
{
    const struct lc_node *node = lc_client_node();
    size_t len;
    const char *path = lc_plain_text(py, entry, &len);
    struct lc_scratch *scratch =
        path && path[0] == '/' && node && !lc_node_is_off(node) ? lc_seam_scratch_take() : NULL;
    enum lc_path_state is =
        scratch ? lc_path_info_find(node, scratch, path, len).what : LC_PATH_UNKNOWN;

    lc_seam_scratch_give(scratch);
    return is == LC_PATH_DIRECTORY || is == LC_PATH_COMPLETE;
}

/* As PathFinder does: call the first hook that accepts the entry, and cache the finder. */
static PyObject *finder_make(const struct lc_seam *s, PyObject *cache, PyObject *entry)
{
    const struct lc_py *py = &s->py;
    PyObject *finder, *method;

    if (is_known_directory(py, entry) && has_usual_hooks(s)) {
        finder = py->PyObject_CallFunctionObjArgs(s->file_hook, entry, NULL);
        if (finder && py->PyDict_SetItem(cache, entry, finder) == 0)
            return finder;
        lc_py_drop(py, finder);
    }
    py->PyErr_Clear();
    method = py->PyObject_GetAttr(s->path_finder, s->names._path_importer_cache);
    finder = method ? py->PyObject_CallFunctionObjArgs(method, entry, NULL) : NULL;
    lc_py_drop(py, method);
    return finder;
}

static bool is_empty(const struct lc_py *py, PyObject *entry)
{
    size_t len = 1;

    return lc_plain_text(py, entry, &len) && len == 0;
}

/* The finder of an entry of a search path, a new reference; NULL with or without an exception. */
static PyObject *finder_of(const struct lc_seam *s, PyObject *entry)
{
    const struct lc_py *py = &s->py;
    PyObject *cache = lc_sys(s, s->names.path_importer_cache), *finder;

    if (!cache || !lc_py_is(py, cache, py->PyDict_Type))
        return NULL;
    finder = py->PyDict_GetItemWithError(cache, entry);
    if (!finder && !py->PyErr_Occurred() && is_empty(py, entry)) /* the working directory */
        finder = lc_finder_of_working_directory(py, cache);
    if (!finder)
        return py->PyErr_Occurred() ? NULL : finder_make(s, cache, entry);
    py->Py_IncRef(finder);
    return finder;
}

enum step { FOUND, NEXT_ENTRY, LEAVE /* call the method that was replaced */, FAILED };

static enum step entry_try(const struct lc_seam *s, PyObject *entry, PyObject *fullname,
                           PyObject *target, PyObject **spec)
{
    const struct lc_py *py = &s->py;
    PyObject *finder = lc_py_is(py, entry, py->PyUnicode_Type) ? finder_of(s, entry) : NULL;
    bool is_sure = false;
    enum step step = LEAVE;

    *spec = NULL;
    if (!finder)
        return py->PyErr_Occurred() ? FAILED : LEAVE;
    if (finder == py->_Py_NoneStruct) {
        step = NEXT_ENTRY;
    } else if (lc_py_is(py, finder, s->file_finder)) {
        *spec = lc_find_in(s, finder, fullname, &is_sure);
        if (!*spec && !is_sure)
            *spec =
                py->PyObject_CallFunctionObjArgs(s->file_find_spec, finder, fullname, target, NULL);
        step = *spec ? FOUND : is_sure ? NEXT_ENTRY : FAILED;
    }
    py->Py_DecRef(finder);
    return step;
}

/* A portion of a namespace package is not a module: only the original method can combine portions.
 */
static enum step step_by_spec(const struct lc_seam *s, PyObject *spec)
{
    const struct lc_py *py = &s->py;

    if (spec == py->_Py_NoneStruct)
        return NEXT_ENTRY;
    PyObject *loader = py->PyObject_GetAttr(spec, s->names.loader);
    enum step step = !loader ? FAILED : loader == py->_Py_NoneStruct ? LEAVE : FOUND;
    lc_py_drop(py, loader);
    return step;
}

static enum step search_path(const struct lc_seam *s, PyObject *path, PyObject *fullname,
                             PyObject *target, PyObject **spec)
{
    const struct lc_py *py = &s->py;

    for (long i = 0; i < py->PyList_Size(path); i++) {
        PyObject *entry = py->PyList_GetItem(path, i);
        py->Py_IncRef(entry);
        enum step step = entry_try(s, entry, fullname, target, spec);
        py->Py_DecRef(entry);
        if (step == FOUND && (step = step_by_spec(s, *spec)) == FOUND)
            return FOUND;
        lc_py_drop(py, *spec);
        if (step != NEXT_ENTRY)
            return step;
    }
    *spec = lc_py_none(py);
    return FOUND;
}

/* PathFinder.find_spec(cls, fullname, path=None, target=None) */
static PyObject *path_find_spec(PyObject *class, PyObject *const *args, long count, PyObject *names)
{
    const struct lc_seam *s = lc_seam();
    const struct lc_py *py = &s->py;
    PyObject *path = count > 1 ? args[1] : py->_Py_NoneStruct, *spec = NULL;
    PyObject *target = count > 2 ? args[2] : py->_Py_NoneStruct;
    enum step step = LEAVE;
    bool is_top_level = path == py->_Py_NoneStruct;

    if (is_top_level)
        path = lc_sys(s, s->names.path);
    if (!names && count >= 1 && count <= 3 && class == s->path_finder && path &&
        lc_py_is(py, path, py->PyList_Type)) {
        py->Py_IncRef(path);
        step = search_path(s, path, args[0], target, &spec);
        if (step == FOUND && is_top_level && spec == py->_Py_NoneStruct &&
            lc_module_may_be_new(s, path, args[0])) {
            lc_py_drop(py, spec);
            step = LEAVE;
        }
        py->Py_DecRef(path);
    }
    if (step == LEAVE)
        return lc_call_original(s, s->path_find_spec, class, args, count, names);
    return step == FOUND ? spec : NULL;
}

struct lc_py_method *lc_path_find_spec(void)
{
    static struct lc_py_method method = {
        "find_spec", path_find_spec, LC_PY_FASTCALL | LC_PY_KEYWORDS | LC_PY_CLASS,
        "find_spec($type, fullname, path=None, target=None)\n--\n\n"
        "Try to find a spec for 'fullname' on sys.path or 'path'.\n\n"
        "The search is based on sys.path_hooks and sys.path_importer_cache.\n"};

    return &method;
}
