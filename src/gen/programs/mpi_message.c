/* SPDX-License-Identifier: MIT */
/* mpi_message.c - Python objects over MPI
 *
 * A message is a heading of three numbers {kind, payload bytes, buffers}, the sizes of the buffers
 * if there are any, the payload, and the buffers. Numbers and text go through marshal, which needs
 * no import; bytes-like objects raw; all else through pickle, protocol 5, its large buffers out of
 * band. */
#include "mpi_module.h"

#include <marshal.h>

enum kind { SIMPLE, BYTES, BYTEARRAY, PICKLE };

enum { PIECE = 1 << 30 }; /* MPI counts are ints */

struct message {
    enum kind kind;
    Py_buffer payload; /* obj NULL: not held */
    PyObject *buffers; /* list of objects with a buffer, or NULL */
};

static int move_piece(struct route *r, char *data, int len)
{
    if (r->how == TO_PEER)
        return MPI_Send(data, len, MPI_BYTE, r->peer, r->tag, r->body);
    if (r->how == FROM_PEER)
        return MPI_Recv(data, len, MPI_BYTE, r->peer, r->tag, r->body, MPI_STATUS_IGNORE);
    return MPI_Bcast(data, len, MPI_BYTE, r->peer, r->body);
}

static int move(struct route *r, void *data, Py_ssize_t len)
{
    for (char *p = data; len > 0; p += PIECE, len -= PIECE)
        if (mpi_check(move_piece(r, p, len > PIECE ? PIECE : (int)len)) < 0)
            return -1;
    return 0;
}

/* The heading says who is really sending, when the receiver did not mind. */
static int move_heading(struct route *r, long long heading[3])
{
    MPI_Status status;

    if (r->how == TO_PEER)
        return mpi_check(MPI_Send(heading, 3, MPI_LONG_LONG, r->peer, r->tag, r->head));
    if (r->how == BROADCAST)
        return mpi_check(MPI_Bcast(heading, 3, MPI_LONG_LONG, r->peer, r->head));
    if (mpi_check(MPI_Recv(heading, 3, MPI_LONG_LONG, r->peer, r->tag, r->head, &status)) < 0)
        return -1;
    r->peer = status.MPI_SOURCE;
    r->tag = status.MPI_TAG;
    return 0;
}

static PyObject *pickle_function(const char *name)
{
    PyObject *pickle = PyImport_ImportModule("pickle");
    PyObject *function = pickle ? PyObject_GetAttrString(pickle, name) : NULL;

    Py_XDECREF(pickle);
    return function;
}

/* pickle.dumps(object, 5, buffer_callback=buffers.append) */
static PyObject *pickle_dumps(PyObject *object, PyObject *buffers)
{
    PyObject *dumps = pickle_function("dumps");
    PyObject *append = PyObject_GetAttrString(buffers, "append");
    PyObject *args = Py_BuildValue("(Oi)", object, 5);
    PyObject *kwargs = append ? Py_BuildValue("{s:O}", "buffer_callback", append) : NULL;
    PyObject *data = dumps && args && kwargs ? PyObject_Call(dumps, args, kwargs) : NULL;

    Py_XDECREF(dumps);
    Py_XDECREF(append);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return data;
}

/* pickle.loads(data, buffers=buffers) */
static PyObject *pickle_loads(PyObject *data, PyObject *buffers)
{
    PyObject *loads = pickle_function("loads");
    PyObject *args = Py_BuildValue("(O)", data);
    PyObject *kwargs = Py_BuildValue("{s:O}", "buffers", buffers ? buffers : Py_None);
    PyObject *object = loads && args && kwargs ? PyObject_Call(loads, args, kwargs) : NULL;

    Py_XDECREF(loads);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return object;
}

static int is_simple(PyObject *o)
{
    return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
           PyUnicode_CheckExact(o);
}

/* Hold the data's memory; the view keeps the object alive. */
static int hold(struct message *m, enum kind kind, PyObject *data)
{
    if (!data)
        return -1;
    m->kind = kind;
    return PyObject_GetBuffer(data, &m->payload, PyBUF_CONTIG_RO);
}

static int pack(PyObject *object, struct message *m)
{
    PyObject *data;

    if (PyBytes_CheckExact(object) || PyMemoryView_Check(object))
        return hold(m, BYTES, object);
    if (PyByteArray_CheckExact(object))
        return hold(m, BYTEARRAY, object);
    if (is_simple(object)) {
        data = PyMarshal_WriteObjectToString(object, Py_MARSHAL_VERSION);
    } else {
        m->buffers = PyList_New(0);
        data = m->buffers ? pickle_dumps(object, m->buffers) : NULL;
    }
    int rc = hold(m, m->buffers ? PICKLE : SIMPLE, data);
    Py_XDECREF(data);
    return rc;
}

