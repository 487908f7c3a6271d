/* SPDX-License-Identifier: MIT */
/* module_lock.c - the lock that a thread holds on a module while it imports it
 *
 * Nearly always nobody else wants the lock: it is made, taken, given back and forgotten. That is
 * made here with importlib's own objects, so that another thread that comes meanwhile waits for it
 * by importlib's own functions, and deadlocks are found as ever. Whatever else is met is left to
 * the methods that were replaced.
 */
#include "client/python/seam.h"

#include "node/python_versions.h"

enum { LOCK_ATTRIBUTES = 6 };

/* gevent and others put functions of their own in place of these two. */
static bool threads_are_usual(const struct lc_module_locks *m, const struct lc_py *py)
{
    return py->PyDict_GetItemWithError(m->thread_dict, m->allocate_lock_name) == m->allocate_lock &&
           py->PyDict_GetItemWithError(m->thread_dict, m->get_ident_name) == m->get_ident;
}

static bool attribute_take(const struct lc_py *py, PyObject *object, PyObject *name,
                           PyObject *value)
{
    bool ok = value && py->PyObject_SetAttr(object, name, value) == 0;

    lc_py_drop(py, value);
    return ok;
}

/* A new lock that this thread holds: nobody can see it before that is so. */
static PyObject *held_lock_make(const struct lc_seam *s, PyObject *name)
{
    const struct lc_py *py = &s->py;
    const struct lc_module_locks *m = &s->locks;
    PyObject *lock = py->PyType_GenericNew(s->module_lock, NULL, NULL);

    if (lock &&
        attribute_take(py, lock, s->names.lock,
                       py->PyObject_CallFunctionObjArgs(m->allocate_lock, NULL)) &&
        attribute_take(py, lock, s->names.wakeup,
                       py->PyObject_CallFunctionObjArgs(m->allocate_lock, NULL)) &&
        py->PyObject_SetAttr(lock, s->names.name, name) == 0 &&
        attribute_take(py, lock, s->names.owner,
                       py->PyObject_CallFunctionObjArgs(m->get_ident, NULL)) &&
        py->PyObject_SetAttr(lock, s->names.count, m->one) == 0 &&
        py->PyObject_SetAttr(lock, s->names.waiters, m->zero) == 0)
        return lock;
    lc_py_drop(py, lock);
    return NULL;
}

/* With the import lock held, as in importlib: _module_locks[name] = ref, if there is none yet. */
static bool lock_enter_in_table(const struct lc_seam *s, PyObject *name, PyObject *ref)
{
    const struct lc_py *py = &s->py;
    PyObject *taken = py->PyObject_CallFunctionObjArgs(s->acquire_lock, NULL);
    bool ok = taken && !py->PyDict_GetItemWithError(s->module_locks, name) &&
              !py->PyErr_Occurred() && py->PyDict_SetItem(s->module_locks, name, ref) == 0;

    if (taken)
        lc_py_drop(py, py->PyObject_CallFunctionObjArgs(s->release_lock, NULL));
    lc_py_drop(py, taken);
    return ok;
}

/* The lock is gone: forget it, unless another thread has made a new one of this name. */
static PyObject *lock_forget(PyObject *name, PyObject *ref)
{
    const struct lc_seam *s = lc_seam();
    const struct lc_py *py = &s->py;
    PyObject *taken = py->PyObject_CallFunctionObjArgs(s->acquire_lock, NULL);

    if (!taken)
        return NULL;
    py->Py_DecRef(taken);
    if (py->PyDict_GetItemWithError(s->module_locks, name) == ref)
        py->PyDict_DelItem(s->module_locks, name);
    py->PyErr_Clear();
    return py->PyObject_CallFunctionObjArgs(s->release_lock, NULL);
}

/* The module's lock, held, if it has none yet; NULL without an exception: leave it to importlib. */
static PyObject *lock_take(const struct lc_seam *s, PyObject *name)
{
    static struct lc_py_method forget = {"cb", lock_forget, LC_PY_ONE_ARGUMENT, NULL};
    const struct lc_py *py = &s->py;
    bool is_new = name && lc_py_is(py, name, py->PyUnicode_Type) &&
                  threads_are_usual(&s->locks, py) &&
                  !py->PyDict_GetItemWithError(s->module_locks, name);
    PyObject *lock = is_new ? held_lock_make(s, name) : NULL;
    PyObject *callback = lock ? py->PyCFunction_NewEx(&forget, name, NULL) : NULL;
    PyObject *ref = callback ? py->PyWeakref_NewRef(lock, callback) : NULL;
    bool ok = ref && lock_enter_in_table(s, name, ref);

    lc_py_drop(py, callback);
    lc_py_drop(py, ref);
    if (!ok) {
        lc_py_drop(py, lock);
        py->PyErr_Clear();
    }
    return ok ? lock : NULL;
}

/* _ModuleLockManager.__enter__(self) */
static PyObject *manager_enter(PyObject *self, PyObject *const *args, long count)
{
    const struct lc_seam *s = lc_seam();
    const struct lc_py *py = &s->py;
    PyObject *name = count == 0 ? py->PyObject_GetAttr(self, s->names._name) : NULL;
    PyObject *lock = lock_take(s, name);

    lc_py_drop(py, name);
    if (lock)
        return attribute_take(py, self, s->names._lock, lock) ? lc_py_none(py) : NULL;
    py->PyErr_Clear();
    return lc_call_original(s, s->locks.enter, self, args, count, NULL);
}

