/* SPDX-License-Identifier: MIT */
/* install_steps.c - put the functions of import_steps.c into importlib's place
 *
 * Each is independent of the others: what this version's importlib does not have is left out.
 */
#include "client/python/seam.h"

#include "client/preload/next.h"

/* module.name, or NULL without an exception */
static PyObject *attribute_of(const struct lc_py *py, PyObject *object, const char *name)
{
    PyObject *value = object ? py->PyObject_GetAttrString(object, name) : NULL;

    if (!value)
        py->PyErr_Clear();
    return value;
}

static void attribute_set(const struct lc_py *py, PyObject *object, const char *name,
                          PyObject *value)
{
    PyObject *text = value ? py->PyUnicode_InternFromString(name) : NULL;

    if (!text || py->PyObject_SetAttr(object, text, value) != 0)
        py->PyErr_Clear();
    lc_py_drop(py, text);
    lc_py_drop(py, value);
}

static void function_replace(const struct lc_seam *s, const char *name, PyObject **original,
                             enum lc_import_step step)
{
    const struct lc_py *py = &s->py;

    *original = attribute_of(py, s->bootstrap, name);
    if (*original)
        attribute_set(py, s->bootstrap, name,
                      py->PyCFunction_NewEx(lc_import_step(step), NULL, NULL));
}

static void locks_replace(struct lc_seam *s)
{
    const struct lc_py *py = &s->py;

    s->module_locks = attribute_of(py, s->bootstrap, "_module_locks");
    s->module_lock = attribute_of(py, s->bootstrap, "_ModuleLock");
    if (s->module_locks && s->module_lock && lc_py_is(py, s->module_locks, py->PyDict_Type))
        function_replace(s, "_lock_unlock_module", &s->lock_unlock_module, LC_STEP_LOCK_UNLOCK);
}

static void context_replace(struct lc_seam *s, PyObject *imp)
{
    const struct lc_py *py = &s->py;
    PyObject *class = attribute_of(py, s->bootstrap, "_ImportLockContext");

    s->acquire_lock = attribute_of(py, imp, "acquire_lock");
    s->release_lock = attribute_of(py, imp, "release_lock");
    if (class && s->acquire_lock && s->release_lock) {
        py->Py_IncRef(s->acquire_lock);
        attribute_set(py, class, "__enter__", s->acquire_lock);
        attribute_set(py, class, "__exit__",
                      py->PyCFunction_NewEx(lc_import_step(LC_STEP_EXIT), NULL, NULL));
    }
    lc_py_drop(py, class);
}

static void lock_manager_replace(struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    PyObject *class = attribute_of(py, s->bootstrap, "_ModuleLockManager");

    s->locks.enter = attribute_of(py, class, "__enter__");
    s->locks.exit = attribute_of(py, class, "__exit__");
    if (s->locks.enter && s->locks.exit && lc_module_locks_learn(s)) {
        attribute_set(py, class, "__enter__",
                      py->PyDescr_NewMethod(class, lc_lock_manager_enter()));
        attribute_set(py, class, "__exit__", py->PyDescr_NewMethod(class, lc_lock_manager_exit()));
    }
    lc_py_drop(py, class);
}

/* A dict with these names as keys; NULL, without an exception, if 'names' is no list or tuple. */
static PyObject *names_learn(const struct lc_py *py, PyObject *names)
{
    bool is_list = names && lc_py_is(py, names, py->PyList_Type);
    bool is_tuple = names && lc_py_is(py, names, py->PyTuple_Type);
    PyObject *known = is_list || is_tuple ? py->PyDict_New() : NULL;
    long count = is_list ? py->PyList_Size(names) : is_tuple ? py->PyTuple_Size(names) : 0;
    bool ok = known;

    for (long i = 0; ok && i < count; i++)
        ok = py->PyDict_SetItem(
                 known, is_list ? py->PyList_GetItem(names, i) : py->PyTuple_GetItem(names, i),
                 py->_Py_NoneStruct) == 0;
    if (!ok) {
        lc_py_drop(py, known);
        py->PyErr_Clear();
    }
    return ok ? known : NULL;
}

/* The names of frozen modules can be asked for from Python 3.11 on. */
static void frozen_names_learn(struct lc_seam *s, PyObject *imp)
{
    const struct lc_py *py = &s->py;
    PyObject *function = attribute_of(py, imp, "_frozen_module_names");
    PyObject *names = function ? py->PyObject_CallFunctionObjArgs(function, NULL) : NULL;

    s->frozen_table = lc_program_symbol("PyImport_FrozenModules");
    if (s->frozen_table)
        s->frozen_names = names_learn(py, names);
    py->PyErr_Clear();
    lc_py_drop(py, names);
    lc_py_drop(py, function);
}

/* An importer's find_spec is called for every module, and nearly always answers None. */
static void importer_replace(struct lc_seam *s, const char *name, PyObject *test,
                             PyObject **original, enum lc_import_step step)
{
    const struct lc_py *py = &s->py;
    PyObject *class = attribute_of(py, s->bootstrap, name);
    PyObject *bound = attribute_of(py, class, "find_spec");

    *original = attribute_of(py, bound, "__func__");
    if (test && *original)
        attribute_set(py, class, "find_spec",
                      py->PyDescr_NewClassMethod(class, lc_import_step(step)));
    lc_py_drop(py, bound);
    lc_py_drop(py, class);
}

void lc_import_steps_replace(struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    PyObject *imp = py->PyDict_GetItemString(py->PyImport_GetModuleDict(), "_imp");

    locks_replace(s);
    function_replace(s, "_handle_fromlist", &s->handle_fromlist, LC_STEP_FROMLIST);
    function_replace(s, "_verbose_message", &s->verbose_message, LC_STEP_MESSAGE);
    function_replace(s, "_new_module", &s->new_module, LC_STEP_NEW_MODULE);
    context_replace(s, imp);
    lock_manager_replace(s);
    s->builtin_names = names_learn(py, py->PySys_GetObject("builtin_module_names"));
    frozen_names_learn(s, imp);
    s->is_builtin = attribute_of(py, imp, "is_builtin");
    s->find_frozen = attribute_of(py, imp, "find_frozen"); /* from Python 3.11 on */
    if (!s->find_frozen)
        s->find_frozen = attribute_of(py, imp, "is_frozen");
    importer_replace(s, "BuiltinImporter", s->is_builtin, &s->builtin_find_spec, LC_STEP_BUILTIN);
    importer_replace(s, "FrozenImporter", s->find_frozen, &s->frozen_find_spec, LC_STEP_FROZEN);
}
