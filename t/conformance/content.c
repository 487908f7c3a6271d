/* SPDX-License-Identifier: MIT */
/* content.c - reading a served file by every way the kernel has */
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "case.h"

static long sum(const char *p, long n)
{
    long s = 0;

    for (long i = 0; i < n; i++)
        s = s * 31 % 1000003 + p[i];
    return s;
}

int main(void)
{
    char a[100], b[100];
    struct iovec v[2] = {{a, 10}, {b, 20}};
    int fd = open("data/big", O_RDONLY), out = open("/dev/null", O_WRONLY);
    off_t at = 5;

    SHOW(lseek(fd, 0, SEEK_END));
    SHOW(lseek(fd, 100, SEEK_SET));
    SHOW(lseek(fd, 0, SEEK_DATA));
    SHOW(lseek(fd, 0, SEEK_HOLE));
    SHOW(lseek(fd, 0, SEEK_SET));
    SHOW(readv(fd, v, 2));
    SHOW(pread(fd, a, 10, 1000));
    printf("%.10s\n", a);
    SHOW(pread(fd, a, 10, 1 << 30));
    SHOW(sendfile(out, fd, &at, 1000));
    SHOW(write(fd, a, 1));
    SHOW(ftruncate(fd, 1));
    SHOW(fsync(fd));
    SHOW(posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED));
    char *m = mmap(NULL, 100000, PROT_READ, MAP_PRIVATE, fd, 0);
    printf("private map: %ld\n", sum(m, 100000));
    SHOW(mprotect(m, 4096, PROT_READ | PROT_WRITE));
    m[0] = '!';
    printf("changed privately: %c\n", m[0]);
    m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096);
    printf("shared map: %ld\n", sum(m, 4096));
    SHOW(mprotect(m, 4096, PROT_READ | PROT_WRITE));
    SHOW((long)(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0));
    show_fd("again", "big", open("data/big", O_RDONLY));
}
