/* SPDX-License-Identifier: MIT */
/* bcast.c - bytes per second of a bare MPI_Bcast: bcast BYTES; the first process prints seconds */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank;
    long bytes = argc > 1 ? atol(argv[1]) : 1 << 20;
    char *data = malloc((size_t)bytes);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(data, rank, (size_t)bytes); /* pages are there */
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime(), took, longest;
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    took = MPI_Wtime() - began;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", longest);
    MPI_Finalize();
    return 0;
}
