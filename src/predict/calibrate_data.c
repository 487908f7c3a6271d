/* SPDX-License-Identifier: MIT */
/* calibrate_data.c - how fast a node reads from its file server and writes to its memory */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "predict/calibrate_private.h"
#include "util/clock.h"
#include "util/ending.h"
#include "util/io.h"

enum { READERS = 4 };
static const double MEMORY_BYTES = 64 << 20;

/* Blocks that were written, at least 'least' of them unless a signal came; -1 with errno. */
static long blocks_write(int fd, long blocks, long least, double patience_s)
{
    char *block = calloc(1, LC_CALIBRATE_BLOCK);
    uint64_t end_ns = lc_calibrate_end_ns(patience_s);
    long done = 0;

    while (block && done < blocks &&
           (done < least ? !lc_ending_came() : !lc_calibrate_is_over(end_ns)) &&
           lc_write_all(fd, block, LC_CALIBRATE_BLOCK) == 0)
        done++;
    free(block);
    return done < least ? -1 : done;
}

/* One of the threads that read a part of the file each. */
struct reader {
    int fd;
    long from, blocks;
    uint64_t end_ns;
    int failed;                /* errno */
    struct lc_answers answers; /* one for each block */
};

static void *part_read(void *arg)
{
    struct reader *r = arg;
    char *block = malloc(LC_CALIBRATE_BLOCK);

    for (long i = 0; block && i < r->blocks && (i == 0 || !lc_calibrate_is_over(r->end_ns)); i++) {
        if (lc_read_exactly(r->fd, block, LC_CALIBRATE_BLOCK,
                            (off_t)(r->from + i) * LC_CALIBRATE_BLOCK) < 0)
            r->failed = errno;
        lc_calibrate_note(&r->answers);
    }
    r->failed = block ? r->failed : ENOMEM;
    free(block);
    return NULL;
}

/* Several parts at once, so that round trips do not add up. Blocks per second, or -1 with errno. */
static double parts_read(int fd, long blocks_of_each, double patience_s)
{
    struct reader reader[READERS];
    struct lc_answers blocks[READERS];
    pthread_t thread[READERS];
    int started = 0, failed = 0;

    for (; started < READERS; started++) {
        reader[started] = (struct reader){.fd = fd,
                                          .from = blocks_of_each * started,
                                          .blocks = blocks_of_each,
                                          .end_ns = lc_calibrate_end_ns(patience_s)};
        if (pthread_create(&thread[started], NULL, part_read, &reader[started]) != 0)
            break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        failed = failed ? failed : reader[i].failed;
        blocks[i] = reader[i].answers;
    }
    errno = failed ? failed : EAGAIN;
    return failed || started < READERS ? -1 : lc_calibrate_rate(blocks, READERS);
}

/* Reads a file that was written before, from its server: its pages are dropped first. MB/s. */
double lc_calibrate_read_mb_s(const char *dir, double bytes, double patience_s)
{
    const double most = READERS * LC_CALIBRATE_ANSWERS, all = bytes / LC_CALIBRATE_BLOCK;
    char path[4200];
    double rate = -1;
    long blocks;

    snprintf(path, sizeof(path), "%s/data", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 &&
        (blocks = blocks_write(fd, (long)(all < most ? all : most), READERS, patience_s)) > 0 &&
        fsync(fd) == 0) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        /* Each block is asked for when its time begins: none is read ahead before its first. */
        posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
        rate = parts_read(fd, blocks / READERS, patience_s);
    }
    if (fd >= 0)
        close(fd);
    return rate < 0 ? -1 : rate * LC_CALIBRATE_BLOCK / 1e6;
}

double lc_calibrate_memory_mb_s(void)
{
    int fd = memfd_create("calibrate", MFD_CLOEXEC);
    uint64_t from_ns = lc_clock_ns();
    double rate = -1;
    long blocks = fd < 0 ? -1 : blocks_write(fd, (long)(MEMORY_BYTES / LC_CALIBRATE_BLOCK), 1, 1);

    if (blocks > 0)
        rate = (double)blocks * LC_CALIBRATE_BLOCK * 1e3 / (double)(lc_clock_ns() - from_ns);
    if (fd >= 0)
        close(fd);
    return rate;
}
