/* SPDX-License-Identifier: MIT */
/* pympi.c - a Python interpreter with MPI built in
 *
 * MPI is up before Python starts and goes down after it has ended. Started without a launcher it is
 * one task. When a task ends with an error while others are running, all are aborted: they would
 * wait for it for ever. */
#include <Python.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mpi_module.h"
#include "pympi.h"

static int add_modules(void)
{
    if (PyImport_AppendInittab("mpi", PyInit_mpi) < 0)
        return -1;
    for (const struct static_module *m = static_modules; m->name; m++)
        if (PyImport_AppendInittab(m->name, (PyObject * (*)(void)) m->init) < 0)
            return -1;
    return 0;
}

/* At exit: Python ends the process itself on sys.exit(), so main may never see the status. */
static void end_mpi(int status, void *unused)
{
    (void)unused;
    if (status != 0 && mpi_size > 1)
        MPI_Abort(MPI_COMM_WORLD, status);
    mpi_close();
    MPI_Finalize();
}

static long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
    long long before_ns = now_ns();

    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || mpi_open() < 0) {
        fprintf(stderr, "pyMPI: cannot start MPI\n");
        return 1;
    }
    mpi_init_ns = now_ns() - before_ns;
    if (add_modules() < 0 || on_exit(end_mpi, NULL) != 0) {
        fprintf(stderr, "pyMPI: out of memory\n");
        return 1;
    }
    return Py_BytesMain(argc, argv);
}
