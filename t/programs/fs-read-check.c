/* SPDX-License-Identifier: MIT */
/* fs-read-check.c - do two files read the same, in whatever way they are read?
 *
 * fs-read-check FILE COPY STEPS SEED: random reads of FILE, in the manner of fsx, compared with
 * COPY: pread, read after seeking, readv, private and shared mappings, past the end as well, with
 * the file closed and opened again now and then. Status 0: the same; 1: not, with the step on
 * stderr. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 300000 };

struct pair {
    const char *name[2]; /* FILE, COPY */
    int fd[2];
    off_t size;
    char *buf[2];
};

static void fail(const char *what, int step, off_t at, size_t len)
{
    fprintf(stderr, "differs: step %d, %s of %zu bytes at %lld\n", step, what, len, (long long)at);
    exit(1);
}

static void open_both(struct pair *p)
{
    struct stat st[2];

    for (int i = 0; i < 2; i++) {
        p->fd[i] = open(p->name[i], O_RDONLY);
        if (p->fd[i] < 0 || fstat(p->fd[i], &st[i]) < 0) {
            perror(p->name[i]);
            exit(1);
        }
    }
    if (st[0].st_size != st[1].st_size)
        fail("size", 0, 0, 0);
    p->size = st[0].st_size;
}

static void close_both(struct pair *p)
{
    close(p->fd[0]);
    close(p->fd[1]);
}

static ssize_t by_pread(struct pair *p, int i, off_t at, size_t len)
{
    return pread(p->fd[i], p->buf[i], len, at);
}

static ssize_t by_read(struct pair *p, int i, off_t at, size_t len)
{
    return lseek(p->fd[i], at, SEEK_SET) < 0 ? -1 : read(p->fd[i], p->buf[i], len);
}

static ssize_t by_readv(struct pair *p, int i, off_t at, size_t len)
{
    struct iovec part[2] = {{p->buf[i], len / 3}, {p->buf[i] + len / 3, len - len / 3}};

    return preadv(p->fd[i], part, 2, at);
}

static ssize_t by_map(struct pair *p, int i, off_t at, size_t len, int flags)
{
    off_t start = at & ~(off_t)4095;

    if (at >= p->size)
        return 0;
    if ((off_t)len > p->size - at)
        len = (size_t)(p->size - at);
    if (len == 0)
        return 0;
    char *map = mmap(NULL, len + (size_t)(at - start), PROT_READ, flags, p->fd[i], start);
    if (map == MAP_FAILED)
        return -1;
    memcpy(p->buf[i], map + (at - start), len);
    munmap(map, len + (size_t)(at - start));
    return (ssize_t)len;
}

static ssize_t by_private_map(struct pair *p, int i, off_t at, size_t len)
{
    return by_map(p, i, at, len, MAP_PRIVATE);
}

static ssize_t by_shared_map(struct pair *p, int i, off_t at, size_t len)
{
    return by_map(p, i, at, len, MAP_SHARED);
}

static const struct {
    const char *name;
    ssize_t (*read)(struct pair *p, int i, off_t at, size_t len);
} ways[] = {{"pread", by_pread},
            {"read", by_read},
            {"readv", by_readv},
            {"private mapping", by_private_map},
            {"shared mapping", by_shared_map}};

static void step(struct pair *p, int n)
{
    size_t w = (size_t)random() % (sizeof(ways) / sizeof(*ways));
    off_t at = (off_t)(drand48() * (double)(p->size + 5000));
    size_t len = (size_t)(drand48() * drand48() * MOST) + 1;
    ssize_t a = ways[w].read(p, 0, at, len), b = ways[w].read(p, 1, at, len);

    if (a != b || (a > 0 && memcmp(p->buf[0], p->buf[1], (size_t)a) != 0))
        fail(ways[w].name, n, at, len);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: fs-read-check FILE COPY STEPS SEED\n");
        return 2;
    }
    struct pair p = {.name = {argv[1], argv[2]}, .buf = {malloc(MOST + 1), malloc(MOST + 1)}};
    srandom((unsigned)atoi(argv[4]));
    srand48(atoi(argv[4]));
    open_both(&p);
    for (int n = 0; n < atoi(argv[3]); n++) {
        if (random() % 50 == 0) {
            close_both(&p);
            open_both(&p);
        }
        step(&p, n);
    }
    close_both(&p);
    free(p.buf[0]);
    free(p.buf[1]);
    return 0;
}
