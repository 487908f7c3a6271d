/* SPDX-License-Identifier: MIT */
/* install_steps.c - put the functions of import_steps.c into importlib's place
 *
 * Each is independent of the others: what this version's importlib does not have is left out.
 */
#include "client/python/seam.h"

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
        attribute_set(py, class, "__enter__",
                      py->PyDescr_NewMethod(class, lc_import_step(LC_STEP_ENTER)));
        attribute_set(py, class, "__exit__",
                      py->PyDescr_NewMethod(class, lc_import_step(LC_STEP_EXIT)));
    }
    lc_py_drop(py, class);
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
    context_replace(s, imp);
    s->is_builtin = attribute_of(py, imp, "is_builtin");
    s->find_frozen = attribute_of(py, imp, "find_frozen"); /* from Python 3.11 on */
    if (!s->find_frozen)
        s->find_frozen = attribute_of(py, imp, "is_frozen");
    importer_replace(s, "BuiltinImporter", s->is_builtin, &s->builtin_find_spec, LC_STEP_BUILTIN);
    importer_replace(s, "FrozenImporter", s->find_frozen, &s->frozen_find_spec, LC_STEP_FROZEN);
}
