/* SPDX-License-Identifier: MIT */
/* api.h - the part of CPython's C API that the import seam calls, found at run time in the program
 * or library that has it. Objects are opaque and used through functions only, so that our one
 * object file works with every version and build */
#ifndef LC_PYTHON_API_H
#define LC_PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lc_py_object PyObject; /* CPython's own name: only pointers to it are used */

/* As CPython declares them; both are part of its stable ABI. */
struct lc_py_method {
    const char *name;
    void *function;
    int flags;
    const char *doc;
};
struct lc_py_builtin {
    const char *name;
    PyObject *(*init)(void);
};
enum {
    LC_PY_FASTCALL = 0x80,
    LC_PY_KEYWORDS = 0x02,
    LC_PY_ONE_ARGUMENT = 0x08,
    LC_PY_CLASS = 0x10
};

/* X(result, name, arguments) */
#define LC_PY_FUNCTIONS(X)                                                            \
    X(PyObject *, PyCFunction_NewEx, (struct lc_py_method *, PyObject *, PyObject *)) \
    X(PyObject *, PyDescr_NewClassMethod, (PyObject *, struct lc_py_method *))        \
    X(PyObject *, PyDescr_NewMethod, (PyObject *, struct lc_py_method *))             \
    X(int, PyDict_DelItem, (PyObject *, PyObject *))                                  \
    X(int, PyDict_Next, (PyObject *, long *, PyObject **, PyObject **))               \
    X(PyObject *, PyDict_GetItemString, (PyObject *, const char *))                   \
    X(PyObject *, PyDict_GetItemWithError, (PyObject *, PyObject *))                  \
    X(PyObject *, PyDict_New, (void))                                                 \
    X(long, PyDict_Size, (PyObject *))                                                \
    X(int, PyDict_SetItem, (PyObject *, PyObject *, PyObject *))                      \
    X(void, PyErr_Clear, (void))                                                      \
    X(int, PyErr_ExceptionMatches, (PyObject *))                                      \
    X(PyObject *, PyErr_Occurred, (void))                                             \
    X(void, PyEval_RestoreThread, (void *))                                           \
    X(void *, PyEval_SaveThread, (void))                                              \
    X(int, PyFile_SetOpenCodeHook, (void *, void *))                                  \
    X(double, PyFloat_AsDouble, (PyObject *))                                         \
    X(PyObject *, PyImport_GetModuleDict, (void))                                     \
    X(int, PyList_Append, (PyObject *, PyObject *))                                   \
    X(PyObject *, PyList_GetItem, (PyObject *, long))                                 \
    X(PyObject *, PyList_New, (long))                                                 \
    X(long, PyList_Size, (PyObject *))                                                \
    X(long, PyLong_AsLong, (PyObject *))                                              \
    X(PyObject *, PyLong_FromLong, (long))                                            \
    X(PyObject *, PyMarshal_ReadObjectFromString, (const char *, long))               \
    X(PyObject *, PyModule_GetDict, (PyObject *))                                     \
    X(PyObject *, PyModule_NewObject, (PyObject *))                                   \
    X(PyObject *, PyObject_Call, (PyObject *, PyObject *, PyObject *))                \
    X(PyObject *, PyObject_CallFunctionObjArgs, (PyObject *, ...))                    \
    X(PyObject *, PyObject_GetAttr, (PyObject *, PyObject *))                         \
    X(PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                 \
    X(int, PyObject_IsTrue, (PyObject *))                                             \
    X(int, PyObject_SetAttr, (PyObject *, PyObject *, PyObject *))                    \
    X(PyObject *, PyObject_Type, (PyObject *))                                        \
    X(int, PySet_Contains, (PyObject *, PyObject *))                                  \
    X(int, PySys_Audit, (const char *, const char *, ...))                            \
    X(PyObject *, PySys_GetObject, (const char *))                                    \
    X(unsigned long, PyThread_get_thread_ident, (void))                               \
    X(PyObject *, PyTuple_GetItem, (PyObject *, long))                                \
    X(PyObject *, PyTuple_New, (long))                                                \
    X(int, PyTuple_SetItem, (PyObject *, long, PyObject *))                           \
    X(long, PyTuple_Size, (PyObject *))                                               \
    X(PyObject *, PyType_GenericNew, (PyObject *, PyObject *, PyObject *))            \
    X(const char *, PyUnicode_AsUTF8AndSize, (PyObject *, long *))                    \
    X(int, PyUnicode_Compare, (PyObject *, PyObject *))                               \
    X(PyObject *, PyUnicode_FromStringAndSize, (const char *, long))                  \
    X(PyObject *, PyUnicode_InternFromString, (const char *))                         \
    X(PyObject *, PyWeakref_NewRef, (PyObject *, PyObject *))                         \
    X(int, PyBytes_AsStringAndSize, (PyObject *, char **, long *))                    \
    X(void, Py_DecRef, (PyObject *))                                                  \
    X(const char *, Py_GetVersion, (void))                                            \
    X(void, Py_IncRef, (PyObject *))

/* X(name): types and constants, by address; an exception's symbol is a variable that points to it
 */
#define LC_PY_OBJECTS(X) \
    X(PyBool_Type)       \
    X(PyCode_Type)       \
    X(PyDict_Type)       \
    X(PyExc_OSError)     \
    X(PyFloat_Type)      \
    X(PyList_Type)       \
    X(PyModule_Type)     \
    X(PySet_Type)        \
    X(PyTuple_Type)      \
    X(PyUnicode_Type)    \
    X(_Py_TrueStruct)    \
    X(_Py_NoneStruct)

struct lc_py {
    int minor; /* of the version 3.minor */
#define X(result, name, arguments) result(*name) arguments;
    LC_PY_FUNCTIONS(X)
#undef X
#define X(name) PyObject *name;
    LC_PY_OBJECTS(X)
#undef X
};

/* Look up all functions. False: one is missing, or the Python version is not one we were tested
 * with. */
bool lc_py_find(struct lc_py *py);

/* Is the object exactly of this type, and not of a subclass? */
static inline bool lc_py_is(const struct lc_py *py, PyObject *object, PyObject *type)
{
    PyObject *is = py->PyObject_Type(object);

    py->Py_DecRef(is);
    return is == type;
}

static inline PyObject *lc_py_none(const struct lc_py *py)
{
    py->Py_IncRef(py->_Py_NoneStruct);
    return py->_Py_NoneStruct;
}

static inline void lc_py_drop(const struct lc_py *py, PyObject *object)
{
    if (object)
        py->Py_DecRef(object);
}

#endif
