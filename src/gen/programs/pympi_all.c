/* SPDX-License-Identifier: MIT */
/* pympi_all.c - all of pyMPI in one go, so that Python's and MPI's headers are read once */
#include "pympi.c"

#include "mpi_collective.c"
#include "mpi_message.c"
#include "mpi_module.c"
#include "mpi_operator.c"
