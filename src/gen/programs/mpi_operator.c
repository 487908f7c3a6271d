/* SPDX-License-Identifier: MIT */
/* mpi_operator.c - MPI's operators as Python functions of two objects
 *
 * They do what Python's own operators do: SUM adds numbers and arrays, and joins lists and text. */
#include "mpi_module.h"

static int two(PyObject *args, PyObject **a, PyObject **b)
{
    return PyArg_ParseTuple(args, "OO", a, b) ? 0 : -1;
}

#define NUMERIC(NAME, function)                                \
    static PyObject *op_##NAME(PyObject *self, PyObject *args) \
    {                                                          \
        PyObject *a, *b;                                       \
        return two(args, &a, &b) < 0 ? NULL : function(a, b);  \
    }
static PyObject *add(PyObject *a, PyObject *b)
{
    return PySequence_Check(a) && !PyNumber_Check(a) ? PySequence_Concat(a, b) : PyNumber_Add(a, b);
}
NUMERIC(SUM, add)
NUMERIC(PROD, PyNumber_Multiply)
NUMERIC(BAND, PyNumber_And)
NUMERIC(BOR, PyNumber_Or)
NUMERIC(BXOR, PyNumber_Xor)

/* The one of two that compares so to the other; the first when they are equal. */
static PyObject *pick(PyObject *args, int comparison)
{
    PyObject *a, *b;

    if (two(args, &a, &b) < 0)
        return NULL;
    int second = PyObject_RichCompareBool(b, a, comparison);
    if (second < 0)
        return NULL;
    PyObject *one = second ? b : a;
    Py_INCREF(one);
    return one;
}

static PyObject *op_MIN(PyObject *self, PyObject *args)
{
    return pick(args, Py_LT);
}

static PyObject *op_MAX(PyObject *self, PyObject *args)
{
    return pick(args, Py_GT);
}

/* (value, place): the extreme value, and the lowest place that has it. */
static PyObject *pick_place(PyObject *args, int comparison)
{
    PyObject *a, *b;

    if (two(args, &a, &b) < 0)
        return NULL;
    PyObject *x = PySequence_GetItem(a, 0), *y = PySequence_GetItem(b, 0);
    int second = x && y ? PyObject_RichCompareBool(y, x, comparison) : -1;
    int same = second == 0 ? PyObject_RichCompareBool(x, y, Py_EQ) : 0;
    if (same == 1)
        second = PyObject_RichCompareBool(b, a, Py_LT);
    Py_XDECREF(x);
    Py_XDECREF(y);
    if (second < 0 || same < 0)
        return NULL;
    PyObject *one = second ? b : a;
    Py_INCREF(one);
    return one;
}

static PyObject *op_MINLOC(PyObject *self, PyObject *args)
{
    return pick_place(args, Py_LT);
}

static PyObject *op_MAXLOC(PyObject *self, PyObject *args)
{
    return pick_place(args, Py_GT);
}

/* Truth of both as two bits, or -1. */
static int truths(PyObject *args)
{
    PyObject *a, *b;

    if (two(args, &a, &b) < 0)
        return -1;
    int x = PyObject_IsTrue(a), y = PyObject_IsTrue(b);
    return x < 0 || y < 0 ? -1 : x << 1 | y;
}

static PyObject *op_LAND(PyObject *self, PyObject *args)
{
    int both = truths(args);

    return both < 0 ? NULL : PyBool_FromLong(both == 3);
}

static PyObject *op_LOR(PyObject *self, PyObject *args)
{
    int both = truths(args);

    return both < 0 ? NULL : PyBool_FromLong(both != 0);
}

static PyObject *op_LXOR(PyObject *self, PyObject *args)
{
    int both = truths(args);

    return both < 0 ? NULL : PyBool_FromLong(both == 1 || both == 2);
}

/* SUM comes first: it is the default of reduce. */
PyMethodDef mpi_operators[] = {
    {"SUM", op_SUM, METH_VARARGS, "a + b"},
    {"PROD", op_PROD, METH_VARARGS, "a * b"},
    {"MIN", op_MIN, METH_VARARGS, "the smaller"},
    {"MAX", op_MAX, METH_VARARGS, "the larger"},
    {"MINLOC", op_MINLOC, METH_VARARGS, "of (value, place): the smallest value"},
    {"MAXLOC", op_MAXLOC, METH_VARARGS, "of (value, place): the largest value"},
    {"LAND", op_LAND, METH_VARARGS, "are both true?"},
    {"LOR", op_LOR, METH_VARARGS, "is one true?"},
    {"LXOR", op_LXOR, METH_VARARGS, "is exactly one true?"},
    {"BAND", op_BAND, METH_VARARGS, "a & b"},
    {"BOR", op_BOR, METH_VARARGS, "a | b"},
    {"BXOR", op_BXOR, METH_VARARGS, "a ^ b"},
    {NULL},
};
