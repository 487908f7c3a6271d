/* SPDX-License-Identifier: MIT */
/* import_steps.c - steps of importlib that ask no file system, but take a noticeable part of an
 * import as Python code
 *
 * Each function handles the common case only, without side effects that the function it replaced
 * does not have, and calls that one otherwise.
 */
#include "client/python/seam.h"

/* Does this thread hold the lock of a module's import? */
static bool lock_is_ours(const struct lc_seam *s, PyObject *name)
{
    const struct lc_py *py = &s->py;
    PyObject *ref = lc_py_is(py, name, py->PyUnicode_Type)
                        ? py->PyDict_GetItemWithError(s->module_locks, name)
                        : NULL;
    PyObject *lock = ref ? py->PyObject_CallFunctionObjArgs(ref, NULL) : NULL;
    PyObject *owner = lock && lc_py_is(py, lock, s->module_lock)
                          ? py->PyObject_GetAttr(lock, s->names.owner)
                          : NULL;
    bool is_ours = owner && owner != py->_Py_NoneStruct &&
                   py->PyLong_AsLong(owner) == (long)py->PyThread_get_thread_ident();

    lc_py_drop(py, lock);
    lc_py_drop(py, owner);
    if (py->PyErr_Occurred())
        py->PyErr_Clear();
    return is_ours;
}

/* _lock_unlock_module(name): wait until another thread has imported the module. Modules that import
 * each other come here, too; to take a lock that the thread holds already, and to give it back,
 * changes nothing. */
static PyObject *lock_unlock_module(PyObject *self, PyObject *const *args, long count,
                                    PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    (void)self;
    if (!names && count == 1 && lock_is_ours(s, args[0]))
        return lc_py_none(&s->py);
    return lc_call_original(s, s->lock_unlock_module, NULL, args, count, names);
}

/* A tuple or list, not of a subclass: its length; else -1. */
static long items_of(const struct lc_py *py, PyObject *list)
{
    return lc_py_is(py, list, py->PyTuple_Type)  ? py->PyTuple_Size(list)
           : lc_py_is(py, list, py->PyList_Type) ? py->PyList_Size(list)
                                                 : -1;
}

static PyObject *item_of(const struct lc_py *py, PyObject *list, long i)
{
    return lc_py_is(py, list, py->PyTuple_Type) ? py->PyTuple_GetItem(list, i)
                                                : py->PyList_GetItem(list, i);
}

/* Are all of these names in the dictionary? */
static bool dict_has_all(const struct lc_py *py, PyObject *dict, PyObject *list)
{
    long count = items_of(py, list);
    bool has_all = count >= 0;

    for (long i = 0; has_all && i < count; i++) {
        PyObject *name = item_of(py, list, i);
        size_t len;
        const char *text = lc_plain_text(py, name, &len);
        has_all = text && text[0] != '*' && py->PyDict_GetItemWithError(dict, name);
    }
    return has_all;
}

static bool is_star(const struct lc_py *py, PyObject *list)
{
    size_t len = 0;
    const char *text =
        items_of(py, list) == 1 ? lc_plain_text(py, item_of(py, list, 0), &len) : NULL;

    return text && len == 1 && text[0] == '*';
}

/* Are all of these names, or for "*" those of __all__, attributes of the module itself? Then
 * nothing is left to be imported. */
static bool module_has_all(const struct lc_seam *s, PyObject *module, PyObject *list)
{
    const struct lc_py *py = &s->py;
    PyObject *dict = lc_py_is(py, module, py->PyModule_Type) ? py->PyModule_GetDict(module) : NULL;

    if (dict && is_star(py, list))
        list = py->PyDict_GetItemWithError(dict, s->names.__all__);
    bool has_all = dict && list && dict_has_all(py, dict, list);
    if (py->PyErr_Occurred())
        py->PyErr_Clear();
    return has_all;
}

/* _handle_fromlist(module, fromlist, import_, *, recursive=False) */
static PyObject *handle_fromlist(PyObject *self, PyObject *const *args, long count, PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    (void)self;
    if (!names && count == 3 && module_has_all(s, args[0], args[1])) {
        s->py.Py_IncRef(args[0]);
        return args[0];
    }
    return lc_call_original(s, s->handle_fromlist, NULL, args, count, names);
}

/* _verbose_message(message, *args, verbosity=1): the seam is not installed under -v. */
static PyObject *verbose_message(PyObject *self, PyObject *const *args, long count, PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    (void)self;
    return names ? lc_call_original(s, s->verbose_message, NULL, args, count, names)
                 : lc_py_none(&s->py);
}

/* _ImportLockContext.__exit__, after the call of each finder. No method but a function, as
 * acquire_lock is in place of __enter__, so that no bound method needs to be made. */
