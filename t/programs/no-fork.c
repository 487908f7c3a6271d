/* SPDX-License-Identifier: MIT */
/* no-fork.c - an LD_PRELOAD library after whose MPI_Init fork aborts the process, as where
 * libfabric has no right to it */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

int MPI_Init(int *argc, char ***argv);

int MPI_Init(int *argc, char ***argv)
{
    int (*real)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");
    int rc = real(argc, argv);

    pthread_atfork(abort, NULL, NULL);
    return rc;
}
