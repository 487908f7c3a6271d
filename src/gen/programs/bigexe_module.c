/* SPDX-License-Identifier: MIT */
/* bigexe_module.c - lets Python call the big executable's own functions and check them */
#include <Python.h>

#include "pympi.h"

/* visit(i): run function i; True if it computed what it must. */
static PyObject *bigexe_visit(PyObject *self, PyObject *args)
{
    int i;

    if (!PyArg_ParseTuple(args, "i", &i))
        return NULL;
    if (i < 0 || i >= bigexe_count) {
        PyErr_Format(PyExc_IndexError, "function %d is not within 0 to %d", i, bigexe_count - 1);
        return NULL;
    }
    return PyBool_FromLong(bigexe_functions[i](7) == 7 + bigexe_steps * (i % 100 + 1));
}

static PyMethodDef methods[] = {
    {"visit", bigexe_visit, METH_VARARGS, "visit(i): run function i and check its result"},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "bigexe", "The functions that make pynamic-bigexe big.", -1, methods,
};

void *PyInit_bigexe(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (module)
        PyModule_AddIntConstant(module, "count", bigexe_count);
    return module;
}
