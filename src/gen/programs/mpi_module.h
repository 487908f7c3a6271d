/* SPDX-License-Identifier: MIT */
/* mpi_module.h - the parts of the built-in module 'mpi' */
#ifndef MPI_MODULE_H
#define MPI_MODULE_H

#include <Python.h>
#include <mpi.h>

extern int mpi_rank, mpi_size;
extern long long mpi_init_ns; /* what MPI_Init took */

int mpi_open(void);
void mpi_close(void);
PyMODINIT_FUNC PyInit_mpi(void);

/* An MPI call's result: 0, or -1 with a Python exception set. */
int mpi_check(int code);

/* How an object travels. Both ends move the same pieces in the same order: a heading, then the
 * payload and any buffers straight from and into the objects' own memory. */
struct route {
    enum { TO_PEER, FROM_PEER, BROADCAST } how;
    MPI_Comm head, body;
    int peer, tag;  /* FROM_PEER: may be wild; then they get the real values */
    PyObject *into; /* FROM_PEER, BROADCAST: a writable buffer to receive raw bytes in; or NULL */
};

struct route route_peer(int how, int peer, int tag); /* point to point */
struct route route_inner(int how, int peer);         /* inside a collective operation */

int message_put(struct route *route, PyObject *object); /* 0, or -1 with an exception */
PyObject *message_get(struct route *route);             /* new reference, or NULL */

/* Collective operations and operators, as Python functions. */
PyObject *mpi_barrier(PyObject *self, PyObject *none);
PyObject *mpi_bcast(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *mpi_gather(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *mpi_allgather(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *mpi_scatter(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *mpi_reduce(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *mpi_allreduce(PyObject *self, PyObject *args, PyObject *kwargs);

extern PyMethodDef mpi_operators[];

#endif
