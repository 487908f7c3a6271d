/* SPDX-License-Identifier: MIT */
/* bcast.c - a bare MPI_Bcast: bcast BYTES; the first process prints two times in seconds, into
 * memory as a program allocates it, and into the same once its pages are there */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The slowest process's. */
static double broadcast(char *data, long bytes)
{
    double longest;

    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    double took = MPI_Wtime() - began;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return longest;
}

int main(int argc, char **argv)
{
    int rank;
    long bytes = argc > 1 ? atol(argv[1]) : 1 << 20;
    char *data = malloc((size_t)bytes);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        memset(data, 1, (size_t)bytes); /* there is something to send */
    double fresh = broadcast(data, bytes), again = broadcast(data, bytes);
    if (rank == 0)
        printf("%.6f %.6f\n", fresh, again);
    MPI_Finalize();
    free(data);
    return 0;
}