static PyObject *lock_exit(PyObject *self, PyObject *const *args, long count)
{
    const struct lc_seam *s = lc_seam();

    (void)self, (void)args, (void)count;
    return s->py.PyObject_CallFunctionObjArgs(s->release_lock, NULL);
}

/* _new_module(name): type(sys)(name) */
static PyObject *new_module(PyObject *self, PyObject *const *args, long count, PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    (void)self;
    if (!names && count == 1 && lc_py_is(&s->py, args[0], s->py.PyUnicode_Type) &&
        lc_py_is(&s->py, s->sys, s->py.PyModule_Type))
        return s->py.PyModule_NewObject(args[0]);
    return lc_call_original(s, s->new_module, NULL, args, count, names);
}

/* A program may bring frozen modules of its own, in a table whose rows begin with their name. */
static bool has_own_frozen(const struct lc_seam *s)
{
    const char *const *row = *s->frozen_table;

    return row && *row;
}

/* Is it none of the names in 'known'? That does not change while the interpreter runs. */
static bool is_not_among(const struct lc_py *py, PyObject *known, PyObject *fullname)
{
    return known && !py->PyDict_GetItemWithError(known, fullname) && !py->PyErr_Occurred();
}

/* Does 'test', is_builtin or find_frozen, say "no" for a name: 0, False or None? */
static bool is_none_of_its(const struct lc_py *py, PyObject *test, PyObject *fullname)
{
    PyObject *answer = py->PyObject_CallFunctionObjArgs(test, fullname, NULL);
    bool is_no = answer && (answer == py->_Py_NoneStruct || py->PyObject_IsTrue(answer) == 0);

    lc_py_drop(py, answer);
    if (py->PyErr_Occurred())
        py->PyErr_Clear();
    return is_no;
}

static PyObject *importer_find_spec(PyObject *known, PyObject *test, PyObject *original,
                                    PyObject *class, PyObject *const *args, long count,
                                    PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    if (!names && count >= 1 && count <= 3 && lc_py_is(&s->py, args[0], s->py.PyUnicode_Type) &&
        (is_not_among(&s->py, known, args[0]) || is_none_of_its(&s->py, test, args[0])))
        return lc_py_none(&s->py);
    return lc_call_original(s, original, class, args, count, names);
}

/* BuiltinImporter.find_spec(cls, fullname, path=None, target=None) */
static PyObject *builtin_find_spec(PyObject *class, PyObject *const *args, long count,
                                   PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    return importer_find_spec(s->builtin_names, s->is_builtin, s->builtin_find_spec, class, args,
                              count, names);
}

/* FrozenImporter.find_spec(cls, fullname, path=None, target=None) */
static PyObject *frozen_find_spec(PyObject *class, PyObject *const *args, long count,
                                  PyObject *names)
{
    const struct lc_seam *s = lc_seam();

    PyObject *known = s->frozen_names && !has_own_frozen(s) ? s->frozen_names : NULL;

    return importer_find_spec(known, s->find_frozen, s->frozen_find_spec, class, args, count,
                              names);
}

enum { WITH_NAMES = LC_PY_FASTCALL | LC_PY_KEYWORDS, OF_CLASS = WITH_NAMES | LC_PY_CLASS };

struct lc_py_method *lc_import_step(enum lc_import_step step)
{
    static struct lc_py_method method[] = {
        [LC_STEP_LOCK_UNLOCK] = {"_lock_unlock_module", lock_unlock_module, WITH_NAMES,
                                 "_lock_unlock_module(name)\n--\n\n"
                                 "Acquires then releases the module lock for a given module "
                                 "name.\n\n"},
        [LC_STEP_FROMLIST] = {"_handle_fromlist", handle_fromlist, WITH_NAMES,
                              "_handle_fromlist(module, fromlist, import_, *, recursive=False)\n"
                              "--\n\nFigure out what __import__ should return.\n\n"},
        [LC_STEP_MESSAGE] = {"_verbose_message", verbose_message, WITH_NAMES,
                             "_verbose_message(message, *args, verbosity=1)\n--\n\n"
                             "Print the message to stderr if -v/PYTHONVERBOSE is turned on."},
        [LC_STEP_EXIT] = {"__exit__", lock_exit, LC_PY_FASTCALL,
                          "__exit__(exc_type, exc_value, exc_traceback)\n--\n\n"
                          "Release the import lock regardless of any raised exceptions."},
        [LC_STEP_BUILTIN] = {"find_spec", builtin_find_spec, OF_CLASS,
                             "find_spec($type, fullname, path=None, target=None)\n--\n\n"},
        [LC_STEP_FROZEN] = {"find_spec", frozen_find_spec, OF_CLASS,
                            "find_spec($type, fullname, path=None, target=None)\n--\n\n"},
        [LC_STEP_NEW_MODULE] = {"_new_module", new_module, WITH_NAMES, "_new_module(name)\n--\n\n"},
    };

    return &method[step];
}
