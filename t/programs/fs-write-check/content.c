/* SPDX-License-Identifier: MIT */
/* content.c - what is written is what is read */
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void truncating(void)
{
    char buf[16];

    put("a", "0123456789");
    CHECK(truncate("a", 4) == 0 && holds("a", "0123"));
    CHECK(truncate("a", 8) == 0 && stat_of("a").st_size == 8);
    int fd = open("a", O_RDWR);
    CHECK(read(fd, buf, sizeof(buf)) == 8 && memcmp(buf, "0123\0\0\0\0", 8) == 0);
    CHECK(ftruncate(fd, 2) == 0 && stat_of("a").st_size == 2);
    close(fd);
    fd = open("a", O_RDONLY);
    CHECK(ftruncate(fd, 0) < 0);
    close(fd);
    close(open("a", O_WRONLY | O_TRUNC));
    CHECK(stat_of("a").st_size == 0);
    FAILS(ENOENT, truncate("absent", 0));
    CHECK(mkdir("d", 0755) == 0);
    FAILS(EISDIR, truncate("d", 0));
}

static void append_lines(void)
{
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);

    CHECK(fd >= 0);
    for (int i = 0; i < 100; i++)
        CHECK(write(fd, "0123456\n", 8) == 8);
    close(fd);
}

static void appending(void)
{
    pid_t pid[4];

    put("log", "");
    int one = open("log", O_WRONLY | O_APPEND), two = open("log", O_WRONLY | O_APPEND);
    CHECK(write(one, "1", 1) == 1 && write(two, "2", 1) == 1 && write(one, "3", 1) == 1);
    CHECK(holds("log", "123"));
    CHECK(ftruncate(one, 0) == 0);
    for (int i = 0; i < 4; i++)
        if ((pid[i] = fork()) == 0) {
            append_lines();
            _exit(0);
        }
    for (int i = 0; i < 4; i++)
        waitpid(pid[i], NULL, 0);
    CHECK(stat_of("log").st_size == 4 * 100 * 8);
}

static void beyond_four_gigabytes(void)
{
    const off_t far = ((off_t)5 << 30) + 12345;
    char buf[8];
    int fd = open("big", O_RDWR | O_CREAT, 0644);

    CHECK(pwrite(fd, "far", 3, far) == 3);
    CHECK(stat_of("big").st_size == far + 3);
    CHECK(pread(fd, buf, 8, far) == 3 && memcmp(buf, "far", 3) == 0);
    CHECK(pread(fd, buf, 4, far - 4) == 4 && memcmp(buf, "\0\0\0\0", 4) == 0);
    CHECK(stat_of("big").st_blocks < 1000);
    off_t data = lseek(fd, 4096, SEEK_DATA);
    CHECK(data > 4096 && data <= far);
    CHECK(lseek(fd, 0, SEEK_HOLE) == 0);
    CHECK(lseek(fd, 0, SEEK_END) == far + 3);
    close(fd);
}

static void shared_mappings(void)
{
    char page[4096];

    memset(page, 'a', sizeof(page));
    int fd = open("m", O_RDWR | O_CREAT, 0644);
    CHECK(write(fd, page, sizeof(page)) == sizeof(page));
    char *p = mmap(NULL, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    p[100] = 'b';
    CHECK(msync(p, sizeof(page), MS_SYNC) == 0);
    CHECK(pread(fd, page, 1, 100) == 1 && page[0] == 'b');
    CHECK(pwrite(fd, "c", 1, 200) == 1 && p[200] == 'c');
    p[300] = 'd';
    CHECK(munmap(p, 4096) == 0);
    close(fd);
    fd = open("m", O_RDONLY);
    CHECK(pread(fd, page, 1, 300) == 1 && page[0] == 'd');
    close(fd);
}

static void syncing(void)
{
    int fd = open("a", O_RDWR | O_CREAT, 0644);

    CHECK(write(fd, "x", 1) == 1 && fsync(fd) == 0 && fdatasync(fd) == 0);
    close(fd);
    fd = open(".", O_RDONLY | O_DIRECTORY);
    CHECK(fsync(fd) == 0);
    close(fd);
}

static void allocating(void)
{
    int fd = open("a", O_RDWR | O_CREAT, 0644);

    if (fallocate(fd, 0, 0, 100000) < 0 && errno == EOPNOTSUPP)
        exit(77);
    CHECK(stat_of("a").st_size == 100000);
    CHECK(posix_fallocate(fd, 0, 200000) == 0 && stat_of("a").st_size == 200000);
    close(fd);
}

static void copying_a_range(void)
{
    put("a", "0123456789");
    int from = open("a", O_RDONLY), to = open("b", O_WRONLY | O_CREAT, 0644);
    off_t at = 2;
    ssize_t n = copy_file_range(from, &at, to, NULL, 5, 0);
    if (n < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EXDEV))
        exit(77);
    CHECK(n == 5 && at == 7);
    close(from);
    close(to);
    CHECK(holds("b", "23456"));
}

const struct check content_checks[] = {
    {"truncating", truncating},
    {"appending", appending},
    {"beyond_four_gigabytes", beyond_four_gigabytes},
    {"shared_mappings", shared_mappings},
    {"syncing", syncing},
    {"allocating", allocating},
    {"copying_a_range", copying_a_range},
    {NULL, NULL},
};