static long number_of(const struct lc_py *py, PyObject *object, PyObject *name)
{
    PyObject *value = py->PyObject_GetAttr(object, name);
    long n = value ? py->PyLong_AsLong(value) : -1;

    lc_py_drop(py, value);
    return n;
}

/* Is a thread in the middle of an acquire or release of this lock? */
static bool is_being_changed(const struct lc_seam *s, PyObject *lock)
{
    const struct lc_py *py = &s->py;
    PyObject *inner = py->PyObject_GetAttr(lock, s->names.lock);
    PyObject *method = inner ? py->PyObject_GetAttr(inner, s->names.locked) : NULL;
    PyObject *locked = method ? py->PyObject_CallFunctionObjArgs(method, NULL) : NULL;
    bool is = !locked || py->PyObject_IsTrue(locked) != 0;

    lc_py_drop(py, locked);
    lc_py_drop(py, method);
    lc_py_drop(py, inner);
    return is;
}

/* Give the lock back if this thread holds it once and nobody waits. From the look at the inner lock
 * on, nothing here lets another thread run. */
static bool lock_give(const struct lc_seam *s, PyObject *lock)
{
    const struct lc_py *py = &s->py;
    const struct lc_py_names *n = &s->names;
    bool ok = lock && lc_py_is(py, lock, s->module_lock) && threads_are_usual(&s->locks, py) &&
              !is_being_changed(s, lock) &&
              number_of(py, lock, n->owner) == (long)py->PyThread_get_thread_ident() &&
              number_of(py, lock, n->count) == 1 && number_of(py, lock, n->waiters) == 0 &&
              py->PyObject_SetAttr(lock, n->count, s->locks.zero) == 0 &&
              py->PyObject_SetAttr(lock, n->owner, py->_Py_NoneStruct) == 0;

    if (!ok)
        py->PyErr_Clear();
    return ok;
}

/* _ModuleLockManager.__exit__(self, *args, **kwargs) */
static PyObject *manager_exit(PyObject *self, PyObject *const *args, long count, PyObject *names)
{
    const struct lc_seam *s = lc_seam();
    const struct lc_py *py = &s->py;
    PyObject *lock = py->PyObject_GetAttr(self, s->names._lock);
    bool is_given = lock_give(s, lock);

    lc_py_drop(py, lock);
    return is_given ? lc_py_none(py) : lc_call_original(s, s->locks.exit, self, args, count, names);
}

struct lc_py_method *lc_lock_manager_enter(void)
{
    static struct lc_py_method method = {"__enter__", manager_enter, LC_PY_FASTCALL,
                                         "__enter__($self)\n--\n\n"};

    return &method;
}

struct lc_py_method *lc_lock_manager_exit(void)
{
    static struct lc_py_method method = {"__exit__", manager_exit, LC_PY_FASTCALL | LC_PY_KEYWORDS,
                                         "__exit__($self, *args, **kwargs)\n--\n\n"};

    return &method;
}

/* A lock made by this version's importlib: has it the attributes that are set here, and no others?
 */
static bool is_known_lock(const struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    const struct lc_py_names *n = &s->names;
    PyObject *lock = py->PyObject_CallFunctionObjArgs(s->module_lock, n->name, NULL);
    PyObject *dict = lock ? py->PyObject_GetAttrString(lock, "__dict__") : NULL;
    bool is = dict && lc_py_is(py, dict, py->PyDict_Type) &&
              py->PyDict_Size(dict) == LOCK_ATTRIBUTES &&
              py->PyDict_GetItemWithError(dict, n->wakeup) &&
              py->PyDict_GetItemWithError(dict, n->owner) == py->_Py_NoneStruct &&
              number_of(py, lock, n->count) == 0 && number_of(py, lock, n->waiters) == 0 &&
              !is_being_changed(s, lock);

    lc_py_drop(py, dict);
    lc_py_drop(py, lock);
    return is;
}

static bool threads_learn(struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    struct lc_module_locks *m = &s->locks;
    PyObject *thread = py->PyDict_GetItemString(py->PyImport_GetModuleDict(), "_thread");

    m->thread_dict =
        thread && lc_py_is(py, thread, py->PyModule_Type) ? py->PyModule_GetDict(thread) : NULL;
    if (!m->thread_dict)
        return false;
    py->Py_IncRef(m->thread_dict);
    return (m->allocate_lock_name = py->PyUnicode_InternFromString("allocate_lock")) &&
           (m->get_ident_name = py->PyUnicode_InternFromString("get_ident")) &&
           (m->allocate_lock = py->PyObject_GetAttr(thread, m->allocate_lock_name)) &&
           (m->get_ident = py->PyObject_GetAttr(thread, m->get_ident_name)) &&
           (m->zero = py->PyLong_FromLong(0)) && (m->one = py->PyLong_FromLong(1));
}

bool lc_module_locks_learn(struct lc_seam *s)
{
    bool ok = s->py.minor <= LC_PYTHON_MODULE_LOCK_LAST_MINOR && s->acquire_lock &&
              s->release_lock && s->module_locks && s->module_lock && threads_learn(s) &&
              is_known_lock(s);

    if (!ok)
        s->py.PyErr_Clear();
    return ok;
}
