/* SPDX-License-Identifier: MIT */
/* mpi_module.c - the built-in module 'mpi': start, end, point to point */
#include "mpi_module.h"

int mpi_rank, mpi_size;
long long mpi_init_ns;

/* Headings and bodies of messages travel apart, so that a receiver that takes a heading from
 * anywhere cannot mistake a body for one; collective operations apart from both. */
static MPI_Comm head_comm, body_comm, inner_comm;

int mpi_open(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank) || MPI_Comm_size(MPI_COMM_WORLD, &mpi_size) ||
        MPI_Comm_dup(MPI_COMM_WORLD, &head_comm) || MPI_Comm_dup(MPI_COMM_WORLD, &body_comm) ||
        MPI_Comm_dup(MPI_COMM_WORLD, &inner_comm))
        return -1;
    return 0;
}

void mpi_close(void)
{
    MPI_Comm_free(&head_comm);
    MPI_Comm_free(&body_comm);
    MPI_Comm_free(&inner_comm);
}

int mpi_check(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, text, &len);
    PyErr_Format(PyExc_RuntimeError, "MPI: %s", text);
    return -1;
}

struct route route_peer(int how, int peer, int tag)
{
    return (struct route){how, head_comm, body_comm, peer, tag, NULL};
}

struct route route_inner(int how, int peer)
{
    return (struct route){how, inner_comm, inner_comm, peer, 0, NULL};
}

static int check_peer(int peer, int wild)
{
    if ((peer >= 0 && peer < mpi_size) || (wild && peer == MPI_ANY_SOURCE))
        return 0;
    PyErr_Format(PyExc_ValueError, "rank %d is not within 0 to %d", peer, mpi_size - 1);
    return -1;
}

static int check_tag(int tag, int wild)
{
    if ((tag >= 0 && tag <= 32767) || (wild && tag == MPI_ANY_TAG))
        return 0;
    PyErr_Format(PyExc_ValueError, "tag %d is not within 0 to 32767", tag);
    return -1;
}

static PyObject *mpi_send(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"object", "dest", "tag", NULL};
    PyObject *object;
    int dest, tag = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Oi|i", names, &object, &dest, &tag) ||
        check_peer(dest, 0) < 0 || check_tag(tag, 0) < 0)
        return NULL;
    struct route route = route_peer(TO_PEER, dest, tag);
    if (message_put(&route, object) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* (object, status), as pyMPI's; the status has the source and the tag. */
static PyObject *mpi_recv(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"source", "tag", "into", NULL};
    int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
    PyObject *into = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|iiO", names, &source, &tag, &into) ||
        check_peer(source, 1) < 0 || check_tag(tag, 1) < 0)
        return NULL;
    struct route route = route_peer(FROM_PEER, source, tag);
    route.into = into == Py_None ? NULL : into;
    PyObject *object = message_get(&route);
    if (!object)
        return NULL;
    return Py_BuildValue("(N{s:i,s:i})", object, "source", route.peer, "tag", route.tag);
}

static PyObject *mpi_abort(PyObject *self, PyObject *args)
{
    int code = 1;

    if (!PyArg_ParseTuple(args, "|i", &code))
        return NULL;
    MPI_Abort(MPI_COMM_WORLD, code);
    Py_RETURN_NONE;
}

static PyObject *mpi_wtime(PyObject *self, PyObject *none)
{
    return PyFloat_FromDouble(MPI_Wtime());
}

#define KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS
static PyMethodDef methods[] = {
    {"barrier", mpi_barrier, METH_NOARGS, "barrier(): wait for every task"},
    {"bcast", KEYWORDS(mpi_bcast), "bcast(object=None, root=0, into=None): root's object"},
    {"gather", KEYWORDS(mpi_gather), "gather(object, root=0): list by rank on root, else None"},
    {"allgather", KEYWORDS(mpi_allgather), "allgather(object): list by rank"},
    {"scatter", KEYWORDS(mpi_scatter), "scatter(sequence=None, root=0): one item per task"},
    {"reduce", KEYWORDS(mpi_reduce), "reduce(object, op=SUM, root=0): on root, else None"},
    {"allreduce", KEYWORDS(mpi_allreduce), "allreduce(object, op=SUM)"},
    {"send", KEYWORDS(mpi_send), "send(object, dest, tag=0)"},
    {"recv", KEYWORDS(mpi_recv),
     "recv(source=ANY_SOURCE, tag=ANY_TAG, into=None): (object, status)"},
    {"abort", mpi_abort, METH_VARARGS, "abort(code=1): end every task"},
    {"wtime", mpi_wtime, METH_NOARGS, "wtime(): MPI's clock in seconds"},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "mpi",
    "MPI for this interpreter: any object that can be pickled; bytes, bytearray, contiguous "
    "buffers\n"
    "and the buffers inside pickled objects (protocol 5) travel without a copy.",
    -1,
    methods,
};

static int add_constants(PyObject *module)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int len = 0;

    MPI_Get_processor_name(name, &len);
    return PyModule_AddIntConstant(module, "rank", mpi_rank) ||
           PyModule_AddIntConstant(module, "procs", mpi_size) ||
           PyModule_AddIntConstant(module, "size", mpi_size) ||
           PyModule_AddIntConstant(module, "init_ns", (long)mpi_init_ns) ||
           PyModule_AddIntConstant(module, "ANY_SOURCE", MPI_ANY_SOURCE) ||
           PyModule_AddIntConstant(module, "ANY_TAG", MPI_ANY_TAG) ||
           PyModule_AddStringConstant(module, "name", name) ||
           PyModule_AddFunctions(module, mpi_operators);
}

PyMODINIT_FUNC PyInit_mpi(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (module && add_constants(module)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
