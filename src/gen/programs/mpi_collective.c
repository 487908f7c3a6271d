/* SPDX-License-Identifier: MIT */
/* mpi_collective.c - operations of all tasks together */
#include "mpi_module.h"

static int check_root(int root)
{
    if (root >= 0 && root < mpi_size)
        return 0;
    PyErr_Format(PyExc_ValueError, "root %d is not within 0 to %d", root, mpi_size - 1);
    return -1;
}

static PyObject *new_reference(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

PyObject *mpi_barrier(PyObject *self, PyObject *none)
{
    struct route route = route_inner(BROADCAST, 0);

    if (mpi_check(MPI_Barrier(route.head)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *bcast(PyObject *object, int root, PyObject *into)
{
    struct route route = route_inner(BROADCAST, root);

    route.into = into;
    if (mpi_size == 1)
        return new_reference(object);
    if (mpi_rank != root)
        return message_get(&route);
    return message_put(&route, object) < 0 ? NULL : new_reference(object);
}

PyObject *mpi_bcast(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"object", "root", "into", NULL};
    PyObject *object = Py_None, *into = Py_None;
    int root = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OiO", names, &object, &root, &into) ||
        check_root(root) < 0)
        return NULL;
    return bcast(object, root, into == Py_None ? NULL : into);
}

/* A list of everybody's object on root; None elsewhere. */
static PyObject *gather(PyObject *object, int root)
{
    struct route route = route_inner(TO_PEER, root);

    if (mpi_rank != root) {
        if (message_put(&route, object) < 0)
            return NULL;
        Py_RETURN_NONE;
    }
    PyObject *list = PyList_New(mpi_size);
    for (int i = 0; list && i < mpi_size; i++) {
        route = route_inner(FROM_PEER, i);
        PyObject *item = i == root ? new_reference(object) : message_get(&route);
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

PyObject *mpi_gather(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"object", "root", NULL};
    PyObject *object;
    int root = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|i", names, &object, &root) ||
        check_root(root) < 0)
        return NULL;
    return gather(object, root);
}

/* Hand rank 0's result to everybody; takes over the reference. */
static PyObject *share(PyObject *result)
{
    PyObject *all = result ? bcast(result, 0, NULL) : NULL;

    Py_XDECREF(result);
    return all;
}

PyObject *mpi_allgather(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"object", NULL};
    PyObject *object;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", names, &object))
        return NULL;
    return share(gather(object, 0));
}

/* Root's own item; the others' are on their way when this returns. */
static PyObject *deal(PyObject *sequence)
{
    PyObject *items = PySequence_Fast(sequence, "scatter: root needs a sequence");
    PyObject *own = NULL;
    int rc = items ? 0 : -1;

    if (items && PySequence_Fast_GET_SIZE(items) != mpi_size) {
        PyErr_Format(PyExc_ValueError, "scatter: %zd items for %d tasks",
                     PySequence_Fast_GET_SIZE(items), mpi_size);
        rc = -1;
    }
    for (int i = 0; rc == 0 && i < mpi_size; i++) {
        struct route route = route_inner(TO_PEER, i);
        PyObject *item = PySequence_Fast_GET_ITEM(items, i);
        if (i == mpi_rank)
            own = new_reference(item);
        else
            rc = message_put(&route, item);
    }
    Py_XDECREF(items);
    if (rc < 0)
        Py_CLEAR(own);
    return own;
}

PyObject *mpi_scatter(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"sequence", "root", NULL};
    PyObject *sequence = Py_None;
    int root = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Oi", names, &sequence, &root) ||
        check_root(root) < 0)
        return NULL;
    struct route route = route_inner(FROM_PEER, root);
    return mpi_rank == root ? deal(sequence) : message_get(&route);
}

/* Fold the neighbour's result into ours; takes over both references. */
static PyObject *combine(PyObject *op, PyObject *left, PyObject *right)
{
    PyObject *both = left && right ? PyObject_CallFunctionObjArgs(op, left, right, NULL) : NULL;

    Py_XDECREF(left);
    Py_XDECREF(right);
    return both;
}

/* A binomial tree to rank 0 that keeps the order of ranks, so that an operator need only be
 * associative. The result on rank 0, None elsewhere. */
static PyObject *reduce_to_first(PyObject *object, PyObject *op)
{
    PyObject *result = new_reference(object);

    for (int step = 1; step < mpi_size && result; step <<= 1) {
        struct route route = route_inner(mpi_rank & step ? TO_PEER : FROM_PEER, 0);
        if (mpi_rank & step) {
            route.peer = mpi_rank - step;
            int rc = message_put(&route, result);
            Py_DECREF(result);
            return rc < 0 ? NULL : new_reference(Py_None);
        }
        route.peer = mpi_rank + step;
        if (route.peer < mpi_size)
            result = combine(op, result, message_get(&route));
    }
    return result;
}

static int reduce_arguments(PyObject *args, PyObject *kwargs, const char *format, PyObject **object,
                            PyObject **op, int *root)
{
    static char *names[] = {"object", "op", "root", NULL};

    *op = NULL;
    *root = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, names, object, op, root) ||
        check_root(*root) < 0)
        return -1;
    if (*op)
        Py_INCREF(*op);
    else if (!(*op = PyCFunction_New(mpi_operators, NULL)))
        return -1;
    if (PyCallable_Check(*op))
        return 0;
    PyErr_SetString(PyExc_TypeError, "op: an operator of this module, or a function of two");
    Py_CLEAR(*op);
    return -1;
}

/* Rank 0's result to root: None on rank 0 then. Takes over the reference. */
static PyObject *forward(PyObject *result, int root)
{
    struct route route = route_inner(mpi_rank == 0 ? TO_PEER : FROM_PEER, mpi_rank ? 0 : root);

    if (!result || root == 0 || (mpi_rank != 0 && mpi_rank != root))
        return result;
    if (mpi_rank == root) {
        Py_DECREF(result);
        return message_get(&route);
    }
    int rc = message_put(&route, result);
    Py_DECREF(result);
    return rc < 0 ? NULL : new_reference(Py_None);
}

PyObject *mpi_reduce(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *object, *op;
    int root;

    if (reduce_arguments(args, kwargs, "O|Oi:reduce", &object, &op, &root) < 0)
        return NULL;
    PyObject *result = forward(reduce_to_first(object, op), root);
    Py_DECREF(op);
    return result;
}

PyObject *mpi_allreduce(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *object, *op;
    int root;

    if (reduce_arguments(args, kwargs, "O|Oi:allreduce", &object, &op, &root) < 0)
        return NULL;
    PyObject *result = share(reduce_to_first(object, op));
    Py_DECREF(op);
    return result;
}