static void drop(struct message *m)
{
    if (m->payload.obj)
        PyBuffer_Release(&m->payload);
    Py_CLEAR(m->buffers);
}

/* Buffers one by one from their own memory, their sizes first. */
static int put_buffers(struct route *r, PyObject *buffers)
{
    Py_ssize_t n = buffers ? PyList_GET_SIZE(buffers) : 0;
    Py_buffer *view = PyMem_Calloc((size_t)n + 1, sizeof(*view));
    long long *sizes = PyMem_Calloc((size_t)n + 1, sizeof(*sizes));
    int rc = view && sizes ? 0 : -1;

    if (rc < 0)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; rc == 0 && i < n; i++) {
        rc = PyObject_GetBuffer(PyList_GET_ITEM(buffers, i), &view[i], PyBUF_ANY_CONTIGUOUS);
        sizes[i] = rc == 0 ? view[i].len : 0;
    }
    if (rc == 0)
        rc = move(r, sizes, n * (Py_ssize_t)sizeof(*sizes));
    for (Py_ssize_t i = 0; rc == 0 && i < n; i++)
        rc = move(r, view[i].buf, view[i].len);
    for (Py_ssize_t i = 0; view && i < n; i++)
        if (view[i].obj)
            PyBuffer_Release(&view[i]);
    PyMem_Free(view);
    PyMem_Free(sizes);
    return rc;
}

int message_put(struct route *r, PyObject *object)
{
    struct message m = {0};
    int rc = pack(object, &m);

    if (rc == 0) {
        long long heading[3] = {m.kind, m.payload.len, m.buffers ? PyList_GET_SIZE(m.buffers) : 0};
        rc = move_heading(r, heading);
        if (rc == 0)
            rc = move(r, m.payload.buf, m.payload.len);
        if (rc == 0)
            rc = put_buffers(r, m.buffers);
    }
    drop(&m);
    return rc;
}

static PyObject *get_buffers(struct route *r, Py_ssize_t n)
{
    PyObject *buffers = PyList_New(n);
    long long *sizes = PyMem_Calloc((size_t)n + 1, sizeof(*sizes));
    int rc = buffers && sizes ? move(r, sizes, n * (Py_ssize_t)sizeof(*sizes)) : -1;

    for (Py_ssize_t i = 0; rc == 0 && i < n; i++) {
        PyObject *one = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)sizes[i]);
        rc = one ? move(r, PyByteArray_AS_STRING(one), (Py_ssize_t)sizes[i]) : -1;
        if (one)
            PyList_SET_ITEM(buffers, i, one);
    }
    PyMem_Free(sizes);
    if (rc < 0)
        Py_CLEAR(buffers);
    return buffers;
}

/* Raw bytes straight into the receiver's buffer, if they fit; else they are taken off the wire and
 * thrown away, so that the next message is the next message. */
static PyObject *get_into(struct route *r, Py_ssize_t len)
{
    Py_buffer view;

    if (PyObject_GetBuffer(r->into, &view, PyBUF_CONTIG) < 0)
        return NULL;
    int fits = view.len >= len;
    char *data = fits ? view.buf : PyMem_Malloc((size_t)len);
    int rc = data ? move(r, data, len) : -1;
    PyBuffer_Release(&view);
    if (!fits) {
        PyMem_Free(data);
        PyErr_Format(PyExc_ValueError, "a message of %zd bytes does not fit into the buffer", len);
        return NULL;
    }
    if (rc < 0)
        return NULL;
    Py_INCREF(r->into);
    return r->into;
}

static PyObject *get_payload(struct route *r, enum kind kind, Py_ssize_t len)
{
    PyObject *data = kind == BYTEARRAY ? PyByteArray_FromStringAndSize(NULL, len)
                                       : PyBytes_FromStringAndSize(NULL, len);
    if (!data)
        return NULL;
    char *memory = kind == BYTEARRAY ? PyByteArray_AS_STRING(data) : PyBytes_AS_STRING(data);
    if (move(r, memory, len) < 0)
        Py_CLEAR(data);
    return data;
}

PyObject *message_get(struct route *r)
{
    long long heading[3] = {0};
    PyObject *object = NULL, *buffers = NULL;

    if (move_heading(r, heading) < 0)
        return NULL;
    enum kind kind = (enum kind)heading[0];
    if (r->into && (kind == BYTES || kind == BYTEARRAY))
        return get_into(r, (Py_ssize_t)heading[1]);
    PyObject *data = get_payload(r, kind, (Py_ssize_t)heading[1]);
    if (!data || kind == BYTES || kind == BYTEARRAY)
        return data;
    if (kind == SIMPLE)
        object = PyMarshal_ReadObjectFromString(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data));
    else if ((buffers = get_buffers(r, (Py_ssize_t)heading[2])))
        object = pickle_loads(data, buffers);
    Py_DECREF(data);
    Py_XDECREF(buffers);
    return object;
}
