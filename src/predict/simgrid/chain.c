/* SPDX-License-Identifier: MIT */
/* chain.c - the message schedule of stage-mpi, for SimGrid's simulated MPI (smpicc, smpirun)
 *
 *     predict-chain CHUNKS
 *
 * One process per node: the head is announced to all and goes along the chain, all agree on what
 * they lack, then CHUNKS chunks follow, with the slots, the window and the naps of
 * stage/mpi/ring.h. Left out are threads and files, and what follows from a check that goes on
 * meanwhile: LC_CHUNK_HELD, the verdict, another head. The last node prints the seconds until it
 * has everything, and those between two chunks at the end of the stream. A process that sleeps
 * finds out that a request is done at the end of its nap: the naps are computed, not made one by
 * one, which would be millions of events. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stage/mpi/ring.h"

enum { TAG = 1, NEED_BYTES = 1024 };

/* No variables outside of functions: all simulated processes share them. */
struct node {
    int rank, size;
    char *memory;                           /* shared by all processes: content is not simulated */
    MPI_Request request[2 * LC_RING_SLOTS]; /* receives, then sends */
    int posted, arrived, sent, gone;        /* counts of this phase */
    double last_s, middle_s;                /* when the last chunk and one in the middle came */
};

static void sleep_s(double seconds)
{
    struct timespec nap = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

    nanosleep(&nap, NULL);
}

/* How long a process that was idle for so long still sleeps. It has expected its first chunk for
 * 'expected_s', and taken the shortest naps so long; a second short one follows, then longer ones.
 */
static double nap_left_s(double idle_s, double expected_s)
{
    double nap_s = LC_RING_NAP_NS * 1e-9;
    double end_s =
        nap_s * (double)(1 + (long)((idle_s < expected_s ? idle_s : expected_s) / nap_s));

    if (end_s < idle_s)
        end_s += nap_s;
    while (end_s < idle_s) {
        if (2 * nap_s <= LC_RING_LONGEST_NAP_NS * 1e-9)
            nap_s *= 2;
        else if (idle_s - end_s > nap_s) /* many of the longest: skip them */
            end_s += (double)(long)((idle_s - end_s) / nap_s) * nap_s;
        end_s += nap_s;
    }
    return end_s - idle_s;
}

static void requests_start(struct node *n, int chunks)
{
    while (n->rank > 0 && n->posted < chunks && n->posted - n->gone < LC_RING_SLOTS) {
        MPI_Irecv(n->memory, LC_RING_SLOT, MPI_BYTE, n->rank - 1, TAG, MPI_COMM_WORLD,
                  &n->request[n->posted % LC_RING_SLOTS]);
        n->posted++;
    }
    while (n->rank + 1 < n->size && n->sent < n->arrived && n->sent - n->gone < LC_RING_SENDS) {
        MPI_Isend(n->memory, LC_RING_SLOT, MPI_BYTE, n->rank + 1, TAG, MPI_COMM_WORLD,
                  &n->request[LC_RING_SLOTS + n->sent % LC_RING_SLOTS]);
        n->sent++;
    }
}

/* Slots are passed on in the order of arrival, so that counts are enough. */
static void request_done(struct node *n, int index, int chunks)
{
    if (index >= LC_RING_SLOTS) {
        n->gone++;
        return;
    }
    n->arrived++;
    n->last_s = MPI_Wtime();
    if (n->arrived == (chunks + 1) / 2)
        n->middle_s = n->last_s;
    if (n->rank + 1 == n->size)
        n->gone++; /* nobody to pass it on to: the slot is free */
}

/* Naps of different nodes begin at different times; the same ones in each simulation. */
static double nap_offset_s(const struct node *n)
{
    uint32_t x = ((uint32_t)n->rank + 1) * 2654435761u;

    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)x / 4294967296.0 * LC_RING_LONGEST_NAP_NS * 1e-9;
}

/* For how long a node takes the shortest naps after the announcement. */
static double expected_s(const struct node *n)
{
    return (LC_RING_EXPECT_NS + (double)n->rank * LC_RING_EXPECT_HOP_NS) * 1e-9;
}

static void phase_run(struct node *n, int chunks)
{
    if (n->rank > 0)
        sleep_s(nap_offset_s(n));
    for (int i = 0; i < 2 * LC_RING_SLOTS; i++)
        n->request[i] = MPI_REQUEST_NULL;
    n->posted = n->sent = n->gone = 0;
    n->arrived = n->rank == 0 ? chunks : 0; /* the first node has them all */
    while (n->gone < chunks) {
        int index;
        double from_s = MPI_Wtime();
        requests_start(n, chunks);
        MPI_Waitany(2 * LC_RING_SLOTS, n->request, &index, MPI_STATUS_IGNORE);
        double idle_s = MPI_Wtime() - from_s;
        if (idle_s > 0)
            sleep_s(nap_left_s(idle_s, n->arrived ? 0 : expected_s(n)));
        request_done(n, index, chunks);
    }
}

int main(int argc, char **argv)
{
    struct node n = {0};
    int chunks = argc > 1 ? atoi(argv[1]) : 32;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &n.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n.size);
    n.memory = SMPI_SHARED_MALLOC(LC_RING_SLOT);
    double begin_s = MPI_Wtime();
    MPI_Bcast(n.memory, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
    phase_run(&n, 1);
    MPI_Allreduce(MPI_IN_PLACE, n.memory, NEED_BYTES, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    phase_run(&n, chunks);
    if (n.rank + 1 == n.size)
        printf("chain %.9f %.9f\n", n.last_s - begin_s,
               (n.last_s - n.middle_s) / (chunks - (chunks + 1) / 2));
    SMPI_SHARED_FREE(n.memory);
    MPI_Finalize();
    return 0;
}
